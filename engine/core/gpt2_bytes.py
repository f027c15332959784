"""GPT-2's printable stand-ins for the 256 bytes, as its `encoder.py` defines them.

Visible Latin-1 characters stand for themselves; the other bytes, in order, for U+0100 upwards, so
a space is `Ġ` and a newline `Ċ`. `vocab.json` and `merges.txt` are written in these characters.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Sequence
from itertools import accumulate, pairwise

_VISIBLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_HIDDEN = [byte for byte in range(256) if byte not in _VISIBLE]

BYTE_TO_CHAR: dict[int, str] = {byte: chr(byte) for byte in _VISIBLE} | {
    byte: chr(0x100 + place) for place, byte in enumerate(_HIDDEN)
}
CHAR_TO_BYTE: dict[str, int] = {char: byte for byte, char in BYTE_TO_CHAR.items()}

# Translating a whole text is much faster than looking up its characters. Latin-1 has a character
# for each byte; what is no stand-in becomes one that Latin-1 lacks, or is one already.
_TO_LATIN_1 = dict.fromkeys(range(0x100), "\uffff") | {
    ord(char): chr(byte) for char, byte in CHAR_TO_BYTE.items()
}


def spell(token: bytes) -> str:
    """The token in GPT-2's spelling.

    >>> spell(b" the\\n")
    'ĠtheĊ'
    """
    return token.decode("latin-1").translate(BYTE_TO_CHAR)


def unspell(spelling: str) -> bytes:
    """The bytes that a GPT-2 spelling stands for; `KeyError` for any other character.

    >>> unspell("ĠtheĊ")
    b' the\\n'
    """
    try:
        return spelling.translate(_TO_LATIN_1).encode("latin-1")
    except UnicodeEncodeError as error:
        raise KeyError(spelling[error.start]) from None


def unspell_all(spellings: Sequence[str]) -> list[bytes | None]:
    """What many spellings stand for; `None` for those with another character. All at once: quick.

    >>> unspell_all(["Ġthe", "▁the", "Ċ"])
    [b' the', None, b'\\n']
    """
    together = "".join(spellings).translate(_TO_LATIN_1)
    places = pairwise(accumulate(map(len, spellings), initial=0))
    if together.isascii() or all(character <= "\xff" for character in set(together)):
        data = together.encode("latin-1")
        return [data[start:end] for start, end in places]
    return [_latin_1(together[start:end]) for start, end in places]


def _latin_1(text: str) -> bytes | None:
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return None


def read_stand_ins(text: str) -> bytes | None:
    """The bytes that a text in GPT-2's spelling stands for; `None` if it says what it says.

    Many letters are stand-ins, too: é is one, for half a character. So a text is taken for a
    spelling only if a space or a newline is spelled in it (`Ġ`, `Ċ`), or a whole character of
    several bytes; if nothing in it is no UTF-8, but that a token may begin or end within a
    character; and if no control character comes out of it.

    >>> read_stand_ins("Ġè¿Ļ").decode(), read_stand_ins("Ġè¿")
    (' 这', b' \\xe8\\xbf')
    >>> read_stand_ins("the"), read_stand_ins("café"), read_stand_ins("česky")
    (None, None, None)
    """
    if text.isascii():
        return None
    try:
        token = unspell(text)
    except KeyError:
        return None
    whole = _whole_characters(token)
    if whole is None or any(char < " " and char not in "\t\n\r" for char in whole):
        return None
    says_space = "Ġ" in text or "Ċ" in text
    return token if says_space or not whole.isascii() else None


def _whole_characters(token: bytes) -> str | None:
    """The characters that lie in the token whole; `None` if other bytes lie between them."""
    start = 0
    while start < min(len(token), 3) and 0x80 <= token[start] < 0xC0:
        start += 1
    try:
        # An incremental decoder waits for the rest of a character that is cut off at the end.
        return getincrementaldecoder("utf-8")().decode(token[start:])
    except UnicodeDecodeError:
        return None

"""GPT-2's spelling of bytes: one printable character for each of the 256 bytes.

A byte that is a visible Latin-1 character is spelled as that character. The other bytes, in order,
are spelled U+0100, U+0101, …: a space is `Ġ` and a newline `Ċ`. `vocab.json` and `merges.txt` use
this spelling. Source: GPT-2's `encoder.py`.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Sequence

from engine.core.arrays import parts_of

_VISIBLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_HIDDEN = [byte for byte in range(256) if byte not in _VISIBLE]

BYTE_TO_CHAR: dict[int, str] = {byte: chr(byte) for byte in _VISIBLE} | {
    byte: chr(0x100 + place) for place, byte in enumerate(_HIDDEN)
}
CHAR_TO_BYTE: dict[str, int] = {char: byte for byte, char in BYTE_TO_CHAR.items()}
BYTE_OF = [CHAR_TO_BYTE.get(chr(code), -1) for code in range(0x144)]
"""The byte that each character spells, by its code point; -1 if it spells none."""

# Translating a whole text is much faster than looking up its characters one by one. Latin-1 has a
# character for each byte; a character that spells no byte becomes one that Latin-1 lacks.
_TO_LATIN_1 = dict.fromkeys(range(0x100), "\uffff") | {
    ord(char): chr(byte) for char, byte in CHAR_TO_BYTE.items()
}


def spell(token: bytes) -> str:
    """Return the token in GPT-2's spelling.

    >>> spell(b" the\\n")
    'ĠtheĊ'
    """
    return token.decode("latin-1").translate(BYTE_TO_CHAR)


def spell_all(tokens: Sequence[bytes]) -> list[str]:
    """Return many tokens in GPT-2's spelling; they are translated together, which is faster.

    >>> spell_all([b" the", b"\\n"])
    ['Ġthe', 'Ċ']
    """
    together = b"".join(tokens).decode("latin-1").translate(BYTE_TO_CHAR)
    return parts_of(together, map(len, tokens))


def unspell(spelling: str) -> bytes:
    """Return the bytes of a GPT-2 spelling; `KeyError` if a character spells no byte.

    >>> unspell("ĠtheĊ")
    b' the\\n'
    """
    try:
        return spelling.translate(_TO_LATIN_1).encode("latin-1")
    except UnicodeEncodeError as error:
        raise KeyError(spelling[error.start]) from None


def unspell_all(spellings: Sequence[str]) -> list[bytes | None]:
    """Return the bytes of many spellings; `None` where a character spells no byte.

    All spellings are translated together, which is much faster than one by one.

    >>> unspell_all(["Ġthe", "▁the", "Ċ"])
    [b' the', None, b'\\n']
    """
    together = "".join(spellings).translate(_TO_LATIN_1)
    lengths = list(map(len, spellings))
    try:
        return list(parts_of(together.encode("latin-1"), lengths))
    except UnicodeEncodeError:
        parts = parts_of(together, lengths)
    encoded = [part.encode("latin-1", "ignore") for part in parts]
    return [
        data if len(data) == len(part) else None for part, data in zip(parts, encoded, strict=True)
    ]


def read_stand_ins(text: str) -> bytes | None:
    """Return the bytes of a text in GPT-2's spelling; `None` if it is ordinary text.

    Many ordinary letters also spell a byte: é spells half a character. So a text counts as a
    spelling only if

    * it spells a space or a newline (`Ġ`, `Ċ`), or a complete character of several bytes;
    * its bytes are valid UTF-8, except that it may begin or end within a character;
    * it spells no control character.

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
    start = 0
    while start < min(len(token), 3) and 0x80 <= token[start] < 0xC0:
        start += 1
    try:
        # An incremental decoder waits for the rest of a character that is cut off at the end.
        whole = getincrementaldecoder("utf-8")().decode(token[start:])
    except UnicodeDecodeError:
        return None
    if any(char < " " and char not in "\t\n\r" for char in whole):
        return None
    spells_space = "Ġ" in text or "Ċ" in text
    return token if spells_space or not whole.isascii() else None

"""GPT-2's spelling of bytes: one printable character for each of the 256 bytes.

A byte that is a visible Latin-1 character is spelled as that character. The other bytes, in order,
are spelled U+0100, U+0101, …: a space is `Ġ` and a newline `Ċ`. `vocab.json` and `merges.txt` use
this spelling. Source: GPT-2's `encoder.py`.
"""

from __future__ import annotations

from codecs import charmap_decode
from collections.abc import Sequence

_VISIBLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_HIDDEN = [byte for byte in range(256) if byte not in _VISIBLE]

BYTE_TO_CHAR: dict[int, str] = {byte: chr(byte) for byte in _VISIBLE} | {
    byte: chr(0x100 + place) for place, byte in enumerate(_HIDDEN)
}
CHAR_TO_BYTE: dict[str, int] = {char: byte for byte, char in BYTE_TO_CHAR.items()}
BYTE_OF = [CHAR_TO_BYTE.get(chr(code), -1) for code in range(0x144)]
"""The byte that each character spells, by its code point; -1 if it spells none."""

_SPELLED = "".join(BYTE_TO_CHAR[byte] for byte in range(256))
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
    return charmap_decode(token, "strict", _SPELLED)[0]


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

    >>> unspell_all(["Ġthe", "▁the", "Ċ"])
    [b' the', None, b'\\n']
    """
    tokens = (text.translate(_TO_LATIN_1).encode("latin-1", "ignore") for text in spellings)
    both = zip(tokens, spellings, strict=True)
    return [token if len(token) == len(text) else None for token, text in both]

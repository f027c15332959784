"""GPT-2's printable stand-ins for the 256 bytes, as its `encoder.py` defines them.

Visible Latin-1 characters stand for themselves; the other bytes, in order, for U+0100 upwards, so
a space is `Ġ` and a newline `Ċ`. `vocab.json` and `merges.txt` are written in these characters.
"""

from __future__ import annotations

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

"""Blocks of Unicode, and how many of their characters a vocabulary has as one token each."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from engine.text.pretokenize import to_text

LONGEST_CHARACTER = 4
"""Most bytes of a character in UTF-8."""
BLOCKS = {
    "Basic Latin": (0x20, 0x7E),
    "Latin-1 Supplement": (0xA0, 0xFF),
    "Latin Extended-A": (0x100, 0x17F),
    "Greek": (0x370, 0x3FF),
    "Cyrillic": (0x400, 0x4FF),
    "Hebrew": (0x590, 0x5FF),
    "Arabic": (0x600, 0x6FF),
    "Devanagari": (0x900, 0x97F),
    "Thai": (0xE00, 0xE7F),
    "General Punctuation": (0x2000, 0x206F),
    "Hiragana": (0x3040, 0x309F),
    "Katakana": (0x30A0, 0x30FF),
    "CJK Unified Ideographs": (0x4E00, 0x9FFF),
    "Hangul Syllables": (0xAC00, 0xD7A3),
    "Emoticons": (0x1F600, 0x1F64F),
}
"""Name of a block → its first and last code point; the blocks that most texts are written in."""


class Coverage(NamedTuple):
    """The number of a block's characters that are tokens, of all that it has."""

    block: str
    tokens: int
    characters: int


def coverage(tokens: Iterable[bytes]) -> list[Coverage]:
    """Return the coverage of each block that has a token of one character.

    >>> coverage([b"a", b"b", b"th", "ж".encode(), b"\\xff"])
    [Coverage(block='Basic Latin', tokens=2, characters=95), \
Coverage(block='Cyrillic', tokens=1, characters=256)]
    """
    texts = (to_text(token) for token in tokens if len(token) <= LONGEST_CHARACTER)
    single = {ord(text) for text in texts if len(text) == 1}
    counts = (
        Coverage(block, sum(first <= code <= last for code in single), characters_in(first, last))
        for block, (first, last) in BLOCKS.items()
    )
    return [each for each in counts if each.tokens]


@cache
def characters_in(first: int, last: int) -> int:
    """Return the number of code points that are characters."""
    return sum(unicodedata.category(chr(code)) != "Cn" for code in range(first, last + 1))

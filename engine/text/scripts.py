r"""In which script is a character written? For whole texts at once.

The `regex` module knows `\p{Script=…}`, but asking it for every character of 10 MB takes seconds.
A text has few distinct characters: each is looked up once, and the text is read off a table.

Letters and marks have a script; what several scripts share (the mark on a decomposed `é`, the
Japanese `ー`) is `SHARED`. Scripts are those in use today, UAX #31's recommended and limited ones.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import regex

Kinds = npt.NDArray[np.uint8]

SYMBOL, SPACE, DIGIT, STRAY, SHARED, OTHER = range(6)
"""Kinds of characters; `STRAY` is a byte that is no UTF-8, `OTHER` a letter of a rare script."""

SCRIPTS = (
    *("Latin", "Han", "Cyrillic", "Arabic", "Greek", "Hebrew", "Hangul", "Hiragana", "Katakana"),
    *("Devanagari", "Thai", "Bengali", "Tamil", "Telugu", "Kannada", "Malayalam", "Gujarati"),
    *("Gurmukhi", "Oriya", "Sinhala", "Armenian", "Georgian", "Khmer", "Lao", "Myanmar", "Tibetan"),
    *("Ethiopic", "Mongolian", "Bopomofo", "Thaana", "Syriac", "Cherokee", "Canadian_Aboriginal"),
    *("Adlam", "Balinese", "Bamum", "Batak", "Chakma", "Cham", "Javanese", "Kayah_Li", "Lepcha"),
    *("Limbu", "Lisu", "Mandaic", "Meetei_Mayek", "Miao", "New_Tai_Lue", "Newa", "Nko", "Ol_Chiki"),
    *("Osage", "Saurashtra", "Sundanese", "Syloti_Nagri", "Tai_Le", "Tai_Tham", "Tai_Viet"),
    *("Tifinagh", "Vai", "Yi"),
)
FIRST_SCRIPT = OTHER + 1
"""`SCRIPTS[n]` is the kind `FIRST_SCRIPT + n`."""
KIND_NAMES = (
    *("symbols", "whitespace", "digits", "stray bytes", "shared letters", "rare scripts"),
    *(name.replace("_", " ") for name in SCRIPTS),
)

WRITTEN_WITHOUT_SPACES = frozenset(
    FIRST_SCRIPT + SCRIPTS.index(name)
    for name in ("Han", "Hiragana", "Katakana", "Thai", "Khmer", "Lao", "Myanmar", "Tibetan")
)
_UNKNOWN = 255


class ScriptTable:
    """The kind of every character met so far.

    >>> kinds = ScriptTable().kinds("a 1é漢")
    >>> [KIND_NAMES[kind] for kind in kinds]
    ['Latin', 'whitespace', 'digits', 'Latin', 'Han']
    """

    def __init__(self) -> None:
        self._table: Kinds = np.full(0x110000, _UNKNOWN, dtype=np.uint8)

    def kinds(self, text: str) -> Kinds:
        """The kind of each character; surrogates stand for stray bytes."""
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        kinds = self._table[codes]
        new = codes[kinds == _UNKNOWN]
        if len(new):
            self._learn(np.flatnonzero(np.bincount(new)).astype(np.uint32))
            kinds = self._table[codes]
        return kinds

    def _learn(self, codes: npt.NDArray[np.uint32]) -> None:
        # Sorted, neighbours are of one script most often: few matches tell all of them.
        text = codes.tobytes().decode("utf-32-le", "surrogatepass")
        kinds: Kinds = np.full(len(codes), SYMBOL, dtype=np.uint8)
        for match in self._regex.finditer(text):
            kinds[match.start() : match.end()] = match.lastindex
        self._table[codes] = kinds

    @cached_property
    def _regex(self) -> Any:
        """A group for each kind but `SYMBOL`, so that a group's number is its kind."""
        named = ("Common", "Inherited", *SCRIPTS)
        kinds = {
            SPACE: r"\s",
            DIGIT: r"\p{N}",
            STRAY: r"\p{Cs}",
            SHARED: r"[\p{L}\p{M}&&[\p{Script=Common}\p{Script=Inherited}]]",
            OTHER: r"[\p{L}\p{M}&&[^\p{Script=" + r"}\p{Script=".join(named) + r"}]]",
        }
        for number, name in enumerate(SCRIPTS, start=FIRST_SCRIPT):
            kinds[number] = rf"[\p{{L}}\p{{M}}&&\p{{Script={name}}}]"
        return regex.compile("|".join(f"({kinds[n]}+)" for n in sorted(kinds)), regex.V1)

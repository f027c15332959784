r"""The script of every character of a text, found for whole texts at once.

The `regex` module has `\p{Script=…}`, but matching every character of 10 MB takes seconds. A text
has few distinct characters, so each is looked up once and then read from a table.

Letters and marks have a script; those that several scripts use (the mark of a decomposed `é`, the
Japanese `ー`) are `SHARED`. The scripts are those in use today: UAX #31's recommended and limited.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import regex

Kinds = npt.NDArray[np.uint8]

SYMBOL, SPACE, DIGIT, STRAY, SHARED, OTHER = range(6)
"""Kinds of characters; `STRAY` is a byte of invalid UTF-8, `OTHER` a letter of a rare script."""

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

_UNKNOWN = 255


class ScriptTable:
    """A table with the kind of every character seen so far.

    >>> kinds = ScriptTable().kinds("a 1é漢")
    >>> [KIND_NAMES[kind] for kind in kinds]
    ['Latin', 'whitespace', 'digits', 'Latin', 'Han']
    """

    def __init__(self) -> None:
        self._table: Kinds = np.full(0x110000, _UNKNOWN, dtype=np.uint8)
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
        # A regex with a group for each kind except `SYMBOL`; the group's number is the kind.
        self._regex = regex.compile("|".join(f"({kinds[n]}+)" for n in sorted(kinds)), regex.V1)

    def kinds(self, text: str) -> Kinds:
        """Return the kind of each character; a surrogate is a stray byte."""
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        kinds = self._table[codes]
        new = codes[kinds == _UNKNOWN]
        if len(new):
            # Sorted codes of one script are mostly neighbours, so a few matches cover them all.
            new = np.flatnonzero(np.bincount(new)).astype(np.uint32)
            learnt: Kinds = np.full(len(new), SYMBOL, dtype=np.uint8)
            for match in self._regex.finditer(new.tobytes().decode("utf-32-le", "surrogatepass")):
                learnt[match.start() : match.end()] = match.lastindex
            self._table[new] = learnt
            kinds = self._table[codes]
        return kinds

"""Units of n-grams, and the names of Unigram's trainers: what a command line knows before numpy.

A *unit* is a word or a character; an n-gram is a run of 1, 2, … units.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

from engine.core.registry import Registry, registry_of

TRAINER_NAMES = ("em", "textbook")
"""`UnigramTrainer` and `TextbookTrainer`; the first is the default."""
SPACE = "▁"
"""The sign for a space in pieces; `engine.unigram.pieces` explains it."""


class Unit(NamedTuple):
    """A unit at its place in a text: its own text, and where its place ends."""

    text: str
    end: int


GramUnitsName = Literal["words", "characters"]


class GramUnits(NamedTuple):
    """A kind of units.

    Attributes:
        name, one, many: its name, and the words for one unit and for several.
        read: cuts a text into its units, whose places cover it.
        between: the text between the units of an n-gram.
        pattern: the usual pattern, which cuts a corpus into sentences.
    """

    name: GramUnitsName
    one: str
    many: str
    read: Callable[[str], list[Unit]]
    between: str
    pattern: str

    def length(self, most: int) -> str:
        """Describe the lengths of n-grams: `1 word`, `1 to 2 words`."""
        return f"1 {self.one}" if most == 1 else f"1 to {most:,} {self.many}"


_WORD = re.compile(rf"[^\s{SPACE}]+")


def read_words(text: str) -> list[Unit]:
    """Cut a text into words; whitespace belongs to the word after it, at the end to the last.

    >>> read_words("我▁喜欢▁"), read_words("▁")
    ([Unit(text='我', end=1), Unit(text='喜欢', end=5)], [])
    """
    found = [Unit(match.group(), match.end()) for match in _WORD.finditer(text)]
    if found:
        found[-1] = Unit(found[-1].text, len(text))
    return found


def read_characters(text: str) -> list[Unit]:
    """Cut a text into characters.

    >>> read_characters("ab")
    [Unit(text='a', end=1), Unit(text='b', end=2)]
    """
    return [Unit(character, end) for end, character in enumerate(text, 1)]


GRAM_UNITS: Registry[GramUnitsName, GramUnits] = registry_of(
    "kind of n-grams",
    GramUnits("words", "word", "words", read_words, SPACE, "lines"),
    GramUnits("characters", "character", "characters", read_characters, "", "gpt2"),
)
DEFAULT_GRAM_UNITS: GramUnitsName = "words"
DEFAULT_NGRAM = 2
"""Units of the longest n-gram, if nothing else is asked for."""

"""Frequent words, misspelled by rule, and what tokenizers make of that.

A word tokenizer knows a word or it does not. Subwords fall apart into smaller ones. How far they
do is measured on the same misspellings for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.family.contender import Contender
from engine.registry import Registry

SHORTEST = 4
"""Letters of a word that is misspelled: of shorter ones too little would be left."""


@dataclass(frozen=True)
class Misspelling:
    """A word and a wrong spelling of it; `kind` is a name in `MISSPELLINGS`."""

    word: str
    wrong: str
    kind: str


@dataclass(frozen=True)
class MisspelledWord:
    """What a tokenizer makes of a word and of its misspelling.

    Attributes:
        tokens, wrong_tokens: how many tokens they are, each behind a space.
        unknown: whether the misspelling, or a part of it, is unknown.
    """

    misspelling: Misspelling
    tokens: int
    wrong_tokens: int
    unknown: bool

    @property
    def extra(self) -> int:
        """How many tokens more."""
        return self.wrong_tokens - self.tokens


@dataclass(frozen=True)
class MisspellingBehaviour:
    """What a tokenizer makes of all misspellings."""

    words: tuple[MisspelledWord, ...]

    @property
    def extra_tokens_per_word(self) -> float:
        """How many tokens a misspelling costs on average."""
        return sum(word.extra for word in self.words) / len(self.words) if self.words else 0.0

    @property
    def unknown_share(self) -> float:
        """How many of the misspellings are unknown."""
        unknown = sum(word.unknown for word in self.words)
        return unknown / len(self.words) if self.words else 0.0


def swapped(word: str) -> str:
    """Two neighbours in the middle change places.

    >>> swapped("little")
    'ltitle'
    """
    middle = len(word) // 2
    # Where the two are the same letter, the next place to the left at which they differ.
    for place in range(middle, 0, -1):
        if word[place - 1] != word[place]:
            return word[: place - 1] + word[place] + word[place - 1] + word[place + 1 :]
    return word


def dropped(word: str) -> str:
    """The letter in the middle is left out.

    >>> dropped("queen")
    'quen'
    """
    middle = len(word) // 2
    return word[:middle] + word[middle + 1 :]


MISSPELLINGS: Registry[Callable[[str], str]] = Registry(
    "misspelling", {"swap": swapped, "drop": dropped}
)


def misspellings(counts: Mapping[str, int], limit: int) -> list[Misspelling]:
    """The most frequent words that can be misspelled, at the most `limit`, in each way.

    What comes out as another word of the text is no misspelling, and left out.

    >>> [spelling.wrong for spelling in misspellings({"then": 9, "the": 8, "hen": 1}, 5)]
    ['tehn', 'thn']
    """
    words = [word for word in counts if len(word) >= SHORTEST and word.isalpha()]
    words.sort(key=lambda word: (-counts[word], word))
    return [
        Misspelling(word, wrong, kind)
        for word in words[:limit]
        for kind, misspell in MISSPELLINGS.items()
        if (wrong := misspell(word)) not in counts
    ]


def behaviour(tokenizer: Contender, wrong: Sequence[Misspelling]) -> MisspellingBehaviour:
    """What a tokenizer makes of the misspellings."""
    measured = []
    for misspelling in wrong:
        # As it stands in a text: many tokenizers treat the first word of all differently.
        right_ids = tokenizer.encode(" " + misspelling.word)
        wrong_ids = tokenizer.encode(" " + misspelling.wrong)
        unknown = tokenizer.unknown_id is not None and tokenizer.unknown_id in wrong_ids
        measured.append(MisspelledWord(misspelling, len(right_ids), len(wrong_ids), unknown))
    return MisspellingBehaviour(tuple(measured))

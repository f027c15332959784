"""Frequent words with two letters swapped, and what tokenizers make of that: `the` → `teh`.

A word tokenizer knows a word or it does not. Subwords fall apart into smaller ones. How far they
do is measured on the same misspellings for all. A swap leaves a word its letters: tokenizers of
characters and of bytes make as many tokens of it as before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from engine.analysis.model_table.candidate import Contender
from engine.text.scripts import WRITTEN_WITHOUT_SPACES, ScriptTable

SHORTEST = 3
"""Letters of a word that is misspelled: two of them swapped may well be another word."""


@dataclass(frozen=True)
class Misspelling:
    """A word and a wrong spelling of it."""

    word: str
    wrong: str


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


@dataclass(frozen=True)
class MisspellingBehaviour:
    """What a tokenizer makes of all misspellings; means are 0 if there are none."""

    words: tuple[MisspelledWord, ...]

    @property
    def tokens_per_word(self) -> float:
        """How many tokens the words are on average, as they are spelled rightly."""
        return self._mean([word.tokens for word in self.words])

    @property
    def wrong_tokens_per_word(self) -> float:
        """How many tokens the misspellings are on average."""
        return self._mean([word.wrong_tokens for word in self.words])

    @property
    def unknown_share(self) -> float:
        """How many of the misspellings are unknown."""
        return self._mean([word.unknown for word in self.words])

    def _mean(self, numbers: Sequence[int]) -> float:
        return sum(numbers) / len(numbers) if numbers else 0.0


def swapped(word: str) -> str:
    """Two neighbours in the middle change places, or else the first two before it that differ.

    >>> swapped("the"), swapped("little")
    ('teh', 'ltitle')
    """
    for place in range((len(word) + 1) // 2, 0, -1):
        if word[place - 1] != word[place]:
            return word[: place - 1] + word[place] + word[place - 1] + word[place + 1 :]
    return word


def misspellings(counts: Mapping[str, int], limit: int) -> list[Misspelling]:
    """The most frequent words that can be misspelled, at the most `limit`.

    What comes out as another word of the text is no misspelling, and left out. So is what is
    written without spaces, as Chinese is: there a word may be a whole sentence.

    >>> [made.wrong for made in misspellings({"the": 9, "form": 8, "from": 7, "cat": 1}, 5)]
    ['teh', 'cta']
    """
    words = [word for word in counts if len(word) >= SHORTEST and word.isalpha()]
    words.sort(key=lambda word: (-counts[word], word))
    table = ScriptTable()
    made = (
        Misspelling(word, wrong)
        for word in words
        if (wrong := swapped(word)) not in counts
        and WRITTEN_WITHOUT_SPACES.isdisjoint(table.kinds(word).tolist())
    )
    return list(islice(made, limit))


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

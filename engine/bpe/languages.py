"""The languages of a parity-aware run: whose turn each step was, and how each language fares."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.core.arrays import Floats
from engine.core.slow_modules import np
from engine.text.pretokenize import to_text

UNEQUAL = 10
"""Texts are of very unequal size if the largest has this many times the smallest."""


def characters_in(counts: Mapping[bytes, int]) -> int:
    """Count the characters of pretokens; a byte that belongs to none is one."""
    return sum(len(to_text(pretoken)) * count for pretoken, count in counts.items())


@dataclass(eq=False)
class Languages:
    """The languages of a run, whose tokens a character decide which of them is served.

    Attributes:
        names: their names, in the order given.
        characters: the number of characters of each.
        turns: for each step the place of the language that it served.
        tokens: for each language its number of tokens after 0, 1, … steps.
        plain: the same, after as many merges of plain BPE on all texts together.
    """

    names: Sequence[str]
    characters: Sequence[int]
    turns: array[int] = field(default_factory=lambda: array("q"))
    tokens: Sequence[array[int]] = ()
    plain: Sequence[array[int]] = ()

    def rate(self, language: int, step: int, *, plain: bool = False) -> float:
        """Return the tokens a character of a language after a number of steps.

        Args:
            language: its place in `names`.
            step: the number of steps.
            plain: whether to ask about plain BPE instead.
        """
        tokens = (self.plain if plain else self.tokens)[language]
        return tokens[min(step, len(tokens) - 1)] / max(self.characters[language], 1)

    def rates(self, language: int, steps: int, *, plain: bool = False) -> Floats:
        """Return the tokens a character of a language after 0, 1, … steps.

        Args:
            language, plain: as for `rate`.
            steps: the last step.
        """
        tokens = (self.plain if plain else self.tokens)[language][: steps + 1]
        return np.array(tokens, dtype=np.float64) / max(self.characters[language], 1)

    def turns_of(self, language: int, steps: int) -> int:
        """Count the steps that served a language.

        Args:
            language: its place in `names`.
            steps: the number of steps, from the first on.
        """
        return self.turns[:steps].count(language)

    def served_at(self, step: int) -> int | None:
        """Return the language that the merge after `step` serves; `None` if none is recorded."""
        return self.turns[step] if step < len(self.turns) else None

    def worst_off(self, among: Sequence[int], step: int) -> int:
        """Return the language with the most tokens a character; of several the first.

        Args:
            among: the languages to compare, by their places.
            step: the number of steps after which to compare them.

        >>> Languages(["en", "am"], [4, 4], tokens=[array("q", [5]), array("q", [6])]).worst_off(
        ...     range(2), 0
        ... )
        1
        """
        return max(among, key=lambda language: self.rate(language, step))

    @property
    def doubt(self) -> str:
        """A sentence about texts of very unequal size; empty if they are not."""
        by_size = sorted(range(len(self.names)), key=self.characters.__getitem__)
        least, most = by_size[0], by_size[-1]
        times = self.characters[most] / max(self.characters[least], 1)
        if times < UNEQUAL:
            return ""
        return (
            f"{self.names[most]} is {times:,.0f} times as long as {self.names[least]}; turns go by "
            "tokens a character, not by size, but pairs of little text soon occur only once"
        )

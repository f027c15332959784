"""The languages of a parity-aware run: whose turn each step was, and how each language fares."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

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

    def served_at(self, step: int) -> int | None:
        """Return the language that the merge after `step` serves; `None` if none is recorded."""
        return self.turns[step] if step < len(self.turns) else None

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

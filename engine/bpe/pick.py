"""`Pick`: a pair that merges, and the reason why it does and no other."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from engine.core.events import Pair


class Reason(Enum):
    """The reason why a pair merges, as a sentence about a merge that is made or comes next."""

    GIVEN = "The tokenizer says so: no count chose it here."
    FORCED = "It is chosen by hand, whatever its count."
    REPLAYED = "The run that was forked merges it here, and this fork repeats it."
    TIED = "The tie rule takes it before other pairs of the same count."
    ALONE = "No other pair is as frequent."


@dataclass(frozen=True)
class Pick:
    """A pair that merges, and why.

    Attributes:
        pair, count: the pair and its count before the merge.
        reason: the reason why it merges.
        rivals: the other pairs of the same count, if the tie rule decides.
        forbidden: the pairs of at least this count that a fork forbids, and their counts, if counts
            decide; most frequent first.
    """

    pair: Pair
    count: int
    reason: Reason
    rivals: tuple[Pair, ...] = ()
    forbidden: tuple[tuple[Pair, int], ...] = ()

    @property
    def is_prescribed(self) -> bool:
        """Whether no count chose the pair."""
        return self.reason in (Reason.GIVEN, Reason.FORCED, Reason.REPLAYED)

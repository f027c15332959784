"""`MergeStep`: one step of a run, a thin view of its record."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.core.events import Pair, StaleEntry
from engine.recording.pair_step import PairStep

if TYPE_CHECKING:
    from engine.bpe.record import Record


class MergeStep(PairStep):
    """One merge during training: of the most frequent pair, or in a replay of a given one."""

    __slots__ = ()

    record: Record

    @property
    def count(self) -> int:
        """How often the pair stood side by side before this step."""
        return self.record.count_of(self.index)

    def _shared_top(self) -> Iterable[Pair]:
        """The pairs of the top count; its own alone in a replay, where no count chose it."""
        if self.record.given:
            return (self.pair,)
        return self.record.pairs_with_count(self.record.counts.at(self.index), self.count)

    def _chosen_by(self) -> dict[str, object]:
        return {"count": self.count}

    @property
    def discarded(self) -> tuple[StaleEntry, ...]:
        """The stale entries that a heap pops before it finds this pair."""
        return self.record.heap.discarded(self.index) if self.record.by_rule else ()

    def __repr__(self) -> str:
        return (
            f"<MergeStep {self.index}: {self.left!r} + {self.right!r} → {self.new_id}, "
            f"count {self.count}>"
        )

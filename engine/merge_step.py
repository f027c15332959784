"""`MergeStep`: one step of a run, a thin view of its record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.byte_chars import spell
from engine.events import CountChange, Pair, StaleEntry, largest_first

if TYPE_CHECKING:
    from engine.record import Record


class MergeStep:
    """One merge during training. `index` is its rank: 0 is the first learnt.

    Two steps are equal if every fact about them is, whichever algorithm found them.
    """

    __slots__ = ("_record", "index")

    def __init__(self, record: Record, index: int) -> None:
        self._record = record
        self.index = index

    @property
    def record(self) -> Record:
        return self._record

    @property
    def pair(self) -> Pair:
        """The ids of the two tokens."""
        return self._record.pair_of(self.index)

    @property
    def left(self) -> bytes:
        return self._record.token(self.pair[0])

    @property
    def right(self) -> bytes:
        return self._record.token(self.pair[1])

    @property
    def new_id(self) -> int:
        return self._record.new_id(self.index)

    @property
    def token(self) -> bytes:
        """The new token's bytes."""
        return self._record.vocab[self._record.first_id + self.index]

    @property
    def covers(self) -> bytes:
        """The bytes of a pretoken that the new token stands for."""
        return self._record.covers(self.new_id)

    @property
    def count(self) -> int:
        """How often the pair stood side by side before this step."""
        return self._record.count_of(self.index)

    @property
    def occurrences(self) -> int:
        """How many were replaced; less than `count` where the pair overlapped itself."""
        return self._record.occurrences_of(self.index)

    @property
    def pretokens(self) -> int:
        """In how many distinct pretokens."""
        return self._record.pretokens_of(self.index)

    @property
    def tied(self) -> tuple[Pair, ...]:
        """All pairs that had the top count, this step's own first, the others by their ids.

        Its own alone in a replay, where no count chose it.
        """
        if self._record.given:
            return (self.pair,)
        pairs = self._record.pairs_with_count(self._record.counts.at(self.index), self.count)
        return (self.pair, *sorted(pair for pair in pairs if pair != self.pair))

    @property
    def changes(self) -> tuple[CountChange, ...]:
        """The pairs whose count this step changed: its own first, then the largest changes."""
        changes = (
            CountChange(self._record.pairs[number], before, after)
            for number, before, after in self._record.counts.differences(self.index)
        )
        return largest_first(changes, self.pair)

    @property
    def discarded(self) -> tuple[StaleEntry, ...]:
        """The stale entries that a heap pops before it finds this pair."""
        return self._record.heap.discarded(self.index) if self._record.by_rule else ()

    def as_dict(self) -> dict[str, object]:
        """The step as plain values for JSON; tokens in GPT-2's spelling."""
        return {
            "index": self.index,
            "pair": list(self.pair),
            "left": spell(self.left),
            "right": spell(self.right),
            "token": spell(self.token),
            "new_id": self.new_id,
            "count": self.count,
            "occurrences": self.occurrences,
            "pretokens": self.pretokens,
            "tied": [list(pair) for pair in self.tied],
            "changes": [[list(c.pair), c.before, c.after] for c in self.changes],
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MergeStep) and self.as_dict() == other.as_dict()

    def __hash__(self) -> int:
        return hash((self.index, self.pair))

    def __repr__(self) -> str:
        return (
            f"<MergeStep {self.index}: {self.left!r} + {self.right!r} → {self.new_id}, "
            f"count {self.count}>"
        )

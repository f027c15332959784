"""`PairStep`: what the steps of all trainings share that join a pair.

BPE takes the most frequent pair, WordPiece the one of the highest score. Whatever chose it, a step
is a thin view of the run's record, two words of memory: its facts are computed when asked for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.core.events import CountChange, Pair, largest_first
from engine.core.gpt2_bytes import spell

if TYPE_CHECKING:
    from engine.recording.merge_record import MergeRecord


class PairStep(ABC):
    """One merge during training. A subclass says what it was chosen by.

    Two steps are equal if every fact about them is, whichever algorithm found them.

    Attributes:
        record: what wrote the step down.
        index: its rank; 0 is the first learnt.
    """

    __slots__ = ("index", "record")

    record: MergeRecord[PairStep]
    index: int

    def __init__(self, record: MergeRecord[PairStep], index: int) -> None:
        self.record = record
        self.index = index

    @property
    @abstractmethod
    def count(self) -> int:
        """How often the pair stood side by side before this step."""

    @abstractmethod
    def _shared_top(self) -> Iterable[Pair]:
        """All pairs, in any order, that by the training's measure were as good as this one."""

    @abstractmethod
    def _chosen_by(self) -> dict[str, object]:
        """The pair's measure as plain values."""

    @property
    def pair(self) -> Pair:
        """The ids of the two tokens."""
        return self.record.pair_of(self.index)

    @property
    def left(self) -> bytes:
        """The left token's bytes, as the vocabulary has them."""
        return self.record.token(self.pair[0])

    @property
    def right(self) -> bytes:
        return self.record.token(self.pair[1])

    @property
    def new_id(self) -> int:
        return self.record.new_id(self.index)

    @property
    def token(self) -> bytes:
        """The new token's bytes: `##low` for a piece of WordPiece's inside of a word."""
        return self.record.vocab[self.record.first_id + self.index]

    @property
    def covers(self) -> bytes:
        """The bytes of a pretoken that the new token stands for: `low`."""
        return self.record.covers(self.new_id)

    @property
    def occurrences(self) -> int:
        """How many were replaced; less than `count` where the pair overlapped itself."""
        return self.record.occurrences_of(self.index)

    @property
    def pretokens(self) -> int:
        """In how many distinct pretokens."""
        return self.record.pretokens_of(self.index)

    @property
    def tied(self) -> tuple[Pair, ...]:
        """All pairs that shared the top, this step's own first, the others by their ids."""
        return (self.pair, *sorted(pair for pair in self._shared_top() if pair != self.pair))

    @property
    def changes(self) -> tuple[CountChange, ...]:
        """The pairs whose count this step changed: its own first, then the largest changes."""
        changes = (
            CountChange(self.record.pairs[number], before, after)
            for number, before, after in self.record.counts.differences(self.index)
        )
        return largest_first(changes, self.pair)

    def as_dict(self) -> dict[str, object]:
        """The step as plain values for JSON; tokens in GPT-2's spelling of bytes."""
        return {
            "index": self.index,
            "pair": list(self.pair),
            "left": spell(self.left),
            "right": spell(self.right),
            "token": spell(self.token),
            "new_id": self.new_id,
            **self._chosen_by(),
            "occurrences": self.occurrences,
            "pretokens": self.pretokens,
            "tied": [list(pair) for pair in self.tied],
            "changes": [[list(c.pair), c.before, c.after] for c in self.changes],
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.as_dict() == other.as_dict()

    def __hash__(self) -> int:
        return hash((self.index, self.pair))

"""What a Unigram training tells: the seed, then EM iterations and prunes, views of the record."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from engine.unigram.record import Record


class PruneRule(Enum):
    """By what a prune chooses; the value says it in words."""

    LOSS = "the smallest loss increases go"
    SCORE = "the lowest scores go, to the size asked for"


class Vanished(NamedTuple):
    """A piece whose expected count became too small; `score` is the last it had."""

    number: int
    text: str
    score: float
    expected_count: float


class Pruned(NamedTuple):
    """A piece that was pruned; `loss_increase` is what was expected of its removal."""

    number: int
    text: str
    score: float
    loss_increase: float


@dataclass(frozen=True)
class Seeded:
    """The pieces to start with are found, and the record begins: there is a place 0."""

    record: Record


@dataclass(frozen=True)
class Step:
    """From the place `index` of the record to the next.

    Attributes:
        round: how many prunes there were before it.
    """

    record: Record
    index: int
    round: int

    @property
    def loss_before(self) -> float:
        return self.record.loss_at(self.index)

    @property
    def loss_after(self) -> float:
        """The loss with the new scores and without the pieces that went."""
        return self.record.loss_at(self.index + 1)

    @property
    def size_before(self) -> int:
        """How many pieces there were; the unknown and the special tokens are none of them."""
        return len(self.record.numbers_at(self.index))

    @property
    def size_after(self) -> int:
        return len(self.record.numbers_at(self.index + 1))

    @property
    def removed(self) -> tuple[Vanished, ...] | tuple[Pruned, ...]:
        """The pieces that went."""
        raise NotImplementedError

    def as_dict(self) -> dict[str, object]:
        """The step as plain values for JSON."""
        return {
            "index": self.index,
            "round": self.round,
            "loss_before": self.loss_before,
            "loss_after": self.loss_after,
            "size_before": self.size_before,
            "size_after": self.size_after,
            "removed": [piece._asdict() for piece in self.removed],
        }


@dataclass(frozen=True)
class EmStep(Step):
    """One iteration of EM: the expected counts of the place before became scores.

    Attributes:
        iteration: which of its round, from 0.
    """

    iteration: int

    @property
    def vanished(self) -> tuple[Vanished, ...]:
        """The pieces that went, the rarest first."""
        return tuple(Vanished(*row) for row in self.record.removed_by(self.index))

    @property
    def removed(self) -> tuple[Vanished, ...]:
        return self.vanished

    def as_dict(self) -> dict[str, object]:
        return {"kind": "em", "iteration": self.iteration, **super().as_dict()}


@dataclass(frozen=True)
class PruneStep(Step):
    """Some pieces removed; the scores of the others stay as they are.

    Attributes:
        rule: by what they were chosen.
    """

    rule: PruneRule

    @property
    def pruned(self) -> tuple[Pruned, ...]:
        """The pieces that went, in the order in which they were chosen."""
        return tuple(Pruned(*row) for row in self.record.removed_by(self.index))

    @property
    def removed(self) -> tuple[Pruned, ...]:
        return self.pruned

    def as_dict(self) -> dict[str, object]:
        return {"kind": "prune", "rule": self.rule.value, **super().as_dict()}

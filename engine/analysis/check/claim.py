"""What a trainer says that it did: its merges, and what else it tells of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.core.events import BytesPair


@dataclass(frozen=True, slots=True)
class ClaimedStep:
    """A merge as the trainer tells it; `count` and `new_id` where it does."""

    left: bytes
    right: bytes
    count: int | None = None
    new_id: int | None = None

    @property
    def pair(self) -> BytesPair:
        return self.left, self.right


@dataclass(frozen=True)
class Claim:
    """All that a trainer says: its steps in their order, and its vocabulary if it wrote one.

    Nothing here is believed: a step may name tokens that no earlier step makes.
    """

    steps: Sequence[ClaimedStep]
    vocab: Mapping[int, bytes] | None = None

    @classmethod
    def of(cls, vocab: Mapping[int, bytes] | None, merges: Sequence[BytesPair]) -> Claim:
        """The claim of a vocab and merges.

        >>> Claim.of(None, [(b"a", b"b")]).steps
        [ClaimedStep(left=b'a', right=b'b', count=None, new_id=None)]
        """
        return cls([ClaimedStep(left, right) for left, right in merges], vocab)

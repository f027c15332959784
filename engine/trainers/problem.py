"""What every training algorithm is given, and what it shares with the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.events import Pair
from engine.record import Merge
from engine.ties import FirstSeen, PairKey, TieRule


@dataclass
class Problem:
    """The training problem, as a state that the algorithm carries forward.

    Attributes:
        words: the distinct pretokens as lists of token ids, in order of first appearance.
        word_counts: how often each occurs.
        pair_counts: how often each pair of adjacent tokens occurs in all that.
        vocab: id → bytes; the algorithm adds the token of each merge with `join`.
        tie_rule: which pair of several with the same count merges.
        min_count: pairs rarer than this are not merged.
    """

    words: list[list[int]]
    word_counts: list[int]
    pair_counts: dict[Pair, int]
    vocab: list[bytes]
    tie_rule: TieRule
    min_count: int

    def join(self, pair: Pair) -> int:
        """Add the token that the pair makes to the vocab; its id."""
        self.vocab.append(self.vocab[pair[0]] + self.vocab[pair[1]])
        return len(self.vocab) - 1

    def tie_key(self, first_seen: FirstSeen) -> PairKey:
        """The tie rule's key for pairs of this problem."""
        return self.tie_rule.make_key(self.vocab, first_seen)


@dataclass(frozen=True)
class Algorithm:
    """A way to find the merges: `run` yields them one by one, best first, until no pair is left.

    Whoever runs it stops pulling when there are enough, so an algorithm knows no target size.
    `has_heap` says that its merges report stale heap entries.
    """

    name: str
    summary: str
    run: Callable[[Problem], Iterator[Merge]]
    has_heap: bool = False

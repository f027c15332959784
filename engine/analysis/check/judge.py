"""The trainer's own merges, made one after the other, each held against the rule.

At every step the rule's choice is asked for *in the state that the trainer's merges led to*, and
then the trainer's merge is made, whatever the rule says. So a merge is judged by itself: one slip
early on does not condemn the thousands behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.analysis.check.assignment import Assignment
from engine.analysis.check.claim import ClaimedStep
from engine.bpe.trainers.heap import queue_of
from engine.bpe.trainers.pair_index import PairIndex
from engine.core.events import BytesPair, Pair


@dataclass(frozen=True)
class Judged:
    """A merge and what the rule says of it.

    Attributes:
        count: how often the trainer's pair stands there just before it merges.
        rule: the pair that the rule takes there; `None` if none is left.
        rule_count: how often that one stands there.
        by_rule: the trainer takes the rule's pair, or one that it passed over before and that is
            as frequent.
    """

    step: ClaimedStep
    count: int
    rule: BytesPair | None
    rule_count: int
    by_rule: bool


class Judge:
    """Makes a trainer's merges over the corpus, and says of each whether it is by the rule.

    >>> judge = Judge(Assignment(lambda: b"low low lower"))
    >>> [judged.by_rule for judged in judge.verdicts([ClaimedStep(b"l", b"o")])]
    [False]
    """

    def __init__(self, assignment: Assignment) -> None:
        self._problem = assignment.problem()
        self._index = PairIndex(self._problem)
        # Special tokens are never merged: of them no id is known.
        self._ids = {bytes((byte,)): byte for byte in range(256)}
        # Forced merges make counts fall as the rule's own do, so a lazy heap stays exact.
        self._queue, self._choose = queue_of(
            self._problem, self._index.counts, self._index.first_seen
        )
        self._passed_over: set[Pair] = set()

    def verdicts(self, steps: Sequence[ClaimedStep]) -> Iterator[Judged]:
        """Make these merges; before each is made, say what the rule would do."""
        for step in steps:
            judged = self._judged(step)
            yield judged
            if judged.count:
                self._merge(step)

    def count_of(self, pair: BytesPair) -> int:
        """How often the pair stands side by side now."""
        return self._index.counts.get(self._pair(pair), 0)

    def knows(self, token: bytes) -> bool:
        """Whether the token is a byte or some merge so far has made it."""
        return token in self._ids

    @property
    def has_pairs_left(self) -> bool:
        return bool(self._index.counts)

    def tied(self) -> list[BytesPair]:
        """All the pairs that have the top count now."""
        counts, vocab = self._index.counts, self._problem.vocab
        top = max(counts.values(), default=0)
        pairs = [pair for pair, count in counts.items() if count == top]
        return sorted((vocab[left], vocab[right]) for left, right in pairs)

    def _pair(self, pair: BytesPair) -> Pair:
        return self._ids.get(pair[0], -1), self._ids.get(pair[1], -1)

    def _judged(self, step: ClaimedStep) -> Judged:
        count, claimed = self.count_of(step.pair), self._pair(step.pair)
        best = self._queue.pop_best(self._choose)
        if best is None:
            return Judged(step, count, None, 0, by_rule=count > 0)
        pair, vocab = best[0], self._problem.vocab
        rule, rule_count = (vocab[pair[0]], vocab[pair[1]]), self._index.counts[pair]
        by_rule = pair == claimed
        if not by_rule:  # the heap has let go of the pair: it is not offered again
            self._passed_over.add(pair)
            by_rule = claimed in self._passed_over and count >= rule_count
        return Judged(step, count, rule, rule_count, by_rule)

    def _merge(self, step: ClaimedStep) -> None:
        new_id = self._problem.join(self._pair(step.pair))
        merge = self._index.merge(self._pair(step.pair), new_id)
        self._ids.setdefault(step.left + step.right, new_id)
        for changed in map(self._problem.pairs.__getitem__, merge.changed):
            if new_id in changed:
                self._queue.push(changed)

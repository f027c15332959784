"""A `LazyHeap` driven by hand through a training run, with the oracle's counts as the truth."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import oracles

from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers.heap import LazyHeap
from engine.core.events import Pair


@dataclass(frozen=True)
class Moment:
    """The heap after one step (or, with no pair popped, before the first)."""

    heap: LazyHeap
    counts: Mapping[Pair, int]
    step: oracles.OracleStep | None = None
    popped: Pair | None = None

    @property
    def claims(self) -> dict[Pair, int]:
        """Pair → the count in its entry."""
        return {pair: -negative for negative, _, pair in self.heap.entries}


def replay(corpus: Mapping[bytes, int], tie_rule: str, merges: int = 40) -> Iterator[Moment]:
    """For each step pop a pair, set the oracle's counts, and push the pairs that the merge made."""
    run = oracles.train(corpus, tie_rule, merges)
    counts = oracles.recount(run.words, run.word_counts)
    rule = TIE_RULES[tie_rule]
    words = run.words

    def first_seen(pair: Pair) -> tuple[int, int]:
        return next(
            (place, i)
            for place, word in enumerate(words)
            for i in range(len(word) - 1)
            if (word[i], word[i + 1]) == pair
        )

    key = rule.make_key(run.vocab, first_seen)
    choose: Callable[[list[Pair]], Pair] | None = None
    if rule.static:
        heap = LazyHeap(counts, key)
    else:
        heap = LazyHeap(counts, lambda pair: pair)
        choose = lambda tied: min(tied, key=key)  # noqa: E731
    yield Moment(heap, counts)
    for step in run.steps:
        words = step.words_before
        best = heap.pop_best(choose)
        assert best is not None
        counts.clear()
        counts.update(step.after)
        for pair in counts:
            if step.new_id in pair:
                heap.push(pair)
        yield Moment(heap, counts, step, best)

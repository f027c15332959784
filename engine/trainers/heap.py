"""Counts kept up to date through an index; the best pair on top of a heap with lazy deletion."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from engine.lazy_heap import LazyHeap
from engine.record import Merge
from engine.trainers.pair_index import PairIndex
from engine.trainers.problem import Algorithm, Problem


def heap(problem: Problem) -> Iterator[Merge]:
    index = PairIndex(problem)
    key = problem.tie_key(index.first_seen)
    if problem.tie_rule.static:
        queue, choose = LazyHeap(index.counts, key), None
    else:
        # Keys that change have no place in a heap: there any fixed order will do.
        queue, choose = LazyHeap(index.counts, lambda pair: pair), partial(min, key=key)
    while (best := queue.pop_best(choose)) is not None:
        pair, _ = best
        if index.counts[pair] < problem.min_count:
            return
        new_id = problem.join(pair)
        merge = index.merge(pair, new_id)
        for changed in map(problem.pairs.__getitem__, merge.changed):
            # Old pairs only lose; their entries go stale where they are. New ones are entered.
            if new_id in changed:
                queue.push(changed)
        yield merge


ALGORITHM = Algorithm("heap", "an index of pairs; a lazily deleted heap finds the best", heap)

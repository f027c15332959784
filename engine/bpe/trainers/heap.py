"""Counts kept up to date through an index; the best pair on top of a heap with lazy deletion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from engine.bpe.heap_walk import Move
from engine.bpe.lazy_heap import LazyHeap
from engine.bpe.record import Merge
from engine.bpe.ties import FirstSeen
from engine.bpe.trainers.pair_index import PairIndex
from engine.bpe.trainers.problem import Algorithm, Problem
from engine.bpe.trainers.pseudocode import CodeLine
from engine.bpe.trainers.work import Work
from engine.core.events import Pair


def heap(problem: Problem) -> Iterator[Merge]:
    yield from merges_by_heap(problem, PairIndex(problem))


def merges_by_heap(
    problem: Problem, index: PairIndex, may_merge: Callable[[Pair], bool] = lambda pair: True
) -> Iterator[Merge]:
    """The merges from the index's present state on, best first, less those that may not be.

    Whatever was merged before, from here on counts only fall, so a lazy heap is exact.
    """
    queue, choose = queue_of(problem, index.counts, index.first_seen)
    while (best := queue.pop_best(choose)) is not None:
        pair, _ = best
        if index.counts[pair] < problem.min_count:
            return
        if not may_merge(pair):
            continue
        new_id = problem.join(pair)
        merge = index.merge(pair, new_id)
        for changed in map(problem.pairs.__getitem__, merge.changed):
            # Old pairs only lose; their entries go stale where they are. New ones are entered.
            if new_id in changed:
                queue.push(changed)
        _count(problem.work, queue, index)
        yield merge


def _count(work: Work, queue: LazyHeap, index: PairIndex) -> None:
    work.heap_pushes, work.heap_pops, work.stale_entries = queue.pushes, queue.pops, queue.stale
    work.pretokens_visited, work.tokens_read = index.words_visited, index.tokens_read


def queue_of(
    problem: Problem, counts: Mapping[Pair, int], first_seen: FirstSeen
) -> tuple[LazyHeap, Callable[[list[Pair]], Pair] | None]:
    """The heap over these counts, and what chooses among the tied pairs if its order does not."""
    key = problem.tie_key(first_seen)
    if problem.tie_rule.static:
        return LazyHeap(counts, key), None
    # Keys that change have no place in a heap: there any fixed order will do.
    return LazyHeap(counts, lambda pair: pair), partial(min, key=key)


PSEUDOCODE = (
    CodeLine("heap ← all pairs by their counts"),
    CodeLine("while the heap is not empty:"),
    CodeLine("  entry ← pop the best", (Move.POP_STALE, Move.POP)),
    CodeLine("  if its count is no longer true:", (Move.POP_STALE,)),
    CodeLine("    push it back with the true one", (Move.PUSH_BACK,)),
    CodeLine("    continue"),
    CodeLine("  new ← join the pair", (Move.POP,)),
    CodeLine("  for each pretoken with the pair:", (Move.POP,)),
    CodeLine("    replace the pair by new", (Move.POP,)),
    CodeLine("    correct counts beside it", (Move.POP,)),
    CodeLine("  push the pairs with new", (Move.PUSH,)),
)

ALGORITHM = Algorithm(
    "heap",
    "an index of pairs; a lazily deleted heap finds the best",
    heap,
    PSEUDOCODE,
    ("heap_pushes", "heap_pops", "stale_entries", "pretokens_visited", "tokens_read"),
)

"""The fastest: a flat array of tokens, a queue of buckets, numpy wherever there is much to do.

Three things are kept, and a step goes through them in turn: which pair is next (`bucket_queue`),
where it starts (`occurrences`), which tokens stand there and beside it (`symbols`). No pretoken is
ever gone through as a whole.

A pair that starts in many cells is merged by numpy, one that starts in few by a loop, because a
call of numpy costs as much as several turns of a loop. The two ways are `replace_many` and
`replace_few`, and they do the same.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.bpe.record import Merge
from engine.bpe.ties import no_place
from engine.bpe.trainers.bucket_queue import BucketQueue
from engine.bpe.trainers.flat_index import FlatIndex
from engine.bpe.trainers.problem import Algorithm, Problem
from engine.bpe.trainers.pseudocode import CodeLine, Phase
from engine.bpe.trainers.replace_few import replace_few
from engine.bpe.trainers.replace_many import replace_many

MANY = 96
"""From how many starts on numpy is faster than a loop."""


def fast(problem: Problem) -> Iterator[Merge]:
    index = FlatIndex(problem)
    pairs, counts = index.pairs, index.counts
    key = problem.tie_key(no_place)
    queue, work = BucketQueue(counts, lambda number: key(pairs[number])), problem.work
    while (number := queue.pop()) is not None and counts[number] >= problem.min_count:
        known = len(counts)
        merge = merge_pair(problem, index, number)
        work.pairs_scanned, work.bucket_moves = queue.scanned, queue.moved
        queue.push(range(known, len(counts)))
        yield merge


def merge_pair(problem: Problem, index: FlatIndex, number: int) -> Merge:
    """Replace a pair by a new token wherever it stands, and bring all counts up to date."""
    pair = index.pairs[number]
    new_id = problem.join(pair)
    index.sizes.append(len(problem.vocab[new_id]))
    starts = index.occurrences.of(number)
    problem.work.places_checked += len(starts)
    if len(starts) >= MANY:
        replaced = replace_many(index, pair, new_id, np.asarray(starts))
    else:
        few = starts.tolist() if isinstance(starts, np.ndarray) else starts
        replaced = replace_few(index, pair, new_id, few)
    return index.merged(number, new_id, replaced)


PSEUDOCODE = (
    CodeLine("all pretokens in one flat array"),
    CodeLine("count all pairs; note where they start"),
    CodeLine("buckets ← all pairs by count"),
    CodeLine("while there are buckets:"),
    CodeLine("  best ← a pair of the top bucket", (Phase.CHOOSE,)),
    CodeLine("  fallen since? to its bucket; another", (Phase.CHOOSE,)),
    CodeLine("  new ← join best", (Phase.JOIN,)),
    CodeLine("  for each cell where best starts:", (Phase.REPLACE,)),
    CodeLine("    write new; numpy, if many", (Phase.REPLACE,)),
    CodeLine("  correct counts beside it", (Phase.CORRECT,)),
    CodeLine("  buckets ← the pairs with new", (Phase.ENTER,)),
)

ALGORITHM = Algorithm(
    "fast",
    "flat arrays and buckets of pairs, in numpy where a pair is frequent; default",
    fast,
    PSEUDOCODE,
    ("pairs_scanned", "places_checked", "bucket_moves"),
    static_only=True,
    bytes_only=True,
)

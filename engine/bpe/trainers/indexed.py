"""Counts kept up to date through an index; the best pair found by looking at all of them."""

from __future__ import annotations

from collections.abc import Iterator

from engine.bpe.record import Merge
from engine.bpe.trainers.pair_index import PairIndex
from engine.bpe.trainers.problem import Algorithm, Problem
from engine.bpe.trainers.pseudocode import CodeLine, Phase


def indexed(problem: Problem) -> Iterator[Merge]:
    index, work = PairIndex(problem), problem.work
    key = problem.tie_key(index.first_seen)
    while index.counts:
        work.pairs_scanned += len(index.counts)
        top = max(index.counts.values())
        if top < problem.min_count:
            return
        pair = min((pair for pair, count in index.counts.items() if count == top), key=key)
        merge = index.merge(pair, problem.join(pair))
        work.pretokens_visited, work.tokens_read = index.words_visited, index.tokens_read
        yield merge


PSEUDOCODE = (
    CodeLine("count all pairs; note their pretokens"),
    CodeLine("while there are pairs:"),
    CodeLine("  best ← scan for the top count", (Phase.CHOOSE,)),
    CodeLine("  new ← join best", (Phase.JOIN,)),
    CodeLine("  for each pretoken noted for best:", (Phase.REPLACE,)),
    CodeLine("    replace best by new", (Phase.REPLACE,)),
    CodeLine("  correct counts beside it", (Phase.CORRECT,)),
    CodeLine("  note the pretokens of pairs with new", (Phase.ENTER,)),
)

ALGORITHM = Algorithm(
    "indexed",
    "an index of pairs; a scan of all pairs finds the best",
    indexed,
    PSEUDOCODE,
    ("pairs_scanned", "pretokens_visited", "tokens_read"),
)

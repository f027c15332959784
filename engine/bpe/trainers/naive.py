"""Recount every pair at every step: slow, and plainly what the definition says.

The oracle that the other algorithms are held against.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.alphabets.merging import count_pairs, merge_pair
from engine.bpe.record import Merge
from engine.bpe.trainers.problem import Algorithm, CodeLine, Phase, Problem
from engine.core.events import Pair


def naive(problem: Problem) -> Iterator[Merge]:
    words, word_counts = problem.words(), list(problem.counts.values())
    pair_counts = problem.mergeable(count_pairs(words, word_counts))
    work, tokens = problem.work, sum(map(len, words))
    work.tokens_read += tokens
    while pair_counts and max(pair_counts.values()) >= problem.min_count:
        pair = most_frequent(problem, pair_counts)
        new_id = problem.join(pair)
        work.pairs_scanned += len(pair_counts)
        work.pretokens_visited += len(words)
        work.tokens_read += tokens
        occurrences = pretokens = 0
        for place, word in enumerate(words):
            merged = merge_pair(word, pair, new_id)
            if len(merged) < len(word):
                occurrences += (len(word) - len(merged)) * word_counts[place]
                pretokens += 1
                tokens -= len(word) - len(merged)
                words[place] = merged
        work.tokens_read += tokens
        recounted = problem.mergeable(count_pairs(words, word_counts))
        after = {
            changed: recounted.get(changed, 0)
            for changed in pair_counts.keys() | recounted.keys()
            if pair_counts.get(changed, 0) != recounted.get(changed, 0)
        }
        yield problem.merge(pair, pair_counts[pair], after, occurrences, pretokens)
        pair_counts = recounted


def most_frequent(problem: Problem, pair_counts: Mapping[Pair, int]) -> Pair:
    """The pair of highest count; among several the tie rule's choice."""
    top = max(pair_counts.values())
    tied = [pair for pair, count in pair_counts.items() if count == top]
    # `count_pairs` lists pairs in the order in which it meets them.
    met = {pair: (place, 0) for place, pair in enumerate(pair_counts)}
    return min(tied, key=problem.tie_key(met.__getitem__))


PSEUDOCODE = (
    CodeLine("while there are pairs:"),
    CodeLine("  count all pairs in all pretokens", (Phase.COUNT,)),
    CodeLine("  best ← the pair of the top count", (Phase.CHOOSE,)),
    CodeLine("  new ← join best", (Phase.JOIN,)),
    CodeLine("  for each pretoken:", (Phase.REPLACE,)),
    CodeLine("    replace best by new", (Phase.REPLACE,)),
)

ALGORITHM = Algorithm(
    "naive",
    "recount every pair at every step; the oracle",
    naive,
    PSEUDOCODE,
    ("pairs_scanned", "pretokens_visited", "tokens_read"),
)

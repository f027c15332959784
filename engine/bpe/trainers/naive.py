"""Recount every pair at every step: slow, and plainly what the definition says.

The other algorithms are tested against this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.alphabets.merging import count_pairs, merge_pair
from engine.bpe.trainers.problem import Algorithm, CodeLine, Phase, Problem
from engine.bpe.trainers.work import Work
from engine.core.events import Pair
from engine.recording.merge_record import Merge

Pretokens = Sequence[Sequence[int]]
"""Every distinct pretoken as a list of token ids."""


def naive(problem: Problem) -> Iterator[Merge]:
    # Spell every distinct pretoken, in bytes as a rule; the corpus has it so many times.
    pretokens: Pretokens = problem.spelled()
    times = list(problem.counts.values())
    # Count how often each pair of tokens stands side by side.
    pair_counts = problem.mergeable(count_pairs(pretokens, times))
    _count_reading(problem.work, pretokens)
    while pair_counts and max(pair_counts.values()) >= problem.min_count:
        # Choose the pair of the highest count.
        pair = most_frequent(problem, pair_counts)
        # Join its two tokens to a new one, the next in the vocabulary.
        new_id = problem.join(pair)
        # Replace the pair by the new token, in all pretokens.
        merged = [merge_pair(pretoken, pair, new_id) for pretoken in pretokens]
        # Count all pairs again.
        recounted = problem.mergeable(count_pairs(merged, times))
        _count_step(problem.work, pretokens, merged, pair_counts)
        yield _report(problem, pair, (pretokens, pair_counts), (merged, recounted))
        pretokens, pair_counts = merged, recounted


def most_frequent(problem: Problem, pair_counts: Mapping[Pair, int]) -> Pair:
    """The pair of the highest count; of several the one that the tie rule puts first."""
    top = max(pair_counts.values())
    tied = [pair for pair, count in pair_counts.items() if count == top]
    # `count_pairs` lists pairs in the order in which it meets them: so the corpus has them.
    first_seen = {pair: (index, 0) for index, pair in enumerate(pair_counts)}
    return min(tied, key=problem.tie_key(first_seen.__getitem__))


def _report(
    problem: Problem,
    pair: Pair,
    before: tuple[Pretokens, Mapping[Pair, int]],
    after: tuple[Pretokens, Mapping[Pair, int]],
) -> Merge:
    """What the step has changed: counts of pairs, and how many tokens in how many pretokens."""
    (pretokens, counts), (merged, recounted) = before, after
    changed = {
        other: recounted.get(other, 0)
        for other in counts.keys() | recounted.keys()
        if counts.get(other, 0) != recounted.get(other, 0)
    }
    # Each replacement makes a pretoken one token shorter.
    replaced = [len(old) - len(new) for old, new in zip(pretokens, merged, strict=True)]
    times = problem.counts.values()
    occurrences = sum(less * count for less, count in zip(replaced, times, strict=True))
    return problem.merge(pair, counts[pair], changed, occurrences, sum(map(bool, replaced)))


# -- how much work it is: every token is read to merge, and again to count


def _count_reading(work: Work, pretokens: Pretokens) -> None:
    work.tokens_read += sum(map(len, pretokens))


def _count_step(
    work: Work, before: Pretokens, after: Pretokens, pair_counts: Mapping[Pair, int]
) -> None:
    work.pairs_scanned += len(pair_counts)
    work.pretokens_visited += len(before)
    _count_reading(work, before)
    _count_reading(work, after)


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

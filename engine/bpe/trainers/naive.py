"""Recount every pair at every step: slow, but a direct translation of the definition.

The other algorithms are tested against this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.bpe.trainers.algorithm import Algorithm, TrainingTask
from engine.bpe.trainers.pseudocode import CodeLine, StepPart
from engine.bpe.trainers.work_counts import WorkCounts
from engine.core.events import Pair
from engine.encoding.merging import count_pairs, merge_pair
from engine.recording.merge_record import MergeReport


def naive(task: TrainingTask) -> Iterator[MergeReport]:
    # Spell every distinct pretoken, usually in bytes; `times` are their counts.
    pretokens, times = task.spelled(), list(task.counts.values())
    # Count the occurrences of each pair of neighbouring tokens.
    pair_counts = task.mergeable(count_pairs(pretokens, times))
    task.work.tokens_read += sum(map(len, pretokens))
    while pair_counts and max(pair_counts.values()) >= task.min_count:
        # Choose the pair of the highest count.
        pair = most_frequent(task, pair_counts)
        # Join its two tokens to a new one, the next in the vocabulary.
        new_id = task.join(pair)
        # Replace the pair by the new token, in every pretoken.
        replaced: dict[int, int] = {}  # index of a pretoken → number of replacements
        for index, pretoken in enumerate(pretokens):
            merged = merge_pair(pretoken, pair, new_id)
            if len(merged) < len(pretoken):
                replaced[index] = len(pretoken) - len(merged)
                pretokens[index] = merged
        # Count all pairs again.
        recounted = task.mergeable(count_pairs(pretokens, times))
        _count_step(task.work, pair_counts, pretokens, replaced)
        occurrences = sum(count * times[index] for index, count in replaced.items())
        after = changed_counts(pair_counts, recounted)
        yield task.merge(pair, pair_counts[pair], after, occurrences, len(replaced))
        pair_counts = recounted


def most_frequent(task: TrainingTask, pair_counts: Mapping[Pair, int]) -> Pair:
    """Return the pair of the highest count; of several the one that the tie rule puts first."""
    top = max(pair_counts.values())
    tied = [pair for pair, count in pair_counts.items() if count == top]
    # `count_pairs` lists pairs in the order of their first occurrence in the corpus.
    first_seen = {pair: (index, 0) for index, pair in enumerate(pair_counts)}
    return min(tied, key=task.tie_key(first_seen.__getitem__))


def changed_counts(before: Mapping[Pair, int], after: Mapping[Pair, int]) -> dict[Pair, int]:
    """Return the new counts of the pairs whose count has changed; 0 for a pair that is gone."""
    return {
        pair: after.get(pair, 0)
        for pair in before.keys() | after.keys()
        if before.get(pair, 0) != after.get(pair, 0)
    }


# -- the work: every token is read to merge, and again to count


def _count_step(
    work: WorkCounts,
    pairs: Mapping[Pair, int],
    pretokens: Sequence[Sequence[int]],
    replaced: Mapping[int, int],
) -> None:
    work.pairs_scanned += len(pairs)
    work.pretokens_visited += len(pretokens)
    # Each replacement has made a pretoken one token shorter.
    tokens = sum(map(len, pretokens))
    work.tokens_read += tokens + sum(replaced.values()) + tokens


PSEUDOCODE = (
    CodeLine("while there are pairs:"),
    CodeLine("  count all pairs in all pretokens", (StepPart.COUNT,)),
    CodeLine("  best ← the pair of the top count", (StepPart.CHOOSE,)),
    CodeLine("  new ← join best", (StepPart.JOIN,)),
    CodeLine("  for each pretoken:", (StepPart.REPLACE,)),
    CodeLine("    replace best by new", (StepPart.REPLACE,)),
)

ALGORITHM = Algorithm(
    "naive",
    "recounts all pairs; the oracle",
    naive,
    PSEUDOCODE,
    ("pairs_scanned", "pretokens_visited", "tokens_read"),
)

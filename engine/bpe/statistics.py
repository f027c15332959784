"""A run in numbers: one array for each question that a chart answers, made at C speed.

Series over steps have an entry for each step 0, 1, …, so that an index is a step. They are cut
from the record's columns and cost a copy; nothing here walks through the steps.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.bpe.record import Record
from engine.core.arrays import Ints
from engine.recording.statistics import LEFT_OUT, MergeStatistics, TiedSteps


class TieHistory(TiedSteps):
    """The tied steps of a record of byte-pair encoding, tied for the top count."""

    def __init__(self, record: Record) -> None:
        super().__init__(record)
        self._record = record

    @property
    def steps(self) -> Ints:
        if self._record.given:
            return self._steps  # merges that nobody chose were never tied
        return super().steps

    def pairs_at_top(self, start: int, stop: int) -> Ints:
        find = pairs_at_top if self._record.by_rule else pairs_as_frequent
        return find(self._record, start, stop)


def pairs_at_top(record: Record, start: int, stop: int) -> Ints:
    """How many pairs had the top count before each of the merges `start` … `stop` − 1.

    A pair's count is constant over stretches of steps, from one change of it to the next. The top
    count only falls; so the steps at which it has a certain value are one stretch, too. A pair is
    tied for the top where the stretch of its count meets that of the top with the same value: two
    binary searches for each entry of the log, and no walk through the steps. Few pairs come near
    the top within a block of steps: only those are sorted.
    """
    tops = record.counts_until(stop)[start:]
    pairs, since, counts = _counts_that_matter(record, start, stop, int(tops[-1]))
    order = np.argsort(pairs, kind="stable")
    pairs, since, counts = pairs[order], since[order], counts[order]
    until = np.append(since[1:], stop)
    until[np.append(pairs[1:] != pairs[:-1], True)] = stop
    # `tops` falls; its negative can be searched.
    first = np.maximum(since, start + np.searchsorted(-tops, -counts, side="left"))
    end = np.minimum(until, start + np.searchsorted(-tops, -counts, side="right"))
    meets = first < end
    steps = stop - start
    tally = np.bincount(first[meets] - start, minlength=steps + 1)
    tally -= np.bincount(end[meets] - start, minlength=steps + 1)
    return np.cumsum(tally)[:steps]


def _counts_that_matter(
    record: Record, start: int, stop: int, lowest_top: int
) -> tuple[Ints, Ints, Ints]:
    """The counts from `start` on as pairs, steps and counts, without pairs too rare throughout."""
    state = record.counts.at(start)
    frequent = np.flatnonzero(state >= lowest_top)
    pairs, since, counts = record.counts.entries(start, stop)
    matters = np.zeros(int(max(pairs.max(initial=0), frequent.max(initial=0))) + 1, dtype=np.bool_)
    matters[frequent] = True
    matters[pairs[counts >= lowest_top]] = True
    kept = matters[pairs]
    return (
        np.append(frequent, pairs[kept]),
        np.append(np.full(len(frequent), start), since[kept]),
        np.append(state[frequent], counts[kept]).astype(np.int64),
    )


def pairs_as_frequent(record: Record, first: int, last: int) -> Ints:
    """What `pairs_at_top` finds, one merge at a time: for a fork, in which counts may rise.

    Pairs that the fork forbids do not take part; a merge that it prescribes below the top is alone.
    """
    counts = (record.counts_to_choose_by(index) for index in range(first, last))
    own = map(record.count_of, range(first, last))
    return np.array(
        [
            1 if count < all_counts.max() else np.count_nonzero(all_counts == count)
            for all_counts, count in zip(counts, own, strict=True)
        ],
        dtype=np.int64,
    )


class Statistics(MergeStatistics):
    """The series of one run.

    `byte_count` are the bytes in all pretokens, `token_count` the tokens before the first merge.
    Tokens are as long as the bytes of the corpus they stand for; the one of no bytes, if there is
    one, is `</w>`, and to a token that ends in it it adds none.

    >>> from engine import Timeline, Trainer
    >>> counts = {b"low": 5, b"lower": 2}
    >>> timeline = Timeline(counts, Trainer(counts, 300).steps())
    >>> timeline.statistics.winning_counts(3).tolist()
    [7, 7, 2]
    >>> timeline.statistics.bytes_per_token(2).round(2).tolist()
    [1.0, 1.39, 2.27]
    """

    def __init__(
        self,
        record: Record,
        counts: Mapping[bytes, int],
        byte_count: int,
        token_count: int,
        ties: TiedSteps,
    ) -> None:
        super().__init__(counts, byte_count, ties)
        self._record = record
        self._tokens_at_start = token_count

    def tokens_in_corpus(self, steps: int) -> Ints:
        return self._tokens_at_start - self._record.removed_until(steps)

    def winning_counts(self, steps: int) -> Ints:
        return self._record.counts_until(steps)

    def token_count(self, step: int) -> int:
        return self._record.first_id + step

    def lengths_between(self, first: int, last: int) -> list[int]:
        record = self._record
        special = record.ids.specials
        return [
            LEFT_OUT if token_id in special else len(record.covers(token_id))
            for token_id in map(record.ids.id_of, range(first, last))
        ]

"""Forks: the same first merges as another run, then other rules; and the differences of two runs.

A fork at step k repeats the first k merges of the run, whatever the rules would choose there, and
goes on with changed rules. If the counts change too, as with another pattern, a pair may
no longer occur when it should merge: such a merge is left out, and later ids are smaller.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.bpe.frame import Frame
from engine.bpe.record import ForkRules
from engine.bpe.ties import TIE_RULES, TieRuleName
from engine.bpe.trainer import Trainer
from engine.bpe.trainers.algorithm import Algorithm, TrainingTask
from engine.bpe.trainers.heap import merges_by_heap
from engine.bpe.trainers.indexed import PairIndex
from engine.core.arguments import checked
from engine.core.errors import WhatIfError
from engine.core.events import BytesPair, Pair
from engine.recording.merge_record import MergeReport


@dataclass(frozen=True)
class ForkChange:
    """The changes of a fork.

    Attributes:
        force: a pair that merges first, whatever its count.
        forbid: pairs that do not merge from the fork on, besides those that the run forbids.
        tie_rule: the name of another tie rule.
        counts: the pretoken counts of another pattern.
    """

    force: BytesPair | None = None
    forbid: frozenset[BytesPair] = field(default_factory=frozenset)
    tie_rule: TieRuleName | None = None
    counts: Mapping[bytes, int] | None = None


@checked
def fork(
    frame: Frame,
    change: ForkChange,
    vocab_size: int,
    min_count: int = 1,
    max_token_length: int | None = None,
) -> Trainer:
    """Return the trainer of a run that repeats the frame's merges and goes on with a change.

    Args:
        change: the change, from the frame's step on.
        vocab_size, min_count, max_token_length: as for `Trainer`.

    >>> from engine import Timeline, Trainer
    >>> counts = {b"low": 5, b"lower": 2}
    >>> here = Timeline(counts, Trainer(counts, 260).steps()).seek(1)
    >>> change = ForkChange(forbid=frozenset({(b"l", b"ow")}))
    >>> [step.token for step in fork(here, change, 260).steps()]
    [b'ow', b'owe', b'ower', b'lower']

    Raises:
        WhatIfError: the pair to force does not occur.
        VocabSizeError, SpecialTokenError, UnknownNameError: as `Trainer` raises them.
    """
    if change.force is not None:
        ids = {frame.token(token_id): token_id for token_id in reversed(range(frame.vocab_size))}
        forced = [ids[token] for token in change.force if token in ids]
        if len(forced) < 2 or not frame.count_of((forced[0], forced[1])):
            raise WhatIfError("the pair to force does not occur at this step; choose one that does")
    tie_rule = change.tie_rule or TIE_RULES.name_of(frame.tie_rule.name)
    replayed = [(merge.left, merge.right) for merge in map(frame.merge_at, range(frame.step))]
    trainer = Trainer(
        frame.counts if change.counts is None else change.counts,
        vocab_size,
        frame.run.record.special_tokens,
        tie_rule=tie_rule,
        algorithm="heap",
        min_count=min_count,
        max_token_length=max_token_length,
        units=frame.units.name,
    )
    inherited = frame.run.record.fork_rules
    forbidden = dict.fromkeys(change.forbid, frame.step)
    if inherited is not None:
        forbidden |= inherited.forbidden
    rules = trainer.record.fork_rules = ForkRules(change.force, forbidden)
    trainer.algorithm = Algorithm(
        "fork",
        "the merges of another run first, then changed rules",
        lambda task: _merges_of_fork(task, replayed, rules),
        pseudocode=(),
        counters=(),
    )
    return trainer


def _merges_of_fork(
    task: TrainingTask, replayed: Sequence[BytesPair], rules: ForkRules
) -> Iterator[MergeReport]:
    """Yield merges as the algorithm `heap` does, with some prescribed and some forbidden."""
    index = PairIndex(task)
    for merge in _replay(task, index, replayed):
        rules.replayed += 1
        yield merge
    # Each merge that was left out makes the fork start one merge earlier.
    rules.forbidden = {pair: min(first, rules.replayed) for pair, first in rules.forbidden.items()}
    if rules.forced is not None:
        yield from _replay(task, index, [rules.forced])
    vocab, forbidden = task.vocab, rules.forbidden
    yield from merges_by_heap(
        task, index, lambda pair: (vocab[pair[0]], vocab[pair[1]]) not in forbidden
    )


def _replay(
    task: TrainingTask, index: PairIndex, merges: Sequence[BytesPair]
) -> Iterator[MergeReport]:
    """Make these merges in order, without those whose pairs do not occur."""
    ids: dict[bytes, int] = {}
    for token_id, token in enumerate(task.vocab):
        ids.setdefault(token, token_id)
    for left, right in merges:
        pair: Pair = ids.get(left, -1), ids.get(right, -1)
        if index.counts.get(pair):
            new_id = task.join(pair)
            ids.setdefault(task.vocab[new_id], new_id)
            yield index.merge(pair, new_id)


class AlignedMerge(NamedTuple):
    """The ranks of a merge in two runs, from 0; `None` in the run that does not have it."""

    left: int | None
    right: int | None


@dataclass(frozen=True)
class Comparison:
    """The differences of two runs.

    Attributes:
        first: the index of the first merge that differs; `None` if all are equal.
        only_left, only_right: the tokens of only one run, in the order learnt.
        aligned: the merges from the first that differs on, in the order of the left run; those of
            only the right one are in between.
    """

    first: int | None
    only_left: list[bytes]
    only_right: list[bytes]
    aligned: list[AlignedMerge]


def compare(left: Sequence[BytesPair], right: Sequence[BytesPair]) -> Comparison:
    """Compare two runs by their merges.

    >>> found = compare([(b"a", b"b"), (b"ab", b"c")], [(b"a", b"b"), (b"c", b"d")])
    >>> found.first, found.only_left, found.only_right
    (1, [b'abc'], [b'cd'])
    >>> found.aligned
    [AlignedMerge(left=1, right=None), AlignedMerge(left=None, right=1)]
    """
    differ = (index for index, (a, b) in enumerate(zip(left, right, strict=False)) if a != b)
    shorter = min(len(left), len(right))
    first = next(differ, None if len(left) == len(right) else shorter)
    tokens_left, tokens_right = ([a + b for a, b in merges] for merges in (left, right))
    in_left, in_right = set(tokens_left), set(tokens_right)
    return Comparison(
        first,
        [token for token in tokens_left if token not in in_right],
        [token for token in tokens_right if token not in in_left],
        [] if first is None else list(_aligned(left, right, first)),
    )


def _aligned(
    left: Sequence[BytesPair], right: Sequence[BytesPair], first: int
) -> Iterator[AlignedMerge]:
    """Yield the merges from the first that differs on, each once."""
    in_left, in_right = (
        {pair: rank for rank, pair in enumerate(merges)} for merges in (left, right)
    )
    done = first  # merges of the right run that are yielded, or are in the left one
    for rank in range(first, len(left)):
        place = in_right.get(left[rank])
        yield AlignedMerge(rank, place)
        while done < len(right) and in_left.get(right[done], rank) <= rank:
            if right[done] not in in_left:
                yield AlignedMerge(None, done)
            done += 1
    for place in range(done, len(right)):
        if right[place] not in in_left:
            yield AlignedMerge(None, place)

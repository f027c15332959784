"""Replays of merges that hang together in other ways than in training: see `replay`.

A token may have several merges, or be named before the merge that makes it, and a pretoken may
begin with characters. So the state after k merges is what the first k of them encode. Whatever a
merge touches is encoded again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from engine.bpe.run import RunVocabularies
from engine.bpe.trainers.problem import Problem
from engine.core.arrays import Ints
from engine.core.events import Pair
from engine.encoding.alphabet import Alphabet
from engine.encoding.encoders.encoder import MergeTable
from engine.encoding.encoders.fast import RankHeap
from engine.recording.affected_pretokens import CACHE_SIZE
from engine.recording.change_log import ChangeLog
from engine.recording.merge_record import Merge
from engine.recording.numbering import GivenIds
from engine.recording.token_table import NONE, TokenTable

GivenMerge = tuple[Pair, int]
"""The ids of the two tokens of a merge, and of the one that it makes."""


class MergeOrder:
    """Which merges there are after a number of steps, whatever their ranks.

    Args:
        merges: in the order of the steps.
        table: pair → (rank, id made), as the tokenizer has it.
    """

    def __init__(self, merges: Sequence[GivenMerge], table: MergeTable) -> None:
        self.merges = merges
        self.table = table
        self.step_of = {pair: step for step, (pair, _) in enumerate(merges)}

    def first(self, steps: int) -> dict[Pair, tuple[int, int]]:
        """The table of the first merges."""
        return {pair: self.table[pair] for pair, _ in self.merges[:steps] if pair in self.table}


class _FirstMerges(Mapping[Pair, tuple[int, int]]):
    """The table of the first merges, without a copy of it; `steps` says how many."""

    def __init__(self, order: MergeOrder) -> None:
        self._order = order
        self.steps = 0

    def __getitem__(self, pair: Pair) -> tuple[int, int]:
        if self._order.step_of.get(pair, self.steps) >= self.steps:
            raise KeyError(pair)
        return self._order.table[pair]

    def get(self, pair: Pair, default: object = None) -> tuple[int, int] | None:  # type: ignore[override]
        is_made = self._order.step_of.get(pair, self.steps) < self.steps
        return self._order.table.get(pair) if is_made else None

    def __iter__(self) -> Iterator[Pair]:
        return iter(self._order.first(self.steps))

    def __len__(self) -> int:
        return self.steps


class EncodedReplay:
    """Encodes the pretokens that hold a pair again, with all the merges up to it.

    Attributes:
        token_counts: how often the token of each place stands, step by step.
    """

    def __init__(
        self, problem: Problem, ids: GivenIds, alphabet: Alphabet, order: MergeOrder
    ) -> None:
        self._problem = problem
        self._ids = ids
        self._order = order
        self._pretokens = list(problem.counts)
        self._times = list(problem.counts.values())
        self._table = _FirstMerges(order)
        self._encoder = RankHeap(alphabet, self._table)
        self._tokens = problem.spelled()
        self._counts: dict[Pair, int] = {}
        self._holders: defaultdict[Pair, set[int]] = defaultdict(set)
        tokens: Counter[int] = Counter()
        for at, (spelled, times) in enumerate(zip(self._tokens, self._times, strict=True)):
            for place in spelled:
                tokens[place] += times
            for pair in pairwise(spelled):
                self._counts[pair] = self._counts.get(pair, 0) + times
                self._holders[pair].add(at)
        self._token_count = tokens
        self.token_counts = ChangeLog([tokens[place] for place in range(len(problem.vocab))])

    def stands(self, pair: Pair) -> bool:
        return pair in self._counts

    def merge(self, pair: Pair, rank: int) -> Merge:
        self._add_token(rank)
        self._table.steps = rank + 1
        count, deltas, token_deltas = self._counts[pair], Counter[Pair](), Counter[int]()
        removed = pretokens = 0
        for at in list(self._holders.pop(pair)):
            before = self._tokens[at]
            if pair not in pairwise(before):
                continue
            encoded = self._encoder.encode(self._pretokens[at])
            after = [self._ids.place_of(token_id) for token_id in encoded]
            self._tokens[at], times = after, self._times[at]
            for gone in pairwise(before):
                deltas[gone] -= times
            for come in pairwise(after):
                deltas[come] += times
                self._holders[come].add(at)
            for place in before:
                token_deltas[place] -= times
            for place in after:
                token_deltas[place] += times
            removed += (len(before) - len(after)) * times
            pretokens += 1
        self._log_tokens(token_deltas)
        after_counts = self._changed(deltas)
        return self._problem.merge(pair, count, after_counts, removed, pretokens)

    def pass_over(self, rank: int, tokens: Sequence[bytes], new_pairs: int) -> None:
        self._table.steps = rank + len(tokens)
        self.token_counts.append_unchanged(len(tokens), width=len(self._problem.vocab))

    def _add_token(self, rank: int) -> None:
        self._problem.vocab.append(self._ids.tokens[self._order.merges[rank][1]])

    def _changed(self, deltas: Mapping[Pair, int]) -> dict[Pair, int]:
        """Bring the counts of pairs up to date; those that changed."""
        after: dict[Pair, int] = {}
        for pair, delta in deltas.items():
            if not delta:
                continue
            now = after[pair] = self._counts.get(pair, 0) + delta
            if now:
                self._counts[pair] = now
            else:
                del self._counts[pair]
                self._holders.pop(pair, None)
        return after

    def _log_tokens(self, deltas: Counter[int]) -> None:
        changed = [place for place, delta in deltas.items() if delta]
        self._token_count.update(deltas)
        after = [self._token_count[place] for place in changed]
        self.token_counts.append(changed, after, width=len(self._problem.vocab))


class InPlaces(Alphabet):
    """An alphabet that gives places in place of ids."""

    def __init__(self, inner: Alphabet, ids: GivenIds) -> None:
        self._inner = inner
        self._ids = ids

    @property
    def token_ids(self) -> Sequence[int]:
        return [self._ids.place_of(token_id) for token_id in self._inner.token_ids]

    def spell(self, pretoken: bytes) -> list[int]:
        return [self._ids.place_of(token_id) for token_id in self._inner.spell(pretoken)]

    def edges(self, pretoken: bytes) -> Sequence[int]:
        return self._inner.edges(pretoken)


class EncodedSegmenter:
    """Encodes a pretoken with the first merges, however they hang together."""

    def __init__(self, alphabet: Alphabet, order: MergeOrder) -> None:
        self._table = _FirstMerges(order)
        self._encoder = RankHeap(alphabet, self._table)
        self._known: dict[tuple[bytes, int], tuple[int, ...]] = {}

    def tokens_at(self, pretoken: bytes, step: int) -> tuple[int, ...]:
        key = pretoken, step
        if (known := self._known.get(key)) is None:
            if len(self._known) >= CACHE_SIZE:
                self._known.clear()
            self._table.steps = step
            known = self._known[key] = tuple(self._encoder.encode(pretoken))
        return known


class CountedTokens(RunVocabularies):
    """Vocabularies whose counts were written down, step by step."""

    def __init__(self, vocabularies: RunVocabularies, log: ChangeLog) -> None:
        vars(self).update(vars(vocabularies))
        self._log = log

    def _counts_at(self, table: TokenTable, step: int) -> Ints:
        counts = self._log.at(step).astype(np.int64)
        size = self._record.first_id + step
        counts = np.pad(counts[:size], (0, max(size - len(counts), 0)))
        counts[self._special_places] = NONE
        return counts

"""Replays of a tokenizer's merges over a corpus, as steps like those of a training.

Each merge is a step, in the tokenizer's order, with the count of its pair in *this* corpus. If the
pair does not occur, the step changes nothing, but keeps the tokenizer's rank and id. Most merges of
a large vocabulary are of this kind, and cost only a lookup in a dict.

There are two ways to replay. If merges start from bytes and each makes a new token of older ones, a
step only replaces a pair, as in training: `FlatReplay`. In files of other programs a token may have
several merges or be used before the merge that makes it, and a pretoken may begin with characters.
Then the state after k merges is the encoding by the first k merges, and `EncodedReplay` encodes the
pretokens that a merge touches again.

A tokenizer without merges has a timeline with step 0 only: it encodes and shows its vocabulary.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice, repeat

from engine.bpe.frame import Timeline
from engine.bpe.record import MergeStep, Record
from engine.bpe.run import Run
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainer import StopReason
from engine.bpe.trainers.algorithm import IN_BYTES, TrainingTask
from engine.bpe.trainers.fast import FlatIndex, replace_everywhere
from engine.bpe.trainers.indexed import PairIndex
from engine.core.errors import VocabularyError
from engine.core.events import Pair
from engine.encoding.alphabet import Alphabet, ByteAlphabet, WholeTokens
from engine.encoding.encoders import MergeTable, RankHeap
from engine.encoding.extension import extended
from engine.encoding.rules import EncodingRules
from engine.encoding.tokenizer import Tokenizer
from engine.recording.affected_pretokens import CACHE_SIZE, Segmenter, TokensAtStep
from engine.recording.change_log import ChangeLog
from engine.recording.merge_record import IdMap, MergeReport, key_of
from engine.recording.training_input import check_counts
from engine.recording.vocabulary import Vocabulary
from engine.text.excerpt import Excerpt

GivenMerge = tuple[Pair, int]
"""((left id, right id), id of the new token) of a merge."""


class GivenMerges:
    """The merges of a tokenizer in the order of the steps, which may differ from their ranks.

    Args:
        merges: the merges in the order of the steps.
        table: pair → (rank, id made), of the tokenizer.
    """

    def __init__(self, merges: Sequence[GivenMerge], table: MergeTable) -> None:
        self.merges = merges
        self.table = table
        self.step_of = {pair: step for step, (pair, _) in enumerate(merges)}

    def first(self, steps: int) -> dict[Pair, tuple[int, int]]:
        """Return the table of the first merges."""
        return {pair: self.table[pair] for pair, _ in self.merges[:steps] if pair in self.table}


class _FirstMerges(Mapping[Pair, tuple[int, int]]):
    """A view of the table of the first `steps` merges."""

    def __init__(self, order: GivenMerges) -> None:
        self._order = order
        self.steps = 0

    def __getitem__(self, pair: Pair) -> tuple[int, int]:
        if (merge := self.get(pair)) is None:
            raise KeyError(pair)
        return merge

    def get(self, pair: Pair, default: object = None) -> tuple[int, int] | None:  # type: ignore[override]
        is_made = self._order.step_of.get(pair, self.steps) < self.steps
        return self._order.table.get(pair) if is_made else None

    def __iter__(self) -> Iterator[Pair]:
        return iter(self._order.first(self.steps))

    def __len__(self) -> int:
        return self.steps


class EncodedReplay:
    """A replay that encodes the pretokens with a merged pair again, by all merges up to it.

    Pairs are in places.

    Attributes:
        token_counts: the count of the token at each place, step by step.
    """

    def __init__(
        self, task: TrainingTask, ids: IdMap, alphabet: Alphabet, order: GivenMerges
    ) -> None:
        self._task, self._ids, self._order = task, ids, order
        self._texts = list(task.counts)
        self._index = PairIndex(task)
        self._table = _FirstMerges(order)
        self._encoder = RankHeap(alphabet, self._table)
        self._token_count: Counter[int] = Counter()
        for spelled, times in zip(self._index.pretokens, self._index.times, strict=True):
            for place in spelled:
                self._token_count[place] += times
        start = [self._token_count[place] for place in range(len(task.vocab))]
        self.token_counts = ChangeLog(start)

    def occurs(self, pair: Pair) -> bool:
        return pair in self._index.counts

    def merge(self, pair: Pair, rank: int) -> MergeReport:
        self._task.vocab.append(self._ids.tokens[self._order.merges[rank][1]])
        self._table.steps = rank + 1
        deltas = Counter[int]()

        def encoded(at: int) -> list[int]:
            after = list(map(self._ids.place_of, self._encoder.encode(self._texts[at])))
            for place in self._index.pretokens[at]:
                deltas[place] -= self._index.times[at]
            for place in after:
                deltas[place] += self._index.times[at]
            return after

        report = self._index.rewrite(pair, encoded)
        self._token_count.update(deltas)
        changed = [place for place, delta in deltas.items() if delta]
        counts = [self._token_count[place] for place in changed]
        self.token_counts.append(changed, counts, width=len(self._task.vocab))
        return report

    def add_unchanged(self, rank: int, tokens: Sequence[bytes], new_pairs: int) -> None:
        """Note merges from `rank` on that change nothing, with their tokens and new pairs."""
        self._table.steps = rank + len(tokens)
        self.token_counts.append_unchanged(len(tokens), width=len(self._task.vocab))


class EncodedSegmenter:
    """A source of tokens that encodes each pretoken by the first merges, of any structure."""

    def __init__(self, alphabet: Alphabet, order: GivenMerges) -> None:
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


BATCH = 4096
"""Number of steps without changes that are recorded together."""
NO_ID = -1
HIGHEST_ID = 2**31 - 1
"""Limit of ids, far above those of real tokenizers, so that keys of pairs fit into 64 bits."""


class Replay:
    """A replay of a tokenizer's merges over pretoken counts, which are empty without a corpus.

    Args:
        tokenizer: any tokenizer.
        counts: pretoken → its count, cut by the tokenizer's own splitter and pattern.
        excerpt: the beginning of the corpus.
        tie_rule: the name of the rule by which pairs of equal count are ordered.
        continued: the tokenizer without its last merges, if these were learnt here.
        learnt: the number of these merges.

    Attributes:
        timeline: the timeline; the caller extends it with `steps()`.
        obstacle: the reason why there are no steps; `None` if there are some.
        stop_reason: the reason to show after the last step.

    Raises:
        VocabularyError: an id is above `HIGHEST_ID`.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {300: b"lo", 256: b"xy"}
    >>> tokenizer = Tokenizer(vocab, [(b"x", b"y"), (b"l", b"o")])
    >>> replay = Replay(tokenizer, {b"low": 5})
    >>> [(step.new_id, step.token, step.count) for step in replay.steps()]
    [(256, b'xy', 0), (300, b'lo', 5)]
    """

    stop_reason = StopReason.REPLAYED

    def __init__(
        self,
        tokenizer: Tokenizer,
        counts: Mapping[bytes, int],
        excerpt: Excerpt | None = None,
        tie_rule: str = "smallest-ids",
        continued: Tokenizer | None = None,
        learnt: int = 0,
    ) -> None:
        if max(tokenizer.vocab, default=0) > HIGHEST_ID:
            raise VocabularyError(
                f"the id {max(tokenizer.vocab)} is higher than any tokenizer's; is it damaged?"
            )
        merges = merges_in_ids(tokenizer)
        self.obstacle = obstacle_to(tokenizer, merges)
        self._merges = [] if self.obstacle else merges
        present = {pretoken: count for pretoken, count in counts.items() if count}
        check_counts(present)
        # All ids in the order of making: bytes, special tokens, others, merges.
        alphabet, special_ids = _spelled_in(tokenizer), tokenizer.rules.special_ids
        made = [token_id for _, token_id in self._merges]
        others = sorted(tokenizer.vocab.keys() - set(made))
        first = dict.fromkeys([*alphabet.token_ids, *special_ids.values(), *others])
        base = [tokenizer.vocab[token_id] for token_id in first]
        self._ids = IdMap(tokenizer.vocab, special_ids, [*first, *made])
        is_flat = not self._merges or _is_flat(alphabet, self._merges)

        def spelled_in_places(pretoken: bytes) -> list[int]:
            return list(map(self._ids.place_of, alphabet.spell(pretoken)))

        # Without steps no pairs are needed, and the task is empty.
        self._task = TrainingTask(
            {} if self.obstacle else present,
            base,
            TIE_RULES[tie_rule],
            min_count=0,
            spell=IN_BYTES if is_flat else spelled_in_places,
        )
        record = Record(
            self._task.vocab,
            tokenizer.special_tokens,
            self._task.tie_rule,
            self._task.pairs,
            self._task.start,
            self._ids,
            alphabet=alphabet,
        )
        self._order = None if is_flat else GivenMerges(self._merges, tokenizer.merge_table)
        self._run = ReplayRun(tokenizer, present, record, len(self._merges), excerpt, self._order)
        self._run.obstacle = self.obstacle
        if continued is not None:
            self._run.continued, record.given_steps = continued, len(self._merges) - learnt
        self.timeline = Timeline(present, run=self._run)

    def steps(self) -> Iterator[MergeStep]:
        """Yield the merges in their order; call this only once."""
        if not self._merges:
            return
        record, place_of = self.timeline.record, self._ids.place_of
        if self._order is None:
            index: FlatReplay | EncodedReplay = FlatReplay(self._task)
        else:
            alphabet = _spelled_in(self._run.tokenizer)
            index = encoded = EncodedReplay(self._task, self._ids, alphabet, self._order)
            self._run.vocabularies.counts_log = encoded.token_counts
        # Merges whose pairs do not occur are collected and recorded together.
        absent: list[int] = []
        for rank, ((left, right), _) in enumerate(self._merges):
            places = place_of(left), place_of(right)
            if index.occurs(places):
                yield from self._record_unchanged(index, absent)
                absent = []
                yield record.append(index.merge(places, rank))
                continue
            absent.append(key_of(places))
            if len(absent) == BATCH:
                yield from self._record_unchanged(index, absent)
                absent = []
        yield from self._record_unchanged(index, absent)

    def _record_unchanged(
        self, index: FlatReplay | EncodedReplay, keys: Sequence[int]
    ) -> Iterator[MergeStep]:
        """Record the next merges, whose pairs do not occur, as steps that change nothing."""
        record, pairs = self.timeline.record, self._task.pairs
        first = len(record)
        made = self._merges[first : first + len(keys)]
        tokens = [self._ids.tokens[token_id] for _, token_id in made]
        self._task.vocab.extend(tokens)
        new = pairs.add_new([key for key in keys if key not in pairs.number_of_key])
        index.add_unchanged(first, tokens, len(new))
        return record.append_unchanged([pairs.number_of_key[key] for key in keys])


class FlatReplay:
    """A replay that replaces pairs, as the trainer `fast` does; pairs are in places."""

    def __init__(self, task: TrainingTask) -> None:
        self._task = task
        self._index = FlatIndex(task)

    def occurs(self, pair: Pair) -> bool:
        # A pair that does not occur never will: new pairs contain a new token.
        number = self._task.pairs.number_of_key.get(key_of(pair))
        return number is not None and self._index.counts[number] > 0

    def merge(self, pair: Pair, rank: int) -> MergeReport:
        number = self._task.pairs.number_of_key[key_of(pair)]
        return replace_everywhere(self._task, self._index, number)

    def add_unchanged(self, rank: int, tokens: Sequence[bytes], new_pairs: int) -> None:
        """Note merges from `rank` on that change nothing, with their tokens and new pairs."""
        index = self._index
        index.sizes.extend(map(len, tokens))
        index.counts.extend(repeat(0, new_pairs))
        index.occurrences.add([[]] * new_pairs, new_pairs)


def obstacle_to(tokenizer: Tokenizer, merges: Sequence[GivenMerge]) -> str | None:
    """Return the reason why the merges cannot be replayed, as a clause; `None` if they can."""
    if tokenizer.pipeline is not None and not tokenizer.pipeline.merges:
        return f"{tokenizer.pipeline.model.name} merges nothing"
    if not tokenizer.alphabet.spells:
        return "this is a vocabulary whose merges are missing"
    if any(NO_ID in (*pair, made) for pair, made in merges):
        return "one of its merges needs or makes a token that the vocabulary does not have"
    return None


def _is_flat(alphabet: Alphabet, merges: Sequence[GivenMerge]) -> bool:
    """Whether merges start from bytes, and each makes a new token of older ones."""
    if not isinstance(alphabet, ByteAlphabet):
        return False
    known = set(alphabet.token_ids)
    for (left, right), made in merges:
        if left not in known or right not in known or made in known:
            return False
        known.add(made)
    return True


def merges_in_ids(tokenizer: Tokenizer) -> list[GivenMerge]:
    """Return each merge as ids, in order of rank."""
    table, vocab = tokenizer.merge_table, tokenizer.vocab
    if len(table) == len(tokenizer.merges):
        return [(pair, made) for pair, (_, made) in table.items()]
    # The table lacks some merges: of repeated pairs, of tokens with two ids.
    ids: dict[bytes, int] = {}
    for token_id in sorted(vocab.keys() - tokenizer.special_ids):
        ids.setdefault(vocab[token_id], token_id)
    return [
        ((ids.get(left, NO_ID), ids.get(right, NO_ID)), ids.get(left + right, NO_ID))
        for left, right in tokenizer.merges
    ]


def _spelled_in(tokenizer: Tokenizer) -> Alphabet:
    """Return the alphabet without whole tokens, which merges make, too."""
    alphabet = tokenizer.alphabet
    return alphabet.inner if isinstance(alphabet, WholeTokens) else alphabet


ALL_MERGES = sys.maxsize
"""A step after all merges of a tokenizer, whose ranks need not be the steps of its replay."""


class _TokenizerAtLastStep:
    """A source of tokens that uses the tokenizer's own alphabet and table at the last step."""

    def __init__(self, by_merges: TokensAtStep, tokenizer: Tokenizer, last_step: int) -> None:
        self._by_merges, self._last_step = by_merges, last_step
        self._own = Segmenter(
            tokenizer.alphabet, tokenizer.merge_table, lambda rank: (NO_ID, NO_ID), lambda _: NO_ID
        )

    def tokens_at(self, pretoken: bytes, step: int) -> tuple[int, ...]:
        if step == self._last_step:
            return self._own.tokens_at(pretoken, ALL_MERGES)
        return self._by_merges.tokens_at(pretoken, step)


class ReplayRun(Run):
    """The recorded steps of a replay. The last step encodes exactly as the tokenizer does.

    The merges alone may not determine the encoding: some tokenizers first look up whole pretokens,
    or use the ranks of tokens. So the last step uses the tokenizer itself.

    Attributes:
        last_step: number of merges when all are recorded.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        counts: Mapping[bytes, int],
        record: Record,
        last_step: int,
        excerpt: Excerpt | None,
        order: GivenMerges | None = None,
    ) -> None:
        self.tokenizer = tokenizer
        self.last_step = last_step
        self._order = order
        super().__init__(
            counts,
            record,
            pattern=tokenizer.pattern,
            excerpt=excerpt,
            splitter=tokenizer.rules.splitter,
        )
        if order is not None:
            self.segmenter = EncodedSegmenter(self.alphabet, order)
        self.segmenter = _TokenizerAtLastStep(self.segmenter, tokenizer, last_step)
        if not last_step:
            self.tokens_at_start = sum(
                len(self.segmenter.tokens_at(pretoken, 0)) * count
                for pretoken, count in counts.items()
            )

    def rules_at(self, step: int) -> EncodingRules:
        if step == self.last_step:
            return self.tokenizer.rules
        rules = super().rules_at(step)
        if self._order is None:
            return rules
        return replace(rules, table=self._order.first(step))

    def tokenizer_at(self, step: int) -> Tokenizer:
        whole = self.tokenizer
        if step == self.last_step:
            return whole
        own = self.record.given_steps
        if self.continued is not None and step >= own:
            record = self.record
            learnt = [(record.pair_of(n), record.new_id(n)) for n in range(own, step)]
            return extended(self.continued, learnt)
        if self._order is None and whole.rules.splitter.is_plain:
            return super().tokenizer_at(step)
        order = self._order
        table = order.first(step) if order else dict(islice(whole.merge_table.items(), step))
        return Tokenizer(
            whole.vocab,
            [(whole.vocab[left], whole.vocab[right]) for left, right in table],
            self.record.ids.special_ids,
            self.pattern,
            alphabet=self.alphabet,
            table=table,
            pipeline=None if whole.pipeline is None else whole.pipeline.first(step),
        )

    def vocabulary_at(self, step: int, recorded_steps: int) -> Vocabulary:
        if self.last_step:
            return super().vocabulary_at(step, recorded_steps)
        return self._whole_vocabulary

    @cached_property
    def _whole_vocabulary(self) -> Vocabulary:
        return Vocabulary.of_tokenizer(self.tokenizer)

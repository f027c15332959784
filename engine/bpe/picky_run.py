"""A run whose steps remove tokens: its pretokens, vocabularies and tokenizers follow the events."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from engine.bpe.record import Record
from engine.bpe.run import Run
from engine.core.arrays import Bools
from engine.core.slow_modules import np
from engine.encoding.event_order import EventAlphabet, EventOrder
from engine.encoding.rules import EncodingRules
from engine.encoding.tokenizer import Tokenizer
from engine.recording.affected_pretokens import (
    CACHE_SIZE,
    LONGEST_TAKEN_APART,
    AffectedPretoken,
)
from engine.recording.merge_record import PairStep
from engine.recording.token_table import TokenTable
from engine.recording.vocabulary import Vocabulary

LONGEST_KEPT = 1 << 8
"""Most bytes of a pretoken whose tokens after each event are kept."""


class EventSegmenter:
    """The tokens of pretokens at any step, by the merges and removals up to it."""

    def __init__(self, record: Record) -> None:
        self.order = EventOrder(record.alphabet)
        self._record = record
        # pretoken → the steps that changed it, its tokens after each, the number of known steps
        self._known: dict[bytes, tuple[list[int], list[tuple[int, ...]], int]] = {}

    def tokens_at(self, pretoken: bytes, step: int) -> tuple[int, ...]:
        """Return the token ids of the pretoken after the first `step` steps."""
        self.know(step)
        if len(pretoken) > LONGEST_KEPT:
            return self.order.encode(pretoken, step)
        steps, tokens, known = self._known.get(pretoken, ([], [], -1))
        if known < step:
            if len(self._known) >= CACHE_SIZE:
                self._known.clear()
            known = self.order.steps
            states = list(self.order.states(pretoken))
            steps, tokens = [at for at, *_ in states], [each for *_, each in states]
            self._known[pretoken] = steps, tokens, known
        return tokens[bisect_left(steps, step) - 1]

    def know(self, steps: int) -> EventOrder:
        """Take in the events of the first `steps` steps; return all that are known."""
        record, removals = self._record, self._record.removals
        assert removals is not None
        while self.order.steps < steps:
            at = self.order.steps
            gone = [(each.token_id, each.parts) for each in removals.by_step[at]]
            self.order.add(record.pair_of(at), record.new_id(at), gone)
        return self.order


class PickyRun(Run):
    """The recorded steps of a training that removes tokens."""

    segmenter: EventSegmenter

    def __init__(self, counts: Mapping[bytes, int], record: Record, **more: Any) -> None:
        super().__init__(counts, record, **more)
        assert record.removals is not None
        self.removals = record.removals
        self.segmenter = EventSegmenter(record)
        self.vocabularies.counts_log = self.removals.token_counts
        self.vocabularies.find_reachable = self._find_reachable

    def vocab_at(self, step: int) -> dict[int, bytes]:
        """Return id → bytes of the tokens at a step."""
        return self.removals.vocab(self.record.vocab, step)

    def alphabet_at(self, step: int) -> EventAlphabet:
        """Return the alphabet that encodes by the events up to a step."""
        order, tokens = self.segmenter.know(step), self.record.vocab
        return EventAlphabet(order, step, list(self.vocab_at(step)), tokens)

    def rules_at(self, step: int) -> EncodingRules:
        rules = super().rules_at(step)
        return replace(
            rules, alphabet=self.alphabet_at(step), table={}, merges=0, vocab=self.vocab_at(step),
            later=(),
        )  # fmt: skip

    def tokenizer_at(self, step: int) -> Tokenizer:
        special_ids = self.record.ids.special_ids
        return Tokenizer(
            self.vocab_at(step), None, special_ids, self.pattern,
            alphabet=self.alphabet_at(step), table={},
        )  # fmt: skip

    def vocabulary_at(self, step: int, recorded_steps: int) -> Vocabulary:
        """Return the tokens at a step; those that have gone are rows without a count."""
        found = super().vocabulary_at(step, recorded_steps)
        first, made = self.record.first_id, self.removals.made
        is_gone = np.zeros(len(found), dtype=np.bool_)
        is_gone[first:] = [
            made[place - first] != place or not self.removals.exists(place, step)
            for place in range(first, len(found))
        ]
        return replace(found, gone=is_gone)

    def _find_reachable(self, table: TokenTable) -> Bools:
        """Return for each token whether its own bytes gave it at the last step that had it."""
        steps, tokens_at = len(table.merges), self.segmenter.tokens_at
        found = np.ones(len(table), dtype=np.bool_)
        for place in range(self.record.first_id, len(table)):
            until = self.removals.last_step_of(place, steps)
            found[place] = tokens_at(table.tokens[place], until) == (table.ids[place],)
        return found

    def affected_by(self, merge: PairStep | None) -> Iterator[AffectedPretoken]:
        if merge is None:
            return
        tokens_at, seen, left = self.segmenter.tokens_at, set[bytes](), merge.pretokens
        gone = self.removals.by_step[merge.index]
        for covers in (merge.covers, *(self.record.covers(each.token_id) for each in gone)):
            for _, pretoken in self.by_count.containing(covers):
                if pretoken in seen or len(pretoken) > LONGEST_TAKEN_APART:
                    continue
                seen.add(pretoken)
                before = tokens_at(pretoken, merge.index)
                after = tokens_at(pretoken, merge.index + 1)
                if before != after:
                    yield AffectedPretoken(pretoken, self.counts[pretoken], before, after)
                    left -= 1
                    if not left:
                        return

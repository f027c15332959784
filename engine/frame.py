"""`Frame`: the state of a run at one step, computed as far as somebody asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise, takewhile
from typing import TYPE_CHECKING

import numpy as np

from engine.change_log import Ints
from engine.encoders.rank_loop import RankLoop
from engine.errors import UnknownTokenIdError
from engine.events import EncodeStep, Pair
from engine.excerpt import Excerpt
from engine.pretokenize import Pretoken, pretokens
from engine.record import MergeStep
from engine.ties import TieRule
from engine.tokenizer import Tokenizer
from engine.vocabulary.vocabulary import Vocabulary

if TYPE_CHECKING:
    from engine.timeline import Timeline


@dataclass(frozen=True)
class QueueEntry:
    """A pair as the queue of candidates has it.

    `recorded` is the count that the heap's entry claims, `count` the true one. Without a heap the
    two are the same. `delta` is what the last merge did to the count; `tied` says that another
    pair has the same true count and it is the highest.
    """

    pair: Pair
    recorded: int
    count: int
    delta: int
    tied: bool

    @property
    def stale(self) -> bool:
        return self.recorded != self.count


@dataclass(frozen=True)
class TouchedPretoken:
    """A pretoken that a merge changed: its tokens before and after."""

    pretoken: bytes
    count: int
    before: tuple[int, ...]
    after: tuple[int, ...]


@dataclass(frozen=True)
class EncodedPretoken:
    """A pretoken of a typed text with its token ids."""

    pretoken: Pretoken
    ids: tuple[int, ...]


class Frame:
    """The state after the first `step` merges of a timeline. Immutable.

    Attributes:
        step: how many merges have been made.
        recorded_steps: how many steps the timeline had when the frame was taken.
    """

    def __init__(self, timeline: Timeline, step: int, recorded_steps: int) -> None:
        self._timeline = timeline
        self._record = timeline.record
        self.step = step
        self.recorded_steps = recorded_steps

    def at(self, step: int) -> Frame:
        """The state at another recorded step; the timeline's cursor stays where it is."""
        return Frame(self._timeline, step, self.recorded_steps)

    # -- the merge that led here, and those around it

    @property
    def merge(self) -> MergeStep | None:
        """The merge that made this state; `None` at step 0."""
        return self._record[self.step - 1] if self.step else None

    def merge_at(self, index: int) -> MergeStep:
        """Any recorded merge, by its rank."""
        return self._record[index]

    @property
    def tie_rule(self) -> TieRule:
        return self._record.tie_rule

    @property
    def first_id(self) -> int:
        """The id of the first merge: 256 + the number of special tokens."""
        return self._record.first_id

    def token(self, token_id: int) -> bytes:
        """The bytes of a token that exists at this step.

        Raises:
            UnknownTokenIdError: it does not, or not yet.
        """
        if not 0 <= token_id < self.vocab_size:
            raise UnknownTokenIdError(
                f"there is no token with the id {token_id}; at step {self.step:,} the ids go "
                f"from 0 to {self.vocab_size - 1:,}"
            )
        return self._record.vocab[token_id]

    def any_token(self, token_id: int) -> bytes:
        """The bytes of any token of the run, one that later steps make included."""
        return self._record.vocab[token_id]

    def step_of(self, pair: Pair) -> int | None:
        """The step right after the pair merges; `None` if it has not been seen to merge."""
        known = self._timeline.table.get(pair)
        return None if known is None else known[0] + 1

    @property
    def vocab_size(self) -> int:
        """Tokens at this step."""
        return self.first_id + self.step

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The tokens at this step in columns, with their counts in the corpus."""
        return self._timeline.vocabularies.at(self.step, self.recorded_steps)

    # -- the corpus

    @property
    def excerpt(self) -> Excerpt:
        """The beginning of the corpus."""
        return self._timeline.excerpt

    @property
    def byte_count(self) -> int:
        """Bytes in all pretokens of the corpus, special tokens left out."""
        return self._timeline.bytes_total

    @property
    def token_count(self) -> int:
        """Tokens that the corpus has at this step."""
        return self.byte_count - self._record.removed_by(self.step)

    @property
    def bytes_per_token(self) -> float:
        """The compression: 1.0 at step 0."""
        return self.byte_count / self.token_count if self.token_count else 1.0

    @property
    def distinct_pretokens(self) -> int:
        return len(self._timeline.counts)

    def count_of_pretoken(self, pretoken: bytes) -> int:
        """How often the pretoken occurs in the corpus."""
        return self._timeline.counts.get(pretoken, 0)

    def tokens_of(self, pretoken: bytes) -> tuple[int, ...]:
        """The token ids of a pretoken at this step, whether the corpus has it or not."""
        return self._timeline.segmenter.tokens_at(pretoken, self.step)

    def touched(self, limit: int | None = None) -> list[TouchedPretoken]:
        """The pretokens that the merge changed, most frequent first."""
        return list(islice(self._touched(), limit))

    def _touched(self) -> Iterator[TouchedPretoken]:
        if (merge := self.merge) is None:
            return
        left = merge.pretokens
        for pretoken in self._timeline.index.containing(merge.token):
            after = self.tokens_of(pretoken)
            if merge.new_id in after:
                before = self._timeline.segmenter.tokens_at(pretoken, self.step - 1)
                count = self._timeline.counts[pretoken]
                yield TouchedPretoken(pretoken, count, before, after)
                left -= 1
                if not left:
                    return

    # -- the pairs

    @cached_property
    def _pair_counts(self) -> Ints:
        return self._record.counts.at(self.step)

    @cached_property
    def _recorded_counts(self) -> Ints:
        queue = self._record.queue
        return self._pair_counts if queue is None else queue.at(self.step)

    def count_of(self, pair: Pair) -> int:
        """How often the pair stands side by side at this step."""
        number = self._record.number_of(pair)
        if number is None or number >= len(self._pair_counts):
            return 0
        return int(self._pair_counts[number])

    @property
    def has_heap(self) -> bool:
        """Whether the run kept a heap, so that entries can be stale."""
        return self._record.queue is not None

    @cached_property
    def queue_size(self) -> int:
        """Entries in the heap, or pairs where there is no heap."""
        return int(np.count_nonzero(self._recorded_counts))

    @cached_property
    def stale_count(self) -> int:
        """Heap entries that are no longer true."""
        return int(np.count_nonzero(self._recorded_counts != self._pair_counts))

    @cached_property
    def tied(self) -> tuple[Pair, ...]:
        """The pairs that share the top count at this step, before the next merge."""
        if not len(self._pair_counts) or not (top := int(self._pair_counts.max())):
            return ()
        return tuple(self._record.pairs_with_count(self._pair_counts, top))

    def top_pairs(self, limit: int) -> list[tuple[Pair, int]]:
        """The pairs of highest count, ties in the order of the rule; the first merges next.

        >>> from engine import Timeline, Trainer
        >>> counts = {b"low": 5, b"lower": 2}
        >>> timeline = Timeline(counts, Trainer(counts, 300).steps())
        >>> timeline.seek(1).top_pairs(2)
        [((108, 256), 7), ((256, 101), 2)]
        """
        counts = self._pair_counts
        return [
            (self._record.pairs[number], int(counts[number]))
            for number in self._best(counts, limit)
        ]

    @property
    def next_pair(self) -> Pair | None:
        """The pair that merges next, whether that step is recorded or not; `None` at the end."""
        if self._timeline.is_complete and self.step == self.recorded_steps:
            return None
        best = self.top_pairs(1)
        return best[0][0] if best else None

    def queue_entries(self, limit: int) -> list[QueueEntry]:
        """The best entries of the queue in its own order, stale ones where they claim to be."""
        recorded, counts = self._recorded_counts, self._pair_counts
        before = self._counts_before
        tied = set(self.tied) if len(self.tied) > 1 else set()
        entries = []
        for number in self._best(recorded, limit):
            pair, count = self._record.pairs[number], int(counts[number])
            was = int(before[number]) if number < len(before) else 0
            entries.append(
                QueueEntry(pair, int(recorded[number]), count, count - was, pair in tied)
            )
        return entries

    @cached_property
    def _counts_before(self) -> Ints:
        return self._record.counts.at(self.step - 1) if self.step else self._pair_counts

    def _best(self, counts: Ints, limit: int) -> list[int]:
        """Numbers of the pairs with the highest of these counts, best first."""
        if limit <= 0 or not len(counts):
            return []
        least = 1
        if len(counts) > limit:
            least = max(1, int(np.partition(counts, len(counts) - limit)[len(counts) - limit]))
        candidates = np.flatnonzero(counts >= least).tolist()
        key = self._record.tie_rule.make_key(self._record.vocab, self._first_seen)
        pairs = self._record.pairs
        candidates.sort(key=lambda number: (-int(counts[number]), key(pairs[number])))
        return candidates[:limit]

    def _first_seen(self, pair: Pair) -> tuple[int, int]:
        return self._first_places.get(pair, (len(self._timeline.counts), 0))

    @cached_property
    def _first_places(self) -> dict[Pair, tuple[int, int]]:
        """Where each pair first stands now: one pass over all pretokens, for `first-seen`."""
        places: dict[Pair, tuple[int, int]] = {}
        for place, pretoken in enumerate(self._timeline.counts):
            for position, pair in enumerate(pairwise(self.tokens_of(pretoken))):
                places.setdefault(pair, (place, position))
        return places

    # -- encoding with the merges of this step

    def encode(self, text: str) -> list[EncodedPretoken]:
        """A text cut into pretokens, each with its ids at this step.

        Special tokens are found in it as in the corpus.
        """
        return [
            EncodedPretoken(pretoken, self._ids_of(pretoken))
            for pretoken in pretokens(text, self._timeline.pattern, self._timeline.splitter)
        ]

    def _ids_of(self, pretoken: Pretoken) -> tuple[int, ...]:
        specials = self._record.special_tokens
        if pretoken.special and pretoken.text in specials:
            return (256 + specials.index(pretoken.text),)
        return self.tokens_of(pretoken.bytes)

    def encode_steps(self, pretoken: bytes) -> list[EncodeStep]:
        """The merges that encode a pretoken at this step, one occurrence at a time."""
        loop = RankLoop(range(256), self._timeline.table)
        # Ranks only rise along the way, so the merges of later steps are all at the end.
        return list(takewhile(lambda step: step.rank < self.step, loop.steps(pretoken)))

    def decode(self, ids: Sequence[int]) -> bytes:
        """The bytes of token ids; `UnknownTokenIdError` for one that is not there yet."""
        return b"".join(map(self.token, ids))

    def tokenizer(self) -> Tokenizer:
        """The tokenizer that this step has learnt."""
        vocab = self._record.vocab
        merges = [self._record.pair_of(index) for index in range(self.step)]
        return Tokenizer(
            dict(enumerate(vocab[: self.vocab_size])),
            [(vocab[left], vocab[right]) for left, right in merges],
            self._record.special_tokens,
            self._timeline.pattern,
        )

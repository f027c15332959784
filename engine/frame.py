"""`Frame`: the state of a run at one step, computed as far as somebody asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from engine.errors import UnknownTokenIdError
from engine.events import BytesPair, Pair
from engine.excerpt import Excerpt
from engine.ledger import Ledger
from engine.pair_queue import PairQueue
from engine.record import MergeStep
from engine.rules import EncodingRules
from engine.statistics import Statistics
from engine.ties import TieRule
from engine.tokenizer import Tokenizer
from engine.touched import TouchedPretoken, TouchedPretokens
from engine.typed_text import EncodedPretoken
from engine.units import UNKNOWN, Units
from engine.vocabulary.vocabulary import Vocabulary

if TYPE_CHECKING:
    from engine.timeline import Timeline


class Frame:
    """The state after the first `step` merges of a timeline. Immutable.

    Attributes:
        step: how many merges have been made.
        recorded_steps: how many steps the timeline had when the frame was taken.
        moves_done: how many moves of the next merge the heap has made already.
        cuts_specials: whether a special token in a text to encode is one id, or ordinary text.
    """

    def __init__(
        self,
        timeline: Timeline,
        step: int,
        recorded_steps: int,
        moves_done: int = 0,
        cuts_specials: bool = True,
    ) -> None:
        self._timeline = timeline
        self._record = timeline.record
        self.step = step
        self.recorded_steps = recorded_steps
        self.moves_done = moves_done
        self.cuts_specials = cuts_specials

    @property
    def place(self) -> tuple[int, int]:
        """Where this is: step and moves; two frames of a timeline with one place are alike."""
        return self.step, self.moves_done

    def looks_like(self, other: Frame) -> bool:
        """Whether both are the same place of the same timeline, and encode alike."""
        same_place = self._timeline is other._timeline and self.place == other.place
        return same_place and self.cuts_specials == other.cuts_specials

    def at(self, step: int) -> Frame:
        """The state at another recorded step; the timeline's cursor stays where it is."""
        return Frame(self._timeline, step, self.recorded_steps)

    def with_specials_as_text(self) -> Frame:
        """The same, except that special tokens in a text to encode are ordinary text."""
        return Frame(self._timeline, self.step, self.recorded_steps, self.moves_done, False)

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
    def units(self) -> Units:
        """What the merges started from, in a run of ours."""
        return self._record.units

    @property
    def first_id(self) -> int:
        """How many tokens there are at step 0; the id of the first merge in a run of ours."""
        return self._record.first_id

    def token(self, token_id: int) -> bytes:
        """The bytes of a token that exists at this step.

        Raises:
            UnknownTokenIdError: it does not, or not yet.
        """
        if not self.has_token(token_id):
            ids = (
                f"there are {self.vocab_size:,} tokens"
                if self.given
                else f"the ids go from 0 to {self.vocab_size - 1:,}"
            )
            raise UnknownTokenIdError(
                f"there is no token with the id {token_id}; at step {self.step:,} {ids}"
            )
        return self._record.token(token_id)

    def has_token(self, token_id: int) -> bool:
        """Whether the token exists at this step."""
        return 0 <= self._record.ids.place_of(token_id) < self.vocab_size

    def step_making(self, token_id: int) -> int:
        """The first step at which a token of the run exists."""
        return max(0, self._record.rank_of(token_id) + 1)

    def is_special(self, token_id: int) -> bool:
        return token_id in self._record.ids.specials

    def any_token(self, token_id: int) -> bytes:
        """The bytes of any token of the run, one that later steps make included."""
        return self._record.token(token_id)

    def covers(self, token_id: int) -> bytes:
        """The bytes of a pretoken that any token of the run stands for: `</w>` is none of them."""
        return self._record.covers(token_id)

    def is_base(self, token_id: int) -> bool:
        """Whether pretokens are spelled in this token at step 0."""
        return token_id in self._timeline.base_ids

    def step_of(self, pair: Pair) -> int | None:
        """The step right after the pair merges; `None` if it has not been seen to merge."""
        return self._timeline.step_of(pair)

    @property
    def vocab_size(self) -> int:
        """Tokens at this step."""
        return self.first_id + self.step

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The tokens at this step in columns, with their counts in the corpus."""
        return self._timeline.vocabulary_at(self.step, self.recorded_steps)

    # -- the corpus

    @property
    def excerpt(self) -> Excerpt:
        """The beginning of the corpus."""
        return self._timeline.excerpt

    @property
    def has_corpus(self) -> bool:
        """Whether there are pretokens to count anything in."""
        return bool(self._timeline.counts)

    @property
    def byte_count(self) -> int:
        """Bytes in all pretokens of the corpus, special tokens left out."""
        return self._timeline.bytes_total

    @property
    def token_count(self) -> int:
        """Tokens that the corpus has at this step."""
        return self._timeline.tokens_at_start - self._record.removed_by(self.step)

    @property
    def bytes_per_token(self) -> float:
        """The compression: 1.0 at step 0 in bytes."""
        return self.byte_count / self.token_count if self.token_count else 1.0

    @property
    def distinct_pretokens(self) -> int:
        return len(self._timeline.counts)

    @property
    def counts(self) -> Mapping[bytes, int]:
        """pretoken → how often it occurs in the corpus."""
        return self._timeline.counts

    @property
    def special_tokens(self) -> tuple[str, ...]:
        return self._record.special_tokens

    @property
    def by_rule(self) -> bool:
        """Whether every merge is what the tie rule takes; not so after a fork."""
        return self._record.by_rule

    @property
    def forbidden(self) -> frozenset[BytesPair]:
        """The pairs that a fork keeps from merging."""
        return self._record.forbidden

    @property
    def given(self) -> bool:
        """Whether the merges are a tokenizer's, replayed, and none was chosen here."""
        return self._record.given

    def tokens_of(self, pretoken: bytes) -> tuple[int, ...]:
        """The token ids of a pretoken at this step, whether the corpus has it or not."""
        return self._timeline.segmenter.tokens_at(pretoken, self.step)

    def touched(self, limit: int | None = None) -> list[TouchedPretoken]:
        """The pretokens that the merge changed, most frequent first.

        Those of more than `LONGEST_TAKEN_APART` bytes are left out: see `engine.touched`.
        """
        return list(islice(self._touched, limit))

    def touched_within(self, seconds: float, limit: int) -> tuple[list[TouchedPretoken], bool]:
        """The first of them, as far as they are found in so long; and whether they all are."""
        return self._touched.first(limit, seconds)

    @cached_property
    def _touched(self) -> TouchedPretokens:
        return TouchedPretokens(self._timeline, self.merge)

    @cached_property
    def ledger(self) -> Ledger:
        """Which pretokens are behind each change of the merge's; to be read first."""
        return Ledger(iter(self._touched))

    @property
    def statistics(self) -> Statistics:
        """The whole run in numbers, for charts."""
        return self._timeline.statistics

    # -- the pairs

    @cached_property
    def queue(self) -> PairQueue:
        """The pairs at this step, and the heap they wait in."""
        return PairQueue(self._timeline, self.step)

    @cached_property
    def choices_before(self) -> dict[str, Pair]:
        """Which pair each tie rule would have merged in place of the merge that led here."""
        return self.at(self.step - 1).queue.choices if self.step else {}

    def count_of(self, pair: Pair) -> int:
        """How often the pair stands side by side at this step."""
        return self.queue.count_of(pair)

    def top_pairs(self, limit: int) -> list[tuple[Pair, int]]:
        """The pairs of highest count, ties in the order of the rule; the first merges next.

        >>> from engine import Timeline, Trainer
        >>> counts = {b"low": 5, b"lower": 2}
        >>> timeline = Timeline(counts, Trainer(counts, 300).steps())
        >>> timeline.seek(1).top_pairs(2)
        [((108, 256), 7), ((256, 101), 2)]
        """
        return self.queue.top(limit)

    @property
    def next_pair(self) -> Pair | None:
        """The pair that merges next, whether that step is recorded or not; `None` at the end."""
        if self.step < self.recorded_steps:
            return self._record.pair_of(self.step)
        if self._timeline.is_complete:
            return None
        best = self.top_pairs(1)
        return best[0][0] if best else None

    @property
    def tied_steps(self) -> Sequence[int]:
        """All recorded steps whose merge was tied, in order."""
        return self._timeline.ties

    @property
    def ties_so_far(self) -> int:
        """How many of the merges up to here were tied."""
        return self._timeline.ties.until(self.step)

    def tied_step(self, direction: int) -> int | None:
        """The nearest step after (1) or before (−1) this one whose merge was tied."""
        return self._timeline.ties.nearest(self.step, direction)

    # -- encoding with the merges of this step

    def encode(self, text: str) -> list[EncodedPretoken]:
        """A text cut into pretokens, each with its ids at this step.

        Special tokens are found in it as in the corpus, if the frame `cuts_specials`.
        """
        timeline = self._timeline
        typed = timeline.typed if self.cuts_specials else timeline.typed_as_text
        return typed.encode(text, self.step)

    @cached_property
    def rules(self) -> EncodingRules:
        """All that the encoding follows from, for functions that explain it."""
        rules = self._timeline.rules_at(self.step)
        return rules if self.cuts_specials else replace(rules, splitter=rules.splitter.only(()))

    def decode(self, ids: Sequence[int]) -> bytes:
        """The bytes of token ids; `UnknownTokenIdError` for one that is not there yet.

        The end of a word, `</w>`, becomes a space.
        """
        for token_id in ids:
            self.token(token_id)  # names one that is not there
        return b"".join(map(self._record.decoded, ids))

    def unknown_in(self, text: str) -> int:
        """How many characters of a text the run cannot spell: each is `<unk>`.

        >>> from engine import Timeline, Trainer
        >>> trainer = Trainer({b"low": 5}, 10, units="characters")
        >>> Timeline(trainer.counts, record=trainer.record).frame.unknown_in("law")
        1
        """
        if self.units.spells_all or self.given:
            return 0
        unknown = self._record.vocab.index(UNKNOWN)
        return sum(piece.ids.count(unknown) for piece in self.encode(text))

    def tokenizer(self) -> Tokenizer:
        """The tokenizer that this step has learnt."""
        return self._timeline.tokenizer_at(self.step)

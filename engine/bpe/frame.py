"""`Frame`, the state of a run at one step, and `Timeline`, the run with a cursor.

A frame is computed as far as somebody asks. Nothing is trained anew to go back or jump.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Self

from engine.bpe.pair_queue import PairQueue
from engine.bpe.record import MergeStep, Record
from engine.bpe.run import Run, Statistics
from engine.bpe.ties import TieRule
from engine.bpe.trainer import Trainer
from engine.core.events import Pair
from engine.core.wording import Words
from engine.encoding.incremental import EncodedPretoken
from engine.encoding.rules import EncodingRules
from engine.encoding.tokenizer import Tokenizer
from engine.encoding.units import UNKNOWN, Units
from engine.recording.merge_frame import MergeFrame, MergeTimeline
from engine.text.excerpt import Excerpt
from engine.text.patterns import PatternLike


class Frame(MergeFrame[MergeStep]):
    """The state after the first `step` merges of a run. Immutable.

    Attributes:
        run: what is recorded of the training; it may have more steps by now.
        step: how many merges have been made.
        recorded_steps: how many steps the run had when the frame was taken.
        moves_done: how many moves of the next merge the heap has made already.
        cuts_specials: whether a special token in a text to encode is one id, or ordinary text.
    """

    run: Run
    _record: Record

    def __init__(
        self,
        run: Run,
        step: int,
        recorded_steps: int,
        moves_done: int = 0,
        cuts_specials: bool = True,
    ) -> None:
        super().__init__(run, step, recorded_steps)
        self.moves_done = moves_done
        self.cuts_specials = cuts_specials

    def looks_like(self, other: Self) -> bool:
        """Whether both are the same step and move of the same run, and encode alike."""
        same_move = super().looks_like(other) and self.moves_done == other.moves_done
        return same_move and self.cuts_specials == other.cuts_specials

    def with_specials_as_text(self) -> Frame:
        """This frame, but special tokens in a text to encode are ordinary text."""
        return Frame(self.run, self.step, self.recorded_steps, self.moves_done, False)

    # -- what the run is

    @property
    def tie_rule(self) -> TieRule:
        """What chooses among pairs of one count."""
        return self._record.tie_rule

    @property
    def units(self) -> Units:
        """What the merges started from, in a run of ours."""
        return self._record.units

    @property
    def given(self) -> bool:
        """Whether the merges are a tokenizer's, replayed, and none was chosen here."""
        return self._record.given

    @property
    def statistics(self) -> Statistics:
        """The whole run in numbers, for charts."""
        return self.run.statistics

    # -- the tokens

    def _ids_there(self) -> str:
        # A tokenizer's own may leave some out.
        return f"there are {self.vocab_size:,} tokens" if self.given else super()._ids_there()

    def is_special(self, token_id: int) -> bool:
        return token_id in self._record.ids.specials

    def is_base(self, token_id: int) -> bool:
        return token_id in self.run.base_ids

    # -- the corpus

    @property
    def byte_count(self) -> int:
        """Bytes in all pretokens of the corpus, special tokens left out."""
        return self.run.bytes_total

    @property
    def bytes_per_token(self) -> float:
        """The compression: 1.0 at step 0 in bytes."""
        return self.byte_count / self.token_count if self.token_count else 1.0

    @property
    def counts(self) -> Mapping[bytes, int]:
        """pretoken → how often it occurs in the corpus."""
        return self.run.counts

    # -- the pairs

    @cached_property
    def queue(self) -> PairQueue:
        """The pairs at this step, and the heap they wait in."""
        return PairQueue(self.run, self.step)

    @property
    def highest_count(self) -> int:
        """The count of the most frequent pair at step 0; no count is ever higher."""
        return self.run.highest_pair_count

    @cached_property
    def choices_before(self) -> dict[str, Pair]:
        """Which pair each tie rule would have merged in place of the merge that led here."""
        return self.at(self.step - 1).queue.choices if self.step else {}

    def count_of(self, pair: Pair) -> int:
        """How often the pair stands side by side at this step."""
        return self.queue.count_of(pair)

    def why_first(self, winner: Pair, rival: Pair) -> Words:
        """Why the tie rule takes one pair before another of the same count, as a clause.

        Args:
            winner, rival: pairs of ids.
        """
        return self.tie_rule.why_first(self._record.ids.tokens, winner, rival)

    def top_pairs(self, limit: int) -> list[tuple[Pair, int]]:
        """The pairs of highest count, ties in the order of the rule; the first merges next.

        In a fork that forbids a pair or prescribes one, `next_pair` is another.

        >>> from engine import Timeline, Trainer
        >>> counts = {b"low": 5, b"lower": 2}
        >>> timeline = Timeline(counts, Trainer(counts, 300).steps())
        >>> timeline.seek(1).top_pairs(2)
        [((108, 256), 7), ((256, 101), 2)]
        """
        return self.queue.top(limit)

    def _best_pair(self) -> Pair | None:
        return None if self.given else self.queue.best()

    @property
    def merges_nothing(self) -> bool:
        """Whether there is no merge to go through, now or later."""
        run = self.run
        return not self.recorded_steps and (run.obstacle is not None or run.is_complete)

    # -- encoding with the merges of this step

    def encode(self, text: str) -> list[EncodedPretoken]:
        """A text cut into pretokens, each with its ids at this step.

        Special tokens are found in it as in the corpus, if the frame `cuts_specials`.
        """
        typed = self.run.typed if self.cuts_specials else self.run.typed_as_text
        return typed.encode(text, self.step)

    @cached_property
    def rules(self) -> EncodingRules:
        """All that the encoding follows from, for functions that explain it."""
        rules = self.run.rules_at(self.step)
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
        return self.run.tokenizer_at(self.step)


class Timeline(MergeTimeline[Frame]):
    """The steps of a run and a cursor among them.

    Step k is the state after the first k merges: step 0 is the corpus in single bytes, or in what
    else the run starts from. Steps may be added at the end at any time; the cursor stays where it
    is.

    Args:
        counts: the pretoken counts that were trained on, `Trainer.counts`.
        steps: the steps recorded so far, all of one run, from the first.
        record: the run's record, needed only if there are no steps yet.
        run: a run that exists already. Of the other arguments only `steps` is used then.
        pattern, special_tokens, excerpt: see `engine.bpe.run.Run`.

    Attributes:
        run: what is recorded.
        came_from: where the cursor was before it last moved.

    >>> counts = {b"low": 5, b"lower": 2}
    >>> timeline = Timeline(counts, Trainer(counts, 258).steps())
    >>> timeline.forward().merge.token, timeline.forward().merge.token, timeline.cursor
    (b'ow', b'low', 2)
    >>> timeline.back().tokens_of(b"lower")
    (108, 256, 101, 114)
    """

    run: Run

    def __init__(
        self,
        counts: Mapping[bytes, int],
        steps: Iterable[MergeStep] = (),
        *,
        record: Record | None = None,
        run: Run | None = None,
        pattern: PatternLike = "gpt2",
        special_tokens: Sequence[str] | None = None,
        excerpt: Excerpt | None = None,
    ) -> None:
        steps = list(steps)
        if run is None:
            run = Run(
                counts,
                _record_of(steps, record, counts),
                pattern=pattern,
                special_tokens=special_tokens,
                excerpt=excerpt,
            )
        super().__init__(run)
        self._moves_done = 0
        self.extend(steps)

    @property
    def record(self) -> Record:
        """What wrote the steps down."""
        return self.run.record

    @property
    def statistics(self) -> Statistics:
        """The whole run in numbers, for charts."""
        return self.run.statistics

    def _frame_at(self, step: int) -> Frame:
        return Frame(self.run, step, len(self), self._moves_done)

    def seek(self, step: int) -> Frame:
        """Go to a step, and to its first move in the heap.

        Raises:
            TimelineError: it is not recorded.
        """
        if self._moves_done and 0 <= step <= len(self):
            # Between two steps, so that even the step at the cursor is a way to go.
            self.came_from = self._cursor
            self._moves_done = 0
            self._frame = None
        return super().seek(step)

    def sub_step(self) -> Frame:
        """Make one move of the next merge in the heap; after the last, the merge itself."""
        moves = len(self.frame.queue.moves())
        if self._moves_done + 1 >= moves:
            return self.forward()
        self.came_from = self._cursor
        self._moves_done += 1
        self._frame = None
        return self.frame


def _record_of(
    steps: Sequence[MergeStep], record: Record | None, counts: Mapping[bytes, int]
) -> Record:
    if steps:
        return steps[0].record
    # A record without steps is false, as anything empty is.
    return Trainer(counts, 256).record if record is None else record

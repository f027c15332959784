"""`Frame`, the state of a run at one step, and `Timeline`, a run and a cursor.

A frame computes its facts on demand. Going back or jumping repeats no training.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from engine.bpe.pair_queue import PairQueue
from engine.bpe.pick import Pick, Reason
from engine.bpe.record import MergeStep, Record
from engine.bpe.run import Run, Statistics
from engine.bpe.ties import TieRule
from engine.bpe.trainer import Trainer
from engine.core.arguments import check_whole, checked_methods
from engine.core.events import Pair
from engine.core.wording import Sentence, frequency, say
from engine.encoding.alphabet import UNKNOWN, Units
from engine.encoding.typed_text import EncodedPretoken
from engine.recording.playback import MergeFrame, MergeTimeline, check_step
from engine.text.excerpt import Excerpt
from engine.text.patterns import PatternLike

if TYPE_CHECKING:
    from engine.encoding.rules import EncodingRules
    from engine.encoding.tokenizer import Tokenizer


@checked_methods
class Frame(MergeFrame[MergeStep]):
    """The state after the first `step` merges of a run. Immutable.

    Attributes:
        run: the recorded run; it may have more steps by now.
        step: the number of merges made.
        recorded_steps: the number of steps that the run had when the frame was made.
        moves_done: number of moves of the next merge that the heap has made already.
        cuts_specials: whether a special token in a text to encode is one id, or ordinary text.
        tie_rule: chooses among pairs of equal count.
        units: the tokens that the merges started from, in a run of ours.
        given: whether the tokens and the first merges are those of a tokenizer.
        was_given, next_given: whether the merge that led here, and the next one, is a tokenizer's
            own; counts chose or choose any other.
        statistics: the series of the whole run, for charts. `winning_counts(steps)`,
            `tokens_in_corpus(steps)`, `bytes_per_token(steps)` and `ties(steps)` are arrays by
            step; `token_lengths(step)` counts the tokens of each length.
        byte_count: number of bytes in all pretokens of the corpus, without special tokens.
        bytes_per_token: the compression; 1.0 at step 0 if the units are bytes.
        counts: pretoken → its count in the corpus.
        highest_count: the count of the most frequent pair at step 0; none is ever higher.
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
        run = self.run
        self.moves_done = moves_done
        self.cuts_specials = cuts_specials
        self.tie_rule: TieRule = run.record.tie_rule
        self.units: Units = run.record.units
        self.given: bool = run.record.given
        self.was_given = 0 < step <= run.record.given_steps
        self.next_given = step < run.record.given_steps
        self.has_gaps = self.given
        self.statistics: Statistics = run.statistics
        self.byte_count = run.bytes_total
        self.bytes_per_token = run.bytes_total / self.token_count if self.token_count else 1.0
        self.counts = run.counts
        self.highest_count = run.highest_pair_count

    def looks_like(self, other: object) -> bool:
        """Whether both show the same step and move of the same run, and encode in the same way."""
        if not isinstance(other, Frame) or self.moves_done != other.moves_done:
            return False
        return super().looks_like(other) and self.cuts_specials == other.cuts_specials

    def with_specials_as_text(self) -> Frame:
        """Return this frame with special tokens in a text to encode as ordinary text."""
        return Frame(self.run, self.step, self.recorded_steps, self.moves_done, False)

    # -- the tokens

    def is_special(self, token_id: int) -> bool:
        return token_id in self._record.ids.specials

    def is_base(self, token_id: int) -> bool:
        return token_id in self.run.base_ids

    # -- the pairs

    @cached_property
    def queue(self) -> PairQueue:
        """The pairs at this step, and their heap."""
        return PairQueue(self.run, self.step)

    @cached_property
    def pick(self) -> Pick | None:
        """The next merge and the reason for it; `None` if no pair merges next.

        >>> from engine import Timeline, Trainer
        >>> counts = {b"ab": 2, b"cd": 2}
        >>> Timeline(counts, Trainer(counts, 258).steps()).frame.pick
        Pick(pair=(99, 100), count=2, reason=<Reason.TIED: 'The tie rule takes it before other \
pairs of the same count.'>, rivals=((97, 98),), forbidden=())
        """
        if (pair := self.next_pair) is None:
            return None
        queue, rules = self.queue, self._record.fork_rules
        count = queue.count_of(pair)
        if self.next_given:
            return Pick(pair, count, Reason.GIVEN)
        if rules is not None and rules.forces(self.step):
            return Pick(pair, count, Reason.FORCED)
        if rules is not None and self.step < rules.replayed and queue.best() != pair:
            return Pick(pair, count, Reason.REPLAYED)
        rivals = tuple(rival for rival in queue.tied if rival != pair)
        forbidden = tuple(each for each in queue.forbidden if each[1] >= count)
        return Pick(pair, count, Reason.TIED if rivals else Reason.ALONE, rivals, forbidden)

    @property
    def picked(self) -> Pick | None:
        """The last merge and the reason for it; `None` at step 0."""
        return self._before.pick if self.step else None

    @property
    def choices_before(self) -> dict[str, Pair]:
        """Name of a tie rule → the pair that it would have merged in the last step."""
        return self._before.queue.choices if self.step else {}

    @cached_property
    def _before(self) -> Frame:
        return self.at(self.step - 1)

    def count_of(self, pair: Pair) -> int:
        """Return the number of occurrences of the pair at this step."""
        return self.queue.count_of(pair)

    def tie_reason(self, winner: Pair, rival: Pair) -> Sentence:
        """Return the reason why the tie rule takes one pair before another, as a clause.

        Args:
            winner: the pair that goes first.
            rival: a pair of the same count.
        """
        for token_id in (*winner, *rival):
            self.any_token(token_id)  # raises the error
        return self.tie_rule.reason(self._record.ids.tokens, winner, rival)

    def top_pairs(self, limit: int) -> list[tuple[Pair, int]]:
        """Return the pairs of highest count, ties in the order of the rule; the first merges next.

        In a fork that forbids or prescribes a pair, `next_pair` may be another one.

        >>> from engine import Timeline, Trainer
        >>> counts = {b"low": 5, b"lower": 2}
        >>> timeline = Timeline(counts, Trainer(counts, 300).steps())
        >>> timeline.seek(1).top_pairs(2)
        [((108, 256), 7), ((256, 101), 2)]
        """
        check_whole(0, limit=limit)
        return self.queue.top(limit)

    def _best_pair(self) -> Pair | None:
        return None if self.next_given else self.queue.best()

    @property
    def merges_nothing(self) -> bool:
        """Whether the run has no merges, now or later."""
        run = self.run
        return not self.recorded_steps and (run.obstacle is not None or run.is_complete)

    # -- the step in words

    @property
    def sentence(self) -> Sentence:
        """A sentence about the last merge; at step 0 about the corpus.

        >>> from engine import Timeline, Trainer
        >>> counts = {b"low": 5, b"lower": 2}
        >>> print(Timeline(counts, Trainer(counts, 258).steps()).seek(1).sentence)
        Merge 1 of 2: o and w occurred together 7 times; they are one token now, ow.
        """
        if (merge := self.merge) is None:
            unit = self.units.one if self.token_count == 1 else self.units.many
            beginning = "Step 0: {count} {unit}, each a token of its own."
            return say(beginning, count=f"{self.token_count:,}", unit=say(unit))
        template = "Merge {step} of {last}: {pair} are one token now: {token}."
        if merge.count:
            template = (
                "Merge {step} of {last}: {pair} occurred together {times}; they are one token now, "
                "{token}."
            )
        elif self.has_corpus:
            template = "Merge {step} of {last}: {pair} occur nowhere in this corpus: {token}."
        left, right = map(self.any_token, merge.pair)
        numbers = {"step": f"{self.step:,}", "last": f"{self.recorded_steps:,}"}
        pair, often = say("{left} and {right}", left=left, right=right), frequency(merge.count)
        return say(template, pair=pair, times=often, token=merge.token, **numbers)

    # -- encoding with the merges of this step

    def encode(self, text: str) -> list[EncodedPretoken]:
        """Cut a text into pretokens and encode each at this step.

        Special tokens become one id if the frame `cuts_specials`.
        """
        typed = self.run.typed if self.cuts_specials else self.run.typed_as_text
        return typed.encode(text, self.step)

    @cached_property
    def rules(self) -> EncodingRules:
        """All data that the encoding depends on, for functions that explain it."""
        rules = self.run.rules_at(self.step)
        return rules if self.cuts_specials else replace(rules, splitter=rules.splitter.only(()))

    @cached_property
    def rules_at_end(self) -> EncodingRules:
        """The rules of the last step recorded, for what later steps bring."""
        if self.step == self.recorded_steps:
            return self.rules
        return replace(self.run.rules_at(self.recorded_steps), splitter=self.rules.splitter)

    def decode(self, ids: Sequence[int]) -> bytes:
        """Return the bytes of token ids; `UnknownTokenIdError` for an id that does not exist yet.

        The end-of-word marker `</w>` becomes a space.
        """
        for token_id in ids:
            self.token(token_id)  # raises the error
        return b"".join(map(self._record.decoded, ids))

    def unknown_in(self, text: str) -> int:
        """Count the characters of a text that the run cannot spell; each becomes `<unk>`.

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
        """Return the tokenizer learnt up to this step."""
        return self.run.tokenizer_at(self.step)


@checked_methods
class Timeline(MergeTimeline[Frame]):
    """The steps of a run and a cursor among them.

    Step k is the state after the first k merges; step 0 is the corpus in single bytes or other
    units. Steps may be added at the end at any time; the cursor stays.

    Args:
        counts: the trainer, or the pretoken counts that were trained on, `Trainer.counts`.
        steps: the steps recorded so far, all of one run, from the first; by default those that the
            trainer has made.
        record: the run's record, needed only if there are neither steps nor a trainer.
        run: an existing run; then only `steps` is used of the other arguments.
        pattern, excerpt: see `engine.bpe.run.Run`; by default the trainer's pattern.

    Attributes:
        run: the recorded run.
        statistics: its series, for charts, as of `Frame`.
        came_from: the cursor before its last move.

    >>> counts = {b"low": 5, b"lower": 2}
    >>> timeline = Timeline(counts, Trainer(counts, 258).steps())
    >>> timeline.forward().merge.token, timeline.forward().merge.token, timeline.cursor
    (b'ow', b'low', 2)
    >>> timeline.back().tokens_of(b"lower")
    (108, 256, 101, 114)
    >>> Timeline(Trainer(counts, 258, ["<s>"], pattern="whitespace")).frame.tokenizer()
    Tokenizer(257 tokens, 0 merges, special '<s>', pattern whitespace)
    """

    run: Run
    record: Record

    def __init__(
        self,
        counts: Mapping[bytes, int] | Trainer,
        steps: Iterable[MergeStep] = (),
        *,
        record: Record | None = None,
        run: Run | None = None,
        pattern: PatternLike | None = None,
        excerpt: Excerpt | None = None,
    ) -> None:
        steps = list(steps)
        if isinstance(counts, Trainer):
            record, counts = counts.record, counts.counts
            steps = steps or [record[index] for index in range(len(record))]
        if run is None:
            if record is None:  # a record without steps is falsy
                record = steps[0].record if steps else Trainer(counts, 256).record
            pattern = record.pattern if pattern is None else pattern
            run = Run(counts, record, pattern=pattern, excerpt=excerpt)
        super().__init__(run)
        self.statistics = run.statistics
        self._moves_done = 0
        self.extend(steps)

    def _frame_at(self, step: int) -> Frame:
        return Frame(self.run, step, len(self), self._moves_done)

    def seek(self, step: int) -> Frame:
        """Go to a step, before its first move in the heap.

        Raises:
            TimelineError: the step is not recorded.
        """
        check_step(step, len(self))
        if self._moves_done:
            # The cursor is between two steps, so even going to its own step is a move.
            self.came_from = self.cursor
            self._moves_done = 0
            self._frame = None
        return super().seek(step)

    def sub_step(self) -> Frame:
        """Make one move of the next merge in the heap; after the last, the merge itself."""
        moves = len(self.frame.queue.moves())
        if self._moves_done + 1 >= moves:
            return self.forward()
        self.came_from = self.cursor
        self._moves_done += 1
        self._frame = None
        return self.frame

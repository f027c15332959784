"""Recorded runs, a cursor among their steps, and frames: the state at one step.

A *run* is the recording of one training; it only grows. A *player* (the `Timeline` of each model)
is a run and a cursor. A *frame* is a run and a step: the state after the first `step` steps, which
never changes. `RecordedRun` and `Player` serve every model. `MergeRun`, `MergeTimeline` and
`MergeFrame` add what BPE and WordPiece share, which both merge pairs.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, TypeVar

from engine.core.arguments import check_whole, checked_methods
from engine.core.errors import TimelineError, UnknownTokenIdError
from engine.core.events import Pair
from engine.core.wording import counted
from engine.recording.affected_pretokens import (
    LONGEST_TAKEN_APART,
    AffectedPretoken,
    AffectedPretokens,
    CountAttribution,
    PretokenIndex,
    TokensAtStep,
)
from engine.recording.frequent_characters import FrequentCharacters
from engine.recording.merge_record import MergeRecord, PairStep, PhaseStart, StepT
from engine.recording.statistics import TiedSteps
from engine.text.excerpt import Excerpt

if TYPE_CHECKING:
    from engine.recording.vocabulary import Vocabulary


class RecordedStep(Protocol):
    """A step that knows its record and its index there."""

    record: Any
    index: int


def check_step(step: int, last: int) -> None:
    """Raise `TimelineError` unless a step is from 0 to the last."""
    check_whole(step=step)
    if not 0 <= step <= last:
        raise TimelineError(f"there is no step {step:,}; the steps go from 0 to {last:,}")


RecordedStepT = TypeVar("RecordedStepT", bound=RecordedStep)
FrameT = TypeVar("FrameT")


class RecordedRun(ABC, Generic[RecordedStepT]):
    """The recorded steps of one training. State k is the state after the first k steps.

    `len(run)` is the number of steps. The record may be ahead, because another thread writes it;
    its steps count here from the moment they are added.

    Attributes:
        record: the record of the steps.
        is_complete: whether training has ended, so that no step will follow.
        obstacle: the reason why there are no steps, as a clause; `None` if there are some.
    """

    record: Any
    is_complete = False
    obstacle: str | None = None
    _length = 0

    def step_at(self, index: int) -> RecordedStepT:
        """Return a step of the record, by its index."""
        step: RecordedStepT = self.record[index]
        return step

    @abstractmethod
    def _keep(self, step: RecordedStepT) -> None:
        """Index a step for later lookups, before it counts as recorded."""

    def __len__(self) -> int:
        return self._length

    def extend(self, steps: Iterable[RecordedStepT]) -> None:
        """Add steps at the end.

        Raises:
            TimelineError: a step belongs to another run, or is not the next one.
        """
        for step in steps:
            if getattr(step, "record", None) is not self.record or step.index != self._length:
                place = getattr(step, "index", repr(step))
                raise TimelineError(
                    f"step {place} does not follow the {self._length} steps recorded"
                )
            self._keep(step)
            self._length += 1

    def extend_to(self, length: int) -> None:
        """Add steps of the record until there are `length`."""
        self.extend(self.step_at(index) for index in range(len(self), length))

    def prepare(self) -> None:
        """Compute in advance what far jumps need, once the run is complete; any thread may call."""


@checked_methods
class Player(ABC, Generic[FrameT]):
    """A run and a cursor: step k is the state after the first k steps.

    Steps may be added at the end at any time; the cursor stays. A subclass makes the frames.

    Attributes:
        run, record: the recorded steps.
        cursor: the step that `frame` shows; move it with `seek`, `forward` and `back`.
        came_from: the cursor before its last move.
    """

    run: RecordedRun[Any]
    record: Any

    def __init__(self, run: RecordedRun[Any]) -> None:
        self.run = run
        self.record = run.record
        self.came_from = 0
        self.cursor = 0
        self._frame: FrameT | None = None
        self._left: tuple[int, FrameT | None] | None = None
        """The step and the frame before the last move, kept with all it has found."""

    def __repr__(self) -> str:
        """Describe the cursor: `Timeline(step 3 of 12)`."""
        return f"{type(self).__name__}(step {self.cursor:,} of {len(self):,})"

    @abstractmethod
    def _frame_at(self, step: int) -> FrameT:
        """Return the state after the first `step` steps."""

    def __len__(self) -> int:
        """Return the number of recorded steps."""
        return len(self.run)

    def extend(self, steps: Iterable[Any]) -> None:
        """Add steps at the end; `TimelineError` if a step is not the next one."""
        self._frame = self._left = None
        self.run.extend(steps)

    def extend_to(self, length: int) -> None:
        """Add steps of the record until there are `length`."""
        check_step(length, len(self.record))
        self._frame = self._left = None
        self.run.extend_to(max(length, len(self)))

    def complete(self) -> None:
        """Mark the run as complete: no step will follow."""
        self.run.is_complete = True
        self._frame = self._left = None

    @property
    def frame(self) -> FrameT:
        """The state at the cursor."""
        if self._frame is None:
            self._frame = self._frame_at(self.cursor)
        return self._frame

    def seek(self, step: int) -> FrameT:
        """Go to a step.

        Raises:
            TimelineError: the step is not recorded.
        """
        check_step(step, len(self))
        if step != self.cursor:
            known, self._left = self._left, (self.cursor, self._frame)
            self.came_from, self.cursor = self.cursor, step
            self._frame = known[1] if known is not None and known[0] == step else None
        return self.frame

    def forward(self, steps: int = 1) -> FrameT:
        """Go forward, at most to the last step."""
        return self.seek(min(self.cursor + steps, len(self)))

    def back(self, steps: int = 1) -> FrameT:
        """Go back, at most to step 0."""
        return self.seek(max(self.cursor - steps, 0))


class MergeRun(RecordedRun[PairStep]):
    """Recorded merges, with lookups over all of them.

    Attributes:
        record: the record of the steps.
        counts: pretoken → number of occurrences in the corpus, in order of first appearance.
        table: pair → (index of its merge, id of the new token).
        excerpt: the beginning of the corpus, for frames to show.
        tokens_at_start: number of tokens in the corpus at step 0.
        segmenter: finds the tokens of a pretoken at any step.
        ties: the steps whose pair shared the top with another pair.
    """

    record: MergeRecord[Any]
    counts: Mapping[bytes, int]
    table: dict[Pair, tuple[int, int]]
    excerpt: Excerpt
    tokens_at_start: int
    segmenter: TokensAtStep
    ties: TiedSteps

    @cached_property
    def by_count(self) -> PretokenIndex:
        """The pretokens, most frequent first."""
        return PretokenIndex(sorted(self.counts, key=self.counts.__getitem__, reverse=True))

    @cached_property
    def by_appearance(self) -> PretokenIndex:
        """The pretokens in the order in which the corpus first has them."""
        return PretokenIndex(list(self.counts))

    @cached_property
    def highest_count(self) -> int:
        """The count of the most frequent pretoken."""
        return max(self.counts.values(), default=0)

    @cached_property
    def characters(self) -> FrequentCharacters:
        """The characters of several bytes in the corpus, most frequent first."""
        return FrequentCharacters(self.counts)

    def of_step(self, step: int) -> MergeRun:
        """Return the run with the pretokens of a step; other phases may have others."""
        return self

    @abstractmethod
    def vocabulary_at(self, step: int, recorded_steps: int) -> Vocabulary:
        """Return the tokens at a step in columns; the run has `recorded_steps` so far."""

    def prepare(self) -> None:
        _ = self.excerpt.first_lines
        self.vocabulary_at(len(self), len(self))

    def _keep(self, step: PairStep) -> None:
        self.table[step.pair] = (step.index, step.new_id)

    def extend_to(self, length: int) -> None:
        record, table = self.record, self.table
        for index in range(len(self), length):  # no step objects: there are too many
            table[record.pair_of(index)] = (index, record.new_id(index))
        self._length = length

    def affected_by(self, merge: PairStep | None) -> Iterator[AffectedPretoken]:
        """Search the pretokens that a merge changed, most frequent first; at step 0 there is none.

        Pretokens of more than `LONGEST_TAKEN_APART` bytes are left out.
        """
        if merge is None:
            return
        left, tokens_at = merge.pretokens, self.segmenter.tokens_at
        for _, pretoken in self.by_count.containing(merge.covers):
            if len(pretoken) > LONGEST_TAKEN_APART:
                continue
            after = tokens_at(pretoken, merge.index + 1)
            if merge.new_id in after:
                before = tokens_at(pretoken, merge.index)
                yield AffectedPretoken(pretoken, self.counts[pretoken], before, after)
                left -= 1
                if not left:
                    return

    def step_of(self, pair: Pair) -> int | None:
        """Return the step that merged a pair; `None` if no recorded step did."""
        known = self.table.get(pair)
        return None if known is None else known[0] + 1


class MergeTimeline(Player[FrameT]):
    """A run of merges and a cursor."""

    run: MergeRun
    record: MergeRecord[Any]


@checked_methods
class MergeFrame(ABC, Generic[StepT]):
    """A run and a step: the state after the first `step` merges. Immutable.

    Attributes:
        run: the recorded run; it may have more steps by now.
        step: the number of merges made.
        recorded_steps: the number of steps that the run had when the frame was made.
        tied_steps: all recorded steps whose pair shared the top with another pair.
        first_id: number of tokens at step 0; in a run of ours the id of the first merge.
        vocab_size: number of tokens at this step, special tokens included.
        excerpt: the beginning of the corpus.
        has_corpus: whether there are pretokens to count in.
        token_count: number of tokens in the corpus at this step.
        has_gaps: whether ids may be missing below the highest, as in a tokenizer from elsewhere.
        merge: the merge that led to this state; `None` at step 0.
    """

    TOKEN: ClassVar[str] = "token"
    """The word for a token in this training."""

    has_gaps: bool = False

    run: MergeRun
    _record: MergeRecord[StepT]

    def __init__(self, run: MergeRun, step: int, recorded_steps: int) -> None:
        self.run = run = run.of_step(step)
        self._record = record = run.record
        self.step = step
        self.recorded_steps = recorded_steps
        self.tied_steps = run.ties
        self.first_id = record.first_id
        self.vocab_size = record.first_id + step
        self.excerpt = run.excerpt
        self.has_corpus = bool(run.counts)
        self.token_count = run.tokens_at_start - record.removed[step]
        # The run may get longer, and be completed, later; a frame never changes.
        self._run_was_complete = run.is_complete and recorded_steps == len(record)
        self.merge: StepT | None = record[step - 1] if step else None

    def looks_like(self, other: object) -> bool:
        """Whether both show the same step of the same run and know equally much of the next one."""
        if not isinstance(other, MergeFrame) or (self.run, self.step) != (other.run, other.step):
            return False
        if self.step < self.recorded_steps and other.step < other.recorded_steps:
            return True  # a frame shows nothing after the next step
        same_length = self.recorded_steps == other.recorded_steps
        return same_length and self._run_was_complete == other._run_was_complete

    def __repr__(self) -> str:
        """Describe the state: `Frame(step 3 of 12, 1,024 tokens in the corpus)`."""
        corpus = f", {counted(self.token_count, 'token')} in the corpus" if self.has_corpus else ""
        return f"{type(self).__name__}(step {self.step:,} of {self.recorded_steps:,}{corpus})"

    def at(self, step: int) -> Self:
        """Return the state at another recorded step; no cursor moves.

        Raises:
            TimelineError: the step is not recorded.
        """
        check_step(step, self.recorded_steps)
        return type(self)(self.run, step, self.recorded_steps)

    # -- the merge that led here, and those around it

    @property
    def phase_starts(self) -> tuple[PhaseStart, ...]:
        """The borders between phases that the run has so far."""
        return tuple(self._record.phase_starts)

    @property
    def phase_began(self) -> int:
        """The step at which the phase of this step began; 0 in the first phase."""
        return max(
            (start.step for start in self.phase_starts if start.step <= self.step), default=0
        )

    @property
    def phase_start(self) -> PhaseStart | None:
        """The border between phases at this step, before the next merge, or `None`."""
        return next((start for start in self.phase_starts if start.step == self.step), None)

    def merge_at(self, index: int) -> StepT:
        """Return any recorded merge, by its rank.

        Raises:
            TimelineError: there is no such merge.
        """
        check_step(index, len(self._record) - 1)
        return self._record[index]

    def step_of(self, pair: Pair) -> int | None:
        """Return the step that merged the pair; `None` if no recorded step did."""
        return self.run.step_of(pair)

    @property
    def next_pair(self) -> Pair | None:
        """The pair that merges next, even if that step is not recorded yet; `None` at the end."""
        if self.step < self.recorded_steps:
            return self._record.pair_of(self.step)
        return None if self._run_was_complete else self._best_pair()

    @abstractmethod
    def _best_pair(self) -> Pair | None:
        """Return the pair that the training would merge here; `None` if there is none."""

    # -- the tokens

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The tokens at this step in columns, with their counts in the corpus."""
        return self.run.vocabulary_at(self.step, self.recorded_steps)

    def token(self, token_id: int) -> bytes:
        """Return the bytes of a token that exists at this step, as the vocabulary has them.

        Raises:
            UnknownTokenIdError: the token does not exist, or not yet.
        """
        if not self.has_token(token_id):
            size, rank = self.vocab_size, self._record.rank_of(token_id)
            if self.step <= rank < self.recorded_steps:
                raise UnknownTokenIdError(f"id {token_id} comes with merge {rank + 1:,}")
            which = f"the ids go from 0 to {size - 1:,}"
            if self.has_gaps:
                which = f"there {'is' if size == 1 else 'are'} {counted(size, 'token')}"
            raise UnknownTokenIdError(
                f"there is no {self.TOKEN} with the id {token_id}; at step {self.step:,} {which}"
            )
        return self._record.token(token_id)

    def has_token(self, token_id: int) -> bool:
        """Whether the token exists at this step."""
        return -self.first_id <= self._record.rank_of(token_id) < self.step

    def step_making(self, token_id: int) -> int:
        """Return the step that made a token; 0 if it existed from the start.

        Raises:
            UnknownTokenIdError: no step makes it.
        """
        self.any_token(token_id)
        return max(0, self._record.rank_of(token_id) + 1)

    def any_token(self, token_id: int) -> bytes:
        """Return the bytes of any token of the run, even one that a later step makes.

        Raises:
            UnknownTokenIdError: the run has no such token.
        """
        try:
            if token_id >= 0:  # a list has places below 0
                return self._record.token(token_id)
        except LookupError:
            pass
        raise UnknownTokenIdError.of(token_id, len(self._record.vocab))

    def id_of(self, token: bytes) -> int | None:
        """Find the id of a token of the run by its bytes, made by now or later; `None` if unknown.

        >>> from engine import Timeline, Trainer
        >>> counts = {b"low": 5}
        >>> frame = Timeline(counts, Trainer(counts, 258).steps()).frame
        >>> frame.id_of(b"low"), frame.id_of(b"owl")
        (257, None)
        """
        vocab = self._record.vocab
        try:
            place = vocab.index(token, 0, self.first_id + self.recorded_steps)
        except ValueError:
            return None
        return self._record.id_of(place)

    @abstractmethod
    def is_special(self, token_id: int) -> bool:
        """Whether the token is a special token."""

    @abstractmethod
    def is_base(self, token_id: int) -> bool:
        """Whether the token is one that spells pretokens at step 0."""

    # -- the corpus

    def tokens_of(self, pretoken: bytes) -> tuple[int, ...]:
        """Return the token ids of a pretoken at this step; the corpus need not contain it.

        They result from the merges. WordPiece may encode differently: it takes the longest piece.
        """
        return self.run.segmenter.tokens_at(pretoken, self.step)

    def affected(self, limit: int | None = None) -> list[AffectedPretoken]:
        """Return the pretokens that the merge changed, most frequent first.

        Pretokens of more than `LONGEST_TAKEN_APART` bytes are left out.
        """
        return self.affected_within(inf, sys.maxsize if limit is None else limit)[0]

    def affected_within(self, seconds: float, limit: int) -> tuple[list[AffectedPretoken], bool]:
        """Find the first of the `affected` pretokens, within some time.

        Args:
            seconds: the time to spend.
            limit: largest number of pretokens to find.

        Returns:
            the pretokens found, and whether the time was enough.
        """
        check_whole(0, limit=limit)
        deadline = monotonic() + seconds
        found = []
        for pretoken in islice(self._affected, min(limit, sys.maxsize)):
            found.append(pretoken)
            if monotonic() > deadline:
                return found, False
        return found, True

    @cached_property
    def attribution(self) -> CountAttribution:
        """The pretokens behind each change of a count; call its `read` first."""
        return CountAttribution(iter(self._affected))

    @cached_property
    def _affected(self) -> AffectedPretokens:
        # The pretokens before the merge: a border after it may have changed them.
        return AffectedPretokens(self.run.of_step(self.step - 1).affected_by(self.merge))


AnyMergeFrame = MergeFrame[PairStep]
"""A frame of any training that merges pairs."""

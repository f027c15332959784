"""Recorded runs, a cursor among their steps, and frames: the state at one step.

A *run* is the recording of one training; it only grows. A *player* (the `Timeline` of each model)
is a run and a cursor. A *frame* is a run and a step: the state after the first `step` steps, which
never changes. `RecordedRun` and `Player` serve every model. `MergeRun`, `MergeTimeline` and
`MergeFrame` add what BPE and WordPiece share, which both merge pairs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from engine.core.errors import TimelineError, UnknownTokenIdError
from engine.core.events import Pair
from engine.recording.affected_pretokens import (
    AffectedPretoken,
    AffectedPretokens,
    CountAttribution,
    PretokenIndex,
    TokensAtStep,
)
from engine.recording.merge_record import MergeRecord, PairStep, StepT
from engine.recording.statistics import TiedSteps
from engine.recording.vocabulary import Vocabulary
from engine.text.excerpt import Excerpt


class RecordedStep(Protocol):
    """A step that knows its record, and its index there."""

    @property
    def record(self) -> Any: ...

    @property
    def index(self) -> int: ...


RecordedStepT = TypeVar("RecordedStepT", bound=RecordedStep)
FrameT = TypeVar("FrameT")


class RecordedRun(ABC, Generic[RecordedStepT]):
    """The steps recorded of one training. State k is the state after the first k of them.

    `len(run)` is how many steps there are. The record may be ahead: another thread writes it, and
    its steps count here from the moment they are added.

    Attributes:
        record: what wrote the steps down.
    """

    record: Any

    def __init__(self) -> None:
        self._length = 0
        self._complete = False

    @abstractmethod
    def step_at(self, index: int) -> RecordedStepT:
        """A step of the record, by its index."""

    @abstractmethod
    def _keep(self, step: RecordedStepT) -> None:
        """Note what is asked about a step later, before it counts as recorded."""

    def __len__(self) -> int:
        return self._length

    def extend(self, steps: Iterable[RecordedStepT]) -> None:
        """Add steps at the end.

        Raises:
            TimelineError: a step is of another run, or not the next one.
        """
        for step in steps:
            if step.record is not self.record or step.index != self._length:
                raise TimelineError(
                    f"step {step.index} does not follow the {self._length} steps recorded"
                )
            self._keep(step)
            self._length += 1

    def extend_to(self, length: int) -> None:
        """Add the steps that the record has by now, so that there are so many."""
        self.extend(self.step_at(index) for index in range(len(self), length))

    def complete(self) -> None:
        """Say that no step will follow those recorded."""
        self._complete = True

    def prepare(self) -> None:
        """Work out, once it is complete, what a far jump would have to; any thread may do it."""

    @property
    def is_complete(self) -> bool:
        return self._complete


class Player(ABC, Generic[FrameT]):
    """A run and a cursor: step k is the state after the first k steps.

    Steps may be added at the end at any time; the cursor stays where it is. A subclass says how a
    frame is made.

    Attributes:
        run: the recorded steps.
        came_from: where the cursor was before it last moved.
    """

    run: RecordedRun[Any]

    def __init__(self, run: RecordedRun[Any]) -> None:
        self.run = run
        self.came_from = 0
        self._cursor = 0
        self._frame: FrameT | None = None

    def __repr__(self) -> str:
        """Where the cursor is, such as `Timeline(step 3 of 12)`."""
        return f"{type(self).__name__}(step {self.cursor:,} of {len(self):,})"

    @abstractmethod
    def _frame_at(self, step: int) -> FrameT:
        """The state after so many steps."""

    def __len__(self) -> int:
        """How many steps are recorded."""
        return len(self.run)

    def extend(self, steps: Iterable[Any]) -> None:
        """Add steps at the end; `TimelineError` for one that does not follow."""
        self._frame = None
        self.run.extend(steps)

    def extend_to(self, length: int) -> None:
        """Add the steps that the record has by now, so that there are so many."""
        self._frame = None
        self.run.extend_to(length)

    def complete(self) -> None:
        """Say that no step will follow those recorded."""
        self.run.complete()
        self._frame = None

    @property
    def is_complete(self) -> bool:
        """Whether training has ended, so that no step will follow."""
        return self.run.is_complete

    @property
    def went_back(self) -> bool:
        """Whether the last move was one step back, so that a step has just been undone."""
        return self.came_from == self._cursor + 1

    @property
    def cursor(self) -> int:
        """The step that `frame` shows."""
        return self._cursor

    @property
    def frame(self) -> FrameT:
        """The state at the cursor."""
        if self._frame is None:
            self._frame = self._frame_at(self._cursor)
        return self._frame

    def seek(self, step: int) -> FrameT:
        """Go to a step.

        Raises:
            TimelineError: it is not recorded.
        """
        if not 0 <= step <= len(self):
            raise TimelineError(f"there is no step {step:,}; the steps go from 0 to {len(self):,}")
        if step != self._cursor:
            self.came_from, self._cursor = self._cursor, step
            self._frame = None
        return self.frame

    def forward(self, steps: int = 1) -> FrameT:
        """Go forward, as far as there are steps."""
        return self.seek(min(self._cursor + steps, len(self)))

    def back(self, steps: int = 1) -> FrameT:
        """Go back, to step 0 at the most."""
        return self.seek(max(self._cursor - steps, 0))


class MergeRun(RecordedRun[PairStep]):
    """Recorded merges, and what can be asked about any of them.

    Attributes:
        record: what wrote the steps down.
        counts: how often the corpus has each pretoken, in the order in which they first appear.
        table: pair → (index of its merge, id of the token made).
        excerpt: the beginning of the corpus, for frames to show.
        tokens_at_start: tokens that the corpus has at step 0.
        segmenter: tells the tokens of a pretoken at any step.
        ties: the steps whose pair shared the top with another.
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
        """How often the corpus has its most frequent pretoken."""
        return max(self.counts.values(), default=0)

    @abstractmethod
    def vocabulary_at(self, step: int, recorded_steps: int) -> Vocabulary:
        """The tokens of a step in columns, of so many steps that are recorded."""

    def prepare(self) -> None:
        _ = self.excerpt.first_lines
        self.vocabulary_at(len(self), len(self))

    def _keep(self, step: PairStep) -> None:
        self.table[step.pair] = (step.index, step.new_id)

    def extend_to(self, length: int) -> None:
        record, table = self.record, self.table
        for index in range(len(self), length):  # no step is made an object of: they are many
            table[record.pair_of(index)] = (index, record.new_id(index))
        self._length = length

    def step_at(self, index: int) -> PairStep:
        step: PairStep = self.record[index]
        return step

    def step_of(self, pair: Pair) -> int | None:
        """The step right after a pair merges; `None` if it has not been seen to merge."""
        known = self.table.get(pair)
        return None if known is None else known[0] + 1


class MergeTimeline(Player[FrameT]):
    """A run of merges and a cursor."""

    run: MergeRun

    @property
    def record(self) -> MergeRecord[Any]:
        """What wrote the steps down."""
        return self.run.record


class MergeFrame(ABC, Generic[StepT]):
    """A run and a step: the state after the first `step` merges. Immutable.

    Attributes:
        run: what is recorded of the training; it may have more steps by now.
        step: how many merges have been made.
        recorded_steps: how many steps the run had when the frame was taken.
    """

    TOKEN: ClassVar[str] = "token"
    """What the training calls one of them."""

    run: MergeRun
    _record: MergeRecord[StepT]

    def __init__(self, run: MergeRun, step: int, recorded_steps: int) -> None:
        self.run = run
        self._record = run.record
        self.step = step
        self.recorded_steps = recorded_steps
        # The run may be completed later; a frame never changes.
        self._run_was_complete = run.is_complete

    def looks_like(self, other: Self) -> bool:
        """Whether both are the same step of the same run, and know as much of what comes next."""
        if self.run is not other.run or self.step != other.step:
            return False
        if self.step < self.recorded_steps and other.step < other.recorded_steps:
            return True  # what is recorded behind the next step is not seen
        same_length = self.recorded_steps == other.recorded_steps
        return same_length and self._run_was_complete == other._run_was_complete

    def __repr__(self) -> str:
        """The state in a line: `Frame(step 3 of 12, 1,024 tokens in the corpus)`."""
        corpus = f", {self.token_count:,} tokens in the corpus" if self.has_corpus else ""
        return f"{type(self).__name__}(step {self.step:,} of {self.recorded_steps:,}{corpus})"

    def at(self, step: int) -> Self:
        """The state at another recorded step; no cursor moves."""
        return type(self)(self.run, step, self.recorded_steps)

    # -- the merge that led here, and those around it

    @property
    def merge(self) -> StepT | None:
        """The merge that made this state; `None` at step 0."""
        return self._record[self.step - 1] if self.step else None

    def merge_at(self, index: int) -> StepT:
        """Any recorded merge, by its rank."""
        return self._record[index]

    def step_of(self, pair: Pair) -> int | None:
        """The step right after the pair merges; `None` if it has not been seen to merge."""
        return self.run.step_of(pair)

    @property
    def next_pair(self) -> Pair | None:
        """The pair that merges next, whether that step is recorded or not; `None` at the end."""
        if self.step < self.recorded_steps:
            return self._record.pair_of(self.step)
        return None if self.run.is_complete else self._best_pair()

    @abstractmethod
    def _best_pair(self) -> Pair | None:
        """The pair that the training would take here; `None` if there is none to take."""

    @property
    def tied_steps(self) -> Sequence[int]:
        """All recorded steps whose pair shared the top with another, in order."""
        return self.run.ties

    @property
    def ties_so_far(self) -> int:
        """How many of the merges up to here were tied."""
        return self.run.ties.until(self.step)

    def tied_step(self, direction: int) -> int | None:
        """The nearest step after (1) or before (−1) this one whose merge was tied."""
        return self.run.ties.nearest(self.step, direction)

    # -- the tokens

    @property
    def first_id(self) -> int:
        """How many tokens there are at step 0; the id of the first merge in a run of ours."""
        return self._record.first_id

    @property
    def vocab_size(self) -> int:
        """Tokens at this step, the special ones included."""
        return self.first_id + self.step

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The tokens at this step in columns, with their counts in the corpus."""
        return self.run.vocabulary_at(self.step, self.recorded_steps)

    def token(self, token_id: int) -> bytes:
        """The bytes of a token that exists at this step, as the vocabulary has them.

        Raises:
            UnknownTokenIdError: it does not, or not yet.
        """
        if not self.has_token(token_id):
            raise UnknownTokenIdError(
                f"there is no {self.TOKEN} with the id {token_id}; at step {self.step:,} "
                f"{self._ids_there()}"
            )
        return self._record.token(token_id)

    def _ids_there(self) -> str:
        """Which ids there are, for a sentence."""
        return f"the ids go from 0 to {self.vocab_size - 1:,}"

    def has_token(self, token_id: int) -> bool:
        """Whether the token exists at this step."""
        return -self.first_id <= self._record.rank_of(token_id) < self.step

    def step_making(self, token_id: int) -> int:
        """The step that made a token; 0 for those that were there from the start."""
        return max(0, self._record.rank_of(token_id) + 1)

    def any_token(self, token_id: int) -> bytes:
        """The bytes of any token of the run, one that later steps make included."""
        return self._record.token(token_id)

    def id_of(self, token: bytes) -> int | None:
        """The id of a token of the run by its bytes, made now or later; `None` if there is none.

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

    def covers(self, token_id: int) -> bytes:
        """The bytes of a pretoken that any token of the run stands for.

        `</w>` and `##` are none of them.
        """
        return self._record.covers(token_id)

    @abstractmethod
    def is_special(self, token_id: int) -> bool:
        """Whether it is a special token."""

    @abstractmethod
    def is_base(self, token_id: int) -> bool:
        """Whether pretokens are spelled in this token at step 0."""

    # -- the corpus

    @property
    def excerpt(self) -> Excerpt:
        """The beginning of the corpus."""
        return self.run.excerpt

    @property
    def has_corpus(self) -> bool:
        """Whether there are pretokens to count anything in."""
        return bool(self.run.counts)

    @property
    def token_count(self) -> int:
        """Tokens that the corpus has at this step."""
        return self.run.tokens_at_start - self._record.removed_by(self.step)

    def tokens_of(self, pretoken: bytes) -> tuple[int, ...]:
        """The token ids of a pretoken at this step, whether the corpus has it or not.

        They are what the merges have made. WordPiece need not encode so: it takes the longest
        piece, whatever the merges were.
        """
        return self.run.segmenter.tokens_at(pretoken, self.step)

    def affected(self, limit: int | None = None) -> list[AffectedPretoken]:
        """The pretokens that the merge changed, most frequent first.

        Those of more than `LONGEST_TAKEN_APART` bytes are left out.
        """
        return list(islice(self._affected, limit))

    def affected_within(self, seconds: float, limit: int) -> tuple[list[AffectedPretoken], bool]:
        """The first of `affected` that are found in time; and whether time sufficed for all.

        Args:
            seconds: how long to look.
            limit: how many to look for.
        """
        return self._affected.first(limit, seconds)

    @cached_property
    def attribution(self) -> CountAttribution:
        """Which pretokens are behind each change that the merge made; to be read first."""
        return CountAttribution(iter(self._affected))

    @cached_property
    def _affected(self) -> AffectedPretokens:
        return AffectedPretokens(self.run, self.merge)


AnyMergeFrame = MergeFrame[PairStep]
"""The frame of whichever training that merges pairs."""

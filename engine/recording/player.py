"""`RecordedRun` and `Player`: the steps recorded of a training, and a cursor among them.

A *run* is what is recorded; it only grows. A *player* (the `Timeline` of each model) is a run and a
cursor. A *frame* is a run and a step: the state after so many steps, which never changes. Each
model has its own of the three.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, Protocol, TypeVar

from engine.core.errors import TimelineError


class RecordedStep(Protocol):
    """A step that knows its record, and its index there."""

    @property
    def record(self) -> Any: ...

    @property
    def index(self) -> int: ...


StepT = TypeVar("StepT", bound=RecordedStep)
FrameT = TypeVar("FrameT")


class RecordedRun(ABC, Generic[StepT]):
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
    def step_at(self, index: int) -> StepT:
        """A step of the record, by its index."""

    @abstractmethod
    def _keep(self, step: StepT) -> None:
        """Note what is asked about a step later, before it counts as recorded."""

    def __len__(self) -> int:
        return self._length

    def extend(self, steps: Iterable[StepT]) -> None:
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

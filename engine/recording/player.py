"""`Player`: a cursor among recorded steps, which makes the state at it when asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from engine.core.errors import TimelineError

FrameT = TypeVar("FrameT")


class Player(ABC, Generic[FrameT]):
    """Steps recorded one after the other and a place among them.

    Place k is the state after the first k steps. Steps may be added at the end at any time; the
    cursor stays where it is. A subclass says how a frame is made.

    Attributes:
        came_from: where the cursor was before it last moved.
    """

    def __init__(self) -> None:
        self._length = 0
        self._cursor = 0
        self.came_from = 0
        self._complete = False
        self._frame: FrameT | None = None

    @abstractmethod
    def _frame_at(self, step: int) -> FrameT:
        """The state after so many steps."""

    def __len__(self) -> int:
        """How many steps are recorded."""
        return self._length

    def _add_step(self) -> None:
        self._length += 1
        self._frame = None

    def complete(self) -> None:
        """Say that no step will follow those recorded."""
        self._complete = True
        self._frame = None

    @property
    def is_complete(self) -> bool:
        return self._complete

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
        if not 0 <= step <= self._length:
            raise TimelineError(
                f"there is no step {step:,}; the steps go from 0 to {self._length:,}"
            )
        if step != self._cursor:
            self.came_from, self._cursor = self._cursor, step
            self._frame = None
        return self.frame

    def forward(self, steps: int = 1) -> FrameT:
        """Go forward, as far as there are steps."""
        return self.seek(min(self._cursor + steps, self._length))

    def back(self, steps: int = 1) -> FrameT:
        """Go back, to step 0 at the most."""
        return self.seek(max(self._cursor - steps, 0))

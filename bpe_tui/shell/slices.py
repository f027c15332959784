"""Long work for a panel, done in slices between other work of the screen."""

from __future__ import annotations

from asyncio import TimerHandle
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any, Generic, TypeVar

from textual.widget import Widget

from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.textual_private import do_after

SLICE_SECONDS = 0.01
"""Longest time of a slice, in which the screen waits."""
BREATH_SECONDS = 0.005
"""Time for the screen between two slices."""
REST_SECONDS = 0.15
"""Time without movement of the cursor before the work begins."""
_THE_END = object()

FoundT = TypeVar("FoundT")


class Slices:
    """Long work for a panel, done in slices so that the screen keeps reacting.

    A timer of `widget` advances an iterator, a slice at a time. After each slice it calls `after`,
    with True for the last one.
    """

    def __init__(self, widget: Widget, after: Callable[[bool], None]) -> None:
        self._widget, self._after = widget, after
        self._work: Iterator[object] = iter(())
        self._timer: TimerHandle | None = None

    def start(self, work: Iterator[object], rest: float = REST_SECONDS) -> None:
        """Start this work after some seconds, and give up any other."""
        self.stop()
        self._work = work
        self._timer = do_after(rest, self._widget, self._slice)

    def stop(self) -> None:
        self._work = iter(())
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _slice(self) -> None:
        until = perf_counter() + SLICE_SECONDS
        is_done = False
        while not is_done and perf_counter() < until:
            is_done = next(self._work, _THE_END) is _THE_END
        self._timer = None if is_done else do_after(BREATH_SECONDS, self._widget, self._slice)
        self._after(is_done)


class Finder(Slices, Generic[FoundT]):
    """A search that runs while the cursors rest, and rebuilds its panel after each slice.

    Attributes:
        found: the results so far, at most `most`.
        is_done: whether the search has ended.
    """

    def __init__(self, panel: Lines, most: int) -> None:
        super().__init__(panel, self._sliced)
        self._panel, self._most = panel, most
        self.found: list[FoundT] = []
        self.is_done = False
        self._frame: Any = None
        self._about: object = None

    def look(self, frame: Any, about: object, results: Iterator[FoundT | None]) -> None:
        """Start another search, unless the last one was the same.

        Args:
            frame: the frame that is searched.
            about: the thing to find, such as the number of a piece.
            results: gives None for a candidate without a result.
        """
        if self._frame is None or about != self._about or not self._frame.looks_like(frame):
            self._frame, self._about = frame, about
            self.found, self.is_done = [], False
            self.start(self._looking(results))

    def describe_count(self, thing: str) -> str:
        """Return the number of results: `at least 100 pretokens`."""
        more = tr("at least ") if len(self.found) == self._most else ""
        return f"{more}{plural(len(self.found), thing)}"

    def _looking(self, results: Iterator[FoundT | None]) -> Iterator[None]:
        for result in results:
            self.found += [] if result is None else [result]
            if len(self.found) == self._most:
                return
            yield

    def _sliced(self, is_last: bool) -> None:
        self.is_done = is_last
        self._panel.rebuild()

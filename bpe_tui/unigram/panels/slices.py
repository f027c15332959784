"""Long work for a panel, in slices: the screen goes on meanwhile, and a new frame ends it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter

from textual.timer import Timer
from textual.widget import Widget

SLICE_SECONDS = 0.01
"""How long a slice may hold the screen."""
BREATH_SECONDS = 0.005
"""What the screen gets between two."""
REST_SECONDS = 0.15
"""How long the cursor must rest before the work begins: stepping fast, nobody waits for it."""


class Slices:
    """Pulls an iterator, a slice at a time, as a timer of `widget`; `after` is called behind each.

    `after` is told whether that was the last one.
    """

    def __init__(self, widget: Widget, after: Callable[[bool], None]) -> None:
        self._widget, self._after = widget, after
        self._work: Iterator[object] = iter(())
        self._timer: Timer | None = None

    def start(self, work: Iterator[object]) -> None:
        """Do this work, in place of any other."""
        self.stop()
        self._work = work
        self._timer = self._widget.set_timer(REST_SECONDS, self._slice)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _slice(self) -> None:
        until = perf_counter() + SLICE_SECONDS
        is_done = False
        while not is_done and perf_counter() < until:
            is_done = next(self._work, _THE_END) is _THE_END
        self._timer = None if is_done else self._widget.set_timer(BREATH_SECONDS, self._slice)
        self._after(is_done)


_THE_END = object()

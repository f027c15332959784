"""Signals that would end the program, held back while work must not be left half done."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator


class Interrupts:
    """Signals that wait until they are delivered.

    A mask would not keep them from other threads, such as numpy's.
    """

    def __init__(self, *numbers: int) -> None:
        self._numbers = numbers
        self._pending: list[int] = []

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Hold the signals until `deliver`; without it they are dropped."""
        with contextlib.ExitStack() as handlers:
            for number in self._numbers:
                handlers.enter_context(self._held(number))
            yield

    def deliver(self) -> None:
        """Raise the pending signals again, now that they are handled."""
        pending, self._pending = self._pending, []
        for number in dict.fromkeys(pending):
            signal.raise_signal(number)

    @contextlib.contextmanager
    def _held(self, number: int) -> Iterator[None]:
        before = signal.getsignal(number)
        if before in (None, signal.SIG_IGN):  # None: the handler is not Python's
            yield
            return
        try:
            signal.signal(number, self._hold)
        except ValueError:  # not the main thread: no handler ever runs in it
            yield
            return
        try:
            yield
        finally:
            signal.signal(number, before)

    def _hold(self, number: int, _: object) -> None:
        self._pending.append(number)

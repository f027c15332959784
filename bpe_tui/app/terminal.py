"""Protection from the terminal: signals, also while the program hangs; keys beside a pipe."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from _thread import start_new_thread
from collections.abc import Iterator
from time import sleep

from engine.core.errors import CorpusError
from engine.core.systems import terminal_keeper

SECONDS_TO_END = 1.5
"""Seconds that the event loop has to end the program after a signal."""
MODES = (2026, 1000, 1003, 1006, 1015, 1016, 1004, 2004, 2048)
RESET = b"".join(b"\x1b[?%dl" % mode for mode in MODES) + b"\x1b[<u\x1b[?7h\x1b[?1049l\x1b[?25h"
"""Codes that end all modes which Textual sets: mouse, focus, pastes, keys, the other screen."""


def keys_from_terminal() -> None:
    """Read keys from the terminal while the corpus is on standard input.

    `sys.stdin` gets the pipe under another file number; the terminal gets number 0, from which
    Textual reads.
    """
    if os.environ.get("TEXTUAL_DRIVER"):
        raise CorpusError("standard input has the keys of a web page; name the corpus's file")
    if sys.stdin.isatty():
        raise CorpusError("standard input is a terminal; pipe the corpus in or name a file")
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError as error:
        raise CorpusError(f"no terminal to read keys from: {error.strerror}") from error
    pipe = os.dup(0)
    os.dup2(terminal, 0)
    os.close(terminal)
    sys.stdin = open(pipe, encoding="utf-8", errors="surrogateescape")  # noqa: SIM115


class LastResort:
    """The end of a program some time after a signal, if its event loop or a thread never ends.

    Attributes:
        give_back: gives the terminal back; anything else once the event loop has done so.
    """

    def __init__(self) -> None:
        self.give_back = terminal_keeper()

    def begin(self, number: int) -> None:
        """Begin the time; a signal may come while any lock is held, so this takes none."""
        start_new_thread(self._end, (number,))

    def _end(self, number: int) -> None:
        sleep(SECONDS_TO_END)
        self.give_back(RESET)
        os._exit(128 + number)


class Interrupts:
    """Interrupts that wait until they are delivered.

    A mask would not keep them from other threads, such as numpy's.
    """

    _is_pending = False

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Hold interrupts until `deliver`; without it they are dropped."""
        before = None
        with contextlib.suppress(ValueError):  # not the main thread: no handler ever runs in it
            if signal.getsignal(signal.SIGINT) not in (None, signal.SIG_IGN):  # None: not Python's
                before = signal.signal(signal.SIGINT, self._hold)
        try:
            yield
        finally:
            if before is not None:
                signal.signal(signal.SIGINT, before)

    def deliver(self) -> None:
        """Raise a pending interrupt again, now that it is handled."""
        if self._is_pending:
            self._is_pending = False
            signal.raise_signal(signal.SIGINT)

    def _hold(self, *_: object) -> None:
        self._is_pending = True

"""Protection from the terminal: signals, a closed window, invalid bytes; keys beside a pipe."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TextIO

from textual.driver import Driver

from bpe_tui.widgets.textual_private import driver_with
from engine.core.errors import CorpusError

TERMINAL_GONE = (errno.EIO, errno.ENXIO, errno.EBADF, errno.EPIPE)


@dataclass
class LastingOutput:
    """A terminal's stream that accepts output even after the terminal was closed.

    Textual writes in a thread. A failed write would end that thread; its queue would fill up, and
    the application would wait for room in it for ever.
    """

    stream: TextIO

    def write(self, text: str) -> int:
        with _ignoring_closed_terminal():
            self.stream.write(text)
        return len(text)

    def flush(self) -> None:
        with _ignoring_closed_terminal():
            self.stream.flush()

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)


@contextlib.contextmanager
def _ignoring_closed_terminal() -> Iterator[None]:
    """Ignore the error of a write to a closed terminal."""
    try:
        yield
    except OSError as error:
        if error.errno not in TERMINAL_GONE:
            raise


def lasting_driver() -> type[Driver] | None:
    """Return Textual's driver with a `LastingOutput`; `None` for Textual's own choice.

    Textual chooses on Windows, and where its environment names a driver, as a web server does.
    """
    if os.environ.get("TEXTUAL_DRIVER"):
        return None
    return driver_with(lambda: LastingOutput(sys.__stderr__ or sys.stderr))


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

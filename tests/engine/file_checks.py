"""Helpers for tests of written files: their contents, and a disk that is full."""

import contextlib
import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import OutputError


def contents(place: Path) -> dict[str, bytes]:
    """Return all files in the folder, including hidden ones."""
    return {str(p.relative_to(place)): p.read_bytes() for p in place.rglob("*") if p.is_file()}


class FullDisk:
    """A replacement for `os.fsync` that fails at the call of this number."""

    def __init__(self, fails_at: int, error: BaseException) -> None:
        self.calls, self.fails_at, self.error = 0, fails_at, error

    def __call__(self, handle: int) -> None:
        self.calls += 1
        if self.calls == self.fails_at:
            raise self.error


NO_SPACE = OSError(errno.ENOSPC, "No space left on device")


CALLS = ("open", "replace", "unlink", "fsync", "chmod", "mkdir")
"""The functions of `os` that change files or flush them."""


class Killed(BaseException):
    """An end of the program: no file is changed after it."""


class Interruption:
    """An interruption at a call of a function of `os`.

    Args:
        at: the number of that call; a call before it has its effect, one after it none if the
            error is `Killed`.
        error: raised by that call; if it is `Killed`, by all calls after it, too.
        done: whether that call has its effect.
        last: whether calls after it fail in the same way.
    """

    def __init__(self, at: int, error: BaseException, *, done: bool, last: bool) -> None:
        self.at, self.error, self.done, self.last = at, error, done, last
        self.calls = 0

    @contextlib.contextmanager
    def among_calls(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            for name in CALLS:
                patch.setattr(os, name, self._failing(getattr(os, name)))
            yield

    def _failing(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def fail(*arguments: Any, **named: Any) -> Any:
            self.calls += 1
            if self.calls == self.at and self.done:
                with contextlib.suppress(OSError):
                    call(*arguments, **named)
            if self.calls == self.at or (self.last and self.calls > self.at):
                raise self.error
            return call(*arguments, **named)

        return fail


ENDS = (Killed, KeyboardInterrupt, OutputError)
"""The exceptions with which an interrupted save ends."""
INTERRUPTIONS = {
    "killed before a call": (Killed(), False, True),
    "killed after a call": (Killed(), True, True),
    "Ctrl+C before a call": (KeyboardInterrupt(), False, False),
    "Ctrl+C after a call": (KeyboardInterrupt(), True, False),
    "an error of the disk": (OSError(errno.EIO, "Input/output error"), False, False),
}


def each_interruption(kind: str) -> Iterator[Interruption]:
    """Interrupt at the first call, at the second, and so on, until there is no such call."""
    error, done, last = INTERRUPTIONS[kind]
    at = 0
    while True:
        at += 1
        interruption = Interruption(at, error, done=done, last=last)
        yield interruption
        if interruption.calls < at:
            return

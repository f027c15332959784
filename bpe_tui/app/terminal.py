"""The terminal's own troubles: signals, standard input, bytes that are no text."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
import sys
from codecs import IncrementalDecoder, getincrementaldecoder
from collections.abc import Callable, Iterator
from typing import Any, TextIO, cast

from textual.app import App
from textual.driver import Driver
from textual.message import Message
from textual.message_pump import MessagePump

from engine.core.errors import CorpusError

TERMINAL_GONE = (errno.EIO, errno.ENXIO, errno.EBADF, errno.EPIPE)
ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def on_ending_signals(end: Callable[[int], object]) -> None:
    """Call `end(signal number)` in the running event loop when the process is asked to end."""
    loop = asyncio.get_running_loop()
    for number in ENDING_SIGNALS:
        # An embedded or foreign event loop may have no signals; then the default applies.
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, end, number)


class Interrupts:
    """Lets interrupts wait: one amid the making of an event loop would leave half of it.

    A mask would not do: another thread, such as one of numpy's, would take them.
    """

    def __init__(self) -> None:
        self._has_come = False

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Those that come wait until `heed`; without it they are forgotten."""
        try:
            before = signal.signal(signal.SIGINT, self._come)
        except ValueError:  # this is not the main thread, which no interrupt reaches
            yield
            return
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def heed(self) -> None:
        """There is somebody now whom interrupts are told; one that has come is told again."""
        if self._has_come:
            signal.raise_signal(signal.SIGINT)

    def _come(self, *_: object) -> None:
        self._has_come = True


class LastingOutput:
    """A terminal's stream that takes what is written even when the terminal has gone.

    Textual writes in a thread. If a write fails there, that thread is dead, its queue fills up, and
    the application waits for room in it for ever: a window that was closed would leave it running.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with _nobody_there():
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with _nobody_there():
            self._stream.flush()

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


@contextlib.contextmanager
def _nobody_there() -> Iterator[None]:
    """Let pass what a write to a terminal that has gone raises."""
    try:
        yield
    except OSError as error:
        if error.errno not in TERMINAL_GONE:
            raise


def lasting_driver() -> type[Driver] | None:
    """Textual's driver for this system, writing to a `LastingOutput`; `None` for its own choice."""
    if sys.platform == "win32":
        return None
    from textual.drivers.linux_driver import LinuxDriver

    class LastingDriver(LinuxDriver):
        def __init__(self, app: App[Any], **options: Any) -> None:
            super().__init__(app, **options)
            # Textual takes it for a text stream, of which it needs only what is here.
            self._file = cast("Any", LastingOutput(sys.__stderr__ or sys.stderr))

    return LastingDriver


def tolerate_bad_bytes() -> None:
    """Let the terminal send bytes that are not UTF-8 without ending the application.

    Textual decodes the keyboard strictly, in a thread of its own; one stray 0xFF there is fatal.
    """
    from textual.drivers import linux_driver

    def tolerant(encoding: str) -> Callable[[], IncrementalDecoder]:
        return lambda: getincrementaldecoder(encoding)("replace")

    setattr(linux_driver, "getincrementaldecoder", tolerant)  # noqa: B010


def survive_messages(survive: Callable[[Exception], object]) -> None:
    """Hand what a message of any widget raises to `survive`, and let the widget go on.

    Textual ends the loop of the widget, and with it the application. It has no public hook: to
    override the application's `_handle_exception` comes too late, since the loop has ended then.
    """
    dispatch = MessagePump._dispatch_message

    async def guarded(pump: MessagePump, message: Message) -> None:
        try:
            await dispatch(pump, message)
        except Exception as error:
            survive(error)

    setattr(MessagePump, "_dispatch_message", guarded)  # noqa: B010


def keys_from_terminal() -> None:
    """With the corpus on standard input, read keys from the terminal itself.

    The pipe moves to `sys.stdin` under another number, and the terminal takes number 0, which is
    where Textual reads.
    """
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

"""What the jobs beside the screen share: a thread, its cancelling, its failure.

A job speaks only through messages. Its thread is a daemon: a pipe that never ends must not keep
the application from ending.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from textual.message import Message

from engine.core.events import CountProgress


class Cancelled(Exception):
    """Raised inside a job to leave it from wherever it is."""


class Job:
    """Does `work` in a thread of its own; `post` takes its messages, from that thread."""

    def __init__(self, name: str, post: Callable[[Message], object]) -> None:
        self.post = post
        self._cancelled = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def cancel(self) -> None:
        """Ask the job to stop, without a word; it does so within a chunk or a step."""
        self._cancelled.set()

    def work(self) -> None:
        """What the job does; it posts what comes of it."""
        raise NotImplementedError

    def failed(self, error: Exception) -> Message:
        """The news that the work has ended in an error."""
        raise NotImplementedError

    def check_cancelled(self, _: CountProgress | None = None) -> None:
        """Leave the work if nobody wants it any more."""
        if self._cancelled.is_set():
            raise Cancelled

    def _run(self) -> None:
        try:
            self.work()
        except Cancelled:
            return
        except Exception as error:
            self.post(self.failed(error))

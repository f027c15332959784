"""Work in threads: jobs, and the owner of them, which reports what they post on the UI thread.

The threads are daemons: a pipe that never ends must not keep the application from ending.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from textual.message_pump import MessagePump

JobT = TypeVar("JobT", bound="Job")
Result = TypeVar("Result")
Post = Callable[[Any], object]
"""Takes what a job reports, in the job's thread."""


class Cancelled(Exception):
    """Raised inside a job to end it."""


@dataclass
class Failed:
    """The end of a job by an error."""

    error: Exception


class Job:
    """A job: does `work` in a thread, and passes what it finds to `post` there.

    `failed` makes of an error what is posted.
    """

    def __init__(
        self, name: str, post: Post, failed: Callable[[Exception], object] = Failed
    ) -> None:
        self.name, self.post, self._failed = name, post, failed
        self._cancelled = threading.Event()
        self._news_due = 0.0
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def cancel(self) -> None:
        """Ask the job to stop silently; it does so within a chunk or a step."""
        self._cancelled.set()

    @property
    def is_cancelled(self) -> bool:
        return self._cancelled.is_set()

    def wait(self) -> None:
        """Wait until the job has ended."""
        self._thread.join()

    def work(self) -> None:
        """Do the job, and post its results."""
        raise NotImplementedError

    def check_cancelled(self, _: object = None) -> None:
        """End the work by an exception if the job is cancelled."""
        if self.is_cancelled:
            raise Cancelled

    def has_news(self, seconds: float) -> bool:
        """Return whether news is due, and wait some seconds from then on until the next."""
        if monotonic() < self._news_due:
            return False
        self._news_due = monotonic() + seconds
        return True

    def _run(self) -> None:
        try:
            self.work()
        except Cancelled:
            return
        except Exception as error:
            self.post(self._failed(error))


class Search(Job, Generic[Result]):
    """A job that posts the result of a function, which cannot be interrupted.

    So it waits for the search that it replaces: of several asked for in haste only the last works.
    """

    def __init__(
        self, name: str, find: Callable[[], Result], before: Job | None, post: Post
    ) -> None:
        super().__init__(name, post)
        self._find, self._before = find, before

    def work(self) -> None:
        if self._before is not None:
            self._before.wait()
            self._before = None
        self.check_cancelled()
        self.post(self._find())


class Jobs:
    """The jobs of an application, which all end with the session.

    A screen has one job of each name: another replaces it. What a job posts is reported on the UI
    thread, unless the job has been cancelled by then.
    """

    def __init__(self) -> None:
        # Weak, since a job stays no longer than its thread, or than a screen shows what it found;
        # and a screen, no longer than it is shown.
        self._jobs: WeakKeyDictionary[MessagePump, WeakValueDictionary[str, Job]]
        self._jobs = WeakKeyDictionary()

    def _of(self, screen: MessagePump) -> WeakValueDictionary[str, Job]:
        """Return the jobs of a screen by their names."""
        return self._jobs.setdefault(screen, WeakValueDictionary())

    def start(
        self, screen: MessagePump, make: Callable[[Post], JobT], take: Callable[[Any], object]
    ) -> JobT:
        """Start a job, and cancel the one of the screen that it replaces.

        Args:
            screen: the screen, or another part of the application, that shows what is found.
            make: makes the job; its argument takes what the job posts.
            take: takes that on the UI thread. An unexpected error is raised there.
        """

        def report(news: object) -> None:
            if job.is_cancelled:
                return
            if isinstance(news, Failed):
                raise news.error
            take(news)

        job = make(partial(screen.call_later, report))
        if (before := self._of(screen).get(job.name)) is not None:
            before.cancel()
        self._of(screen)[job.name] = job
        job.start()
        return job

    def find(
        self,
        screen: MessagePump,
        name: str,
        find: Callable[[], Result],
        take: Callable[[Result], object],
    ) -> None:
        """Call `find` in a thread, and `take` with its result on the UI thread."""
        before = self._of(screen).get(name)
        self.start(screen, partial(Search[Result], name, find, before), take)

    def cancel(self, screen: MessagePump) -> None:
        """Cancel all jobs of a screen."""
        for job in list(self._of(screen).values()):
            job.cancel()

    def end(self) -> None:
        """Cancel all jobs, as their session or the application ends."""
        for screen in list(self._jobs):
            self.cancel(screen)

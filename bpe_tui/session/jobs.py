"""The work beside the screen: threads that speak through messages only.

A job's thread is a daemon: a pipe that never ends must not keep the application from ending.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from textual.message import Message

from bpe_tui.session.config import Config, RunConfig
from bpe_tui.session.models import model_of
from bpe_tui.session.state import remember_opened
from bpe_tui.session.training import OpeningListener, replay, train
from engine.bpe.frame import Timeline
from engine.bpe.trainer import StopReason
from engine.bpe.what_if import Comparison
from engine.core.errors import TokenizerFileError
from engine.core.events import CountProgress, WorkProgress
from engine.counting.counts_file import CorpusCount
from engine.encoding.alphabet import DEFAULT_UNITS, UNITS, Units
from engine.encoding.merging import count_pairs
from engine.recording.playback import Player
from engine.recording.training import CountedCorpus, Training

if TYPE_CHECKING:
    from engine.formats.tokenizer_format import Opened
    from engine.learning.session_file import SavedFork

BATCH_SECONDS = 1 / 30
MOST_AT_ONCE = 4000
"""Steps in one message; taking in more would keep the screen from a key."""
NEWS_SECONDS = 1 / 10
"""How often it is said how far the reading is, or the work on a step."""
PREVIEW_SECONDS = 1 / 2
SHOWN_SECONDS = 1.0
"""How long training waits for the first frame, at the most."""
SETTLE_SECONDS = 0.1
"""How long it leaves the screen alone after that."""
PREVIEW_PAIRS = 10
PREVIEW_PRETOKENS = 20_000
"""Pretokens that the preview looks at; the frequent ones come early in any text."""


class News(Message):
    """News of the job behind a session. `of` is that session: there may be another one by now."""

    of: object = None


@dataclass
class TokenizerOpened(News):
    """The tokenizer is read; its merges are replayed next."""

    opened: Opened


@dataclass
class NoTokenizer(News):
    """What looked like a tokenizer cannot be read as one; it is opened otherwise."""

    error: Exception
    otherwise: RunConfig


@dataclass
class ReadingProgress(News):
    """So much of the corpus is read; `pairs` are the most frequent ones so far."""

    progress: CountProgress
    rate: float
    """bytes per second"""
    pairs: list[tuple[bytes, bytes, int]]


@dataclass
class Indexing(News):
    """The corpus is read; the pairs are being counted."""

    distinct: int


@dataclass
class Working(News):
    """What the training is busy with: `done` parts of `total`."""

    doing: str
    done: int
    total: int


@dataclass
class TrainingStarted(News):
    """The corpus is counted, if there is one: here is the timeline, at step 0.

    `obstacle`: why a tokenizer's merges cannot be gone through; `None` if they can.
    """

    timeline: Player[Any]
    documents: int
    bytes_read: int
    obstacle: str | None = None


@dataclass
class StepsRecorded(News):
    """There are so many steps now. They are in the record, which the timeline shares."""

    steps: int


@dataclass
class TrainingEnded(News):
    """No step will follow; the reason's value says why in words."""

    reason: Enum


@dataclass
class JobFailed(News):
    """The job came to an end that it was not meant to have."""

    error: Exception


@dataclass
class WhatIfProgress(Message):
    """The fork has made so many merges."""

    merges: int


@dataclass
class WhatIfEnded(Message):
    """The fork is trained: its timeline, complete, and how it differs from the run."""

    timeline: Timeline
    reason: StopReason
    difference: Comparison


@dataclass
class WhatIfFailed(Message):
    """The fork cannot be trained."""

    error: Exception


@dataclass
class ForkMade(News):
    """A fork of a saved session is made, or cannot be; `rest` are those to be made after it."""

    outcome: WhatIfEnded | WhatIfFailed
    wish: Any
    rest: tuple[SavedFork, ...]


class RaceRan(Message):
    """The race has come farther, or to its end."""


class CheckRan(Message):
    """The check has come farther, or to its end."""


@dataclass
class ScreenImported(Message):
    """A screen is imported that nobody has asked for yet; there is time to make it."""

    screen: str


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


class OpeningJob(Job, OpeningListener):
    """Opens what `config` names: trains on a corpus, or replays a tokenizer's merges.

    It posts how many steps there are, not the steps: they are in the record, which it shares with
    the timeline on the screen. A record only grows, so that two threads can have it.
    """

    def __init__(self, config: Config, post: Callable[[Message], object]) -> None:
        super().__init__("opening", post)
        self.config = config
        self._shown = threading.Event()
        self._preview = _Preview(_units_of(config))
        self._started = self._news_due = self._batch_due = monotonic()
        self._begun = False
        self._steps = self._posted = 0

    def go_on(self) -> None:
        """Make steps: the corpus is on the screen."""
        self._shown.set()

    def failed(self, error: Exception) -> Message:
        return JobFailed(error)

    def work(self) -> None:
        self._started = monotonic()
        if isinstance(self.config, RunConfig):
            train(self.config, self)
            return
        try:
            replay(self.config, self)
        except TokenizerFileError as error:
            self.check_cancelled()
            if self.config.otherwise is None:
                raise
            self.post(NoTokenizer(error, self.config.otherwise))

    # -- events of the training, in the job's thread

    def on_opened(self, opened: Opened) -> None:
        self.check_cancelled()
        self.post(TokenizerOpened(opened))

    def on_partial(self, count: CorpusCount) -> None:
        self._preview.look_at(count)

    def on_progress(self, progress: CountProgress) -> None:
        self.check_cancelled()
        if self._has_news():
            rate = progress.bytes_read / max(monotonic() - self._started, 1e-6)
            self.post(ReadingProgress(progress, rate, self._preview.pairs))

    def on_counted(self, corpus: CountedCorpus) -> None:
        self.post(Indexing(len(corpus.counts)))

    def on_begun(self, training: Training, corpus: CountedCorpus) -> None:
        obstacle = getattr(training.trainer, "obstacle", None)
        self.post(
            TrainingStarted(training.recording, corpus.documents, corpus.bytes_read, obstacle)
        )
        remember_opened(self.config)
        self._begun, self._batch_due = True, monotonic()

    def on_work(self, work: WorkProgress) -> None:
        self.check_cancelled()
        if self._begun:
            self._let_screen_come_first()
        if self._has_news():
            self.post(Working(work.doing, work.done, work.total))

    def on_step(self, step: Any) -> None:
        self.check_cancelled()
        self._steps += 1
        if monotonic() >= self._batch_due or self._steps - self._posted == MOST_AT_ONCE:
            self._post_steps()
            self._let_screen_come_first()
            self._batch_due = monotonic() + BATCH_SECONDS

    def on_ended(self, training: Training) -> None:
        self._post_steps()
        self.post(TrainingEnded(training.stop_reason))

    def _post_steps(self) -> None:
        self._posted = self._steps
        self.post(StepsRecorded(self._steps))

    def _has_news(self) -> bool:
        """Whether it is time to tell again how far the work is."""
        if monotonic() < self._news_due:
            return False
        self._news_due = monotonic() + NEWS_SECONDS
        return True

    def _let_screen_come_first(self) -> None:
        """Once there is a step to go to, wait for the first frame and the first key.

        Two threads share one interpreter: training would take half of the screen's time.
        """
        if not self._shown.is_set():
            self._shown.wait(SHOWN_SECONDS)
            sleep(SETTLE_SECONDS)


def _units_of(config: Config) -> Units:
    """What the pairs are of that are shown while the corpus is read."""
    of_bpe = isinstance(config, RunConfig) and model_of(config).counts_bytes
    return UNITS[config.units if of_bpe and isinstance(config, RunConfig) else DEFAULT_UNITS]


class _Preview:
    """The most frequent pairs of what has been read, looked at now and then."""

    def __init__(self, units: Units) -> None:
        self._units = units
        self._due = monotonic()
        self.pairs: list[tuple[bytes, bytes, int]] = []

    def look_at(self, count: CorpusCount) -> None:
        if monotonic() < self._due:
            return
        base = self._units.base(count.earliest(PREVIEW_PRETOKENS))
        words = map(base.alphabet.spell, base.counts)
        pairs = count_pairs(words, base.counts.values())
        best = sorted(pairs, key=pairs.__getitem__, reverse=True)[:PREVIEW_PAIRS]
        shown = base.tokens
        self.pairs = [(shown[pair[0]], shown[pair[1]], pairs[pair]) for pair in best]
        self._due = monotonic() + PREVIEW_SECONDS

"""The job that opens a corpus or a tokenizer, and the messages of jobs to the application."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, NamedTuple

from textual.message import Message

from bpe_tui.session.config import Config, RunConfig
from bpe_tui.session.state import remember_opened
from bpe_tui.session.threads import Job, Post
from bpe_tui.session.training import Training, TrainingListener, replay, train
from engine.bpe.frame import Timeline
from engine.bpe.trainer import StopReason
from engine.core.errors import CorpusError, TokenizerFileError
from engine.core.events import CountProgress, WorkProgress
from engine.recording.playback import Player
from engine.recording.training_input import CountedCorpus
from engine.text.corpus_doubts import doubts_about

if TYPE_CHECKING:
    from engine.bpe.what_if import Comparison, ForkChange
    from engine.formats.tokenizer_format import Opened

BATCH_SECONDS = 1 / 30
MOST_AT_ONCE = 4000
"""Most steps in one message; more would delay the answer to a key."""
NEWS_SECONDS = 1 / 10
"""Interval between messages about the progress of reading or of a step."""
SHOWN_SECONDS = 1.0
"""Longest wait of the training for the first frame."""
SETTLE_SECONDS = 0.1
"""Pause of the training after the first frame."""


class ForkPlan(NamedTuple):
    """A change to a run, and the step where it begins.

    Attributes:
        title: the change in words.
        otherwise: the difference in a few words, for the fork's title.
        step: where the fork begins.
        config: the run's own, or one with another pattern, tie rule or special tokens.
        change: what the trainer does differently from there on.
        meaning: the change explained, where plans are listed.
    """

    title: str
    otherwise: str
    step: int
    config: RunConfig
    change: ForkChange
    meaning: str = ""


class News(Message):
    """A report of the job that opens something."""


@dataclass
class TokenizerOpened(News):
    """The tokenizer has been read; its merges are replayed next."""

    opened: Opened


@dataclass
class NoTokenizer(News):
    """The file is no tokenizer after all; it is opened as `otherwise` says."""

    error: Exception
    otherwise: RunConfig


@dataclass
class ReadingProgress(News):
    """Progress of the reading."""

    progress: CountProgress
    rate: float
    """bytes per second"""


@dataclass
class TrainingStarted(News):
    """The corpus, if there is one, has been counted; the timeline is at step 0.

    `obstacle`: why a tokenizer's merges cannot be replayed; `None` if they can.
    `doubts`: sentences about files that may be no text, or not meant.
    """

    timeline: Player[Any]
    documents: int
    bytes_read: int
    obstacle: str | None = None
    doubts: tuple[str, ...] = ()


@dataclass
class StepsRecorded(News):
    """The record, which the timeline shares, has `steps` steps now."""

    steps: int


@dataclass
class TrainingEnded(News):
    """Training has ended; the reason's value says why in words."""

    reason: Enum


@dataclass
class JobFailed(News):
    """The job has failed."""

    error: Exception


@dataclass
class WhatIfProgress(Message):
    """The fork has made `merges` merges; the first `shared` of them are the run's."""

    merges: int
    shared: int


@dataclass
class WhatIfEnded(Message):
    """The fork is trained: its complete timeline, and its difference from the run."""

    timeline: Timeline
    reason: StopReason
    difference: Comparison


@dataclass
class WhatIfFailed(Message):
    """The fork cannot be trained."""

    error: Exception


@dataclass
class ScreenImported(Message):
    """A screen has been imported ahead of its key, and can be made now."""

    screen: str


class FarJumpsPrepared(Message):
    """The work for far jumps has been done ahead; what it has made stays as long as the run."""


class OpeningJob(Job, TrainingListener):
    """The job that trains on a corpus, or replays a tokenizer's merges, as `config` says.

    It posts the number of steps, not the steps: they are in the record, which it shares with the
    timeline on the screen. A record only grows, so two threads can share it.
    """

    def __init__(self, config: Config, post: Post) -> None:
        super().__init__("opening", post, JobFailed)
        self.config = config
        self._shown = threading.Event()
        self._started = self._batch_due = monotonic()
        self._begun = False
        self._steps = self._posted = 0

    def go_on(self) -> None:
        """Begin with the steps, now that the corpus is on the screen."""
        self._shown.set()

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

    def on_progress(self, progress: CountProgress) -> None:
        self.check_cancelled()
        if self.has_news(NEWS_SECONDS):
            rate = progress.bytes_read / max(monotonic() - self._started, 1e-6)
            self.post(ReadingProgress(progress, rate))

    def on_counted(self, corpus: CountedCorpus) -> None:
        self.post(WorkProgress("looking through the pretokens", 1, 1))

    def on_begun(self, training: Training, corpus: CountedCorpus) -> None:
        self.post(
            TrainingStarted(
                timeline=training.recording,
                documents=corpus.documents,
                bytes_read=corpus.bytes_read,
                obstacle=getattr(training.trainer, "obstacle", None),
                doubts=self._doubts(),
            )
        )
        remember_opened(self.config)
        self._begun, self._batch_due = True, monotonic()

    def _doubts(self) -> tuple[str, ...]:
        """Return sentences about files of the corpus that may be no text, or not meant."""
        config = self.config
        with suppress(CorpusError):  # it has been read, and may be gone by now
            if config.corpus is not None and not config.from_input:
                return tuple(doubts_about(config.corpus, config.reading))
        return ()

    def on_work(self, work: WorkProgress) -> None:
        self.check_cancelled()
        if self._begun:
            self._let_screen_come_first()
        if self.has_news(NEWS_SECONDS):
            self.post(work)

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

    def _let_screen_come_first(self) -> None:
        """Wait for the first frame, and a little longer for the first key.

        Two threads share one interpreter: training would take half of the screen's time.
        """
        if not self._shown.is_set():
            self._shown.wait(SHOWN_SECONDS)
            sleep(SETTLE_SECONDS)

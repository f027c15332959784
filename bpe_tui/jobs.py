"""The work beside the screen: read the corpus, count it, train."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic, sleep

from textual.message import Message

from bpe_tui import messages
from bpe_tui.config import RunConfig
from bpe_tui.job import Job
from engine.corpus import Corpus
from engine.counting import CorpusCount, count_corpus
from engine.counts_cache import KeptCount
from engine.errors import BpeError
from engine.events import CountProgress
from engine.excerpt import Excerpt
from engine.merging import count_pairs
from engine.record import MergeStep
from engine.timeline import Timeline

BATCH_SECONDS = 1 / 30
READING_SECONDS = 1 / 10
PREVIEW_SECONDS = 1 / 2
SHOWN_SECONDS = 1.0
"""How long training waits for the first frame, at the most."""
SETTLE_SECONDS = 0.1
"""How long it leaves the screen alone after that."""
PREVIEW_PAIRS = 10
PREVIEW_PRETOKENS = 20_000
"""Pretokens that the preview looks at; the frequent ones come early in any text."""


class TrainingJob(Job):
    """Reads and trains as `config` says."""

    def __init__(self, config: RunConfig, post: Callable[[Message], object]) -> None:
        super().__init__("training", post)
        self._config = config
        self._shown = threading.Event()
        self._kept = KeptCount(None)

    def go_on(self) -> None:
        """Train: the corpus is on the screen."""
        self._shown.set()

    def work(self) -> None:
        self._train(self._read())

    def failed(self, error: Exception) -> Message:
        return messages.JobFailed(error)

    def _read(self) -> tuple[Corpus, CorpusCount, int]:
        config, corpus = self._config, Corpus(self._config.corpus)
        self._kept = config.kept_count(corpus)
        if (found := self._kept.find()) is not None:
            corpus.read_head()
            return corpus, found, corpus.bytes_total or 0
        progress = _ReadingProgress(self.post, self.check_cancelled)
        count = count_corpus(
            corpus,
            config.pattern,
            config.special_tokens,
            on_progress=progress.on_progress,
            on_partial=progress.on_partial,
        )
        return corpus, count, progress.bytes_read

    def _train(self, read: tuple[Corpus, CorpusCount, int]) -> None:
        config, (corpus, count, bytes_read) = self._config, read
        self.post(messages.Indexing(len(count.counts)))
        trainer = config.trainer_for(count.counts)
        excerpt = Excerpt.of(
            corpus.head, config.pattern, config.special_tokens, complete=corpus.head_is_all
        )
        timeline = Timeline(
            count.counts, record=trainer.record, pattern=config.pattern, excerpt=excerpt
        )
        self.post(messages.TrainingStarted(timeline, count.documents, bytes_read))
        batch: list[MergeStep] = []
        due = monotonic()
        for step in trainer.steps():
            self.check_cancelled()
            batch.append(step)
            if monotonic() >= due:
                self.post(messages.StepsRecorded(batch))
                batch = []
                self._let_screen_come_first()
                due = monotonic() + BATCH_SECONDS
        self.post(messages.StepsRecorded(batch))
        if trainer.stop_reason is None:
            raise BpeError("training ended without a reason")
        self.post(messages.TrainingEnded(trainer.stop_reason))
        self._kept.keep(count)  # now that nobody waits for it

    def _let_screen_come_first(self) -> None:
        """Once there is a step to go to, wait for the first frame and the first key.

        Two threads share one interpreter: training would take half of the screen's time.
        """
        if not self._shown.is_set():
            self._shown.wait(SHOWN_SECONDS)
            sleep(SETTLE_SECONDS)


class _ReadingProgress:
    """Turns the counting's callbacks into a few messages a second, with a look at the pairs."""

    def __init__(
        self, post: Callable[[Message], object], check_cancelled: Callable[[], None]
    ) -> None:
        self._post = post
        self._check_cancelled = check_cancelled
        self._started = monotonic()
        self._next_message = self._started
        self._next_preview = self._started
        self._pairs: list[tuple[bytes, bytes, int]] = []
        self.bytes_read = 0

    def on_partial(self, count: CorpusCount) -> None:
        if monotonic() < self._next_preview:
            return
        some = count.earliest(PREVIEW_PRETOKENS)
        pairs = count_pairs(some, some.values())
        best = sorted(pairs, key=pairs.__getitem__, reverse=True)[:PREVIEW_PAIRS]
        self._pairs = [(bytes(pair[:1]), bytes(pair[1:]), pairs[pair]) for pair in best]
        self._next_preview = monotonic() + PREVIEW_SECONDS

    def on_progress(self, progress: CountProgress) -> None:
        self._check_cancelled()
        self.bytes_read = progress.bytes_read
        now = monotonic()
        if now >= self._next_message:
            rate = progress.bytes_read / max(now - self._started, 1e-6)
            self._post(messages.Reading(progress, rate, self._pairs))
            self._next_message = now + READING_SECONDS

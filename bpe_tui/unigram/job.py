"""The work behind a Unigram session: read and count the corpus, learn the pieces.

A training has few steps and each takes long, so between them the screen is told what is going on.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from textual.message import Message

from bpe_tui import messages
from bpe_tui.config import RunConfig
from bpe_tui.jobs import CorpusJob, excerpt_of
from bpe_tui.recent import remember
from engine.corpus import Corpus
from engine.errors import BpeError
from engine.unigram.events import Seeded
from engine.unigram.metaspace import spelled_counts
from engine.unigram.timeline import UnigramTimeline
from engine.unigram.trainer import UnigramTrainer
from engine.unigram.work import Progress

NEWS_SECONDS = 1 / 10
"""How often it is said how far the work at hand is; it is told far more often."""


class UnigramJob(CorpusJob):
    """Reads and learns as `config` says."""

    def __init__(self, config: RunConfig, post: Callable[[Message], object]) -> None:
        super().__init__("unigram", post)
        self._config = config
        self._news_due = monotonic()

    def work(self) -> None:
        config, corpus = self._config, Corpus(self._config.corpus)
        kept = config.kept_count(corpus)
        count, bytes_read = self.read(corpus, kept, config.pattern, config.special_tokens)
        self.post(messages.Indexing(len(count.counts)))
        words = spelled_counts(count.counts)
        trainer = UnigramTrainer(words, config.vocab_size, config.special_tokens)
        excerpt = excerpt_of(corpus, config)
        for event in trainer.steps():
            self.check_cancelled()
            if isinstance(event, Progress):
                self._tell(event)
            elif isinstance(event, Seeded):
                timeline = UnigramTimeline(
                    event.record, words=words, excerpt=excerpt, pattern=config.pattern
                )
                self.post(messages.TrainingStarted(timeline, count.documents, bytes_read))
                remember(config)
                self.let_screen_come_first()
            else:
                self.post(messages.StepsRecorded([event]))
        if trainer.stop_reason is None:
            raise BpeError("training ended without a reason")
        self.post(messages.TrainingEnded(trainer.stop_reason))
        kept.keep(count)  # now that nobody waits for it

    def _tell(self, progress: Progress) -> None:
        """Say how far the work is, now and then."""
        if monotonic() >= self._news_due:
            self.post(messages.Working(progress.doing, progress.done, progress.total))
            self._news_due = monotonic() + NEWS_SECONDS

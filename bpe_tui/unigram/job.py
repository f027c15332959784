"""The work behind a Unigram session: learn the pieces of the corpus.

A training has few steps and each takes long, so between them the screen is told what is going on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from time import monotonic

from bpe_tui.session import messages
from bpe_tui.session.jobs import TrainingJob
from bpe_tui.session.protocols import Playable
from engine.core.events import WorkProgress
from engine.text.excerpt import Excerpt
from engine.unigram.metaspace import spelled_counts
from engine.unigram.record import Seeded
from engine.unigram.timeline import UnigramTimeline
from engine.unigram.trainer import UnigramTrainer

NEWS_SECONDS = 1 / 10
"""How often it is said how far the work at hand is; it is told far more often."""


class UnigramJob(TrainingJob):
    """Learns as `config` says."""

    _news_due = 0.0

    def train(
        self, counts: Mapping[bytes, int], excerpt: Excerpt, begin: Callable[[Playable], None]
    ) -> Enum | None:
        words, pattern = spelled_counts(counts), self.config.pattern
        trainer = UnigramTrainer(words, self.config.vocab_size, self.config.special_tokens)
        for event in trainer.steps():
            self.check_cancelled()
            if isinstance(event, WorkProgress):
                self._tell(event)
            elif isinstance(event, Seeded):
                begin(UnigramTimeline(event.record, words=words, excerpt=excerpt, pattern=pattern))
                self.let_screen_come_first()
            else:
                self.post(messages.StepsRecorded([event]))
        return trainer.stop_reason

    def _tell(self, progress: WorkProgress) -> None:
        """Say how far the work is, now and then."""
        if monotonic() >= self._news_due:
            self.post(messages.Working(progress.doing, progress.done, progress.total))
            self._news_due = monotonic() + NEWS_SECONDS

"""The work behind a WordPiece session: read and count the corpus, merge by score."""

from __future__ import annotations

from collections.abc import Callable

from textual.message import Message

from bpe_tui import messages
from bpe_tui.config import RunConfig
from bpe_tui.jobs import CorpusJob, excerpt_of
from bpe_tui.recent import remember
from engine.corpus import Corpus
from engine.errors import BpeError
from engine.wordpiece.timeline import WordPieceTimeline


class WordPieceJob(CorpusJob):
    """Reads and trains as `config` says."""

    def __init__(self, config: RunConfig, post: Callable[[Message], object]) -> None:
        super().__init__("wordpiece", post)
        self._config = config

    def work(self) -> None:
        config, corpus = self._config, Corpus(self._config.corpus)
        kept = config.kept_count(corpus)
        count, bytes_read = self.read(corpus, kept, config.pattern, config.special_tokens)
        self.post(messages.Indexing(len(count.counts)))
        trainer = config.wordpiece_trainer_for(count.counts)
        timeline = WordPieceTimeline(
            trainer.record, pattern=config.pattern, excerpt=excerpt_of(corpus, config)
        )
        self.post(messages.TrainingStarted(timeline, count.documents, bytes_read))
        remember(config)
        self.record(trainer.steps())
        if trainer.stop_reason is None:
            raise BpeError("training ended without a reason")
        self.post(messages.TrainingEnded(trainer.stop_reason))
        kept.keep(count)  # now that nobody waits for it

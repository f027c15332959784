"""The work behind a WordPiece session: merge the pairs of the corpus by score."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum

from bpe_tui.session.jobs import TrainingJob
from bpe_tui.session.protocols import Playable
from engine.text.excerpt import Excerpt
from engine.wordpiece.timeline import WordPieceTimeline


class WordPieceJob(TrainingJob):
    """Merges by score as `config` says."""

    def train(
        self, counts: Mapping[bytes, int], excerpt: Excerpt, begin: Callable[[Playable], None]
    ) -> Enum | None:
        trainer = self.config.wordpiece_trainer_for(counts)
        begin(WordPieceTimeline(trainer.record, pattern=self.config.pattern, excerpt=excerpt))
        self.record(trainer.steps())
        return trainer.stop_reason

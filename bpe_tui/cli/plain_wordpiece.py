"""`--plain` for WordPiece: the merges of a training by score."""

from __future__ import annotations

from bpe_tui.cli.inputs import counted
from bpe_tui.session.config import RunConfig
from bpe_tui.wordpiece.transcript import WordPieceTranscript
from engine.text.corpus import Corpus
from engine.wordpiece.timeline import WordPieceTimeline


def trained(config: RunConfig) -> WordPieceTranscript:
    """What a training on the corpus makes."""
    count = counted(Corpus(config.corpus), config)
    trainer = config.wordpiece_trainer_for(count.counts)
    timeline = WordPieceTimeline(trainer.record, trainer.steps(), pattern=config.pattern)
    timeline.complete()
    assert trainer.stop_reason is not None  # all steps have been made
    return WordPieceTranscript(timeline, trainer.stop_reason)

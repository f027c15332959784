"""`--plain` for Unigram."""

from __future__ import annotations

from bpe_tui.cli.inputs import counted
from bpe_tui.session.config import RunConfig
from bpe_tui.unigram.transcript import UnigramTranscript
from engine.text.corpus import Corpus
from engine.unigram.metaspace import spelled_counts
from engine.unigram.timeline import UnigramTimeline
from engine.unigram.trainer import UnigramTrainer


def trained(config: RunConfig) -> UnigramTranscript:
    """What a training on the corpus makes."""
    count = counted(Corpus(config.corpus), config)
    words = spelled_counts(count.counts)
    trainer = UnigramTrainer(words, config.vocab_size, config.special_tokens)
    events = list(trainer.steps())
    timeline = UnigramTimeline(trainer.record, events, words=words, pattern=config.pattern)
    assert trainer.stop_reason is not None  # all steps have been made
    return UnigramTranscript(timeline, trainer.stop_reason)

"""`--plain` for Unigram."""

from __future__ import annotations

from bpe_tui.config import RunConfig
from bpe_tui.unigram.transcript import UnigramTranscript
from engine.corpus import Corpus
from engine.counting import count_corpus
from engine.unigram.metaspace import spelled_counts
from engine.unigram.timeline import UnigramTimeline
from engine.unigram.trainer import UnigramTrainer


def trained(config: RunConfig) -> UnigramTranscript:
    """What a training on the corpus makes."""
    corpus = Corpus(config.corpus)
    kept = config.kept_count(corpus)
    count = kept.find() or count_corpus(corpus, config.pattern, config.special_tokens)
    kept.keep(count)
    words = spelled_counts(count.counts)
    trainer = UnigramTrainer(words, config.vocab_size, config.special_tokens)
    events = list(trainer.steps())
    timeline = UnigramTimeline(trainer.record, events, words=words, pattern=config.pattern)
    assert trainer.stop_reason is not None  # all steps have been made
    return UnigramTranscript(timeline, trainer.stop_reason)

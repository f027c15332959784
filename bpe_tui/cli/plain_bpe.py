"""`--plain` for BPE: the merges of a training, or those of a tokenizer."""

from __future__ import annotations

import sys
from collections import Counter

from bpe_tui.bpe.transcript import BpeTranscript
from bpe_tui.cli.inputs import counted, counted_once
from bpe_tui.session.config import RunConfig, TokenizerConfig, kept_count
from bpe_tui.widgets.visible import visible_text
from engine.bpe.replay import CHANGES_TEXT, Replay
from engine.bpe.timeline import Timeline
from engine.bpe.trainer import StopReason
from engine.formats import open_tokenizer
from engine.text.corpus import Corpus


def trained(config: RunConfig) -> BpeTranscript:
    """What a training on the corpus makes."""
    count = counted(Corpus(config.corpus), config)
    trainer = config.trainer_for(count.counts)
    timeline = Timeline(trainer.counts, record=trainer.record, pattern=config.pattern)
    timeline.extend(trainer.steps())
    timeline.complete()
    assert trainer.stop_reason is not None  # all steps have been made
    return BpeTranscript(timeline, trainer.stop_reason)


def replayed(config: TokenizerConfig) -> BpeTranscript:
    """The merges of a tokenizer, made again.

    Raises:
        TokenizerFileError: it is none.
    """
    opened = open_tokenizer(
        *config.paths, special_tokens=config.special_tokens, pattern=config.pattern
    )
    for note in opened.notes:
        print(f"Note: {visible_text(note, spaces=False)}.", file=sys.stderr, flush=True)
    tokenizer, counts = opened.tokenizer, Counter[bytes]()
    if config.corpus is not None and not tokenizer.rules.splitter.by_pieces:
        print(f"Note: {CHANGES_TEXT}: so none is counted.", file=sys.stderr, flush=True)
    elif config.corpus is not None:
        corpus = Corpus(config.corpus)
        kept = kept_count(corpus, tokenizer.pattern, tokenizer.special_tokens, config.cache)
        counts = counted_once(corpus, kept, tokenizer.pattern, tokenizer.special_tokens).counts
    replay = Replay(tokenizer, counts)
    replay.timeline.extend(replay.steps())
    replay.timeline.complete()
    return BpeTranscript(replay.timeline, StopReason.REPLAYED)

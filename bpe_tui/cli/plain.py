"""What `--plain` runs: train, then answer commands from standard input line by line."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from io import TextIOWrapper

from bpe_tui.config import Config, RunConfig, TokenizerConfig, kept_count
from bpe_tui.transcript import Transcript
from bpe_tui.visible import visible_text
from engine.corpus import Corpus
from engine.counting import count_corpus
from engine.errors import TokenizerFileError
from engine.formats import open_tokenizer
from engine.replay import Replay
from engine.timeline import Timeline
from engine.trainer import StopReason

PROMPT = "> "


def run_transcript(config: Config) -> None:
    """Train or replay as `config` says, then answer the lines of standard input on standard output.

    Raises:
        BpeError: the corpus cannot be read.
    """
    print(f"Reading {visible_text(config.name, spaces=False)}.", file=sys.stderr, flush=True)
    transcript = _recorded(config)
    print(transcript.start(), flush=True)
    for line in _lines():
        if line.strip() == "quit":
            return
        for sentence in transcript.answer(line):
            print(sentence, flush=True)


def _lines() -> Iterator[str]:
    """Standard input, line by line; bytes that are no UTF-8 come through to be encoded as such."""
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    if not sys.stdin.isatty():
        yield from sys.stdin
        return
    while True:
        try:
            yield input(PROMPT)
        except EOFError:
            print()
            return


def _recorded(config: Config) -> Transcript:
    if isinstance(config, RunConfig):
        return _trained(config)
    try:
        return _replayed(config)
    except TokenizerFileError:
        if config.otherwise is None:
            raise
        return _trained(config.otherwise)


def _trained(config: RunConfig) -> Transcript:
    corpus = Corpus(config.corpus)
    kept = config.kept_count(corpus)
    count = kept.find() or count_corpus(corpus, config.pattern, config.special_tokens)
    kept.keep(count)
    trainer = config.trainer_for(count.counts)
    timeline = Timeline(count.counts, record=trainer.record, pattern=config.pattern)
    timeline.extend(trainer.steps())
    timeline.complete()
    assert trainer.stop_reason is not None  # all steps have been made
    return Transcript(timeline, trainer.stop_reason)


def _replayed(config: TokenizerConfig) -> Transcript:
    opened = open_tokenizer(
        *config.paths, special_tokens=config.special_tokens, pattern=config.pattern
    )
    for note in opened.notes:
        print(f"Note: {visible_text(note, spaces=False)}.", file=sys.stderr, flush=True)
    tokenizer, counts = opened.tokenizer, Counter[bytes]()
    if config.corpus is not None:
        corpus = Corpus(config.corpus)
        kept = kept_count(corpus, tokenizer.pattern, tokenizer.special_tokens, config.cache)
        count = kept.find() or count_corpus(corpus, tokenizer.pattern, tokenizer.special_tokens)
        kept.keep(count)
        counts = count.counts
    replay = Replay(tokenizer, counts)
    replay.timeline.extend(replay.steps())
    replay.timeline.complete()
    return Transcript(replay.timeline, StopReason.REPLAYED)

"""The mode `--plain`: train, then answer commands from standard input line by line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import TextIOWrapper
from itertools import chain, takewhile

from bpe_tui.session.config import Config, RunConfig
from bpe_tui.session.models import model_of
from bpe_tui.session.training import TrainingListener, replay, train
from bpe_tui.widgets.language import tr, visible_message
from bpe_tui.widgets.visible import visible_text
from bpe_tui.words.transcript import AnyTranscript, PlainQuestion
from engine.core.errors import TokenizerFileError
from engine.formats.tokenizer_format import Opened

PROMPT = "> "


def run_transcript(config: Config) -> None:
    """Train or replay as `config` says, then answer the lines of standard input.

    Raises:
        BpeError: the corpus cannot be read.
    """
    template = "Reading {name}."
    print(tr(template, name=visible_text(config.name, spaces=False)), file=sys.stderr, flush=True)
    transcript = transcript_of(config)
    print(transcript.start(), flush=True)
    first = [f"go {config.viewpoint.step}"] if config.viewpoint.step else []
    first += [f"encode {config.viewpoint.text}"] if config.viewpoint.text else []
    lines = takewhile(lambda line: line.strip() != "quit", lines_typed())
    for line in chain(first, lines):
        for sentence in transcript.answer(line):
            print(sentence, flush=True)


def lines_typed() -> Iterator[str]:
    """Yield standard input, line by line; bytes that are not UTF-8 become surrogates."""
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    if not sys.stdin.isatty():
        yield from iter(sys.stdin.readline, "")  # a file would be closed with the generator
        return
    while True:
        try:
            yield input(PROMPT)
        except EOFError:
            print()
            return


def ask_until_over(asking: PlainQuestion, lines: Iterator[str]) -> bool:
    """Ask on standard output, and read answers; return False if the learner leaves before."""
    for sentence in asking.question():
        print(sentence, flush=True)
    while not asking.attempt.is_over:
        line = next(lines, "quit")
        if line.strip() == "quit":
            return False
        for sentence in asking.answer(line):
            print(sentence, flush=True)
    return True


class _Listener(TrainingListener):
    """A listener that prints the notes about a tokenizer on standard error."""

    def on_opened(self, opened: Opened) -> None:
        for note in opened.notes:
            print(tr("Note: {note}.", note=visible_message(note)), file=sys.stderr, flush=True)


def transcript_of(config: Config) -> AnyTranscript:
    """Train or replay as `config` says; return the transcript, which answers commands.

    Raises:
        BpeError: the corpus or the tokenizer cannot be read.
    """
    listener = _Listener()
    if isinstance(config, RunConfig):
        training = train(config, listener)
    else:
        try:
            training = replay(config, listener)
        except TokenizerFileError:
            if config.otherwise is None:
                raise
            return transcript_of(config.otherwise)
    make = model_of(config).part("transcript")
    transcript: AnyTranscript = make(training.complete(), training.stop_reason)
    return transcript

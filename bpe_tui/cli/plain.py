"""What `--plain` runs: train, then answer commands from standard input line by line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import TextIOWrapper

from bpe_tui.session.config import Config, RunConfig, Viewpoint
from bpe_tui.session.models import model_of
from bpe_tui.session.training import OpeningListener, replay, train
from bpe_tui.views.transcript import AnyTranscript
from bpe_tui.widgets.visible import visible_text
from engine.core.errors import TokenizerFileError
from engine.formats.tokenizer_format import Opened
from engine.learning.session_file import check_unchanged

PROMPT = "> "


def run_transcript(config: Config) -> None:
    """Train or replay as `config` says, then answer the lines of standard input on standard output.

    Raises:
        BpeError: the corpus cannot be read.
    """
    print(f"Reading {visible_text(config.name, spaces=False)}.", file=sys.stderr, flush=True)
    transcript = transcript_of(config)
    print(transcript.start(), flush=True)
    for note in _notes(config.viewpoint):
        print(f"Note: {visible_text(note, spaces=False)}.", file=sys.stderr, flush=True)
    for line in _first_lines(config.viewpoint):
        for sentence in transcript.answer(line):
            print(sentence, flush=True)
    for line in lines_typed():
        if line.strip() == "quit":
            return
        for sentence in transcript.answer(line):
            print(sentence, flush=True)


def _notes(viewpoint: Viewpoint) -> Iterator[str]:
    """What somebody should know who opens a saved session."""
    if viewpoint.note:
        yield viewpoint.note
    if viewpoint.corpus is not None and (changed := check_unchanged(viewpoint.corpus)):
        yield changed
    if viewpoint.forks:
        yield "the session has forks, which are made again on the screen only"


def _first_lines(viewpoint: Viewpoint) -> Iterator[str]:
    """The commands that lead to where it is to begin."""
    if viewpoint.step:
        yield f"go {viewpoint.step}"
    if viewpoint.text:
        yield f"encode {viewpoint.text}"


def lines_typed() -> Iterator[str]:
    """Standard input, line by line; bytes that are no UTF-8 come through to be encoded as such."""
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


class _Notes(OpeningListener):
    """Says on standard error what a reader of a tokenizer should know."""

    def on_opened(self, opened: Opened) -> None:
        for note in opened.notes:
            print(f"Note: {visible_text(note, spaces=False)}.", file=sys.stderr, flush=True)


def transcript_of(config: Config) -> AnyTranscript:
    """What `config` names, trained or replayed, to be asked about without a screen.

    Raises:
        BpeError: the corpus or the tokenizer cannot be read.
    """
    if isinstance(config, RunConfig):
        training = train(config)
    else:
        try:
            training = replay(config, _Notes())
        except TokenizerFileError:
            if config.otherwise is None:
                raise
            return transcript_of(config.otherwise)
    make = model_of(config).part("transcript")
    transcript: AnyTranscript = make(training.complete(), training.stop_reason)
    return transcript

"""Standard input, block by block; standard output, for terminals and for other programs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from time import monotonic
from typing import TYPE_CHECKING

from bpe_tui.widgets.numbers import progress_of
from bpe_tui.widgets.visible import visible_text
from engine.core.errors import CorpusError
from engine.text.pretokenize import to_text

if TYPE_CHECKING:
    from engine.text.corpus import SourceReader

# What the program and its commands are called.

PROGRAM = "bpe-tui"
MODULES = {
    "open": "open",
    "train": "train",
    "encode": "encode",
    "decode": "encode",
    "explain": "explain",
    "why": "explain",
    "check": "check",
    "count": "count",
    "pretokens": "train",
    "inspect": "convert",
    "compare": "compare",
    "convert": "convert",
    "learn": "learn",
    "quiz": "quiz",
    "grade": "quiz",
    "record": "record",
}
"""Command → its module beside this one, which is imported when it is needed; the help's order."""
COMMAND_NAMES = tuple(MODULES)
COMPLETION = "_BPE_TUI_COMPLETE"
"""Set by a shell that asks how a command line could go on."""


# What the program's exit codes mean; the last is what a shell says of an ending signal. That of
# an interrupt is in `__main__`.

DIFFERS = 1
"""A check has found a difference."""
BAD_INPUT = 2
BROKEN_PIPE = 141


BLOCK = 1 << 16
FIRST_NEWS_SECONDS, NEWS_SECONDS = 1.0, 0.2
"""When it is first told how far the work is, and how often then."""
CLEAR_LINE = "\x1b[K"


def near_command(word: str) -> str | None:
    """The command that a word is a slip of, if it is that and no file.

    >>> near_command("enc"), near_command("corpus.txt")
    ('encode', None)
    """
    if word in COMMAND_NAMES or word.startswith("-") or os.path.exists(word):
        return None
    return next(iter(get_close_matches(word, COMMAND_NAMES, n=1)), None)


def with_progress(blocks: Iterable[bytes], reader: SourceReader | None = None) -> Iterator[bytes]:
    """The blocks as they come; how many bytes have come is told as `tell_working` does.

    Args:
        reader: what they are read from, if that can tell how far it is.
    """
    started = monotonic()
    done, due = 0, started + FIRST_NEWS_SECONDS
    try:
        for block in blocks:
            yield block
            done += len(block)
            if monotonic() >= due:
                part = (done, None) if reader is None else (reader.taken, reader.total)
                tell_working(progress_of(*part, monotonic() - started))
                due = monotonic() + NEWS_SECONDS
    finally:
        tell_working("")  # also before an error is told


def tell_working(said: str) -> None:
    """Say on standard error what goes on, until the next such line; "" takes it away.

    Only on a terminal. Take it away before results are written, which may go there, too.
    """
    if sys.stderr.isatty():
        shown = visible_text(said, spaces=False)
        print(f"\r{shown}", end=CLEAR_LINE, file=sys.stderr, flush=True)


def input_blocks() -> Iterator[bytes]:
    """Standard input, block by block."""
    try:
        while block := sys.stdin.buffer.read(BLOCK):
            yield block
    except OSError as error:
        raise CorpusError(f"standard input: cannot be read: {error.strerror or error}") from error


def write_result(result: bytes) -> None:
    """Write to standard output: to a terminal what it can draw, to anything else every byte."""
    if sys.stdout.isatty():
        lines = to_text(result).removesuffix("\n").split("\n")
        print(*(visible_text(line, spaces=False) for line in lines), sep="\n")
    else:
        sys.stdout.buffer.write(result)


def print_json(value: object, indent: int | None = None) -> None:
    """Print a value as JSON; at a terminal what it would act upon or hide is escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if sys.stdout.isatty():
        text = "".join(
            char if char == "\n" or char.isprintable() else json.dumps(char)[1:-1] for char in text
        ).replace("\x7f", "\\u007f")
    print(text)

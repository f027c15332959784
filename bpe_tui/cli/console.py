"""Standard input, block by block; standard output, for terminals and for other programs."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from bpe_tui.widgets.visible import visible_text
from engine.core.errors import CorpusError
from engine.text.pretokenize import to_text

# What the program and its commands are called.

PROGRAM = "bpe-tui"
COMMAND_NAMES = (
    *("open", "train", "encode", "decode", "explain", "why", "check"),
    *("count", "inspect", "compare", "convert", "learn", "quiz", "grade", "record"),
)
"""Each has a module of its name beside this one, which is imported when it is needed."""
STANDARD_INPUT = "-"
"""In place of a file."""


# What the program's exit codes mean; the last two are what a shell says of an ending signal.

DIFFERS = 1
"""A check has found a difference."""
BAD_INPUT = 2
INTERRUPTED = 130
BROKEN_PIPE = 141


BLOCK = 1 << 16


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

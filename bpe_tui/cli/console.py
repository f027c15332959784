"""The names of the program's commands, its exit codes, and its standard streams."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from time import monotonic
from typing import TYPE_CHECKING

from bpe_tui.widgets.language import visible_message
from bpe_tui.widgets.numbers import progress_of
from bpe_tui.widgets.rows import Span, plain_text
from bpe_tui.widgets.visible import visible_text
from engine.core.errors import CorpusError
from engine.core.slow_modules import difflib
from engine.text.pretokenize import to_text

if TYPE_CHECKING:
    from rich.console import Console

    from engine.text.corpus import SourceReader

# Names

PROGRAM = "bpe-tui"
MODULES = {
    "open": "open",
    "train": "train",
    "encode": "encode",
    "decode": "encode",
    "why": "why",
    "check": "check",
    "count": "count",
    "inspect": "convert",
    "compare": "compare",
    "convert": "convert",
    "learn": "learn",
    "quiz": "quiz",
    "grade": "grade",
    "record": "record",
}
"""Command → its module beside this one, which is imported when it is needed; the help's order."""
COMMAND_NAMES = tuple(MODULES)
HELP = "help"
"""A word that means the option `--help`: `bpe-tui help train`."""
COMPLETION = "_BPE_TUI_COMPLETE"
"""The environment variable of a shell that completes a command line."""


def has_driver() -> bool:
    """Return whether Textual's environment names a driver, as where a web server runs the program.

    Such a driver draws elsewhere than on a terminal, and reads keys from there.
    """
    return bool(os.environ.get("TEXTUAL_DRIVER"))


def has_screen() -> bool:
    """Return whether there is a terminal to draw on, or a driver that draws elsewhere."""
    return has_driver() or (sys.stdout.isatty() and sys.stderr.isatty())


# Exit codes; that of an interrupt is in `__main__`.

DIFFERS = 1
"""A check has found a difference."""
BAD_INPUT = 2
BROKEN_PIPE = 141
"""The code that shells give to a program ended by SIGPIPE."""


BLOCK = 1 << 16
FIRST_NEWS_SECONDS, NEWS_SECONDS = 1.0, 0.2
"""Time until the first message about progress, and between later ones."""
CLEAR_LINE = "\x1b[K"


def near_command(word: str) -> str | None:
    """Return the command that a word misspells; `None` if there is none or a file has the name.

    >>> near_command("enc"), near_command("corpus.txt")
    ('encode', None)
    """
    if word in COMMAND_NAMES or word.startswith("-") or os.path.exists(word):
        return None
    return next(iter(difflib.get_close_matches(word, COMMAND_NAMES)), None)


def asks_for_help(arguments: Sequence[str]) -> bool:
    """Return whether the first argument is the word help, and no file has that name."""
    return arguments[:1] == [HELP] and not os.path.exists(HELP)


def with_progress(blocks: Iterable[bytes], reader: SourceReader | None = None) -> Iterator[bytes]:
    """Pass blocks on, and show their number of bytes by `show_progress`.

    Args:
        reader: the source of the blocks, if it knows its progress.
    """
    started = monotonic()
    done, due = 0, started + FIRST_NEWS_SECONDS
    try:
        for block in blocks:
            yield block
            done += len(block)
            if monotonic() >= due:
                part = (done, None) if reader is None else (reader.taken, reader.total)
                show_progress(progress_of(*part, monotonic() - started))
                due = monotonic() + NEWS_SECONDS
    finally:
        show_progress("")  # before an error is printed, too


def show_progress(message: str) -> None:
    """Show a line on standard error until the next one, at a terminal only; "" clears it.

    Clear it before results are written, which may go to the terminal, too.
    """
    if sys.stderr.isatty():
        shown = visible_text(message, spaces=False)
        print(f"\r{shown}", end=CLEAR_LINE, file=sys.stderr, flush=True)


def input_blocks() -> Iterator[bytes]:
    """Yield standard input, block by block."""
    try:
        while block := sys.stdin.buffer.read(BLOCK):
            yield block
    except OSError as error:
        raise CorpusError(f"standard input: cannot be read: {error.strerror or error}") from error


def print_problem(problem: object, ending: str = "") -> None:
    """Print an error or a note in one line on standard error, in the language of the program."""
    print(f"{PROGRAM}: {visible_message(problem)}{ending}", file=sys.stderr, flush=True)


def write_result(result: bytes) -> None:
    """Write to standard output: visible text to a terminal, every byte to anything else."""
    if sys.stdout.isatty():
        lines = to_text(result).removesuffix("\n").split("\n")
        print(*(visible_text(line, spaces=False) for line in lines), sep="\n")
    else:
        sys.stdout.buffer.write(result)


def print_line(line: str | Sequence[Span], between: str = "┊") -> None:
    """Print a line; its tokens are chips on a terminal with colours.

    Args:
        line: a text, or spans.
        between: the sign between two tokens where there are no colours.
    """
    if isinstance(line, str):
        print(line)
    elif (colours := _colours()) is None:
        print(plain_text(line, between))
    else:
        from rich.segment import Segment, Segments

        from bpe_tui.styles import shell_segments  # Textual takes long to import

        segments = [*shell_segments(line), Segment.line()]
        colours.print(Segments(segments), soft_wrap=True, end="")


def _colours() -> Console | None:
    """Return the terminal if it has the colours for chips."""
    if not sys.stdout.isatty():
        return None
    from rich.console import Console

    console = Console()
    few = console.color_system in (None, "standard", "windows")
    return None if few or console.no_color else console


def print_json(value: object, indent: int | None = None) -> None:
    """Print a value as JSON; at a terminal, control and invisible characters are escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if sys.stdout.isatty():
        text = "".join(
            char if char == "\n" or char.isprintable() else json.dumps(char)[1:-1] for char in text
        ).replace("\x7f", "\\u007f")
    print(text)

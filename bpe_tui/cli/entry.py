"""The start of the program: finds the command, and prints errors in one line."""

from __future__ import annotations

import errno
import gc
import io
import os
import sys
import warnings
from collections.abc import Sequence

from bpe_tui.cli import console
from engine.core.drafts import sweep_temporary
from engine.core.errors import BpeError
from engine.text.sources import STANDARD_INPUT

RARELY = 100_000
"""New objects between garbage collections: commands make hardly any garbage."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program with `arguments` (by default those of the process); return its exit code."""
    is_closed = sys.stdout is None
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # the caller has closed it: bpe-tui … <&-
            # What is written to standard output must not get lost: opened for reading only, it
            # refuses that, and the descriptor is taken, so no other file gets the output.
            flags = os.O_WRONLY if name == "stderr" else os.O_RDONLY
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode))
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # else numpy starts a thread for each core
    warnings.showwarning = _ignore_warning
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # some terminals lack `→`
    try:
        return _run(sys.argv[1:] if arguments is None else list(arguments))
    except BrokenPipeError:
        _discard_stdout()
        return console.BROKEN_PIPE
    except BpeError as error:
        if is_closed:
            _discard_stdout()
        return _refuse(error)
    except OSError as error:
        try:
            sys.stdout.flush()
        except OSError:  # the disk is full; Python would try again at its end, and fail with 120
            _discard_stdout()
        if is_closed and error.errno == errno.EBADF:
            return _refuse("standard output is closed, and there is something to write")
        place = f"{error.filename}: " if error.filename else ""
        return _refuse(f"{place}{error.strerror or error}")


def _run(arguments: list[str]) -> int:
    """Run what the arguments ask for; return the exit code.

    Without arguments the start page opens. A corpus alone leaves nothing to parse, so typer is not
    imported: that would take a sixth of the time until the first frame.
    """
    from bpe_tui.session import languages

    languages.speak_usual()
    if arguments[:1] == ["--language"] and len(arguments) > 1:
        languages.speak(arguments[1])
        arguments = arguments[2:]
    starts = (
        not arguments
        and (sys.stdin.isatty() or console.has_driver())
        and console.has_screen()
        and console.COMPLETION not in os.environ
    )
    if starts or _is_corpus_alone(arguments):
        from bpe_tui.cli.inputs import open_screen
        from bpe_tui.session.config import RunConfig
        from bpe_tui.session.opening import config_for
        from bpe_tui.session.samples import file_of

        return open_screen(None if starts else config_for(RunConfig(file_of(arguments[0]))))
    gc.enable()
    gc.set_threshold(RARELY)
    from bpe_tui.cli.declared import run_plain

    exit_code = run_plain(arguments)
    if exit_code is None:
        from bpe_tui.cli.program import run_command  # slow, and seldom needed

        exit_code = run_command(arguments)
    sys.stdout.flush()
    sweep_temporary()  # the screen does it once it is idle
    return exit_code


def _is_corpus_alone(arguments: list[str]) -> bool:
    """Return whether there is one argument, which is neither a command nor an option."""
    if (
        len(arguments) != 1
        or arguments[0] in console.COMMAND_NAMES
        or console.asks_for_help(arguments)
        or console.near_command(arguments[0])
    ):
        return False
    return arguments[0] == STANDARD_INPUT or not arguments[0].startswith("-")


def _refuse(problem: object) -> int:
    """Print an error in one line; return the exit code."""
    console.print_problem(problem)
    return console.BAD_INPUT


def _ignore_warning(*_: object, **__: object) -> None:
    """Print no warning of a library: what concerns the user is an error or a note."""


def _discard_stdout() -> None:
    """Send the buffered output nowhere, since it cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

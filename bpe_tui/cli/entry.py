"""Run the program: find the command, and tell in one line what is wrong."""

from __future__ import annotations

import gc
import io
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from bpe_tui.cli.console import (
    BAD_INPUT,
    BROKEN_PIPE,
    COMMAND_NAMES,
    COMPLETION,
    PROGRAM,
    near_command,
)
from bpe_tui.widgets.visible import visible_text
from engine.core.errors import BpeError, HelperWarning
from engine.core.helper_pool import SINGLE_THREADED
from engine.text.sources import STANDARD_INPUT

RARELY = 100_000
"""Objects until the garbage collector looks again: hardly any that a command makes are garbage."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program with `arguments` (by default those of the process); return its exit code."""
    _replace_closed_streams()
    os.environ.update(SINGLE_THREADED)
    warnings.showwarning = _tell_warning
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal need not know `→`
    try:
        return _run(sys.argv[1:] if arguments is None else list(arguments))
    except BrokenPipeError:
        _leave_stdout_alone()
        return BROKEN_PIPE
    except BpeError as error:
        return _refuse(str(error))
    except OSError as error:
        _drop_what_cannot_be_written()
        place = f"{error.filename}: " if error.filename else ""
        return _refuse(f"{place}{error.strerror or error}")


def _replace_closed_streams() -> None:
    """Let a stream that the caller has closed (`bpe-tui … <&-`) be an empty one, not `None`."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 (open till the end)


def _run(arguments: list[str]) -> int:
    """Run what the arguments ask for; the exit code.

    Nothing at all opens the start page. A corpus alone leaves nothing to parse, and typer is not
    loaded: that would take a sixth of the time until the screen is there.
    """
    starts = not arguments and _is_at_terminal() and COMPLETION not in os.environ
    if starts or _is_corpus_alone(arguments):
        gc.disable()  # nothing that is imported is garbage; `open_screen` turns it on again
        from bpe_tui.cli.inputs import open_screen
        from bpe_tui.session.config import RunConfig
        from bpe_tui.session.opening import config_for

        return open_screen(None if starts else config_for(RunConfig(arguments[0])))
    gc.set_threshold(RARELY)
    from bpe_tui.cli.program import run_command

    exit_code = run_command(arguments)
    sys.stdout.flush()
    return exit_code


def _is_at_terminal() -> bool:
    """Whether somebody sits there: keys come from a terminal, and what is drawn goes to one."""
    return all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def _is_corpus_alone(arguments: list[str]) -> bool:
    """Whether the arguments are a single one that is neither a command nor an option."""
    if len(arguments) != 1 or arguments[0] in COMMAND_NAMES or near_command(arguments[0]):
        return False
    return arguments[0] == STANDARD_INPUT or not arguments[0].startswith("-")


def _refuse(message: str) -> int:
    """Say in one line what is wrong."""
    print(f"{PROGRAM}: {visible_text(message, spaces=False)}", file=sys.stderr)
    return BAD_INPUT


def _tell_warning(
    message: Warning | str, category: type[Warning], *where: Any, **more: Any
) -> None:
    """Say in one line what went otherwise than it should, though well; show ours alone."""
    if issubclass(category, HelperWarning):
        print(f"{PROGRAM}: note: {visible_text(str(message), spaces=False)}", file=sys.stderr)


def _drop_what_cannot_be_written() -> None:
    """On a full disk Python would try again when it ends, and end with a code of its own."""
    try:
        sys.stdout.flush()
    except OSError:
        _leave_stdout_alone()


def _leave_stdout_alone() -> None:
    """Let what is still buffered go nowhere, where nobody reads it any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

"""Run the program: find the command, and tell in one line what is wrong."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import cast

import typer

from bpe_tui.cli.exit_codes import BAD_INPUT, BROKEN_PIPE, INTERRUPTED
from bpe_tui.cli.program import PROGRAM, app
from bpe_tui.visible import visible_text
from engine.errors import BpeError

# Newer typers carry their own copy of click: the class is found from typer's side, so that it is
# the right one in either case.
UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__base__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program with `arguments` (by default those of the process); return its exit code."""
    _replace_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal need not know `→`
    try:
        return _run(sys.argv[1:] if arguments is None else list(arguments))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _leave_stdout_alone()
        return BROKEN_PIPE
    except UsageError as error:
        return _refuse(_with_hint(error))
    except BpeError as error:
        return _refuse(str(error))
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _refuse(f"{place}{error.strerror or error}")


def _replace_closed_streams() -> None:
    """Let a stream that the caller has closed (`bpe-tui … <&-`) be an empty one, not `None`."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 (open till the end)


def _run(arguments: list[str]) -> int:
    command = typer.main.get_command(app)
    exit_code = 0
    try:
        with command.make_context(PROGRAM, arguments) as context:
            command.invoke(context)
    except typer.Exit as done:
        exit_code = done.exit_code
    sys.stdout.flush()
    return exit_code


def _refuse(message: str) -> int:
    """Say in one line what is wrong."""
    print(f"{PROGRAM}: {visible_text(message, spaces=False)}", file=sys.stderr)
    return BAD_INPUT


def _with_hint(error: typer.BadParameter) -> str:
    """A usage error's message, and where to read more."""
    command = error.ctx.command_path if error.ctx else PROGRAM
    return f"{error.format_message().rstrip('.')}; try {command} --help"


def _leave_stdout_alone() -> None:
    """Let what is still buffered go nowhere, where nobody reads it any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

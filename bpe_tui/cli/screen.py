"""Open the screen, once it is clear what to show."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

from bpe_tui.cli.console import PROGRAM
from bpe_tui.cli.inputs import CommandLineError, check_config
from bpe_tui.session.config import Config


def open_screen(config: Config | None, lesson: Path | None = None) -> int:
    """Run the application until the user leaves it; its exit code.

    `None` opens the start page, or a lesson.
    """
    if config is not None:
        check_config(config)
    check_terminal()
    gc.disable()  # until the first frame: nothing made so far is garbage
    try:
        from bpe_tui.app.app import run_app  # slow to import, and only this command needs it

        return run_app(config, lesson) or 0
    finally:
        gc.enable()


def check_terminal() -> None:
    """Raises `CommandLineError` if there is no terminal to draw on."""
    if not (sys.stdout.isatty() and sys.stderr.isatty()):
        raise CommandLineError(
            "the screen needs a terminal, and the output is none; "
            f"to step without it: {PROGRAM} CORPUS --plain; "
            f"to train: {PROGRAM} train CORPUS --vocab-size N --out DIR"
        )

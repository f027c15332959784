"""Reports of what went wrong in the program itself: where it happened, not what was on the screen.

A message of Python's may quote the corpus, so a report leaves it out unless `BPE_TUI_REPORT=full`
is set. Reports are for their owner only, and the oldest give way.
"""

from __future__ import annotations

import contextlib
import os
import platform
import sys
import traceback
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from bpe_tui.session.state import remember_in, state_file

KEPT = 20
FULL = "BPE_TUI_REPORT"

_written: dict[tuple[str, ...], Path | None] = {}
"""Where it happened → the report: what fails with every key is reported once."""


def report(error: BaseException) -> Path | None:
    """Write a report; its place, or `None` if none can be written."""
    stack = traceback.extract_tb(error.__traceback__)
    key = type(error).__name__, *(f"{each.filename}:{each.lineno}" for each in stack[-3:])
    if key not in _written:
        _written[key] = _write(_text_of(error, stack))
    return _written[key]


def _text_of(error: BaseException, stack: traceback.StackSummary) -> str:
    said = f": {str(error)[:2000]!r}" if os.environ.get(FULL) == "full" else ""
    versions = f"bpe-tui {version('bpe-tui')}, Python {platform.python_version()}, {sys.platform}"
    return f"{versions}\n{''.join(stack.format())}{type(error).__name__}{said}\n"


def _write(text: str) -> Path | None:
    folder = state_file("reports")
    now = datetime.now().strftime("%Y-%m-%d-%H%M%S-%f")
    place = folder / f"{now}.txt"
    if not remember_in(place, text.encode("utf-8", "backslashreplace")):
        return None
    for old in sorted(folder.glob("*.txt"))[:-KEPT]:
        with contextlib.suppress(OSError):
            old.unlink()
    return place


def describe_failure(error: BaseException) -> str:
    """Write a report, and say in a sentence that something failed and where the report lies."""
    place = report(error)
    where = f"the report is in {place}" if place else "no report could be written"
    return f"This failed ({type(error).__name__}); {where}."

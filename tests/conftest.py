"""The number of generated examples for each test, by profile.

`pytest` tries a tenth of what a test asks for (`examples`, or Hypothesis's 100),
`pytest --hypothesis-profile thorough` half, and `… full` all of it.
Time never decides: a busy machine is no failure.
"""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from hypothesis import settings
from inside.engine.core import available_cores

from engine import native

settings.register_profile("full", max_examples=100, deadline=None)
settings.register_profile("thorough", max_examples=50, deadline=None)
settings.register_profile("quick", max_examples=10, deadline=None)
settings.load_profile("quick")


def pytest_xdist_auto_num_workers() -> int:
    """Return one process more than processors, as tests wait for timers and programs.

    Each takes ten seconds to collect and import, so six are enough.
    """
    return min(available_cores() + 1, 6)


def pytest_collection_finish() -> None:
    """Freeze the collected tests, so that garbage collection does not search them each time."""
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which kernel was tested; a pull leaves the old one, though its sources are new."""
    folder = Path(native.__file__).parent
    kernel = "compiled" if native.KERNEL else "none (plain Python)"
    if native.KERNEL:
        compiled = (folder / native.LIBRARY).stat().st_mtime
        newest = max((each.stat().st_mtime for each in folder.glob("*.[ch]")), default=0)
        if newest > compiled + 60:  # an installer writes both within seconds
            kernel = "older than engine/native/*.c, so install again"
    terminalreporter.write_line(f"kernel: {kernel}")

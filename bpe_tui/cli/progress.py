"""The progress bar of training without the screen."""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from bpe_tui.widgets.numbers import number, rate, size
from engine.core.events import CountProgress

MERGES_A_MOVE = 64
"""Moving the bar takes as long as some merges do."""


class TrainingBar(Progress):
    """One bar on standard error, first for reading, then for merging; none in a pipe or file."""

    def __init__(self) -> None:
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[detail]}", markup=False),
            console=Console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._task = self.add_task("reading", total=None, detail="")
        self._started = time.monotonic()

    def show_reading(self, progress: CountProgress) -> None:
        seconds = max(time.monotonic() - self._started, 1e-6)
        self.update(
            self._task,
            completed=progress.bytes_read,
            total=progress.bytes_total,
            detail=f"{size(progress.bytes_read)}, {rate(progress.bytes_read / seconds)}",
        )

    def show_merging(self, merges: int, wanted: int) -> None:
        if merges % MERGES_A_MOVE and merges < wanted:
            return
        self.update(
            self._task,
            description="merging",
            completed=merges,
            total=wanted,
            detail=f"{number(merges)} of {number(wanted)} merges",
        )

    def show_work(self, doing: str, done: int, total: int) -> None:
        """Any other work, in parts of its own."""
        self.update(self._task, description=doing, completed=done, total=total, detail="")

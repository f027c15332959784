"""The bar that shows the progress of counting and training on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from bpe_tui.session.training import OpeningListener
from bpe_tui.views.chunks import describe_counting
from bpe_tui.widgets.numbers import number, progress_of
from engine.core.events import CountProgress, WorkProgress
from engine.recording.training import CountedCorpus, CountOrigin, Training

MERGES_A_MOVE = 64
"""Merges between moves of the bar: a move takes as long as some merges."""


class TrainingBar(Progress, OpeningListener):
    """A bar on standard error, for reading and for training; none in a pipe or file.

    Args:
        write_step: takes each step.
    """

    def __init__(self, write_step: Callable[[Any], object] = id) -> None:
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[detail]}", markup=False),
            console=Console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._write_step = write_step
        self._task = self.add_task("reading", total=None, detail="")
        self._started = time.monotonic()
        self._steps, self._merges_wanted = 0, None

    def print_chunks(self) -> None:
        """Say on standard error how a corpus of several chunks was counted."""
        report = self.chunks.report
        origin = self.origin or CountOrigin.COUNTED
        if report.chunks > 1 or origin is CountOrigin.KEPT:
            print(next(describe_counting(report, origin)), file=sys.stderr)

    def on_progress(self, progress: CountProgress) -> None:
        self.update(
            self._task,
            completed=progress.bytes_read,
            total=progress.bytes_total,
            detail=progress_of(
                progress.bytes_read, progress.bytes_total, time.monotonic() - self._started
            ),
        )

    def on_begun(self, training: Training, corpus: CountedCorpus) -> None:
        self._merges_wanted = getattr(training.trainer, "merges_wanted", None)

    def on_step(self, step: Any) -> None:
        self._write_step(step)
        self._steps += 1
        wanted = self._merges_wanted
        if wanted is None or (self._steps % MERGES_A_MOVE and self._steps < wanted):
            return
        self.update(
            self._task,
            description="merging",
            completed=self._steps,
            total=wanted,
            detail=f"{number(self._steps)} of {number(wanted)} merges",
        )

    def on_work(self, work: WorkProgress) -> None:
        """Show the progress of work between steps."""
        self.update(
            self._task, description=work.doing, completed=work.done, total=work.total, detail=""
        )

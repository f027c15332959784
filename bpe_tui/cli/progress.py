"""The bar that shows the progress of counting and training on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bpe_tui.cli.inputs import note
from bpe_tui.session.training import MEMORY_A_BYTE, Training, TrainingListener
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.numbers import progress_of, rate, size
from engine.core.events import CountProgress, WorkProgress
from engine.core.systems import peak_memory
from engine.recording.training_input import CountedCorpus

if TYPE_CHECKING:
    from rich.progress import Progress

LONG_PRETOKEN = 1 << 20
"""Bytes of a pretoken that make training slow."""
MERGES_A_MOVE = 64
"""Merges between moves of the bar: a move takes as long as some merges."""


def _bar() -> Progress:
    """Return a bar without a task's progress."""
    from rich.console import Console  # slow, and only a terminal needs a bar
    from rich.progress import BarColumn, Progress, TextColumn

    description, detail = "{task.description}", "{task.fields[detail]}"
    columns = TextColumn(description), BarColumn(), TextColumn(detail, markup=False)
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task(tr("reading"), total=None, detail="")
    return bar


class TrainingBar(TrainingListener):
    """A bar on standard error, for reading and for training.

    Attributes:
        shown: the bar; `None` if standard error is no terminal.
    """

    def __init__(self, write_step: Callable[[Any], object] = id) -> None:
        self._write_step = write_step
        self.shown = _bar() if sys.stderr.isatty() else None
        self._started = self.counted_at = self.ended_at = time.monotonic()
        self._steps, self._merges_wanted = 0, None

    def __enter__(self) -> TrainingBar:
        if self.shown is not None:
            self.shown.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.shown is not None:
            self.shown.stop()

    def _move(self, **fields: Any) -> None:
        if self.shown is not None:
            self.shown.update(self.shown.task_ids[0], **fields)

    def print_costs(self, bytes_read: int) -> None:
        """Say on standard error what counting and merging took, and the peak of the memory."""
        counting = self.counted_at - self._started
        merging = self.ended_at - self.counted_at
        speed = f" ({rate(bytes_read / max(counting, 1e-6))})"
        peak = peak_memory()
        memory = "" if peak is None else tr("; peak memory {size}", size=size(peak))
        template = "counting {counting} s{speed}, merging {merging} s{memory}"
        print(
            tr(
                template,
                counting=f"{counting:.2f}",
                speed=speed,
                merging=f"{merging:.2f}",
                memory=memory,
            ),
            file=sys.stderr,
        )

    def on_progress(self, progress: CountProgress) -> None:
        if self.shown is None:
            return
        self._move(
            completed=progress.bytes_read,
            total=progress.bytes_total,
            detail=progress_of(
                progress.bytes_read, progress.bytes_total, time.monotonic() - self._started
            ),
        )

    def on_counted(self, corpus: CountedCorpus) -> None:
        super().on_counted(corpus)
        self.counted_at = time.monotonic()
        longest = max(map(len, corpus.counts), default=0)
        if longest >= LONG_PRETOKEN:
            template = (
                "the pattern leaves {size} uncut: training takes at least {memory} of memory; "
                "another --pattern cuts it"
            )
            note(tr(template, size=size(longest), memory=size(longest * MEMORY_A_BYTE)))

    def on_begun(self, training: Training, corpus: CountedCorpus) -> None:
        self._merges_wanted = getattr(training.trainer, "merges_wanted", None)

    def on_step(self, step: Any) -> None:
        self._write_step(step)
        if self.shown is None:
            return
        self._steps += 1
        wanted = self._merges_wanted
        if wanted is None or (self._steps % MERGES_A_MOVE and self._steps < wanted):
            return
        self._move(
            description=tr("merging"),
            completed=self._steps,
            total=wanted,
            detail=tr("{steps} of {wanted} merges", steps=self._steps, wanted=wanted),
        )

    def on_ended(self, training: Training) -> None:
        self.ended_at = time.monotonic()

    def on_work(self, work: WorkProgress) -> None:
        """Show the progress of work between steps."""
        self._move(description=tr(work.doing), completed=work.done, total=work.total, detail="")

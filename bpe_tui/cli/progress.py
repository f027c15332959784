"""The line on standard error that shows the progress of counting and training."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from bpe_tui.cli.console import FIRST_NEWS_SECONDS, NEWS_SECONDS, show_progress
from bpe_tui.cli.inputs import note
from bpe_tui.session.training import MEMORY_A_BYTE, Training, TrainingListener
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.numbers import number, progress_of, rate, size
from engine.core.events import CountProgress, WorkProgress
from engine.core.systems import peak_memory
from engine.recording.training_input import CountedCorpus

LONG_PRETOKEN = 1 << 20
"""Bytes of a pretoken that make training slow."""


class ProgressLine(TrainingListener):
    """A line on standard error, for reading and for training; at a terminal only."""

    def __init__(self, write_step: Callable[[Any], object] = id) -> None:
        self._write_step = write_step
        self._is_shown = sys.stderr.isatty()
        self._started = self.counted_at = self.ended_at = time.monotonic()
        self._due = self._started + FIRST_NEWS_SECONDS
        self._steps, self._merges_wanted = 0, None

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        show_progress("")

    def _is_due(self) -> bool:
        """Return whether to show something now, which is a few times a second."""
        now = time.monotonic()
        if not self._is_shown or now < self._due:
            return False
        self._due = now + NEWS_SECONDS
        return True

    def print_costs(self, bytes_read: int) -> None:
        """Say on standard error what counting and merging took, and the peak of the memory."""
        counting = self.counted_at - self._started
        merging = self.ended_at - self.counted_at
        speed = f" ({rate(bytes_read / max(counting, 1e-6))})"
        peak = peak_memory()
        memory = "" if peak is None else tr("; peak memory {size}", size=size(peak))
        print(
            tr(
                "counting {counting} s{speed}, merging {merging} s{memory}",
                counting=f"{counting:.2f}",
                speed=speed,
                merging=f"{merging:.2f}",
                memory=memory,
            ),
            file=sys.stderr,
        )

    def on_progress(self, progress: CountProgress) -> None:
        if self._is_due():
            done = progress.bytes_read, progress.bytes_total, time.monotonic() - self._started
            show_progress(f"{tr('reading')} │ {progress_of(*done)}")

    def on_counted(self, corpus: CountedCorpus) -> None:
        super().on_counted(corpus)
        show_progress("")
        self.counted_at = time.monotonic()
        longest = max(map(len, corpus.counts), default=0)
        if longest >= LONG_PRETOKEN:
            template = (
                "the pattern leaves {size} uncut: training takes at least {memory} of memory; "
                "another --pattern cuts it"
            )
            note(tr(template, size=size(longest), memory=size(longest * MEMORY_A_BYTE)))

    def on_begun(self, training: Training, corpus: CountedCorpus) -> None:
        if self._is_shown:
            self._merges_wanted = getattr(training.trainer, "merges_wanted", None)

    def on_step(self, step: Any) -> None:
        self._write_step(step)
        self._steps += 1
        wanted = self._merges_wanted
        if wanted is not None and self._is_due():
            done = tr("{steps} of {wanted} merges", steps=self._steps, wanted=wanted)
            show_progress(f"{tr('merging')} │ {done}")

    def on_ended(self, training: Training) -> None:
        self.ended_at = time.monotonic()

    def on_work(self, work: WorkProgress) -> None:
        """Show the progress of work between steps."""
        if self._is_due():
            done = tr("{n} of {all}", n=number(work.done), all=number(work.total))
            show_progress(f"{tr(work.doing)} │ {done}")

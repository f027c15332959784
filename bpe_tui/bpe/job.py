"""The work behind a BPE session: merge the most frequent pairs of the corpus."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum

from bpe_tui.session.jobs import TrainingJob
from bpe_tui.session.protocols import Playable
from engine.alphabets.units import UNITS, Units
from engine.bpe.timeline import Timeline
from engine.text.excerpt import Excerpt


class BpeJob(TrainingJob):
    """Merges as `config` says."""

    @property
    def units(self) -> Units:
        return UNITS[self.config.units]

    def train(
        self, counts: Mapping[bytes, int], excerpt: Excerpt, begin: Callable[[Playable], None]
    ) -> Enum | None:
        trainer, pattern = self.config.trainer_for(counts), self.config.pattern
        begin(Timeline(trainer.counts, record=trainer.record, pattern=pattern, excerpt=excerpt))
        self.record(trainer.steps())
        return trainer.stop_reason

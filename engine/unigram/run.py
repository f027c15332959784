"""`UnigramRun`: what is recorded of a Unigram training, and what its frames are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from engine.recording.player import RecordedRun
from engine.text.excerpt import Excerpt
from engine.text.patterns import Pattern, as_pattern
from engine.text.pretokenize import Pretoken, SpecialSplitter, pretokens
from engine.unigram.record import EmStep, PruneStep, Record
from engine.unigram.statistics import UnigramStatistics
from engine.unigram.trainer import Event


class UnigramRun(RecordedRun[EmStep | PruneStep]):
    """The recorded EM iterations and prunes of a training.

    Args:
        record: the run's record, as `Seeded` tells it.
        words: the pretokens of the corpus, most frequent first.
        excerpt: the beginning of the corpus, for frames to show.
        pattern: what cuts text that is to be encoded.

    Attributes:
        prunes: the steps that a prune led to.
    """

    record: Record

    def __init__(
        self,
        record: Record,
        words: Mapping[str, int] | None = None,
        excerpt: Excerpt | None = None,
        pattern: str | Pattern = "gpt2",
    ) -> None:
        super().__init__()
        self.record = record
        self.words = words or {}
        self.excerpt = excerpt or Excerpt((), complete=True)
        self.prunes: list[int] = []
        self.pattern = as_pattern(pattern)
        self._splitter = SpecialSplitter(record.special_tokens)

    def extend(self, steps: Iterable[Event]) -> None:
        """Add the steps among the events at the end; all others are passed over.

        Raises:
            TimelineError: a step is of another run, or not the next one.
        """
        super().extend(step for step in steps if isinstance(step, EmStep | PruneStep))

    def _keep(self, step: EmStep | PruneStep) -> None:
        if isinstance(step, PruneStep):
            self.prunes.append(step.index + 1)

    def step_at(self, index: int) -> EmStep | PruneStep:
        """A step of the record, by its index."""
        step: EmStep | PruneStep = self.record.steps[index]
        return step

    @cached_property
    def statistics(self) -> UnigramStatistics:
        """The run in numbers."""
        return UnigramStatistics(self.record, self.words)

    def cut(self, text: str) -> list[Pretoken]:
        """The pretokens of a text."""
        return list(pretokens(text, self.pattern, self._splitter))

"""`UnigramTimeline`: a recorded Unigram training with a cursor. Going back or jumping is free."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from engine.core.errors import TimelineError
from engine.recording.player import Player
from engine.text.excerpt import Excerpt
from engine.text.patterns import Pattern, as_pattern
from engine.text.pretokenize import Pretoken, SpecialSplitter, pretokens
from engine.unigram.frame import UnigramFrame
from engine.unigram.record import EmStep, PruneStep, Record
from engine.unigram.statistics import UnigramStatistics
from engine.unigram.trainer import Event


class UnigramTimeline(Player[UnigramFrame]):
    """The steps of a run and a place among them.

    Step 0 is the seed, step k the state after the first k steps. Events may be added at any time;
    the cursor stays where it is.

    Args:
        record: the run's record, as `Seeded` tells it.
        events: those told so far; all but the steps are passed over.
        words: the pretokens of the corpus, most frequent first.
        excerpt: the beginning of the corpus, for frames to show.
        pattern: what cuts text that is to be encoded.

    Attributes:
        prunes: the steps that a prune led to.

    >>> from engine.unigram.trainer import UnigramTrainer
    >>> trainer = UnigramTrainer({"hug": 10, "pug": 5, "hugs": 5, "bun": 4}, 10)
    >>> events = list(trainer.steps())
    >>> timeline = UnigramTimeline(trainer.record, events)
    >>> len(timeline), timeline.frame.size, timeline.frame.segment("hugs")
    (3, 15, ['hugs'])
    >>> timeline.forward(3).texts[-2:], [piece.text for piece in timeline.frame.came_by.pruned]
    (['hug', 'pug'], ['bun', 'hugs'])
    >>> [piece.text for piece in timeline.back().leads_on.pruned]  # what is about to go
    ['bun', 'hugs']
    """

    def __init__(
        self,
        record: Record,
        events: Iterable[Event] = (),
        *,
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
        self._steps: list[EmStep | PruneStep] = []
        self.extend(events)

    def extend(self, events: Iterable[Event]) -> None:
        """Add the steps among the events at the end.

        Raises:
            TimelineError: a step is of another run, or not the next one.
        """
        for event in events:
            if isinstance(event, EmStep | PruneStep):
                self._add(event)

    def extend_to(self, length: int) -> None:
        """Add the steps that the record has by now, so that there are so many."""
        self.extend(self.record.steps[len(self) : length])

    def _add(self, step: EmStep | PruneStep) -> None:
        if step.record is not self.record or step.index != len(self):
            raise TimelineError(f"step {step.index} does not follow the {len(self)} steps recorded")
        self._steps.append(step)
        if isinstance(step, PruneStep):
            self.prunes.append(len(self._steps))
        self._add_step()

    def step_at(self, index: int) -> EmStep | PruneStep:
        """Any recorded step, by its place from 0."""
        return self._steps[index]

    @cached_property
    def statistics(self) -> UnigramStatistics:
        """The run in numbers."""
        return UnigramStatistics(self.record, self.words)

    def cut(self, text: str) -> list[Pretoken]:
        """The pretokens of a text."""
        return list(pretokens(text, self.pattern, self._splitter))

    def _frame_at(self, step: int) -> UnigramFrame:
        return UnigramFrame(self, step, len(self))

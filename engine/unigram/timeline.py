"""`UnigramTimeline`: a recorded Unigram training with a cursor. Going back or jumping is free."""

from __future__ import annotations

from collections.abc import Iterable

from engine.errors import TimelineError
from engine.player import Player
from engine.unigram.events import EmStep, PruneStep
from engine.unigram.frame import UnigramFrame
from engine.unigram.record import Record
from engine.unigram.trainer import Event


class UnigramTimeline(Player[UnigramFrame]):
    """The steps of a run and a place among them.

    Place 0 is the seed, place k the state after the first k steps. Events may be added at any time;
    the cursor stays where it is.

    Args:
        record: the run's record, as `Seeded` tells it.
        events: those told so far; all but the steps are passed over.

    >>> from engine.unigram.trainer import UnigramTrainer
    >>> trainer = UnigramTrainer({"hug": 10, "pug": 5, "hugs": 5, "bun": 4}, 10)
    >>> events = list(trainer.steps())
    >>> timeline = UnigramTimeline(trainer.record, events)
    >>> len(timeline), timeline.frame.size, timeline.frame.segment("hugs")
    (3, 15, ['hugs'])
    >>> timeline.forward(3).texts[-2:], [piece.text for piece in timeline.frame.step.pruned]
    (['hug', 'pug'], ['bun', 'hugs'])
    >>> [piece.text for piece in timeline.back().next_step.pruned]  # what is about to go
    ['bun', 'hugs']
    """

    def __init__(self, record: Record, events: Iterable[Event] = ()) -> None:
        super().__init__()
        self._record = record
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

    def _add(self, step: EmStep | PruneStep) -> None:
        if step.record is not self._record or step.index != len(self):
            raise TimelineError(f"step {step.index} does not follow the {len(self)} steps recorded")
        self._steps.append(step)
        self._add_step()

    def _frame_at(self, step: int) -> UnigramFrame:
        came_by = self._steps[step - 1] if step else None
        leads_on = self._steps[step] if step < len(self) else None
        return UnigramFrame(self._record, step, len(self), came_by, leads_on)

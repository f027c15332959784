"""`UnigramTimeline`: a recorded Unigram training with a cursor. Going back or jumping is free."""

from __future__ import annotations

from collections.abc import Iterable

from engine.errors import TimelineError
from engine.unigram.events import EmStep, PruneStep
from engine.unigram.frame import UnigramFrame
from engine.unigram.record import Record
from engine.unigram.trainer import Event


class UnigramTimeline:
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
        self._record = record
        self._steps: list[EmStep | PruneStep] = []
        self._cursor = 0
        self._frame: UnigramFrame | None = None
        self.extend(events)

    def __len__(self) -> int:
        """How many steps are recorded."""
        return len(self._steps)

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
        self._frame = None

    @property
    def cursor(self) -> int:
        """The place that `frame` shows."""
        return self._cursor

    @property
    def frame(self) -> UnigramFrame:
        """The state at the cursor."""
        if self._frame is None:
            place = self._cursor
            came_by = self._steps[place - 1] if place else None
            leads_on = self._steps[place] if place < len(self) else None
            self._frame = UnigramFrame(self._record, place, len(self), came_by, leads_on)
        return self._frame

    def seek(self, place: int) -> UnigramFrame:
        """Go to a place.

        Raises:
            TimelineError: it is not recorded.
        """
        if not 0 <= place <= len(self):
            raise TimelineError(
                f"there is no place {place:,}; the places go from 0 to {len(self):,}"
            )
        if place != self._cursor:
            self._cursor, self._frame = place, None
        return self.frame

    def forward(self, steps: int = 1) -> UnigramFrame:
        """Go forward, as far as there are steps."""
        return self.seek(min(self._cursor + steps, len(self)))

    def back(self, steps: int = 1) -> UnigramFrame:
        """Go back, to the seed at the most."""
        return self.seek(max(self._cursor - steps, 0))

"""The steps before which predictions are asked: as many with a tie as without."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from engine.core.errors import QuestionError
from engine.learning.questions import OF_WHAT_FOLLOWS, predict
from engine.learning.questions.question import Question

MOST_AHEAD = 3
"""The number of questions of one kind that may be asked beyond those of the other."""
FARTHEST_TIE = 50
"""Steps to a tie that is still sought: the first merges of a large text have none."""
MOST_TRIED = 12
"""The number of steps that are tried: of few steps no question can be made."""


@dataclass
class AskedSteps:
    """Asks about later steps, too: late in a run, nearly all steps have a tie.

    Attributes:
        ties_ahead: questions about ties less those about counts, within ± `MOST_AHEAD`.
    """

    ties_ahead: int = 0

    def count(self, question: Question) -> None:
        """Count a question that is over; only those of BPE's merges matter."""
        if question.kind in OF_WHAT_FOLLOWS:
            change = 1 if question.kind == "tie" else -1
            self.ties_ahead = max(-MOST_AHEAD, min(self.ties_ahead + change, MOST_AHEAD))

    def ask(self, frame: Any, rows: int = 6, *, goes_on: bool = False) -> Question:
        """Return a question about what follows a frame, or a later one of its run.

        Args:
            frame, rows: as for `predict`.
            goes_on: whether it follows another question, so that the kind asked less may be sought.

        Raises:
            QuestionError: nothing can be asked there and soon after; it has the reason of there.
        """
        reason: QuestionError | None = None
        for step in self._steps(frame, goes_on):
            try:
                return predict(frame if step == frame.step else frame.at(step), rows)
            except QuestionError as error:
                reason = reason if reason is not None and step != frame.step else error
        assert reason is not None, "the step of the frame is tried"
        raise reason

    def _steps(self, frame: Any, goes_on: bool) -> Iterator[int]:
        """Yield the steps to try: those of the kind that was asked less, then all."""
        here, end = frame.step, frame.recorded_steps
        if goes_on and abs(self.ties_ahead) == MOST_AHEAD:
            wants_tie, ties = self.ties_ahead < 0, frame.tied_steps
            last = min(end, here + FARTHEST_TIE) if wants_tie else end
            wanted = (step for step in range(here, last) if ties.is_tied(step + 1) == wants_tie)
            yield from islice(wanted, MOST_TRIED)
        yield from range(here, min(end, here + MOST_TRIED) + 1)

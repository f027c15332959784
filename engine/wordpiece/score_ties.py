"""At which steps of a WordPiece training several pairs shared the highest score.

Not to be told from the counts in one go, as BPE's can: a score rises and falls. But training looks
at all scores at every step anyway, and has written down how many were the highest.
"""

from __future__ import annotations

from engine.core.arrays import Ints
from engine.recording.tied_steps import TiedSteps
from engine.wordpiece.record import Record


class ScoreTies(TiedSteps):
    """The steps of a record that were tied by score.

    >>> from engine.wordpiece.trainer import WordPieceTrainer
    >>> trainer = WordPieceTrainer({b"ab": 1, b"cd": 1}, 11)
    >>> [step.token for step in trainer.steps()], ScoreTies(trainer.record).steps.tolist()
    ([b'cd', b'ab'], [1])
    """

    def __init__(self, record: Record) -> None:
        super().__init__(record)
        self._record = record

    def pairs_at_top(self, start: int, stop: int) -> Ints:
        return self._record.tied_between(start, stop)

"""`WordPieceTimeline`: the recorded steps of a WordPiece training with a cursor."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from engine.errors import TimelineError
from engine.events import Pair
from engine.patterns import Pattern, as_pattern
from engine.player import Player
from engine.pretoken_index import PretokenIndex
from engine.segmentation import Segmenter
from engine.wordpiece.frame import Frame
from engine.wordpiece.record import Record, WordPieceStep
from engine.wordpiece.tokenizer import DEFAULT_PATTERN


class WordPieceTimeline(Player[Frame]):
    """The steps of a run and a place among them: step 0 is the words in single characters.

    Args:
        record: the record of the run.
        steps: the steps recorded so far, from the first.
        pattern: what cuts text that is to be encoded.

    >>> from engine.wordpiece.trainer import WordPieceTrainer
    >>> trainer = WordPieceTrainer({b"hug": 10, b"hugs": 5, b"bun": 4}, 20)
    >>> timeline = WordPieceTimeline(trainer.record, trainer.steps())
    >>> timeline.forward().pieces_of(b"hugs"), timeline.back().pieces_of(b"hugs")
    ([b'h', b'##u', b'##gs'], [b'h', b'##u', b'##g', b'##s'])
    """

    def __init__(
        self,
        record: Record,
        steps: Iterable[WordPieceStep] = (),
        *,
        pattern: str | Pattern = DEFAULT_PATTERN,
    ) -> None:
        super().__init__()
        self.record = record
        self.counts = record.problem.counts
        self.pattern = as_pattern(pattern)
        self.index = PretokenIndex(self.counts)
        self.table: dict[Pair, tuple[int, int]] = {}
        self.segmenter = Segmenter(
            record.problem.alphabet, self.table, self._parts_of, record.first_id
        )
        self.extend(steps)

    def extend(self, steps: Iterable[WordPieceStep]) -> None:
        """Add steps at the end.

        Raises:
            TimelineError: a step is of another run, or not the next one.
        """
        for step in steps:
            if step.record is not self.record or step.index != len(self):
                raise TimelineError(
                    f"step {step.index} does not follow the {len(self)} steps recorded"
                )
            self.table[step.pair] = (step.index, step.new_id)
            self._add_step()

    def first_places(self, step: int) -> dict[Pair, tuple[int, int]]:
        """Where each pair first stands after so many steps: (index of the word, position in it)."""
        places: dict[Pair, tuple[int, int]] = {}
        for place, word in enumerate(self.counts):
            for position, pair in enumerate(pairwise(self.segmenter.tokens_at(word, step))):
                places.setdefault(pair, (place, position))
        return places

    def _frame_at(self, step: int) -> Frame:
        return Frame(self, step, len(self))

    def _parts_of(self, token_id: int) -> Pair:
        return self.record.pair_of(token_id - self.record.first_id)

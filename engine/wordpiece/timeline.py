"""`WordPieceTimeline`: the recorded steps of a WordPiece training with a cursor."""

from __future__ import annotations

from collections.abc import Iterable

from engine.recording.merge_frame import MergeTimeline
from engine.text.excerpt import Excerpt
from engine.text.patterns import PatternLike
from engine.wordpiece.frame import WordPieceFrame, WordPieceRun
from engine.wordpiece.record import Record, WordPieceStep
from engine.wordpiece.statistics import WordPieceStatistics
from engine.wordpiece.tokenizer import DEFAULT_PATTERN


class WordPieceTimeline(MergeTimeline[WordPieceFrame]):
    """The steps of a run and a cursor among them: step 0 is the words in single characters.

    Args:
        record: the record of the run.
        steps: the steps recorded so far, from the first.
        pattern: what cuts text that is to be encoded.
        excerpt: the beginning of the corpus, to be looked at.

    >>> from engine.wordpiece.trainer import WordPieceTrainer
    >>> trainer = WordPieceTrainer({b"hug": 10, b"hugs": 5, b"bun": 4}, 20)
    >>> timeline = WordPieceTimeline(trainer.record, trainer.steps())
    >>> timeline.forward().pieces_of(b"hugs"), timeline.back().pieces_of(b"hugs")
    ([b'h', b'##u', b'##gs'], [b'h', b'##u', b'##g', b'##s'])
    """

    run: WordPieceRun

    def __init__(
        self,
        record: Record,
        steps: Iterable[WordPieceStep] = (),
        *,
        pattern: PatternLike = DEFAULT_PATTERN,
        excerpt: Excerpt | None = None,
    ) -> None:
        super().__init__(WordPieceRun(record, pattern, excerpt))
        self.extend(steps)

    @property
    def record(self) -> Record:
        """What wrote the steps down."""
        return self.run.record

    @property
    def statistics(self) -> WordPieceStatistics:
        """The whole run in numbers, for charts."""
        return self.run.statistics

    def _frame_at(self, step: int) -> WordPieceFrame:
        return WordPieceFrame(self.run, step, len(self))

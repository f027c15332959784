"""A WordPiece training in numbers: the series of its charts, cut from the record's columns."""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Floats, Ints
from engine.recording.statistics import LEFT_OUT, MergeStatistics, TiedSteps
from engine.text.pretokenize import to_text
from engine.wordpiece.record import Record
from engine.wordpiece.score import estimates
from engine.wordpiece.words import bare


class ScoreTies(TiedSteps):
    """The steps of a record at which several pairs shared the highest score.

    BPE finds its ties from the counts in one go; here a score rises and falls. But training looks
    at all scores at every step anyway, and has written down how many were the highest.

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


class WordPieceStatistics(MergeStatistics):
    """The series of one training. Pieces are so many characters long, `##` not counted.

    >>> from engine.wordpiece.frame import WordPieceTimeline
    >>> from engine.wordpiece.trainer import WordPieceTrainer
    >>> trainer = WordPieceTrainer({b"hug": 10, b"hugs": 5, b"bun": 4}, 16)
    >>> statistics = WordPieceTimeline(trainer.record, trainer.steps()).statistics
    >>> statistics.winning_scores(3).round(3).tolist(), statistics.winning_counts(3).tolist()
    ([0.067, 0.053, 0.25], [5, 15, 4])
    >>> statistics.pieces_per_word(3).round(2).tolist()
    [3.26, 3.0, 2.21, 2.0]
    """

    def __init__(self, record: Record, ties: ScoreTies) -> None:
        counts = record.problem.counts
        byte_count = sum(len(word) * count for word, count in counts.items())
        super().__init__(counts, byte_count, ties)
        self._record = record

    def pieces_per_word(self, steps: int) -> Floats:
        """Pieces of a word on average at steps 0 … `steps`; 0 throughout without words."""
        words = int(self._unsorted.sum())
        if not words:
            return np.zeros(steps + 1)
        on_average: Floats = self.tokens_in_corpus(steps) / words
        return on_average

    def tokens_in_corpus(self, steps: int) -> Ints:
        """How many pieces the words of the corpus have at steps 0 … `steps`."""
        return self._record.problem.character_count - self._record.removed_until(steps)

    def winning_scores(self, steps: int) -> Floats:
        """The score of the pair that merged, rounded, for each of the first `steps` merges."""
        return estimates(*self._record.scores_until(steps))

    def winning_counts(self, steps: int) -> Ints:
        """The count of the pair that merged, for each of the first `steps` merges."""
        return self._record.scores_until(steps)[0]

    def token_count(self, step: int) -> int:
        """How many pieces the vocabulary has at a step."""
        return self._record.first_id + step

    def lengths_between(self, first: int, last: int) -> list[int]:
        specials = len(self._record.problem.special_tokens)
        vocab = self._record.vocab
        return [
            LEFT_OUT if place < specials else len(to_text(bare(vocab[place])))
            for place in range(first, last)
        ]

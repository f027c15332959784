"""The vocabularies of the steps of a WordPiece training, in the columns that BPE's have.

A piece is searched for as it is written, `##` included. Its length is that of the text it stands
for, in characters; it is sorted by that text; and the twin of `##low` is `low`, as of `Low`: what
one would take for the same.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from engine.core.arrays import Floats, Ints
from engine.core.registry import Registry
from engine.recording.token_table import NONE, MergeRows, TokenTable, sorted_positions
from engine.recording.vocabulary import COLUMNS, Vocabulary
from engine.text.pretokenize import to_text
from engine.wordpiece.record import Record
from engine.wordpiece.score import estimates
from engine.wordpiece.words import CONTINUES, bare


class PieceTable(TokenTable):
    """The pieces by row; a row is an id."""

    SIGN = CONTINUES.encode()

    @cached_property
    def lengths(self) -> Ints:
        """Characters of the text that each piece stands for."""
        return np.fromiter(map(len, self._texts), dtype=np.int64, count=len(self))

    @cached_property
    def reading_order(self) -> Ints:
        """The place of each piece sorted as text, without regard to case and `##`."""
        return sorted_positions([text.lower() for text in self._texts])

    @property
    def _texts(self) -> list[str]:
        return [to_text(bare(piece)) for piece in self.tokens]


def _score(vocabulary: Vocabulary) -> Ints:
    assert isinstance(vocabulary, PieceVocabulary)
    return vocabulary.score_order


class PieceVocabulary(Vocabulary):
    """The pieces at one step; they can be sorted by the score at which they merged, too.

    `winners` are the scores of its merges, by rank.
    """

    COLUMNS = Registry("column", {**COLUMNS, "score": _score})

    def __init__(
        self, table: PieceTable, size: int, merge_count: int, counts: Ints, winners: Floats
    ) -> None:
        super().__init__(table, size, merge_count, counts)
        self._winners = winners

    @property
    def score_order(self) -> Ints:
        """The place of each piece among the scores, from the lowest; `NONE` if none made it."""
        _, positions = np.unique(self._winners, return_inverse=True)
        order = np.full(len(self), NONE, dtype=np.int64)
        order[len(self) - len(positions) :] = positions
        return order


class PieceVocabularies:
    """`at(step)` for the training that `record` tells.

    >>> from engine.wordpiece.trainer import WordPieceTrainer
    >>> trainer = WordPieceTrainer({b"hug": 10, b"hugs": 5}, 10, ["[UNK]"])
    >>> steps = len(list(trainer.steps()))
    >>> vocabulary = PieceVocabularies(trainer.record).at(steps, steps)
    >>> [(vocabulary.token(row), vocabulary.count_of(row)) for row in range(len(vocabulary))][-3:]
    [(b'hu', 0), (b'hug', 10), (b'hugs', 5)]
    """

    def __init__(self, record: Record) -> None:
        self._record = record
        self._table: PieceTable | None = None

    def at(self, step: int, recorded_steps: int) -> PieceVocabulary:
        """The pieces after the first `step` merges, of so many that are recorded."""
        if self._table is None or len(self._table.merges) < step:
            self._table = self._table_of(recorded_steps)
        record = self._record
        counts = record.piece_counts.at(step).astype(np.int64)
        counts[: len(record.problem.special_tokens)] = NONE
        winners = estimates(*record.scores_until(step))
        return PieceVocabulary(self._table, record.first_id + step, step, counts, winners)

    def _table_of(self, steps: int) -> PieceTable:
        record = self._record
        size = record.first_id + steps
        left, right = record.parents_until(steps)
        ids = np.arange(size, dtype=np.int64)
        return PieceTable(
            ids,
            record.vocab[:size],
            MergeRows(left, right, ids[record.first_id :], np.arange(steps, dtype=np.int64)),
            np.arange(len(record.problem.special_tokens), dtype=np.int64),
            record.problem.alphabet,
        )

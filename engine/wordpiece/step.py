"""`WordPieceStep`: one step of a WordPiece training, a thin view of its record."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from engine.core.events import Pair
from engine.recording.merge_record import PairStep
from engine.wordpiece.score import Score

if TYPE_CHECKING:
    from engine.wordpiece.record import Record


class PieceChange(NamedTuple):
    """A piece whose count in the corpus a merge changed."""

    piece_id: int
    before: int
    after: int


class WordPieceStep(PairStep):
    """One merge of a WordPiece training: of the pair of the highest score."""

    __slots__ = ()

    record: Record

    @property
    def score(self) -> Score:
        """The score that won, with the three counts that it is made of."""
        return self.record.score_won(self.index)

    @property
    def count(self) -> int:
        """How often the pair stood side by side before this step."""
        return self.score.count

    def _shared_top(self) -> Iterable[Pair]:
        """The pairs of the top score."""
        return self.record.scoreboard(self.index).tied

    def _chosen_by(self) -> dict[str, object]:
        return {"score": [self.score.count, self.score.left, self.score.right]}

    @property
    def tied_count(self) -> int:
        """How many pairs `tied` are, known without a look at them."""
        return int(self.record.tied_between(self.index, self.index + 1)[0])

    @property
    def piece_changes(self) -> tuple[PieceChange, ...]:
        """The pieces whose count this step changed: its two parts, then the one it made."""
        return tuple(
            PieceChange(*change) for change in self.record.piece_counts.differences(self.index)
        )

    def as_dict(self) -> dict[str, object]:
        """The step as plain values for JSON; pieces in GPT-2's spelling of bytes."""
        changes = [list(change) for change in self.piece_changes]
        return {**super().as_dict(), "piece_changes": changes}

    def __repr__(self) -> str:
        return (
            f"<WordPieceStep {self.index}: {self.left!r} + {self.right!r} → {self.new_id}, "
            f"score {self.score}>"
        )

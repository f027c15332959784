"""`WordPieceStep`: one step of a WordPiece training, a thin view of its record."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from engine.byte_chars import spell
from engine.events import CountChange, Pair, largest_first
from engine.wordpiece.score import Score
from engine.wordpiece.words import bare

if TYPE_CHECKING:
    from engine.wordpiece.record import Record


class PieceChange(NamedTuple):
    """A piece whose count in the corpus a merge changed."""

    piece_id: int
    before: int
    after: int


class WordPieceStep:
    """One merge of a WordPiece training. `index` 0 is the first.

    Two steps are equal if every fact about them is.
    """

    __slots__ = ("_record", "index")

    def __init__(self, record: Record, index: int) -> None:
        self._record = record
        self.index = index

    @property
    def record(self) -> Record:
        return self._record

    @property
    def pair(self) -> Pair:
        """The ids of the two pieces."""
        return self._record.pair_of(self.index)

    @property
    def left(self) -> bytes:
        """The left piece as it is written."""
        return self._record.vocab[self.pair[0]]

    @property
    def right(self) -> bytes:
        return self._record.vocab[self.pair[1]]

    @property
    def new_id(self) -> int:
        return self._record.first_id + self.index

    @property
    def token(self) -> bytes:
        """The new piece as it is written: `##low` inside of a word."""
        return self._record.vocab[self.new_id]

    @property
    def covers(self) -> bytes:
        """The bytes of the corpus that it stands for: `low`."""
        return bare(self.token)

    @property
    def score(self) -> Score:
        """The score that won, with the three counts that it is made of."""
        return self._record.score_won(self.index)

    @property
    def count(self) -> int:
        """How often the pair stood side by side before this step."""
        return self.score.count

    @property
    def occurrences(self) -> int:
        """How many were replaced; less than `count` where the pair overlapped itself."""
        return self._record.occurrences_of(self.index)

    @property
    def pretokens(self) -> int:
        """In how many distinct words."""
        return self._record.pretokens_of(self.index)

    @property
    def tied(self) -> tuple[Pair, ...]:
        """All pairs that had the top score, this step's own first, the others by their ids."""
        pairs = self._record.scoreboard(self.index).tied
        return (self.pair, *sorted(pair for pair in pairs if pair != self.pair))

    @property
    def tied_count(self) -> int:
        """How many pairs `tied` are, known without a look at them."""
        return int(self._record.tied_between(self.index, self.index + 1)[0])

    @property
    def changes(self) -> tuple[CountChange, ...]:
        """The pairs whose count this step changed: its own first, then the largest changes."""
        pairs = self._record.problem.pairs
        changes = (
            CountChange(pairs[number], before, after)
            for number, before, after in self._record.pair_counts.differences(self.index)
        )
        return largest_first(changes, self.pair)

    @property
    def piece_changes(self) -> tuple[PieceChange, ...]:
        """The pieces whose count this step changed: its two parts, then the one it made."""
        return tuple(
            PieceChange(*change) for change in self._record.piece_counts.differences(self.index)
        )

    def as_dict(self) -> dict[str, object]:
        """The step as plain values for JSON; pieces in GPT-2's spelling of bytes."""
        return {
            "index": self.index,
            "pair": list(self.pair),
            "left": spell(self.left),
            "right": spell(self.right),
            "token": spell(self.token),
            "new_id": self.new_id,
            "score": [self.score.count, self.score.left, self.score.right],
            "occurrences": self.occurrences,
            "pretokens": self.pretokens,
            "tied": [list(pair) for pair in self.tied],
            "changes": [[list(c.pair), c.before, c.after] for c in self.changes],
            "piece_changes": [list(change) for change in self.piece_changes],
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WordPieceStep) and self.as_dict() == other.as_dict()

    def __hash__(self) -> int:
        return hash((self.index, self.pair))

    def __repr__(self) -> str:
        return (
            f"<WordPieceStep {self.index}: {self.left!r} + {self.right!r} → {self.new_id}, "
            f"score {self.score}>"
        )

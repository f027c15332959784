"""`PieceInspection`: what kind of vocabulary a step of a WordPiece training has learnt."""

from __future__ import annotations

from functools import cached_property

from engine.analysis.inspection.inspection import Inspection
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.words import CONTINUES, bare


class PieceInspection(Inspection):
    """What can be said of a vocabulary of pieces. Lengths are in characters, `##` left out.

    Attributes:
        unknown_token: what a word becomes that the pieces cannot spell.
        min_count: pairs rarer than this did not merge.
        tie_rule: the name of the rule that chose among pairs of one score.

    >>> from engine.wordpiece.timeline import WordPieceTimeline
    >>> from engine.wordpiece.trainer import WordPieceTrainer
    >>> trainer = WordPieceTrainer({b"hug": 10, b"hugs": 5, b"bun": 4}, 16)
    >>> timeline = WordPieceTimeline(trainer.record, trainer.steps())
    >>> inspection = PieceInspection(timeline.seek(2))
    >>> inspection.size, inspection.starting, inspection.continuing
    (13, 3, 5)
    """

    unit = "character"
    SLOW = ("gaps", "length_histogram", "kinds", "unused", "twins", "duplicates")

    def __init__(self, frame: WordPieceFrame) -> None:
        specials = frame.special_tokens
        super().__init__(
            frame.vocabulary,
            frame.pattern,
            {token: token_id for token_id, token in enumerate(specials)},
            frame.step,
        )
        self.unknown_token = frame.unknown_token
        self.min_count = frame.min_count
        self.tie_rule = frame.tie_rule.name

    def text_of(self, token: bytes) -> bytes:
        """A piece without `##`."""
        return bare(token)

    @cached_property
    def continuing(self) -> int:
        """Pieces inside of words: those with `##`."""
        return sum(piece.startswith(CONTINUES.encode()) for piece in self._ordinary)

    @property
    def starting(self) -> int:
        """Pieces at the beginning of words."""
        return len(self._ordinary) - self.continuing

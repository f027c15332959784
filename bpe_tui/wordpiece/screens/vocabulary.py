"""The vocabulary screen of WordPiece: all pieces, what each is made of, and its characters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from bpe_tui.session.session import Session
from bpe_tui.views.narration import Facts, fitting
from bpe_tui.views.panel import TokenPainter
from bpe_tui.views.token_detail import MergeTreePanel
from bpe_tui.views.vocabulary_screen import (
    CELLS,
    FILTER_SWITCHES,
    Cell,
    TokenRows,
    VocabularyPanel,
    VocabularyScreen,
)
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Span
from bpe_tui.widgets.virtual_table import Column
from bpe_tui.wordpiece.model import WORDPIECE_VOCABULARY
from bpe_tui.wordpiece.narration import score_text
from bpe_tui.wordpiece.panels.encoding import PieceLanesPanel
from bpe_tui.wordpiece.screens import WordPieceScreen
from engine.recording.vocabulary import Vocabulary
from engine.wordpiece.frame import WordPieceFrame

OF_BYTES = frozenset({"partial", "unreachable"})
"""The filters that ask about bytes, or about merges as BPE encodes with them."""
PIECE_COLUMNS = (
    Column("id", "id", 6, 9, is_number=True),
    Column("text", "text", 12, 10, share=3),
    Column("length", "len", 4, 5, is_number=True),
    Column("rank", "rank", 6, 7, is_number=True),
    Column("count", "count", 9, 8, is_number=True),
    Column("score", "score", 9, 6, is_number=True),
    Column("parents", "parents", 11, 4, share=2),
    Column("children", "built on", 8, 3, is_number=True),
)


def _score(vocabulary: Vocabulary, painter: TokenPainter, piece_id: int) -> list[Span]:
    """The score at which the piece merged."""
    rank = vocabulary.rank_of(piece_id)
    if rank is None:
        return [("", "")]
    frame = painter.frame
    assert isinstance(frame, WordPieceFrame)
    return [(score_text(frame.merge_at(rank).score.value), "")]


class PieceRows(TokenRows):
    """The pieces as they are written, each as long as the characters it stands for."""

    TOKEN = "piece"
    COLUMNS = PIECE_COLUMNS
    CELLS: ClassVar[Mapping[str, Cell]] = {**CELLS, "score": _score}


class PieceVocabularyPanel(VocabularyPanel):
    """The table of the pieces, with what governs it."""

    ROWS = PieceRows
    LARGEST_FIRST = VocabularyPanel.LARGEST_FIRST | {"score"}
    SWITCHES = tuple(switch for switch in FILTER_SWITCHES if switch.name not in OF_BYTES)


class PieceTreePanel(MergeTreePanel):
    """The merge tree of a piece down to characters, then what was built on it."""

    TOKEN = "piece"


class WordPieceVocabularyScreen(VocabularyScreen, WordPieceScreen):
    """The pieces of the timeline's step."""

    NAME = WORDPIECE_VOCABULARY
    TABLE = PieceVocabularyPanel
    TREE = PieceTreePanel
    LANES = PieceLanesPanel

    def heading(self, session: Session, room: int) -> str:
        frame = self.frame_of(session)
        assert frame is not None
        facts: Facts = [
            (0, "WordPiece's vocabulary"),
            (1, f"step {number(frame.step)} of {number(frame.recorded_steps)}"),
            (2, plural(frame.vocab_size, "piece")),
            (3, f"{number(frame.token_count)} in the corpus"),
        ]
        return fitting(facts, room)

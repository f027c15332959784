"""The vocabulary of WordPiece: a screen of all pieces, and the inspection, which sums them up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from bpe_tui.session.session import Session
from bpe_tui.views.inspection_rows import (
    describe_ids,
    describe_pattern,
    describe_specials,
    sections,
)
from bpe_tui.views.narration import how_trained
from bpe_tui.views.panel import TokenPainter
from bpe_tui.views.token_detail import MergeTreePanel
from bpe_tui.views.vocabulary_screen import (
    CELLS,
    FILTER_SWITCHES,
    Cell,
    InspectionScreen,
    TokenRows,
    VocabularyPanel,
    VocabularyScreen,
)
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Span
from bpe_tui.widgets.virtual_table import Column
from bpe_tui.widgets.visible import visible_text
from bpe_tui.wordpiece.model import WORDPIECE_INSPECTION, WORDPIECE_VOCABULARY
from bpe_tui.wordpiece.panels.encoding import PieceLanesPanel
from bpe_tui.wordpiece.screens import WordPieceScreen
from engine.analysis.inspection import PieceInspection
from engine.formats.tokenizer_format import Opened
from engine.recording.vocabulary import Vocabulary
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.score import score_text

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

    def facts_of(self, frame: WordPieceFrame) -> Sequence[str]:
        counted = f"{number(frame.token_count)} in the corpus"
        return "WordPiece's vocabulary", plural(frame.vocab_size, "piece"), counted


def _overview(inspection: PieceInspection) -> Sequence[tuple[str, str]]:
    unknown = inspection.unknown_token
    return (
        ("pieces", number(inspection.size)),
        ("begin a word", number(inspection.starting)),
        ("continue one, ##", number(inspection.continuing)),
        ("merges", f"{number(inspection.merges)}, by score; tie rule {inspection.tie_rule}"),
        ("min count", _min_count(inspection.min_count)),
        ("ids", describe_ids(inspection)),
        ("special tokens", describe_specials(inspection.special_ids)),
        ("unknown token", f"{visible_text(unknown)}, for a word that no pieces spell"),
        ("pattern", describe_pattern(inspection.pattern, inspection.pattern_name)),
    )


def _min_count(least: int) -> str:
    if least == 1:
        return "1: any pair may merge, however rare"
    return f"{number(least)}: rarer pairs do not merge"


SECTIONS = sections(
    _overview,
    odd={
        "unused in the corpus": "unused",
        "case, ## twins": "twins",
        "same piece twice": "duplicates",
    },
    what="pieces",
)


class WordPieceInspectionScreen(InspectionScreen, WordPieceScreen):
    """The five sections of WordPiece's inspection."""

    NAME = WORDPIECE_INSPECTION
    TILES = SECTIONS

    def facts_of(self, frame: WordPieceFrame) -> Sequence[str]:
        return "WordPiece's vocabulary", plural(frame.vocab_size, "piece")

    def how_trained(self, session: Session, frame: WordPieceFrame) -> Sequence[tuple[str, str]]:
        rule = frame.tie_rule
        return how_trained(
            session,
            ("distinct words", number(frame.distinct_words)),
            ("tie rule", f"{rule.name}: {rule.summary}"),
        )

    def inspection_of(self, frame: WordPieceFrame, opened: Opened | None) -> PieceInspection:
        return PieceInspection(frame)

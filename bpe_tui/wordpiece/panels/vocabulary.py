"""Which pieces are there, and what is each made of? BPE's panels, with what WordPiece has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from textual.reactive import reactive

from bpe_tui.views.lanes import LanesPanel
from bpe_tui.views.merge_tree import MergeTreePanel
from bpe_tui.views.panel import TokenPainter
from bpe_tui.views.token_rows import CELLS, Cell, TokenRows
from bpe_tui.views.vocabulary_screen import FILTER_SWITCHES, VocabularyPanel
from bpe_tui.widgets.rows import Span
from bpe_tui.widgets.virtual_table import Column
from bpe_tui.wordpiece.narration import score_text
from engine.recording.merge_frame import AnyMergeFrame
from engine.recording.vocabulary import Vocabulary
from engine.text.pretokenize import to_bytes
from engine.wordpiece.encoder import EncodedWord
from engine.wordpiece.frame import WordPieceFrame

# Which characters and bytes does a piece stand for?


class PieceLanesPanel(LanesPanel):
    """Characters, bytes and pieces, aligned: `##` stands for nothing in the text."""

    TOKEN = "piece"
    SPELLS = False

    def foot(self, data: bytes) -> str:
        return "## is no part of the text"


class WordLanesPanel(PieceLanesPanel):
    """The same of `words`: an unknown one is one piece over all its characters."""

    words: reactive[Sequence[EncodedWord]] = reactive((), repaint=False)

    def watch_words(self) -> None:
        self.rebuild()

    def parts_of(self, frame: AnyMergeFrame) -> Sequence[tuple[int, bytes]]:
        assert isinstance(frame, WordPieceFrame)
        return [part for word in self.words for part in _parts(frame, word)]

    def foot(self, data: bytes) -> str:
        return "whitespace is lost, and ## is no part of the text"


def _parts(frame: WordPieceFrame, word: EncodedWord) -> Iterator[tuple[int, bytes]]:
    """The pieces of a word, and what each stands for in it."""
    spelled = frame.tokenizer.encoder.spell(word.word) if len(word.ids) > 1 else None
    start = 0
    for token_id, end in spelled or [(word.ids[0], len(word.word))]:
        yield token_id, to_bytes(word.word[start:end])
        start = end


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

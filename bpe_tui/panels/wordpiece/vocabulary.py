"""Which pieces are there, and what is each made of? BPE's panels, with what WordPiece has."""

from __future__ import annotations

from bpe_tui.panels.merge_tree import MergeTreePanel
from bpe_tui.panels.token_rows import TOKEN_COLUMNS, TokenRows
from bpe_tui.panels.vocabulary import FILTER_SWITCHES, VocabularyPanel

OF_BYTES = frozenset({"bytes", "partial", "unreachable"})
"""The columns and filters that ask about bytes, or about merges as BPE encodes with them."""


class PieceRows(TokenRows):
    """The pieces as they are written, each as long as the characters it stands for."""

    TOKEN = "piece"
    COLUMNS = tuple(column for column in TOKEN_COLUMNS if column.name not in OF_BYTES)


class PieceVocabularyPanel(VocabularyPanel):
    """The table of the pieces, with what governs it."""

    ROWS = PieceRows
    SWITCHES = tuple(switch for switch in FILTER_SWITCHES if switch.name not in OF_BYTES)


class PieceTreePanel(MergeTreePanel):
    """The merge tree of a piece down to characters, then what was built on it."""

    TOKEN = "piece"

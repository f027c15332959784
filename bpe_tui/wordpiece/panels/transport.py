"""The player of a WordPiece training, with the size that it has come to."""

from __future__ import annotations

from bpe_tui.session.session import Session
from bpe_tui.views.transport import Transport
from bpe_tui.widgets.numbers import number
from engine.wordpiece.frame import WordPieceFrame


class WordPieceTransport(Transport):
    """Where it stands, how many pieces the corpus has, and how many a word has on average."""

    def facts(self, session: Session, roomy: bool) -> str:
        frame = session.shown
        if not isinstance(frame, WordPieceFrame):
            return ""
        pieces = f"{number(frame.token_count):>{len(number(frame.character_count))}} pieces   "
        return f"{pieces if roomy else ''}{frame.pieces_per_word:5.2f} pieces/word"

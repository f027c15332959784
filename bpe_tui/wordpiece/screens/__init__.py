"""The screens and windows of WordPiece, and what the screens of a training share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from bpe_tui.session.session import Session
from bpe_tui.views.panel_screen import SessionScreen
from bpe_tui.views.player_screen import Transport
from bpe_tui.wordpiece.narration import narrate
from bpe_tui.wordpiece.panels.training import WordPieceTransport
from engine.wordpiece.frame import WordPieceFrame


class WordPieceScreen(SessionScreen):
    """A screen that shows a frame of WordPiece.

    A class with two bases names this one last: Textual takes the styles of the first.
    """

    TRANSPORT: ClassVar[type[Transport]] = WordPieceTransport

    def frame_of(self, session: Session) -> WordPieceFrame | None:
        return session.shown if isinstance(session.shown, WordPieceFrame) else None

    def narrate(self, frame: WordPieceFrame) -> Sequence[str]:
        return narrate(frame)

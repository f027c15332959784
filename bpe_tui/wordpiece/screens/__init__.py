"""The screens and windows of WordPiece, and what the screens of a training share."""

from __future__ import annotations

from typing import ClassVar

from bpe_tui.session.session import Session
from bpe_tui.views.narration import Narrator
from bpe_tui.views.panel_screen import SessionScreen
from bpe_tui.views.player_screen import Transport
from bpe_tui.wordpiece.narration import NARRATOR
from bpe_tui.wordpiece.panels.training import WordPieceTransport
from engine.wordpiece.frame import WordPieceFrame


class WordPieceScreen(SessionScreen):
    """A screen that shows a frame of WordPiece.

    A class with two bases names this one last: Textual takes the styles of the first.
    """

    TRANSPORT: ClassVar[type[Transport]] = WordPieceTransport
    NARRATOR: ClassVar[Narrator] = NARRATOR

    def frame_of(self, session: Session) -> WordPieceFrame | None:
        return session.shown if isinstance(session.shown, WordPieceFrame) else None

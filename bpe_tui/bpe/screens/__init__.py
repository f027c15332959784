"""The screens and windows of BPE, and what the screens of a training share."""

from __future__ import annotations

from typing import ClassVar

from bpe_tui.bpe.narration import NARRATOR
from bpe_tui.session.session import Session
from bpe_tui.views.narration import Narrator
from bpe_tui.views.panel_screen import SessionScreen
from bpe_tui.views.player_screen import Transport
from engine.bpe.frame import Frame


class BpeScreen(SessionScreen):
    """A screen that shows a frame of BPE.

    A class with two bases names this one last: Textual takes the styles of the first.
    """

    TRANSPORT: ClassVar[type[Transport]] = Transport
    NARRATOR: ClassVar[Narrator] = NARRATOR

    def frame_of(self, session: Session) -> Frame | None:
        return session.frame

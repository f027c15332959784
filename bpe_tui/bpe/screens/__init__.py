"""The screens and windows of BPE, and what the screens of a training share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from bpe_tui.bpe.narration import sentences_about
from bpe_tui.session.session import Session
from bpe_tui.views.panel_screen import SessionScreen
from bpe_tui.views.player_screen import Transport
from engine.bpe.frame import Frame


class BpeScreen(SessionScreen):
    """A screen that shows a frame of BPE.

    A class with two bases names this one last: Textual takes the styles of the first.
    """

    TRANSPORT: ClassVar[type[Transport]] = Transport

    def frame_of(self, session: Session) -> Frame | None:
        return session.frame

    def narrate(self, frame: Frame) -> Sequence[str]:
        return sentences_about(frame)

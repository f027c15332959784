"""The screens and windows of Unigram, and what the screens of a training share."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import ClassVar

from bpe_tui.session.session import Session
from bpe_tui.unigram.narration import narrate, narrate_back
from bpe_tui.unigram.panels.training import UnigramTransport
from bpe_tui.views.panel_screen import SessionScreen
from bpe_tui.views.player_screen import Transport
from engine.unigram.frame import UnigramFrame


class UnigramScreen(SessionScreen):
    """A screen that shows a frame of Unigram, and the way from prune to prune.

    A class with two bases names this one last: Textual takes the styles of the first.
    """

    TRANSPORT: ClassVar[type[Transport]] = UnigramTransport

    def frame_of(self, session: Session) -> UnigramFrame | None:
        return session.shown if isinstance(session.shown, UnigramFrame) else None

    def narrate(self, frame: UnigramFrame) -> Sequence[str]:
        return narrate(frame)

    def narrate_back(self, frame: UnigramFrame) -> Sequence[str]:
        return narrate_back(frame)

    def action_prune(self, direction: int) -> None:
        """Go to the nearest prune after this step or before it."""
        frame = self.frame_of(self.session)
        if frame is None:
            return
        prunes, here = frame.prunes, frame.step
        place = bisect_right(prunes, here) if direction > 0 else bisect_left(prunes, here) - 1
        if 0 <= place < len(prunes):
            self.host.seek(prunes[place])
        else:
            where = "after" if direction > 0 else "before"
            self.tell(f"No prune {where} this step.")

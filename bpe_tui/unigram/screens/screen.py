"""What the screens of a Unigram training share: its frames, and the way from prune to prune."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from bpe_tui.session.session import Session
from bpe_tui.views.session_screen import SessionScreen
from engine.unigram.frame import UnigramFrame


class UnigramScreen(SessionScreen):
    """A screen that shows a Unigram frame.

    A class that another base gives its looks names that one first: styles go by the first base.
    """

    def frame_of(self, session: Session) -> UnigramFrame | None:
        return session.shown if isinstance(session.shown, UnigramFrame) else None

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
            self.notify(f"No prune {where} this step.", markup=False, timeout=3)

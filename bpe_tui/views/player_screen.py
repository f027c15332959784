"""What the training screens of all models share: panels round a cursor, and a line to type in."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from textual.content import Content
from textual.widgets import Static

from bpe_tui.session.session import Session
from bpe_tui.views.reading import ReadingPanel
from bpe_tui.views.session_screen import SessionScreen
from bpe_tui.views.transport import Transport
from bpe_tui.widgets.scrubber import Scrubber


class PlayerScreen(SessionScreen):
    """Shows the reading, and then the recording at the session's cursor."""

    SLOT: ClassVar[tuple[str, ...]]
    """Panels that share a place where there is not room for all."""

    @abstractmethod
    def heading(self, session: Session, room: int) -> str:
        """What is trained on what, in so many cells."""

    @abstractmethod
    def narration(self, session: Session, frame: Any, room: int) -> str:
        """The step in one sentence."""

    def prepare(self, session: Session) -> None:
        """What panels have to know before they see the frame."""

    def show_session(self, session: Session) -> None:
        if not self.is_current:
            return
        frame, room = self.frame_of(session), self.size.width - 2
        self.set_class(frame is None, "-reading")
        self._say("#heading", self.heading(session, room))
        if frame is None:
            self.frame = None
            self.query_one(ReadingPanel).show(session)
            self.show_keys()
            return
        if self.frame is None:
            self.show_panel("corpus")
            self.call_later(self.show_keys)
        self.prepare(session)
        super().show_session(session)
        self.query_one(Transport).show(session)
        self._say("#narration", self.narration(session, frame, room))

    def _say(self, place: str, said: str) -> None:
        self.query_one(place, Static).update(Content(said), layout=False)

    def show_panel(self, panel: str) -> None:
        if panel in self.SLOT:
            self.remove_class(*(f"slot-{name}" for name in self.SLOT))
            self.add_class(f"slot-{panel}")
        super().show_panel(panel)

    def action_type(self) -> None:
        self.action_show("encode")

    def action_leave(self) -> None:
        if self.session.shown is None:
            self.host.go_back_to_what_was_open()
        else:
            super().action_leave()

    def on_scrubber_sought(self, event: Scrubber.Sought) -> None:
        event.stop()
        self.host.seek(event.position)

"""What the encoding screens of all models share: a text, and a walk through how it encodes."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from textual.timer import Timer
from textual.widgets import TextArea

from bpe_tui.views.session_screen import SessionScreen


class WalkScreen(SessionScreen):
    """A field for a text, and steps that ← and → go through and `space` plays."""

    STEPS_A_SECOND: ClassVar[int]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._player: Timer | None = None
        self._playing = False
        self._opened = "", False

    def on_mount(self) -> None:
        self._player = self.set_interval(1 / self.STEPS_A_SECOND, self._play_on, pause=True)
        self.show_panel("text")
        self._open_text()

    # -- the text

    def open_text(self, text: str, look: bool) -> None:
        """Put a text into the field; `look` moves on to its first pretoken."""
        self._opened = text, look
        if self.is_mounted:  # else the field is not there yet, and `on_mount` does it
            self._open_text()

    def take_over(self, text: str) -> None:
        """Take a text that was typed elsewhere, unless there is one already."""
        if text and not self.query_one("#text", TextArea).text:
            self.open_text(text, look=False)

    def _open_text(self) -> None:
        text, look = self._opened
        self.query_one("#text", TextArea).load_text(text)
        if look:
            self.show_panel("pretokens")

    def action_type(self) -> None:
        self.action_show("text")

    def action_lanes(self) -> None:
        """The tokens in three lanes, or over their ids."""
        self.toggle_class("lanes")
        # Where there is little room the ids are not shown, so the focus goes elsewhere.
        self.call_after_refresh(
            self.show_panel, "ids" if self.has_class("lanes") else self.PANEL_ORDER[0]
        )

    # -- the walk

    @abstractmethod
    def walk(self, by: int) -> None:
        """Go so many steps on, or back."""

    @abstractmethod
    def walk_to_start(self) -> None:
        """Go to the first step."""

    @property
    @abstractmethod
    def is_at_end(self) -> bool:
        """Whether there is no further step."""

    def action_walk(self, by: int) -> None:
        self.pause()
        self.walk(by)

    def action_play(self) -> None:
        """Walk by itself, from the start if it stands at the end."""
        assert self._player is not None
        if self._playing:
            self.pause()
            return
        if self.is_at_end:
            self.walk_to_start()
        self._playing = True
        self._player.resume()

    def _play_on(self) -> None:
        self.walk(1)
        if self.is_at_end:
            self.pause()

    def pause(self) -> None:
        """Stop walking by itself."""
        self._playing = False
        if self._player is not None:
            self._player.pause()

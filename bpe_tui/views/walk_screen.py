"""What the encoding screens of all models share: a text, and a walk through how it encodes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from textual.reactive import reactive
from textual.timer import Timer
from textual.widgets import TextArea

from bpe_tui.views.panel import Panel
from bpe_tui.views.panel_screen import SessionScreen
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import Row, paragraph
from engine.bpe.frame import Frame
from engine.encoding.incremental import EncodedPretoken

# What the panels that go through the encoding of one pretoken share: a place among its steps.

LONGEST = 500
"""Bytes of a pretoken up to which each step is shown; each shows the whole pretoken."""
THE_END = 10**9


class Walk(Panel):
    """Shows `piece`, of which `place` steps are made. A subclass says which steps there are."""

    piece: reactive[EncodedPretoken | None] = reactive(None, repaint=False)
    seen: reactive[bool] = reactive(False, repaint=False)
    """Whether the same pretoken stands earlier in the text."""
    place: reactive[int] = reactive(0, repaint=False)

    @property
    def step_count(self) -> int:
        """How many steps encode the piece."""
        raise NotImplementedError

    def steps_of(self, frame: Frame, pretoken: bytes) -> None:
        """Find out the steps of a pretoken; none if it is empty."""
        raise NotImplementedError

    def step_rows(self, frame: Frame, piece: EncodedPretoken, width: int) -> Sequence[Row]:
        """The rows for a piece that has steps to show."""
        raise NotImplementedError

    def watch_piece(self, old: EncodedPretoken | None, new: EncodedPretoken | None) -> None:
        if old is None or new is None or old.pretoken.text != new.pretoken.text:
            self.place = THE_END
        self.rebuild()

    def watch_seen(self) -> None:
        self.rebuild()

    def watch_place(self) -> None:
        self.rebuild()
        self.scroll_to_row(self.place)

    def walk(self, by: int) -> None:
        """Go through the steps."""
        self.place = max(0, min(self.place + by, self.step_count))

    def action_move(self, by: int) -> None:
        """The rows are the steps: moving among them is walking."""
        self.walk(by)

    def rows_of(self, frame: Frame, width: int) -> Sequence[Row]:
        piece = self.piece
        walked = piece is not None and not self._why_none(piece)
        self.steps_of(frame, piece.pretoken.bytes if piece is not None and walked else b"")
        self.place = min(self.place, self.step_count)
        if piece is None:
            return paragraph("Type something; choose a pretoken with ↑ ↓.", width, "dim")
        if not walked:
            return paragraph(self._why_none(piece), width, "dim")
        return self.step_rows(frame, piece, width)

    def _why_none(self, piece: EncodedPretoken) -> str:
        """Why a piece has no steps to show; empty if it has."""
        if piece.pretoken.special:
            return "A special token: one id, never merged."
        if (length := len(piece.pretoken.bytes)) > LONGEST:
            return (
                f"A pretoken of {number(length)} bytes is too long to be followed step by step; "
                f"up to {number(LONGEST)} it is."
            )
        return ""


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

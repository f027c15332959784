"""Where are we, how fast do we go, what has it brought?"""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from bpe_tui.session import Session
from bpe_tui.visible import number
from bpe_tui.widgets.scrubber import Marks, Scrubber
from engine.frame import Frame

PLAYING, PAUSED, FOLLOWING = "▶", "‖", "⇥"
TIE_GAP = 8
"""Cells from one tie's mark to the next: late in a run nearly every merge is tied."""
ROOMY = 100
"""From so many cells on there is room for the token count."""


class Transport(Horizontal):
    """The player: step k of N, a scrubber to drag, speed, tokens and compression now."""

    def __init__(self) -> None:
        super().__init__(id="transport")

    def compose(self) -> ComposeResult:
        yield Static(id="transport-step")
        yield Scrubber(id="scrubber")
        yield Static(id="transport-facts")

    def show(self, session: Session) -> None:
        frame = session.frame
        if frame is None:
            return
        scrubber = self.query_one(Scrubber)
        scrubber.length, scrubber.position = frame.recorded_steps, frame.step
        scrubber.marks = (
            Marks(frame.tied_steps, "┊", "tie", gap=TIE_GAP),
            Marks(session.breakpoints.hits(), "◆", "pair", gap=3),
        )
        self._put("#transport-step", _step_text(session, frame))
        self._put("#transport-facts", _facts_text(session, frame, self.size.width >= ROOMY))

    def _put(self, selector: str, text: str) -> None:
        static = self.query_one(selector, Static)
        # The width changes with the number of digits only; everything else would jump.
        if static.styles.width is None or static.styles.width.value != len(text):
            static.styles.width = len(text)
        static.update(Content(text), layout=False)


def _step_text(session: Session, frame: Frame) -> str:
    state = PLAYING if session.playing else FOLLOWING if session.following else PAUSED
    total = number(frame.recorded_steps)
    unfinished = " " if session.stop_reason else "…"
    return f"{state} step {number(frame.step):>{len(total)}} of {total}{unfinished} "


def _facts_text(session: Session, frame: Frame, roomy: bool) -> str:
    speed = f"{session.speed:>4}/s"
    tokens = f"{number(frame.token_count):>{len(number(frame.byte_count))}} tokens   "
    compression = f"{frame.bytes_per_token:5.2f} bytes/token"
    return f"  {speed}   {tokens if roomy else ''}{compression}"

"""Where are we, how fast do we go, what has it brought?"""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from bpe_tui.session.protocols import Shown
from bpe_tui.session.session import Session
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.scrubber import Marks, Scrubber

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
        shown = session.shown
        if shown is None:
            return
        scrubber = self.query_one(Scrubber)
        scrubber.length, scrubber.position = shown.recorded_steps, shown.step
        scrubber.marks = self.marks(session)
        self._put("#transport-step", _step_text(session, shown))
        facts = self.facts(session, self.size.width >= ROOMY)
        self._put("#transport-facts", f"  {session.speed:>4}/s   {facts}")

    def marks(self, session: Session) -> tuple[Marks, ...]:
        """The steps worth seeing: ties and breakpoints."""
        merges = session.merges
        if merges is None:
            return ()
        return (
            Marks(merges.frame.tied_steps, "┊", "tie", gap=TIE_GAP),
            Marks(session.breakpoints.hits(), "◆", "pair"),
        )

    def facts(self, session: Session, roomy: bool) -> str:
        """What it has brought: tokens, if there is room, and compression."""
        frame = session.frame
        if frame is None or not frame.has_corpus:
            return ""
        tokens = f"{number(frame.token_count):>{len(number(frame.byte_count))}} tokens   "
        return f"{tokens if roomy else ''}{frame.bytes_per_token:5.2f} bytes/token"

    def _put(self, selector: str, text: str) -> None:
        static = self.query_one(selector, Static)
        # The width changes with the number of digits only; everything else would jump.
        if static.styles.width is None or static.styles.width.value != len(text):
            static.styles.width = len(text)
        static.update(Content(text), layout=False)


def _step_text(session: Session, shown: Shown) -> str:
    state = PLAYING if session.playing else FOLLOWING if session.following else PAUSED
    total = number(shown.recorded_steps)
    unfinished = " " if session.stop_reason else "…"
    return f"{state} step {number(shown.step):>{len(total)}} of {total}{unfinished} "

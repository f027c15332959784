"""The encoding screen of Unigram: a text, the lattice of a pretoken, the best way through it."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Static, TextArea

from bpe_tui.session.session import Session
from bpe_tui.styles import sheet
from bpe_tui.unigram.model import UNIGRAM_ENCODING
from bpe_tui.unigram.narration import describe_unknown
from bpe_tui.unigram.panels.lattice import LatticePanel, WalkPanel, Walkthrough
from bpe_tui.unigram.panels.paths import SHARPNESS, ArrivalsPanel, PathsPanel, WhyNotPiecesPanel
from bpe_tui.unigram.panels.text_lanes import TextLanesPanel
from bpe_tui.unigram.panels.words_of_text import WordsOfTextPanel
from bpe_tui.views.commands import bindings_on
from bpe_tui.views.panel_screen import TooSmall
from bpe_tui.views.walk_screen import WalkScreen
from bpe_tui.widgets.key_bar import KeyBar
from bpe_tui.widgets.numbers import number
from engine.unigram.frame import UnigramFrame

LONGEST_TEXT = 20_000
"""Characters of the text that are cut; each may be a pretoken with a lattice of its own."""
SLOT = ("pretokens", "arrivals", "paths", "why-not-pieces")
"""Panels that share a place where there is not room for all."""


class UnigramEncodingScreen(WalkScreen):
    """Type a text; walk through the lattice of each of its pretokens."""

    BINDINGS = bindings_on(UNIGRAM_ENCODING)
    CSS_PATH = sheet("unigram-encoding.tcss")
    PANEL_ORDER = ("pretokens", "lattice", "lanes", *SLOT[1:], "text")
    STEPS_A_SECOND = 2

    frame: reactive[UnigramFrame | None] = reactive(None, repaint=False)

    def __init__(self) -> None:
        super().__init__(id=UNIGRAM_ENCODING)
        self._place = 0
        self._walk: Walkthrough | None = None
        self.slot = "arrivals"
        self.add_class(f"slot-{self.slot}")

    def compose(self) -> ComposeResult:
        yield TooSmall(id="too-small")
        yield Static(id="heading")
        text = TextArea(id="text", compact=True, highlight_cursor_line=False)
        text.border_title = Content("text")
        yield text
        yield LatticePanel().data_bind(frame=UnigramEncodingScreen.frame)
        yield TextLanesPanel().data_bind(frame=UnigramEncodingScreen.frame)
        with Container(id="panels"):
            for panel in (WordsOfTextPanel(), ArrivalsPanel(), PathsPanel(), WhyNotPiecesPanel()):
                yield panel.data_bind(frame=UnigramEncodingScreen.frame)
        yield KeyBar()

    # -- state in

    def show_session(self, session: Session) -> None:
        frame = session.shown
        if not self.is_current or not isinstance(frame, UnigramFrame):
            return
        super().show_session(session)
        said = (
            f"Encoding with the pieces of step {frame.step} of {frame.recorded_steps} · "
            f"{number(frame.size)} pieces"
        )
        self.query_one("#heading", Static).update(Content(said), layout=False)
        self._say_what_is_lost()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        text = event.text_area.text[:LONGEST_TEXT]
        for panel in (self.query_one(WordsOfTextPanel), self.query_one(TextLanesPanel)):
            panel.text = text
        self._say_what_is_lost()

    def _say_what_is_lost(self) -> None:
        """Below the text, what of it is not cut, or what no piece spells."""
        field = self.query_one("#text", TextArea)
        said = ""
        if len(field.text) > LONGEST_TEXT:
            said = f"the first {number(LONGEST_TEXT)} characters are cut"
        elif self.frame is not None:
            said = describe_unknown(self.frame, field.text, self.size.width - 6)
        field.border_subtitle = Content(said)

    def on_words_of_text_panel_selected(self, event: WordsOfTextPanel.Selected) -> None:
        event.stop()
        if self.frame is None:
            return
        is_special = not event.word and bool(self.query_one("#text", TextArea).text)
        walk = Walkthrough(self.frame, event.word, is_special)
        if self._walk is None or not self._walk.is_like(walk):
            self._walk = walk
            self.pause()
            self._go_to(len(walk.steps))

    def _go_to(self, place: int) -> None:
        """A place of the walk, or the nearest."""
        if self._walk is not None:
            self._place = max(0, min(place, len(self._walk.steps)))
            for panel in self.query(WalkPanel):
                panel.show(self._walk, self._place)

    # -- the panels that share a place

    def show_panel(self, panel: str) -> None:
        if panel in SLOT:
            self.remove_class(f"slot-{self.slot}")
            self.slot = panel
            self.add_class(f"slot-{panel}")
        if panel in ("lattice", "lanes"):
            # These two share a place even where there is room for all others.
            self.set_class(panel == "lanes", "-lanes")
        self.set_class(panel == "why-not-pieces", "-why")
        super().show_panel(panel)

    @property
    def tab_order(self) -> tuple[str, ...]:
        """Lattice and lanes change places at the key `a` only: Tab passes by the one not shown."""
        hidden = "lattice" if self.has_class("-lanes") else "lanes"
        return tuple(panel for panel in self.PANEL_ORDER if panel != hidden)

    @property
    def can_leave(self) -> bool:
        return super().can_leave or self.has_class("-why")

    def action_leave(self) -> None:
        """Esc: out of a field, out of a zoom, back from what goes deeper, then further."""
        if self.has_class("-why") and not self.is_typing and self.zoomed is None:
            self.show_panel("paths")
        else:
            super().action_leave()

    # -- commands

    def action_ask(self) -> None:
        """Why the other pieces are not used."""
        self.show_panel("why-not-pieces")

    def action_lanes(self) -> None:
        """The text in three lanes, or the lattice of a pretoken."""
        self.show_panel("lattice" if self.has_class("-lanes") else "lanes")

    def action_sample(self) -> None:
        """Draw the next sample."""
        paths = self.query_one(PathsPanel)
        paths.seed += 1
        self.show_panel("paths")

    def action_sharpen(self, by: int) -> None:
        paths = self.query_one(PathsPanel)
        paths.sharpness = max(0, min(paths.sharpness + by, len(SHARPNESS) - 1))
        self.show_panel("paths")

    def walk(self, by: int) -> None:
        self._go_to(self._place + by)

    def walk_to_start(self) -> None:
        self._go_to(0)

    @property
    def is_at_end(self) -> bool:
        return self._walk is None or self._place == len(self._walk.steps)

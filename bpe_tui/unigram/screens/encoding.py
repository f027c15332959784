"""The encoding screen of Unigram: a text, the lattice of a pretoken, the best way through it."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.reactive import reactive

from bpe_tui.styles import sheet
from bpe_tui.unigram.model import UNIGRAM_ENCODING
from bpe_tui.unigram.narration import describe_unknown
from bpe_tui.unigram.panels.encoding import (
    SHARPNESS,
    ArrivalsPanel,
    PathsPanel,
    TextLanesPanel,
    WhyNotPiecesPanel,
    WordsOfTextPanel,
)
from bpe_tui.unigram.panels.lattice import LatticePanel, WalkPanel, Walkthrough
from bpe_tui.unigram.screens import UnigramScreen
from bpe_tui.views.encoding_screen import WalkScreen
from bpe_tui.widgets.numbers import plural
from engine.unigram.frame import UnigramFrame

LONGEST_TEXT = 20_000
"""Characters of the text that are cut; each may be a pretoken with a lattice of its own."""


class UnigramEncodingScreen(WalkScreen, UnigramScreen):
    """Type a text; walk through the lattice of each of its pretokens."""

    NAME = UNIGRAM_ENCODING
    CSS_PATH = sheet("unigram-encoding.tcss")
    SLOT = ("arrivals", "paths", "why-not-pieces", "pretokens")
    PANEL_ORDER = ("pretokens", "lattice", "lanes", *SLOT[:3], "text")
    STEPS_A_SECOND = 2

    frame: reactive[UnigramFrame | None] = reactive(None, repaint=False)

    def __init__(self) -> None:
        super().__init__()
        self._place = 0
        self._walk: Walkthrough | None = None

    def compose_panels(self) -> ComposeResult:
        yield LatticePanel().data_bind(frame=UnigramEncodingScreen.frame)
        yield TextLanesPanel().data_bind(frame=UnigramEncodingScreen.frame)
        with Container(id="panels"):
            for panel in (WordsOfTextPanel(), ArrivalsPanel(), PathsPanel(), WhyNotPiecesPanel()):
                yield panel.data_bind(frame=UnigramEncodingScreen.frame)

    # -- state in

    def facts_of(self, frame: UnigramFrame) -> Sequence[str]:
        return "Unigram", plural(frame.size, "piece"), "the best way through the lattice"

    def show_text(self) -> None:
        text = self.text[:LONGEST_TEXT]
        self.query_one(WordsOfTextPanel).text = self.query_one(TextLanesPanel).text = text
        self._say_what_is_lost()

    def _say_what_is_lost(self) -> None:
        """Below the text, what of it is not cut, or what no piece spells."""
        said = ""
        if len(self.text) > LONGEST_TEXT:
            said = f"the first {plural(LONGEST_TEXT, 'character')} are cut"
        elif self.frame is not None:
            said = describe_unknown(self.frame, self.text, self.size.width - 6)
        self.query_one("#text").border_subtitle = Content(said)

    def on_parts_panel_selected(self, event: WordsOfTextPanel.Selected) -> None:
        event.stop()
        if self.frame is None:
            return
        is_special = not event.part and bool(self.text)
        walk = Walkthrough(self.frame, event.part, is_special)
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

"""The training screen: the corpus, the heap, the merge, and what follows from it."""

from __future__ import annotations

from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.widgets import Footer, Input, Static

from bpe_tui.commands import TRAINING, bindings_on
from bpe_tui.narration import narrate
from bpe_tui.panels.corpus import CorpusPanel
from bpe_tui.panels.encode_line import EncodeLine
from bpe_tui.panels.merge import MergePanel
from bpe_tui.panels.merges import MergesPanel
from bpe_tui.panels.pairs import PairsPanel
from bpe_tui.panels.reading import ReadingPanel
from bpe_tui.panels.transport import Transport
from bpe_tui.panels.words import WordsPanel
from bpe_tui.screens.session_screen import SessionScreen, TooSmall
from bpe_tui.session import Session
from bpe_tui.visible import number, size, visible_text
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.scrubber import Scrubber

SLOT = ("pairs", "merge", "words", "merges")
"""Panels that share a place where there is not room for all; see `styles/training.tcss`."""


class TrainingScreen(SessionScreen):
    """Five panels round the cursor, and a line to type in."""

    BINDINGS = bindings_on(TRAINING)
    CSS_PATH = "../styles/training.tcss"
    PANEL_ORDER = ("corpus", "pairs", "merge", "words", "merges", "encode")

    def __init__(self) -> None:
        super().__init__(id=TRAINING)
        self.add_class("slot-merge")

    def compose(self) -> ComposeResult:
        yield TooSmall(id="too-small")
        yield Static(id="heading")
        yield Transport()
        yield ReadingPanel()
        with Container(id="panels"):
            for panel in (CorpusPanel(), PairsPanel(), MergePanel(), WordsPanel(), MergesPanel()):
                yield panel.data_bind(frame=TrainingScreen.frame)
        yield EncodeLine().data_bind(frame=TrainingScreen.frame)
        yield Static(id="narration")
        yield Footer(compact=True, show_command_palette=False)

    def show_session(self, session: Session) -> None:
        if not self.is_current:
            return
        self.set_class(session.frame is None, "-reading")
        self.query_one("#heading", Static).update(Content(heading(session)), layout=False)
        if session.frame is None:
            self.query_one(ReadingPanel).show(session)
            return
        if self.frame is None:
            self.show_panel("corpus")
        self.query_one(CorpusPanel).playing = session.playing or session.following
        super().show_session(session)
        self.query_one(Transport).show(session)
        narration = self.query_one("#narration", Static)
        narration.update(Content(narrate(session.frame)), layout=False)

    def show_panel(self, panel: str) -> None:
        if panel in SLOT:
            self.remove_class(*(f"slot-{name}" for name in SLOT))
            self.add_class(f"slot-{panel}")
        super().show_panel(panel)

    def action_type(self) -> None:
        self.action_show("encode")

    def action_leave(self) -> None:
        if self.session.frame is None:
            self.app.exit()
        else:
            super().action_leave()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter in the line takes its text to the encoding screen."""
        event.stop()
        self.bpe_app.open_encoding(event.value)

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        self.bpe_app.go_to_target(event.target)

    def on_scrubber_sought(self, event: Scrubber.Sought) -> None:
        event.stop()
        self.bpe_app.seek(event.position)


def heading(session: Session) -> str:
    """The corpus in one line: its name, size, documents, pretokens and how it is cut."""
    config = session.config
    facts = [visible_text(Path(config.corpus).name, spaces=False)]
    if session.frame is not None:
        facts += [
            f"{size(session.bytes_read)} · {number(session.documents)} documents",
            f"{number(session.frame.distinct_pretokens)} distinct pretokens",
        ]
    facts += [config.pattern, config.tie_rule]
    if session.stop_reason is not None:
        facts.append(session.stop_reason.value)
    elif session.frame is not None:
        facts.append("training …")
    return " · ".join(facts)

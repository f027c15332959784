"""The inspection screen: what kind of tokenizer the timeline's step has learnt."""

from __future__ import annotations

from threading import Thread
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Static

from bpe_tui.session.commands.command import INSPECTION
from bpe_tui.session.session import Session
from bpe_tui.styles import sheet
from bpe_tui.views.commands import bindings_on
from bpe_tui.views.inspection_rows import SECTIONS, Section
from bpe_tui.views.panel import FramePanel
from bpe_tui.views.panel_screen import TiledScreen, TooSmall
from bpe_tui.widgets.key_bar import KeyBar
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row
from bpe_tui.widgets.visible import shorten
from engine.analysis.inspection import Inspection
from engine.formats.tokenizer_format import Opened

# What kind of tokenizer is this? One section of its inspection.


class InspectionPanel(FramePanel[Any]):
    """The rows of a section, once the screen hands over an `inspection`."""

    WIDEST = 110

    inspection: reactive[Any] = reactive(None, repaint=False)

    def __init__(self, section: Section) -> None:
        super().__init__(section.title, id=section.id)
        self._section = section

    def watch_inspection(self) -> None:
        self.rebuild()

    def rows_of(self, frame: Any, width: int) -> list[Row]:
        if self.inspection is None:
            tokens = plural(frame.vocab_size, "token")
            return [Row([(f"Looking at {tokens} …", "dim")])]
        return self._section.rows(self.inspection, width)


AT_ONCE = 12_000
"""Tokens that are inspected within the time of a frame; more are left to a thread."""


class InspectionScreen(TiledScreen):
    """Five sections, all at once where there is room, else one at a time.

    This is BPE's; a subclass says what there is to be told of another model.
    """

    NAME: ClassVar[str] = INSPECTION
    SECTIONS: ClassVar[tuple[Section, ...]] = SECTIONS
    BINDINGS = bindings_on(INSPECTION)
    CSS_PATH = sheet("inspection.tcss")
    PANEL_ORDER = tuple(section.id for section in SECTIONS)

    class Inspected(Message):
        """A thread has looked at all tokens of a frame."""

        def __init__(self, frame: Any, inspection: object) -> None:
            super().__init__()
            self.frame = frame
            self.inspection = inspection

    def __init__(self) -> None:
        super().__init__(id=self.NAME)
        self._inspected: Any = None

    def heading(self, frame: Any) -> str:
        """What is inspected, in one line."""
        return (
            f"The tokenizer of step {number(frame.step)} of {number(frame.recorded_steps)} · "
            f"{number(frame.vocab_size)} tokens"
        )

    def inspection_of(self, frame: Any, opened: Opened | None) -> Any:
        """The inspection of a frame, of the model's own kind, made when it is asked or `prepare`d.

        `opened` is the file's tokenizer if that is shown.
        """
        return Inspection.of_frame(frame, opened)

    def compose(self) -> ComposeResult:
        yield TooSmall(id="too-small")
        yield Static(id="heading")
        yield Static(id="panel-names")
        with Container(id="panels"):
            for section in self.SECTIONS:
                yield InspectionPanel(section).data_bind(frame=InspectionScreen.frame)
        yield KeyBar()

    def show_session(self, session: Session) -> None:
        frame = self.frame_of(session)
        if not self.is_current or frame is None:
            return
        super().show_session(session)
        room = self.size.width - 2
        self.query_one("#heading", Static).update(
            Content(shorten(self.heading(frame), room)), layout=False
        )
        if self._inspected is None or not frame.looks_like(self._inspected):
            self._inspect(frame, session.opened)

    def _inspect(self, frame: Any, opened: Opened | None) -> None:
        self._inspected = frame
        if frame.vocab_size <= AT_ONCE:
            self._show(self.inspection_of(frame, opened))
            return
        self._show(None)

        def look() -> None:
            inspection = self.inspection_of(frame, opened).prepare()
            self.post_message(self.Inspected(frame, inspection))

        Thread(target=look, name="inspection", daemon=True).start()

    def on_inspection_screen_inspected(self, event: Inspected) -> None:
        event.stop()
        if event.frame is self._inspected:  # else the timeline has moved on meanwhile
            self._show(event.inspection)

    def _show(self, inspection: object) -> None:
        for panel in self.query(InspectionPanel):
            panel.inspection = inspection

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        self.host.ways.go_to_target(event.target)

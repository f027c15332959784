"""The inspection screen: a summary of a model's vocabulary, with a panel for each section."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult

from bpe_tui.panels.inspection_rows import InspectionSection, fact_rows
from bpe_tui.session.session import Session
from bpe_tui.shell.panel import FramePanel
from bpe_tui.shell.session_screen import SessionScreen
from bpe_tui.shell.tiles import compose_tiles, name_tiles
from bpe_tui.styles import sheet
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.lines import ShownInRows
from bpe_tui.widgets.rows import Row
from engine.analysis.inspection import MOST_TOKENS
from engine.formats.tokenizer_format import Opened

FURTHER = (2, 4, 8)
"""Rows of tokens of each kind that are tried on a large screen, where one leaves room."""


class InspectionPanel(FramePanel[Any]):
    """A section of an inspection; the screen sets `inspection` when it is ready."""

    WIDEST = 1000

    inspection: ShownInRows[Any] = ShownInRows(None)

    facts: ShownInRows[Sequence[tuple[str, str]]] = ShownInRows(())
    """Named facts, shown below the section."""

    def __init__(self, section: InspectionSection) -> None:
        super().__init__(section.title, id=section.id)
        self._section = section

    def rows_of(self, frame: Any, width: int) -> list[Row]:
        if self.inspection is None:
            tokens = plural(frame.vocab_size, "token")
            return [Row([(tr("Looking at {tokens} …", tokens=tokens), "dim")])]
        is_zoomed = getattr(self.screen, "zoomed", None) == self.id
        rows = self._section.rows(self.inspection, width, MOST_TOKENS if is_zoomed else 1)
        for most in FURTHER if self.screen.has_class("-large") and not is_zoomed else ():
            more = self._section.rows(self.inspection, width, most)
            if len(more) > self.size.height:
                break
            rows = more
        return [*rows, Row([]), *fact_rows(self.facts, width)] if self.facts else rows


AT_ONCE = 12_000
"""Greatest size of a vocabulary that is inspected at once; a larger one is left to a thread."""


class InspectionScreen(SessionScreen):
    """The inspection of a model. A subclass lists its sections as `TILES`."""

    CSS_PATH = sheet("inspection.tcss")
    TILES: ClassVar[Sequence[InspectionSection]] = ()

    _inspected: Any = None
    """The frame whose inspection is shown or on its way."""

    def __init_subclass__(cls, **settings: Any) -> None:
        name_tiles(cls, cls.TILES)
        super().__init_subclass__(**settings)

    def compose_body(self) -> ComposeResult:
        yield from compose_tiles(map(InspectionPanel, self.TILES))

    def watch_zoomed(self, old: str | None, new: str | None) -> None:
        super().watch_zoomed(old, new)
        for panel in self.query(InspectionPanel):
            panel.rebuild()

    @abstractmethod
    def inspection_of(self, frame: Any, opened: Opened | None) -> Any:
        """Make the model's inspection of a frame.

        Args:
            frame: the frame that is shown.
            opened: the opened tokenizer, if the frame is its replay.
        """

    def how_trained(self, session: Session, frame: Any) -> Sequence[tuple[str, str]]:
        """Return name and value of each option of the training, and why it ended."""
        return ()

    def show_session(self, session: Session) -> None:
        if not self.shows(session):
            return
        super().show_session(session)
        self.show_heading()
        frame = self.frame
        self.query(InspectionPanel).first().facts = self.how_trained(session, frame)
        if self._inspected is not None and frame.looks_like(self._inspected):
            return
        self._inspected, opened = frame, session.opened
        if frame.vocab_size <= AT_ONCE:
            self.notifier.jobs.cancel(self)
            self._show(self.inspection_of(frame, opened))
            return
        self._show(None)

        def inspect() -> object:
            return self.inspection_of(frame, opened).prepare()

        self.notifier.jobs.find(self, "inspection", inspect, self._show)

    def _show(self, inspection: object) -> None:
        for panel in self.query(InspectionPanel):
            panel.inspection = inspection

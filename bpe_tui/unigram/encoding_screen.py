"""The encoding screen of Unigram: a text, its pretokens, its bytes, walks through a lattice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content

from bpe_tui.styles import sheet
from bpe_tui.unigram import walks
from bpe_tui.unigram.model import UNIGRAM_ENCODING
from bpe_tui.unigram.narration import describe_unknown, score_text
from bpe_tui.unigram.piece_table import PieceLanesPanel
from bpe_tui.unigram.pieces import UNIGRAM_VIEW, PiecePainter, pieces_of_text
from bpe_tui.views.encoding_screen import TextPretokensPanel, WalkScreen
from bpe_tui.views.panel import needs_marks
from bpe_tui.views.session_screen import SessionScreen
from bpe_tui.views.token_detail import TOKENS_SHOWN
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import RowColumn
from engine.text.pretokenize import Pretoken
from engine.unigram.frame import UnigramFrame
from engine.unigram.pieces import spelled

ROOM_FOR_SCORE = 22
"""Least width, in cells, for a column of scores."""
SCORE_CELLS = 8


class UnigramTextPretokens(TextPretokensPanel[UnigramFrame]):
    """The pretokens of a text in their pieces, with the number of pieces and the score."""

    FOOT = "▁ is a space"

    def columns(self, frame: UnigramFrame, width: int) -> Sequence[RowColumn]:
        painter = PiecePainter(frame, marks=needs_marks(self.app))

        def count(pretoken: Pretoken) -> str:
            return "" if pretoken.special else number(len(frame.pieces_of(spelled(pretoken.text))))

        def score(pretoken: Pretoken) -> str:
            edges = () if pretoken.special else frame.pieces_of(spelled(pretoken.text))
            return score_text(sum(edge.score for edge in edges), 1) if edges else ""

        columns = [
            RowColumn("text", 0, painter.pretoken),
            RowColumn("pieces", 7, lambda pretoken: [(count(pretoken), "dim")], True),
            RowColumn("score", SCORE_CELLS, lambda pretoken: [(score(pretoken), "")], True),
        ]
        return columns if width >= ROOM_FOR_SCORE else columns[:2]


LONGEST_TEXT = 20_000
"""Number of characters that are cut; each may be a pretoken with its own lattice."""


class UnigramEncodingScreen(WalkScreen):
    """A screen to type a text and walk through the lattice of each pretoken."""

    NAME = UNIGRAM_ENCODING
    VIEW = UNIGRAM_VIEW
    CSS_PATH = sheet("unigram-encoding.tcss")
    SLOT = ("arrivals", "paths", "pretokens")
    PANEL_ORDER = ("pretokens", "lattice", "lanes", *SLOT[:2], "text")
    HIDDEN: ClassVar[Mapping[str, str]] = {
        "pretokens": "pretokens",
        "arrivals": "Viterbi",
        "paths": "segmentations",
    }
    STEPS_A_SECOND = 2

    _place = 0
    _walk: walks.Walkthrough | None = None

    def compose_panels(self) -> ComposeResult:
        yield walks.LatticePanel().data_bind(frame=SessionScreen.frame)
        yield PieceLanesPanel().data_bind(frame=SessionScreen.frame)
        with Container(id="panels"):
            for panel in (UnigramTextPretokens, walks.ArrivalsPanel, walks.PathsPanel):
                yield panel().data_bind(frame=SessionScreen.frame)

    # -- new frames and texts

    def facts_of(self, frame: UnigramFrame) -> Sequence[str]:
        return "Unigram", plural(frame.size, frame.record.PIECE), "the best way through the lattice"

    def show_text(self) -> None:
        text = self.text[:LONGEST_TEXT]
        if self.frame is not None:
            self.query_one(UnigramTextPretokens).pretokens = self.frame.cut(text)
            shown = islice(pieces_of_text(self.frame, text), TOKENS_SHOWN + 1)
            self.query_one(PieceLanesPanel).pieces = tuple(shown)
        remark = ""  # which part of the text is not cut, or which no piece spells
        if len(self.text) > LONGEST_TEXT:
            remark = f"the first {plural(LONGEST_TEXT, 'character')} are cut"
        elif self.frame is not None:
            remark = describe_unknown(self.frame, self.text, self.size.width - 6)
        self.query_one("#text").border_subtitle = Content(remark)

    def on_parts_panel_selected(self, event: UnigramTextPretokens.Selected) -> None:
        event.stop()
        if self.frame is None:
            return
        pretoken: Pretoken | None = event.part
        is_special = pretoken is not None and pretoken.special
        word = "" if pretoken is None or is_special else spelled(pretoken.text)
        walk = walks.Walkthrough(self.frame, word, is_special)
        if self._walk is None or not self._walk.is_like(walk):
            self._walk = walk
            self.pause()
            self.go_to(len(walk.steps))

    def forget_run(self) -> None:
        super().forget_run()
        self._walk = None

    @property
    def progress(self) -> tuple[int, int]:
        return self._place, len(self._walk.steps) if self._walk is not None else 0

    def go_to(self, place: int) -> None:
        if self._walk is not None:
            self._place = max(0, min(place, len(self._walk.steps)))
            for panel in self.query(walks.WalkPanel):
                panel.show(self._walk, self._place)

    # -- the panels in the slot

    def show_panel(self, panel: str) -> None:
        if panel in ("lattice", "lanes"):
            # These two share one place, even on a large screen.
            self.set_class(panel == "lanes", "-lanes")
        super().show_panel(panel)

    # -- commands

    def action_lanes(self) -> None:
        """Switch between the bytes and tokens of the text and the lattice of a pretoken."""
        self.show_panel("lattice" if self.has_class("-lanes") else "lanes")

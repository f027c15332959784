"""What does each stage make of a text, and where does each token come from?"""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input

from bpe_tui.studies.pipeline.rows import Shown, stage_rows
from bpe_tui.views.panel import sentence
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import Row, Span

MARK_CELLS = 2
"""For the mark of the row under the cursor."""


class TypedTexts(Vertical):
    """The text, and the one that makes a pair with it."""

    def __init__(self) -> None:
        super().__init__(id="texts")
        self.border_title = Content("a text, and a second one where a pair is wanted")

    def compose(self) -> ComposeResult:
        yield Input(placeholder="a text (e)", id="pipeline-text", compact=True)
        yield Input(placeholder="a second text, for pairs", id="pipeline-pair", compact=True)

    @property
    def texts(self) -> tuple[str, str | None]:
        """What is typed; no pair if there is nothing in its field."""
        text, pair = (self.query_one(f"#pipeline-{name}", Input).value for name in ("text", "pair"))
        return text, pair or None


class PipelinePanel(Lines):
    """The stages from top to bottom; a row of a stage leads to what it can be switched to."""

    def __init__(self) -> None:
        super().__init__(id="stages")
        self.border_title = Content("stages")
        self.border_subtitle = Content("← → tokens · Enter switches a stage")
        self._shown: Shown | None = None
        self._said = ""
        self._rows: Sequence[Row] = ()

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def row(self, index: int) -> Row:
        mark: Span = ("▸ " if index == self.cursor else "  ", "pair")
        return Row([mark, *self._rows[index].spans], self._rows[index].target)

    def show(self, shown: Shown | None, title: str) -> None:
        """Show another run."""
        self._shown = shown
        self.border_title = Content(title)
        self.rebuild()

    def say(self, why: str) -> None:
        """Say why there is nothing to show."""
        self._shown = None
        self._said = why
        self.rebuild()

    def rebuild(self) -> None:
        if self.size.width:
            room = self.scrollable_content_region.width - MARK_CELLS
            self._rows = (
                sentence(self._said, room)
                if self._shown is None
                else stage_rows(self._shown, room, self.size.height)
            )
        super().rebuild()

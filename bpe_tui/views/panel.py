"""What every panel is: rows about a frame, with a title that says which question it answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

from textual.content import Content
from textual.reactive import reactive

from bpe_tui.views.pieces import TokenPainter
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import Row, paragraph
from engine.bpe.frame import Frame
from engine.recording.merge_frame import AnyMergeFrame, MergeFrame

FrameT = TypeVar("FrameT")
MergeFrameT = TypeVar("MergeFrameT", bound=AnyMergeFrame)


class FramePanel(Lines, Generic[FrameT]):
    """Shows `frame`, of the model's own kind.

    A subclass makes the rows in `rows_of`; they are made only when seen.
    """

    WIDEST = 72
    """Columns that are further apart than this no eye can follow."""

    FOLLOWS_RECORDING = False
    """Whether the panel changes when steps are recorded and the cursor stands still."""

    frame: reactive[Any] = reactive(None, repaint=False)

    def __init__(self, title: str, id: str) -> None:
        super().__init__(id=id)
        self.border_title = Content(title)
        self._rows: Sequence[Row] = ()

    def rows_of(self, frame: FrameT, width: int) -> Sequence[Row]:
        """The rows for a frame in so many cells."""
        raise NotImplementedError

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def row(self, index: int) -> Row:
        return self._rows[index]

    def watch_frame(self, old: Any, new: Any) -> None:
        if old and new and old.looks_like(new) and not self.FOLLOWS_RECORDING:
            return
        self.rebuild()

    def on_show(self) -> None:
        self.rebuild()

    @property
    def room(self) -> int:
        """Cells that a row may take, beside the scrollbar."""
        return min(self.scrollable_content_region.width, self.WIDEST)

    def rebuild(self) -> None:
        if self.frame is not None and self.display and self.size.width:
            self._rows = self.rows_of(self.frame, self.room)
            super().rebuild()
        else:
            self._rows = ()  # when they are seen again, what they tell of may be gone

    def say(self, title: str, foot: str = "") -> None:
        """Set what the border says; the text is shown as it is."""
        self.border_title = Content(title)
        self.border_subtitle = Content(foot)


class TokenPanel(FramePanel[AnyMergeFrame]):
    """A panel about the tokens of a state, of whichever model that merges pairs."""

    TOKEN: ClassVar[str] = "token"
    """What one of them is called."""

    frame: reactive[AnyMergeFrame | None] = reactive(None, repaint=False)

    def painter(self, frame: AnyMergeFrame) -> TokenPainter:
        return TokenPainter(frame, marks=self.app.no_color)


class Panel(FramePanel[Frame]):
    """A panel about a state of BPE."""

    frame: reactive[Frame | None] = reactive(None, repaint=False)

    def painter(self, frame: Frame) -> TokenPainter:
        return TokenPainter(frame, marks=self.app.no_color)


# What a panel says where it has nothing to show: why, and what to do about it.

NO_CORPUS = "No corpus is open, so nothing is counted. Press o and choose a text to count in."
GIVEN = "These merges are a tokenizer's. None was chosen here, so no heap and no trainer tells it."


def why_uncounted(frame: MergeFrame[Any]) -> str:
    """Why nothing is counted at a frame without a corpus."""
    return NO_CORPUS if frame.uncountable is None else f"Nothing is counted: {frame.uncountable}."


def sentence(text: str, width: int) -> list[Row]:
    """A sentence in as many rows as it needs."""
    return paragraph(text, width, "dim")

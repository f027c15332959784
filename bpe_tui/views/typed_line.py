"""A text in pieces over their labels, and a line to type it in: what all models share of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Input

from bpe_tui.views.panel import FramePanel, FrameT, sentence
from bpe_tui.widgets.rows import Row, Span, left, spans_width
from bpe_tui.widgets.visible import width


class Labelled(NamedTuple):
    """A piece, what stands under it, and the border behind it."""

    piece: Sequence[Span]
    label: str
    border: Span


def over_labels(pieces: Iterable[Labelled], room: int) -> list[Row]:
    """Pieces over their labels, in as many pairs of rows as needed.

    A row is broken at a border; a piece wider than the room is cut.
    """
    rows: list[Row] = []
    upper: list[Span] = []
    lower: list[Span] = []
    used = 0
    for piece, label, border in pieces:
        cells = min(max(spans_width(piece), width(label)), room - 1)
        if used and used + cells + 1 > room:
            rows += [Row(upper), Row(lower)]
            upper, lower, used = [], [], 0
        upper += [*left(piece, cells), border]
        lower += [*left([(label, "dim")], cells), (" ", "")]
        used += cells + 1
    return [*rows, Row(upper), Row(lower)]


class TypedText(FramePanel[FrameT]):
    """The pieces of a text, each over its label."""

    WIDEST = 1000

    text: reactive[str] = reactive("", repaint=False)

    def watch_text(self) -> None:
        self.rebuild()

    def rows_of(self, frame: FrameT, width: int) -> list[Row]:
        if not self.text:
            return sentence("Nothing typed yet: press e and type.", width)
        return self.rows_of_text(frame, width)

    def rows_of_text(self, frame: FrameT, width: int) -> list[Row]:
        """The rows for the text, of which there is some."""
        raise NotImplementedError


class TypedLine(Vertical):
    """A line to type in, and under it the pieces of a `TypedText`."""

    frame: reactive[Any] = reactive(None)

    WITH = "merges"
    """What a step has to encode with."""

    LONGEST: int | None = None
    """Characters of the line that are encoded."""

    def __init__(self) -> None:
        super().__init__(id="encode")
        self.border_title = Content(f"type to encode, with the {self.WITH} of this step")

    @abstractmethod
    def typed_text(self) -> TypedText[Any]:
        """The panel under the line."""

    @abstractmethod
    def told(self, frame: Any, text: str, shortened: bool) -> str:
        """How much there is of a text at a step."""

    def compose(self) -> ComposeResult:
        yield Input(placeholder="type here (e)", id="encode-input", compact=True)
        yield self.typed_text().data_bind(frame=TypedLine.frame)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one(TypedText).text = event.value[: self.LONGEST]
        self._say_size()

    def watch_frame(self) -> None:
        self._say_size()

    def _say_size(self) -> None:
        text = self.query_one(Input).value if self.is_mounted else ""
        told = ""
        if self.frame is not None and text:
            encoded = text[: self.LONGEST]
            told = self.told(self.frame, encoded, shortened=len(encoded) < len(text))
        self.border_subtitle = Content(told)

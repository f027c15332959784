"""How does what I type encode with the merges of this step?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bpe_tui.views.narration import told_unknown
from bpe_tui.views.panel import PRETOKEN_BORDER, TOKEN_BORDER, Panel, TokenPainter
from bpe_tui.views.training_panels import Labelled, TypedLine, TypedText, over_labels
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, paragraph
from engine.bpe.frame import Frame
from engine.encoding.typed_text import EncodedPretoken
from engine.text.pretokenize import to_bytes


class EncodedText(TypedText[Frame], Panel):
    """The tokens of a text, each over its id."""

    def rows_of_text(self, frame: Frame, width: int) -> list[Row]:
        rows = over_labels(_over_ids(self.painter(frame), frame.encode(self.text)), width)
        return [*rows, *paragraph(told_unknown(frame, self.text), width, "loss")]


class EncodeLine(TypedLine):
    """A line to type in, and under it the encoding."""

    def typed_text(self) -> EncodedText:
        return EncodedText("", id="encoded")

    def told(self, frame: Frame, text: str, shortened: bool) -> str:
        tokens = sum(len(piece.ids) for piece in frame.encode(text))
        unknown = frame.unknown_in(text)
        lost = f"{number(unknown)} × <unk>, in bytes none · " if unknown else ""
        return (
            f"{lost}{plural(tokens, 'token')} · {plural(len(to_bytes(text)), 'byte')} · "
            f"step {number(frame.step)}"
        )


def _over_ids(painter: TokenPainter, pieces: Iterable[EncodedPretoken]) -> Iterator[Labelled]:
    for piece in pieces:
        last = len(piece.ids) - 1
        for place, token_id in enumerate(piece.ids):
            border = PRETOKEN_BORDER if place == last else TOKEN_BORDER
            yield Labelled([painter.token(token_id)], str(token_id), border)

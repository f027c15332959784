"""Why is this piece not one token, or this pair not merged?"""

from __future__ import annotations

from itertools import islice

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Input

from bpe_tui.bpe.panels.encoding import LONGEST
from bpe_tui.views.panel import Panel
from bpe_tui.views.targets import ToStep
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.lines import Drawn
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import Row, left, paragraph
from bpe_tui.widgets.visible import quoted, visible_text
from engine.analysis.why_not import (
    Answer,
    Beaten,
    Merged,
    OneToken,
    PairBeaten,
    occurrences,
    parts_asked,
    why_not,
    why_not_merged,
)
from engine.bpe.frame import Frame
from engine.text.pretokenize import to_bytes, to_text

PLACES_SHOWN = 20
LONGEST_PIECE = 200
LABEL_WIDTH = 9


class WhyNotRows(Panel):
    """The answer for each place at which the piece stands in the text."""

    text: Drawn[str] = Drawn("")
    asked: Drawn[str] = Drawn("")

    def __init__(self) -> None:
        super().__init__("", id="why-not-rows")

    def rows_of(self, frame: Frame, width: int) -> list[Row]:
        parts = parts_asked(self.asked, self.text)
        if not any(parts):
            advice = (
                "Type the piece that you expected to be one token, or two tokens with | or a "
                "blank between: un|believ. Blanks count."
            )
            return paragraph(advice, width, "dim")
        places = list(islice(occurrences(self.text, "".join(parts)), PLACES_SHOWN + 1))
        if len(places) < 2:
            return self._answer_rows(frame, parts, None, width)
        rows: list[Row] = []
        for place in places[:PLACES_SHOWN]:
            if rows:
                rows.append(Row([]))
            rows.append(Row([(_whereabouts(self.text, place), "dim")]))
            rows += self._answer_rows(frame, parts, place, width)
        if len(places) > PLACES_SHOWN:
            rows += [Row([]), Row([("It stands at more places.", "dim")])]
        return rows

    def _answer_rows(
        self, frame: Frame, parts: tuple[str, ...], place: int | None, width: int
    ) -> list[Row]:
        """The answer in words, and the merge that it names where it stands."""
        answer = _answer(frame, self.text, parts, place)
        role = "gain" if isinstance(answer, OneToken | Merged) else ""
        rows = paragraph(answer.describe(quoted), width, role)
        if isinstance(answer, Beaten | PairBeaten | Merged) and len(answer.pretoken) <= LONGEST:
            step = next(islice(frame.rules.steps(answer.pretoken), answer.number - 1, None))
            painter, target = self.painter(frame), ToStep(step.rank + 1)
            for label, tokens in (("  before", step.before), ("▸ after", step.after)):
                shown = left(painter.tokens(tokens), width - LABEL_WIDTH)
                rows.append(Row([(label.ljust(LABEL_WIDTH), "dim"), *shown], target))
        return rows


class WhyNotPanel(Vertical):
    """A line for the piece, and the answers under it."""

    frame: reactive[Frame | None] = reactive(None)

    def __init__(self) -> None:
        super().__init__(id="why-not")
        self.border_title = Content("why not one token?")
        self.border_subtitle = Content("a|b asks about a pair   Esc back")

    def compose(self) -> ComposeResult:
        yield Field(
            placeholder="the piece, as it stands in the text",
            id="why-not-input",
            compact=True,
            max_length=LONGEST_PIECE,
        )
        yield WhyNotRows().data_bind(frame=WhyNotPanel.frame)

    def ask(self, piece: str) -> None:
        """Ask about a piece. It goes into the line, if a line can show it as it is."""
        field = self.query_one(Input)
        is_plain = visible_text(piece, spaces=False) == piece and len(piece) <= LONGEST_PIECE
        with field.prevent(Input.Changed):
            field.value = piece if is_plain else ""
        field.action_select_all()  # what is typed next takes its place
        self.query_one(WhyNotRows).asked = piece

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one(WhyNotRows).asked = event.value


def _answer(frame: Frame, text: str, parts: tuple[str, ...], place: int | None) -> Answer:
    if len(parts) == 2:
        return why_not_merged(frame, text, parts[0], parts[1], place)
    return why_not(frame, text, parts[0], place)


def _whereabouts(text: str, place: int) -> str:
    """What stands before the place: `at byte 15, after …kite·`."""
    before = to_text(to_bytes(text)[:place])[-12:]
    return f"at byte {number(place)}" + (f", after …{visible_text(before)}" if before else "")

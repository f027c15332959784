"""The window about tokens: why two merge or not (`w`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import ClassVar

import numpy as np
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from bpe_tui.panels.why_rows import Painters, describe_way, explanation_rows, token_rows
from bpe_tui.shell.panel import TokenPainter
from bpe_tui.shell.screen_room import HEIGHTS
from bpe_tui.shell.targets import ToStep
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.fields import Field, FieldOverRows
from bpe_tui.widgets.figure import Figure
from bpe_tui.widgets.language import tr, tr_sentence
from bpe_tui.widgets.lines import Lines, RowList
from bpe_tui.widgets.rows import Row, paragraph
from bpe_tui.widgets.visible import shorten, text_shown_as, visible_bytes, visible_text
from bpe_tui.words.narration import NO_CORPUS
from bpe_tui.words.typed import TypedTokens, describe_unknown, tokens_typed
from engine.analysis.explanation import Explanation, explain
from engine.analysis.pair_history import PairHistory
from engine.analysis.why_not import NeverEncoded, occurrences, parts_asked
from engine.bpe.frame import Frame
from engine.core.events import PAIR_SIGN
from engine.recording.playback import AnyMergeFrame
from engine.text.pretokenize import to_bytes, to_text

BETWEEN = "|"
CHART, CHART_LOW = 10, 5
"""Lines of the chart with its heading, on a large and on a small screen."""
LONGEST_IN_TITLE = 40
PLACES_SHOWN = 20
"""Most places of a text for which there is an answer."""
FRAME = 6
"""Lines of the window besides answer and chart."""
ADVICE = (
    "Type a piece, as ·lowest, to see why it is one token or not; or two tokens with | between, as "
    "th|e, to see why they merge or not. · is a space."
)


class AnswerRows(RowList, can_focus=False):
    """The rows of the answer, with a cursor although the field above has the focus."""

    SHOWS_CURSOR = PASSES_TEXT = True


class WhyWindow(FieldOverRows[object | None]):
    """The window about the tokens in its field; returns the target to go to.

    Args:
        frame: the frame of the step.
        painters: makes the painter of a frame's tokens.
        ids, typed: the first question: a token, or two; or what was typed.
        text: a text that a piece or a pair is first looked for in; each place has its answer.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "close"),
        Binding("enter", "choose", "go there", priority=True),
    ]
    VERTICAL_BREAKPOINTS = HEIGHTS

    def __init__(
        self,
        frame: AnyMergeFrame,
        painters: Painters,
        ids: Sequence[int],
        typed: str = "",
        text: str = "",
    ) -> None:
        super().__init__()
        self._frame, self._painters, self._text = frame, painters, text
        self._asked = TypedTokens(tuple(map(frame.any_token, ids)), tuple(ids))
        if typed:
            self._asked = tokens_typed(frame, typed)

    def compose(self) -> ComposeResult:
        tokens = map(visible_bytes, self._asked.tokens)
        with Vertical(id="why", classes="window") as window:
            window.border_title = Content(tr("why"))
            yield Field(BETWEEN.join(tokens), id="why-input", compact=True)
            yield AnswerRows("why-rows")
            yield Chart("why-chart")
            yield Static(tr("Esc closes"), id="why-keys", classes="keys")

    def on_mount(self) -> None:
        # Until the width is known there is no answer: the window grows with it, from one row.
        self.query_one(AnswerRows).styles.height = 1
        self.watch(self.query_one(AnswerRows), "cursor", self._say_where_enter_goes, init=False)
        self.query_one(Chart).display = False

    def on_input_changed(self, event: Input.Changed) -> None:
        asked = tokens_typed(self._frame, event.value) if event.value else TypedTokens((), ())
        if asked != self._asked:
            self._asked = asked
            self._show()

    def on_resize(self) -> None:
        if self.is_mounted:
            self.call_after_refresh(self._show)

    # -- the answer

    def _show(self) -> None:
        frame, asked, painter = self._frame, self._asked, self._painters(self._frame)
        width = self.query_one(AnswerRows).size.width - 2  # a blank, the scrollbar
        self._say_title("why")
        if not asked.tokens:
            self._show_rows(paragraph(ADVICE, width, "dim"))
        elif places := self._in_text():
            self._show_places(painter, places, width)
        elif asked.known and len(asked.tokens) == 1:
            self._show_rows(self._about_token(painter, asked.known[0], width))
        elif not asked.known and not isinstance(frame, Frame):
            text = f"{describe_unknown(frame, asked)} {tr(ADVICE)}"
            self._show_rows(paragraph(text, width, "dim"))
        else:
            pair = (asked.known[0], asked.known[1]) if asked.known else None
            explanation = explain(frame, asked.tokens, pair=pair)
            rows, first = explanation_rows(painter, explanation, width)
            if not rows:  # WordPiece counts nothing where no corpus is open
                rows = paragraph(NO_CORPUS, width, "dim")
            self._say_title_of(explanation, asked.tokens)
            if asked.hint:
                rows[:0] = paragraph(asked.hint, width, "dim")
            self._show_rows(rows, self._history_of(explanation), first)

    def _say_title(self, title: str) -> None:
        self.query_one("#why").border_title = Content(title)

    def _say_title_of(self, explanation: Explanation, tokens: Iterable[bytes]) -> None:
        name = PAIR_SIGN.join(map(visible_bytes, tokens))
        title = explanation.title(shorten(name, LONGEST_IN_TITLE))
        self._say_title(str(tr_sentence(title)))

    def _history_of(self, explanation: Explanation) -> PairHistory | None:
        """Return the counts of the pair that is asked about; `None` for a piece."""
        return next(iter(explanation.histories), None) if self._asked.known else None

    def _in_text(self) -> list[tuple[tuple[str, ...], int]]:
        """Return what is asked about with each place in the text, one more than is shown."""
        typed = self.query_one(Input).value
        for reading in (typed, text_shown_as(typed)):
            parts = parts_asked(reading, self._text)
            places = islice(occurrences(self._text, "".join(parts)), PLACES_SHOWN + 1)
            if found := [(parts, place) for place in places]:
                return found
        return []

    def _show_places(
        self, painter: TokenPainter, places: Sequence[tuple[tuple[str, ...], int]], width: int
    ) -> None:
        """Show the answer for each place in the text, under its name if there are several."""
        rows: list[Row] = []
        first, history = 0, None
        for parts, place in places[:PLACES_SHOWN]:
            if len(places) > 1:
                before = visible_text(to_text(to_bytes(self._text)[:place])[-12:])
                after = tr(", after …{before}", before=before) if before else ""
                name = tr("at byte {place}{after}", place=place, after=after)
                rows += [*([Row([])] if rows else []), Row([(name, "dim")])]
            explanation = explain(self._frame, parts, self._text, place)
            more, at = explanation_rows(painter, explanation, width)
            if place == places[0][1]:
                self._say_title_of(explanation, map(to_bytes, parts))
                first, history = len(rows) + at, self._history_of(explanation)
            rows += more
        if len(places) > PLACES_SHOWN:
            rows += [Row([]), Row([(tr("It occurs at more places."), "dim")])]
        self._show_rows(rows, history, first)

    def _about_token(self, painter: TokenPainter, token_id: int, width: int) -> list[Row]:
        """Return the answer about one token."""
        rows = token_rows(painter, token_id, width)
        explanation = explain(self._frame, self._asked.tokens)
        if isinstance(explanation.answer, NeverEncoded):
            rows += [Row([]), *explanation_rows(painter, explanation, width)[0]]
        return rows

    def _show_rows(
        self, rows: list[Row], history: PairHistory | None = None, first: int = 0
    ) -> None:
        """Show rows, with the cursor on the first that leads somewhere, from `first` on."""
        first = next((at for at in range(first, len(rows)) if rows[at].target is not None), 0)
        chart = self.query_one(Chart)
        chart.display = False
        if history is not None and history.ever_occurs:
            chart.figure, chart.at, chart.display = curve(history), self._frame.step, True
        chart_lines = CHART_LOW if self.has_class("-low") else CHART
        answer = self.query_one(AnswerRows)
        room = int(self.size.height * 0.95) - FRAME - (chart_lines if chart.display else 0)
        answer.styles.height = max(min(len(rows), room), 1)
        answer.show(rows, first)
        # The beginning is read first, also where the cursor is below it.
        answer.call_after_refresh(answer.scroll_to, y=0, animate=False, immediate=True)
        self._say_where_enter_goes()

    def _say_where_enter_goes(self) -> None:
        target = self.found_rows.target
        template = "Enter: {target} │ ↑ ↓ others │ "
        where = "" if target is None else tr(template, target=describe_way(target))
        self.query_one("#why-keys", Static).update(Content(tr("{where}Esc closes", where=where)))

    # -- leaving

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        self.dismiss(event.target)

    def on_chart_sought(self, event: Chart.Sought) -> None:
        event.stop()
        self.dismiss(ToStep(round(event.x)))


def curve(history: PairHistory) -> Figure:
    """Return the chart of a pair's count: level from one change to the next."""
    starts = np.array(history.steps, dtype=np.int64)
    counts = np.array(history.counts, dtype=np.int64)
    until = history.last
    if not history.counts[-1]:  # after it is gone, a few more steps are enough
        until = min(until, round(max(history.step, history.steps[-1]) * 1.2) + 1)
    ends = np.append(starts[1:], until)
    return Figure(np.column_stack([starts, ends]).ravel(), np.repeat(counts, 2), "step")

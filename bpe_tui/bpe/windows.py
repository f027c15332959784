"""Windows about a step: the pretokens that changed a count, and the breakpoints."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from bpe_tui.panels.training_panels import before_after, before_after_cells
from bpe_tui.session.session import Session
from bpe_tui.shell.panel import PRETOKEN_BORDER, TokenPainter, needs_marks, pair_text
from bpe_tui.shell.targets import ToLine
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.language import plural, tr, visible_message
from bpe_tui.widgets.lines import Lines, RowList
from bpe_tui.widgets.numbers import number, signed
from bpe_tui.widgets.rows import Row, RowsOnDemand, Span, left, right, wrapped
from bpe_tui.widgets.visible import shorten, visible_bytes, visible_text
from bpe_tui.widgets.window import Window
from bpe_tui.words.narration import first_fitting
from engine.analysis.breakpoint_list import WatchedBreakpoint
from engine.analysis.breakpoints import EXAMPLES
from engine.bpe.frame import Frame
from engine.core.errors import BreakpointError
from engine.core.events import Pair
from engine.recording.affected_pretokens import Contribution
from engine.text.excerpt import LONGEST_SHOWN
from engine.text.pretokenize import Pretoken, to_text

BEFORE = 3
"""Number of pretokens shown before the one that is looked for."""
TITLE_CELLS = 60


class LedgerWindow(Window[object | None]):
    """The pretokens that changed a count; Enter shows the lines of one, or goes to a line.

    The result is the place to go to, or None.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "back")]

    def __init__(self, frame: Frame, pair: Pair) -> None:
        super().__init__()
        self._frame, self._pair = frame, pair
        self._painter = TokenPainter(frame, marks=False)
        self._place = 0  # row of the pretoken last chosen
        self._pretoken: bytes | None = None

    @cached_property
    def _parts(self) -> list[Contribution]:
        self._frame.attribution.read()  # usually done already, by the panel
        return self._frame.attribution.behind(self._pair)

    def compose(self) -> ComposeResult:
        with Vertical(id="ledger", classes="window"):
            yield RowList("ledger-rows")
            yield Static(id="ledger-keys", classes="keys")

    def on_mount(self) -> None:
        self._painter.marks = needs_marks(self.app)
        self.query_one(RowList).focus()
        self.call_after_refresh(self._show_pretokens)

    def _say(self, title: str, subtitle: str, keys: str) -> None:
        window = self.query_one("#ledger")
        window.border_title = Content(shorten(title, TITLE_CELLS))
        window.border_subtitle = Content(tr(subtitle))
        self.query_one("#ledger-keys", Static).update(Content(tr(keys)))

    # -- the pretokens

    def _show_pretokens(self) -> None:
        self._pretoken = None
        change = sum(part.change for part in self._parts)
        self._say(
            f"{pair_text(self._frame, self._pair)}   {signed(change)}",
            plural(len(self._parts), "pretoken"),
            "↵ lines of the corpus │ Esc closes",
        )
        rows = RowsOnDemand(len(self._parts), self._pretoken_row)
        self.query_one(RowList).show(rows, self._place)

    def _pretoken_row(self, place: int) -> Row:
        part = self._parts[place]
        highest = self._parts[0]
        width = self.query_one(RowList).size.width
        count_width = len(number(highest.affected.count))
        change_width = max(len(signed(other.change)) for other in (highest, part)) + 2
        before, after = map(self._painter.tokens, (part.affected.before, part.affected.after))
        half = before_after_cells(count_width, width - change_width - 2)
        spans = before_after(part.affected.count, count_width, before, after, half, half)
        role = "gain" if part.change > 0 else "loss"
        return Row([*spans, right(signed(part.change), change_width, role)], part)

    # -- the lines

    def _show_lines(self, pretoken: bytes) -> None:
        self._pretoken = pretoken
        excerpt = self._frame.excerpt
        lines = excerpt.lines_with(pretoken)
        shown = "" if excerpt.complete else tr(" of the part that is shown")
        name, shown_text = visible_bytes(pretoken), to_text(pretoken)[:LONGEST_SHOWN]
        self._say(
            tr("lines with {name}", name=name),
            f"{plural(len(lines), 'line')}{shown}",
            "↵ goes to the line │ Esc back to the pretokens",
        )
        if lines:
            rows: RowsOnDemand | list[Row] = RowsOnDemand(
                len(lines),
                lambda place: Row(
                    [
                        right(number(lines[place] + 1), 7, "dim"),
                        *self._line_spans(excerpt.lines[lines[place]], shown_text),
                    ],
                    ToLine(lines[place]),
                ),
            )
        else:
            template = "{name} comes later in the corpus than the part that is read for show."
            text = tr(template, name=name)
            rows = [Row([(text, "dim")])]
        self.query_one(RowList).show(rows)

    def _line_spans(self, line: Sequence[Pretoken], text: str) -> list[Span]:
        """Return a line, from a few pretokens before the one that is looked for."""
        at = next(index for index, pretoken in enumerate(line) if pretoken.text == text)
        start = max(at - BEFORE, 0)
        spans: list[Span] = [("  " if not start else " …", "dim")]
        for pretoken in line[start:]:
            drawn = self._painter.pretoken(pretoken)
            if pretoken.text != text:
                drawn = [(part, "dim") for part, _ in drawn]
            spans += [*drawn, PRETOKEN_BORDER]
        return spans

    # -- the keys

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        if isinstance(event.target, ToLine):
            self.dismiss(event.target)
        else:
            self._place = self.query_one(RowList).cursor
            self._show_lines(self._parts[self._place].affected.pretoken)

    def action_back(self) -> None:
        if self._pretoken is None:
            self.dismiss(None)
        else:
            self._show_pretokens()


REFRESH_SECONDS = 0.2


class BreakpointRows(Lines):
    """The breakpoints, one a row: as typed, and the next step that stops."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("d,delete", "remove", "delete")]

    def __init__(self, session: Session) -> None:
        super().__init__(id="breakpoint-rows")
        self._session = session
        self._painted: list[Row] = []

    @property
    def row_count(self) -> int:
        return max(len(self._session.breakpoints.watched), 1)

    def row(self, index: int) -> Row:
        if not self._session.breakpoints.watched:
            return Row([(tr("No breakpoint yet. Write one below; Enter adds it."), "dim")])
        watched = self._session.breakpoints.watched[index]
        timeline = self._session.merges
        assert timeline is not None
        after = bisect_right(watched.hits, timeline.cursor)
        following = watched.hits[after] if after < len(watched.hits) else None
        room = self.scrollable_content_region.width // 2 - 4
        state_cells = self.scrollable_content_region.width - room - 1
        state = self._describe(watched, following, state_cells)
        spans = [
            *left([(visible_text(str(watched.breakpoint), spaces=False), "")], room),
            (" ", ""),
            (shorten(state, state_cells), "dim"),
        ]
        return Row(spans, following)

    def _describe(self, watched: WatchedBreakpoint, following: int | None, cells: int) -> str:
        """Return how often it is hit and where next, in fewer words where `cells` are few."""
        found = len(watched.hits)
        hits = f"{number(found):>6} {'hit ' if found == 1 else 'hits'}"
        if following is not None:
            return tr("{hits}  next at {following}", hits=hits, following=following)
        if self._session.stop_reason is None:
            template = "{hits}  none ahead so far"
            return first_fitting(
                cells, tr(template, hits=hits), tr("{hits}  none so far", hits=hits)
            )
        template = "{hits}  no later merge makes it"
        return first_fitting(cells, tr(template, hits=hits), tr("{hits}  none later", hits=hits))

    def show_news(self) -> None:
        """Paint the rows if the search for hits has changed them."""
        rows = [self.row(index) for index in range(self.row_count)]
        if rows != self._painted:
            self._painted = rows
            self.rebuild()

    def action_remove(self) -> None:
        if self._session.breakpoints.watched:
            del self._session.breakpoints.watched[self.cursor]
            self.rebuild()


class Breakpoints(Window[int | None]):
    """A window to list and add breakpoints; its result is a step to go to, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "close"),
        Binding("tab", "app.focus_next", "list or line", show=False),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._hint = Static(id="dialog-hint")

    def compose(self) -> ComposeResult:
        with Vertical(id="breakpoints", classes="window") as window:
            window.border_title = Content(tr("breakpoints"))
            window.border_subtitle = Content(tr("n runs to the next │ Esc closes"))
            yield BreakpointRows(self._session)
            yield Static(Content(tr("Tab to the list │ d deletes │ ↵ to its next")), classes="keys")
            yield Field(placeholder="tie", id="breakpoint-input", compact=True)
            yield self._hint

    def on_mount(self) -> None:
        self.set_interval(REFRESH_SECONDS, self.query_one(BreakpointRows).show_news)
        self.query_one("#breakpoint-input").focus()

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_examples)

    def _show_examples(self) -> None:
        """Show examples to type; an example is never broken, as its blanks may count."""
        if not self._hint.has_class("-refused"):
            words = ([(f"{line}   ", "")] for line in (tr("Like"), *EXAMPLES))
            lines = wrapped(words, self._hint.size.width)
            shown = ("".join(text for text, _ in line).rstrip() for line in lines)
            self._hint.update(Content("\n".join(shown)))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        hint = self._hint
        try:
            self._session.breakpoints.add(event.value)
        except BreakpointError as error:
            hint.update(Content(visible_message(error)))
            hint.add_class("-refused")
            return
        hint.remove_class("-refused")
        self._show_examples()
        event.input.value = ""
        self.query_one(BreakpointRows).rebuild()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        assert isinstance(event.target, int)
        self.dismiss(event.target)


def none_found(session: Session) -> str:
    """Return why running to a breakpoint found none."""
    watched = session.breakpoints.watched
    if not watched:
        return tr("No breakpoint is set: t, then b, adds one.")
    if len(watched) == 1:
        line = visible_text(str(watched[0].breakpoint), spaces=False)
        return tr("No later merge makes it: {line}", line=line)
    template = "No later merge makes any of the {breakpoints}."
    return tr(template, breakpoints=plural(len(watched), "breakpoint"))

"""Windows about a step: the pretokens that changed a count, and the breakpoints."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from bpe_tui.panels.training_panels import before_after, before_after_cells
from bpe_tui.session.session import Session
from bpe_tui.shell.panel import TokenPainter, needs_marks, pair_text
from bpe_tui.shell.targets import ToLine
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.language import plural, tr, visible_message
from bpe_tui.widgets.lines import Lines, RowList
from bpe_tui.widgets.numbers import number, signed
from bpe_tui.widgets.rows import Row, RowsOnDemand, left, right, wrapped
from bpe_tui.widgets.visible import shorten, visible_bytes, visible_text
from bpe_tui.widgets.window import Window
from bpe_tui.words.narration import first_fitting
from engine.analysis.breakpoint_list import WatchedBreakpoint
from engine.analysis.breakpoints import EXAMPLES
from engine.bpe.frame import Frame
from engine.core.errors import BreakpointError
from engine.core.events import Pair
from engine.recording.affected_pretokens import Contribution

TITLE_CELLS = 60


class LedgerWindow(Window[ToLine | None]):
    """The pretokens that changed a count; Enter goes to the first line of one in the corpus."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "close")]

    def __init__(self, frame: Frame, pair: Pair) -> None:
        super().__init__()
        self._frame, self._pair = frame, pair
        self._painter = TokenPainter(frame, marks=False)

    @cached_property
    def _parts(self) -> list[Contribution]:
        self._frame.attribution.read()  # usually done already, by the panel
        return self._frame.attribution.behind(self._pair)

    def compose(self) -> ComposeResult:
        with Vertical(id="ledger", classes="window") as window:
            change = signed(sum(part.change for part in self._parts))
            title = f"{pair_text(self._frame, self._pair)}   {change}"
            window.border_title = Content(shorten(title, TITLE_CELLS))
            window.border_subtitle = Content(plural(len(self._parts), "pretoken"))
            yield RowList("ledger-rows")
            yield Static(Content(tr("↵ first line with it │ Esc closes")), classes="keys")

    def on_mount(self) -> None:
        self._painter.marks = needs_marks(self.app)
        self.query_one(RowList).focus()
        self.call_after_refresh(self._show_pretokens)

    def _show_pretokens(self) -> None:
        self.query_one(RowList).show(RowsOnDemand(len(self._parts), self._pretoken_row))

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

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        assert isinstance(event.target, Contribution)
        pretoken = event.target.affected.pretoken
        if lines := self._frame.excerpt.lines_with(pretoken):
            self.dismiss(ToLine(lines[0]))
        else:
            template = "{name} comes later in the corpus than the part that is read for show."
            later = tr(template, name=visible_bytes(pretoken))
            self.query_one(".keys", Static).update(Content(later))


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

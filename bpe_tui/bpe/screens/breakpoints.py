"""The breakpoints: add one by a line of text, switch it off and on, take it out."""

from __future__ import annotations

from bisect import bisect_right
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from bpe_tui.session.session import Session
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, left, wrapped
from bpe_tui.widgets.visible import visible_text
from bpe_tui.widgets.window import Window
from engine.analysis.breakpoints import Watched, examples
from engine.core.errors import BreakpointError

REFRESH_SECONDS = 0.2


class BreakpointRows(Lines):
    """A breakpoint a row: on or off, the line that was written, where it stops next."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "switch", "on or off"),
        Binding("d,delete", "remove", "delete"),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__(id="breakpoint-rows")
        self._session = session

    @property
    def row_count(self) -> int:
        return max(len(self._session.breakpoints), 1)

    def row(self, index: int) -> Row:
        if not len(self._session.breakpoints):
            return Row([("No breakpoint yet. Write one below; Enter adds it.", "dim")])
        watched = self._session.breakpoints[index]
        timeline = self._session.merges
        assert timeline is not None
        after = bisect_right(watched.hits, timeline.cursor)
        following = watched.hits[after] if after < len(watched.hits) else None
        room = max(self.size.width // 2 - 4, 12)
        spans = [
            ("[x] " if watched.enabled else "[ ] ", "strong" if watched.enabled else "dim"),
            *left([(visible_text(str(watched.breakpoint), spaces=False), "")], room),
            (" ", ""),
            (self._describe(watched, following), "loss" if watched.failure else "dim"),
        ]
        return Row(spans, following)

    def _describe(self, watched: Watched, following: int | None) -> str:
        if watched.failure:
            return visible_text(watched.failure, spaces=False)
        if not watched.enabled:
            return "off"
        found = len(watched.hits)
        hits = f"{number(found):>6} {'hit ' if found == 1 else 'hits'}"
        if following is not None:
            return f"{hits}  next at {number(following)}"
        if self._session.stop_reason is None:
            return f"{hits}  none ahead so far"
        return f"{hits}  no later merge makes it"

    def action_switch(self) -> None:
        if len(self._session.breakpoints):
            self._session.breakpoints.toggle(self.cursor)
            self.rebuild()

    def action_remove(self) -> None:
        if len(self._session.breakpoints):
            self._session.breakpoints.remove(self.cursor)
            self.rebuild()


class Breakpoints(Window[int | None]):
    """Lists the breakpoints and takes new ones; gives back a step to go to, or `None`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "close"),
        Binding("tab", "app.focus_next", "list or line", show=False),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._examples = examples(session.model.merges_by_score)

    def compose(self) -> ComposeResult:
        with Vertical(id="breakpoints", classes="window") as window:
            window.border_title = Content("breakpoints")
            window.border_subtitle = Content("n runs to the next · Esc closes")
            yield BreakpointRows(self._session)
            yield Static(
                Content("Tab to the list · space on/off · d deletes · ↵ to its next"),
                classes="keys",
            )
            yield Field(placeholder="tie", id="breakpoint-input", compact=True)
            yield Static(id="dialog-hint")

    def on_mount(self) -> None:
        self.set_interval(REFRESH_SECONDS, self.query_one(BreakpointRows).rebuild)
        self.query_one("#breakpoint-input").focus()

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_examples)

    @property
    def _hint(self) -> Static:
        return self.query_one("#dialog-hint", Static)

    def _show_examples(self) -> None:
        """What may be typed; no line ends within an example, whose blanks may count."""
        if not self._hint.has_class("-refused"):
            words = ([(f"{line}   ", "")] for line in ("Like", *self._examples))
            lines = wrapped(words, self._hint.size.width)
            told = ("".join(text for text, _ in line).rstrip() for line in lines)
            self._hint.update(Content("\n".join(told)))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        hint = self._hint
        try:
            self._session.breakpoints.add(event.value)
        except BreakpointError as error:
            hint.update(Content(visible_text(str(error), spaces=False)))
            hint.add_class("-refused")
            return
        hint.remove_class("-refused")
        self._show_examples()
        event.input.value = ""
        self.query_one(BreakpointRows).rebuild()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        assert isinstance(event.target, int)
        self.dismiss(event.target)


def none_found(session: Session) -> str:
    """Why running to a breakpoint led nowhere, in one sentence."""
    enabled = session.breakpoints.enabled
    if not enabled:
        return "No breakpoint is set: key b adds one."
    if len(enabled) == 1:
        line = visible_text(str(enabled[0].breakpoint), spaces=False)
        return f"No later merge makes it: {line}"
    return f"No later merge makes any of the {plural(len(enabled), 'breakpoint')}."

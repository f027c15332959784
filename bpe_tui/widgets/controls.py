"""Lines around the panels: keys and switches to click, messages, and a slider."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from rich.cells import cell_len
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from bpe_tui.styles import painted
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.rows import Span, right, spans_width, wrapped_text

BarPart = tuple[str, Sequence[Span]]
"""The name of a part, and its spans."""


class PartsLine(Widget):
    """A line of parts to click. A subclass makes the parts; a click posts its `Pressed`."""

    Pressed: ClassVar[Any]
    """The message of a click; it takes the name of a part."""

    def parts(self, y: int = 0) -> Iterable[BarPart]:
        """Return the parts of a line from left to right."""
        raise NotImplementedError

    def render_line(self, y: int) -> Strip:
        spans = [span for _, texts in self.parts(y) for span in texts]
        return Strip(painted(self, spans)).adjust_cell_length(self.size.width, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        end = 0
        for name, texts in self.parts(event.y):
            end += sum(cell_len(text) for text, _ in texts)
            if event.x < end and name:
                self.post_message(self.Pressed(name))
                return


class FooterKey(NamedTuple):
    """A key as it is shown, a word for its effect, its action, and whether it stays longest.

    Without a label it is one of two keys before one label: `+ − speed`.
    """

    shown: str
    label: str
    action: str
    is_lasting: bool = False

    @property
    def width(self) -> int:
        """The cells, including the blanks around them."""
        return sum(cell_len(text) for text, _ in self.spans)

    @property
    def spans(self) -> Sequence[Span]:
        """The key and its label."""
        label = [(f" {self.label} ", "")] if self.label else []
        return [(f" {self.shown}", "here"), *label]


class KeyBar(PartsLine):
    """A line of `keys`, and where it has two lines, `more` of them.

    With little room, the lasting ones stay longest.
    """

    keys: reactive[Sequence[FooterKey]] = reactive(())
    more: reactive[Sequence[FooterKey]] = reactive(())

    @dataclass
    class Pressed(Message):
        """The mouse asks for the action of a key."""

        action: str

    def fitting(self, width: int, y: int = 0) -> list[FooterKey]:
        """Return the keys of a line that fit."""
        keys = list(self.more if y else self.keys)
        while len(keys) > 1 and sum(key.width for key in keys) > width:
            others = [key for key in keys if not key.is_lasting]
            keys.remove(others[-1] if others else keys[1])
            if keys and not keys[-1].label:
                keys.pop()  # the other key of the label
        return keys

    def parts(self, y: int = 0) -> Iterable[BarPart]:
        return ((key.action, key.spans) for key in self.fitting(self.size.width, y))


class Tab(NamedTuple):
    """A tab: its key, its name, a shorter one, its action, and whether it has something to show."""

    key: str
    name: str
    short: str
    action: str
    is_open: bool = True


class TabLine(PartsLine):
    """A line of `tabs`, the one `here` lit; with little room shorter names, then fewer.

    At the right edge are the `note` and the name of another `language`, if there is room for each.
    """

    NOTE_GAP = 3

    tabs: reactive[Sequence[Tab]] = reactive(())
    here: reactive[str] = reactive("")
    note: reactive[str] = reactive("")
    language: reactive[str] = reactive("")

    @dataclass
    class Pressed(Message):
        """The mouse asks for the action of a tab."""

        action: str

    def parts(self, y: int = 0) -> Iterable[BarPart]:
        room = self.size.width
        tabs = self._fitting(room)
        both = f"{self.note}  {self.language}" if self.note else self.language
        if self.language and self.has_room_for(both, room):
            note = right(self.note, room - _width(tabs) - cell_len(self.language) - 3)
            return [*tabs, ("", [note]), ("app.language", [(f"  {self.language}", "dim")])]
        if self.has_room_for(self.note, room):
            tabs.append(("", [right(self.note, room - _width(tabs) - 1)]))
        return tabs

    def has_room_for(self, note: str, room: int) -> bool:
        """Whether there is room for this note beside the tabs in a line of `room` cells."""
        taken = _width(self._fitting(room)) + self.NOTE_GAP + cell_len(note) + 1
        return bool(note and self.tabs) and taken <= room

    def _fitting(self, room: int) -> list[BarPart]:
        """Return the tabs with the longest names that fit; without room the last ones have none."""
        tabs = [self._part(tab, f" {tab.name}", " ") for tab in self.tabs]
        for named in range(len(self.tabs), -1, -1):
            if _width(tabs) <= room:
                break
            tabs = [
                self._part(tab, f" {tab.short}" if at < named or tab.name == self.here else "", "")
                for at, tab in enumerate(self.tabs)
            ]
        return tabs

    def _part(self, tab: Tab, name: str, end: str) -> BarPart:
        """Return a tab after a blank, and with an end if there is room for both."""
        role = "tab" if tab.name == self.here else "" if tab.is_open else "dim"
        key = (tab.key, role or "here")
        return tab.action, [(" ", role if end else ""), key, (f"{name}{end}", role)]


def _width(parts: Iterable[BarPart]) -> int:
    return sum(spans_width(spans) for _, spans in parts)


class FilterSwitch(NamedTuple):
    """A filter that is on or off, with its label."""

    name: str
    label: str


class Switches(PartsLine):
    """A line of switches; those that are `on` have a mark, so that no colour is needed."""

    GAP = 2

    on: reactive[frozenset[str]] = reactive(frozenset())

    @dataclass
    class Pressed(Message):
        """The mouse asks to turn a switch."""

        name: str

    def __init__(self, switches: Sequence[FilterSwitch], id: str) -> None:
        super().__init__(id=id)
        self._switches = switches

    def parts(self, y: int = 0) -> Iterable[BarPart]:
        return map(self._part, self._switches)

    def _part(self, switch: FilterSwitch) -> BarPart:
        mark, role = ("●", "strong") if switch.name in self.on else ("○", "dim")
        menu = [("F ", "here")] if switch is self._switches[0] else []  # its key, in front of all
        return switch.name, [*menu, (f"{mark} {tr(switch.label)}{' ' * self.GAP}", role)]


MOST_ROWS = 3
"""Most rows of a message; they are taken from the panels."""


class FootLine(Widget):
    """A line with a `message`, or without one, the entries of the `legend` that fit.

    The most important entries come first.
    """

    message: reactive[str] = reactive("", layout=False)
    legend: reactive[Sequence[Sequence[Span]]] = reactive(())

    def watch_message(self) -> None:
        self.set_class(bool(self.message), "-message")
        self.styles.height = len(self._rows)

    on_resize = watch_message

    @property
    def _rows(self) -> list[list[Span]]:
        """The rows of the message, or one row with the legend."""
        room = max(self.screen.size.width - 2, 1)
        if not self.message:
            return [fitting_entries(self.legend, room)]
        return [[(line, "")] for line in wrapped_text(self.message, room)[:MOST_ROWS]]

    def render_line(self, y: int) -> Strip:
        rows = self._rows
        if y >= len(rows):
            return Strip.blank(self.size.width, self.rich_style)
        spans = [(" ", ""), *rows[y]]
        return Strip(painted(self, spans)).adjust_cell_length(self.size.width, self.rich_style)


ENTRY_GAP = 2


def fitting_entries(entries: Sequence[Sequence[Span]], room: int) -> list[Span]:
    """Return the first entries that fit, with gaps between them.

    >>> fitting_entries([[("a", "")], [("bc", "dim")]], 4)
    [('a', '')]
    """
    row: list[Span] = []
    for entry in entries:
        longer = [*row, (" " * ENTRY_GAP, ""), *entry] if row else list(entry)
        if spans_width(longer) > room:
            break
        row = longer
    return row


@dataclass(frozen=True, eq=False)
class Marks:
    """Marks on a slider, at rising positions.

    If they are `only_few`, they are drawn only if there are few of them for the cells: marks left
    out would say that those drawn are all.
    """

    positions: Sequence[int]
    sign: str
    role: str
    only_few: bool = False


CELLS_OF_FEW = 4
"""Cells of the slider for each mark, if these are few."""


class Dragged(Widget):
    """A widget with a position to set by a click, or by dragging also outside the widget."""

    def seek(self, event: events.MouseEvent) -> None:
        """Ask for the position at the mouse."""
        raise NotImplementedError

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self.capture_mouse()
        self.seek(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self.app.mouse_captured is self:
            self.seek(event)

    def on_mouse_up(self) -> None:
        self.release_mouse()


class Scrubber(Dragged):
    """A slider at `position` in 0…`length`, with `marks`, the last on top; drag it to move."""

    position: reactive[int] = reactive(0)
    length: reactive[int] = reactive(0)
    marks: reactive[tuple[Marks, ...]] = reactive(())

    @dataclass
    class Sought(Message):
        """The mouse asks for a position, with a click or while it drags."""

        position: int
        is_drag: bool

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if width < 1:
            return Strip.blank(0)
        handle = self._cell_of(self.position)
        done, left, here = painted(self, [("━", "curve"), ("─", "border"), ("●", "strong")])
        cells = [done] * handle + [left] * (width - handle)
        for marks in self.marks:
            [mark] = painted(self, [(marks.sign, marks.role)])
            for cell in self._marked_cells(marks):
                cells[cell] = mark
        cells[handle] = here
        return Strip(cells, width).simplify()

    def _marked_cells(self, marks: Marks) -> Iterator[int]:
        """Yield the cells of marks from left to right, each once."""
        if marks.only_few and len(marks.positions) * CELLS_OF_FEW > self.size.width:
            return
        cell = 0
        for _ in range(self.size.width):
            # The first position that is drawn in this cell or in a later one.
            place = bisect_left(marks.positions, cell, key=self._cell_of)
            if place == len(marks.positions):
                return
            drawn = self._cell_of(marks.positions[place])
            yield drawn
            cell = drawn + 1

    def _cell_of(self, position: int) -> int:
        if not self.length:
            return 0
        return round(min(position / self.length, 1) * (self.size.width - 1))

    def seek(self, event: events.MouseEvent) -> None:
        cells = max(self.size.width - 1, 1)
        position = round(max(0, min(event.x, cells)) / cells * self.length)
        self.post_message(self.Sought(position, isinstance(event, events.MouseMove)))

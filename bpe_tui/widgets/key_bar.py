"""Lines around the panels: keys and switches that can be clicked, and what is said to the user."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from bpe_tui.widgets.roles import painted
from bpe_tui.widgets.rows import Span, spans_width, wrapped_text

Part = tuple[str, Sequence[Span]]
"""The name of a part, and its texts with their roles."""


class PartsLine(Widget):
    """A line of parts side by side. A subclass says which, and what a click on one asks for."""

    def parts(self) -> Iterable[Part]:
        raise NotImplementedError

    def pressed(self, name: str) -> Message:
        """What to post when the part of this name is clicked."""
        raise NotImplementedError

    def render_line(self, y: int) -> Strip:
        spans = [span for _, texts in self.parts() for span in texts]
        return Strip(painted(self, spans)).adjust_cell_length(self.size.width, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        end = 0
        for name, texts in self.parts():
            end += sum(cell_len(text) for text, _ in texts)
            if event.x < end:
                self.post_message(self.pressed(name))
                return


@dataclass(frozen=True)
class Key:
    """A key as people read it, a word for what it does, and the action that does it."""

    shown: str
    label: str
    action: str

    @property
    def width(self) -> int:
        """Cells with the blanks round it."""
        return cell_len(self.shown) + cell_len(self.label) + 3


class KeyBar(PartsLine):
    """Shows `keys` in their order. Where room is short those before the last two give way."""

    LAST = 2

    keys: reactive[Sequence[Key]] = reactive(())

    @dataclass
    class Pressed(Message):
        """The mouse asks for what a key does."""

        action: str

    def fitting(self, width: int) -> list[Key]:
        """The keys that there is room for."""
        first, last = list(self.keys[: -self.LAST]), list(self.keys[-self.LAST :])
        while first and sum(key.width for key in first + last) > width:
            first.pop()
        return first + last

    def parts(self) -> Iterable[Part]:
        for key in self.fitting(self.size.width):
            texts = (f" {key.shown} ", "here"), (f"{key.label} ", "")
            yield key.action, texts

    def pressed(self, name: str) -> Message:
        return self.Pressed(name)


@dataclass(frozen=True)
class Switch:
    """Something on or off: the key that turns it, what it is called."""

    name: str
    key: str
    label: str


class Switches(PartsLine):
    """A line of switches; those that are `on` have a mark, so no colour is needed to tell."""

    on: reactive[frozenset[str]] = reactive(frozenset())

    @dataclass
    class Pressed(Message):
        """The mouse turns a switch."""

        name: str

    def __init__(self, switches: Sequence[Switch], id: str) -> None:
        super().__init__(id=id)
        self._switches = switches

    def parts(self) -> Iterable[Part]:
        for switch in self._switches:
            mark, role = ("●", "strong") if switch.name in self.on else ("○", "dim")
            yield switch.name, ((switch.key, "here"), (f" {mark} {switch.label}  ", role))

    def pressed(self, name: str) -> Message:
        return self.Pressed(name)


MOST_ROWS = 3
"""Of a message; the panels lend them."""


class FootLine(Widget):
    """Shows `said`; while that is empty, as many of the `legend`'s entries as there is room for.

    An entry that means more stands before those that mean less.
    """

    said: reactive[str] = reactive("", layout=False)
    legend: reactive[Sequence[Sequence[Span]]] = reactive(())

    def watch_said(self) -> None:
        self.set_class(bool(self.said), "-said")
        rows = self._rows
        if self.styles.height is None or self.styles.height.value != len(rows):
            self.styles.height = len(rows)

    def on_resize(self) -> None:
        self.watch_said()

    @property
    def _room(self) -> int:
        return max(self.screen.size.width - 2, 1)

    @property
    def _rows(self) -> list[list[Span]]:
        """A message in its rows, or the legend in one."""
        if not self.said:
            return [fitting(self.legend, self._room)]
        return [[(line, "")] for line in wrapped_text(self.said, self._room)[:MOST_ROWS]]

    def render_line(self, y: int) -> Strip:
        rows = self._rows
        if y >= len(rows):
            return Strip.blank(self.size.width, self.rich_style)
        spans = [(" ", ""), *rows[y]]
        return Strip(painted(self, spans)).adjust_cell_length(self.size.width, self.rich_style)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return 1


GAP = 2


def fitting(entries: Sequence[Sequence[Span]], room: int) -> list[Span]:
    """The first entries, as many as there is room for, with gaps between.

    >>> fitting([[("a", "")], [("bc", "dim")]], 4)
    [('a', '')]
    """
    row: list[Span] = []
    for entry in entries:
        longer = [*row, (" " * GAP, ""), *entry] if row else list(entry)
        if spans_width(longer) > room:
            break
        row = longer
    return row

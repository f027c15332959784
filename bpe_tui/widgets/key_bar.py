"""Two widgets of one line: keys with what they do, and switches that are on or off.

Both react to the mouse as well as to their keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget


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


class KeyBar(Widget):
    """Shows `keys` in their order. Where room is short those before the last two give way."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"key-bar--key", "key-bar--label"}
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

    def render_line(self, y: int) -> Strip:
        base = self.rich_style
        key_style = self.get_component_rich_style("key-bar--key")
        label_style = self.get_component_rich_style("key-bar--label")
        segments = [
            segment
            for key in self.fitting(self.size.width)
            for segment in (
                Segment(f" {key.shown} ", key_style),
                Segment(f"{key.label} ", label_style),
            )
        ]
        return Strip(segments).adjust_cell_length(self.size.width, base)

    def on_click(self, event: events.Click) -> None:
        for start, key in self._places():
            if start <= event.x < start + key.width:
                self.post_message(self.Pressed(key.action))

    def _places(self) -> Iterator[tuple[int, Key]]:
        start = 0
        for key in self.fitting(self.size.width):
            yield start, key
            start += key.width


@dataclass(frozen=True)
class Switch:
    """Something on or off: the key that turns it, what it is called."""

    name: str
    key: str
    label: str


class Switches(Widget):
    """A line of switches; those that are `on` have a mark, so no colour is needed to tell."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"switches--key", "switches--off", "switches--on"}

    on: reactive[frozenset[str]] = reactive(frozenset())

    @dataclass
    class Pressed(Message):
        """The mouse turns a switch."""

        name: str

    def __init__(self, switches: Sequence[Switch], id: str) -> None:
        super().__init__(id=id)
        self._switches = switches

    def _parts(self) -> Iterator[tuple[int, Switch, str]]:
        """Where each stands, and what is written there."""
        start = 0
        for switch in self._switches:
            text = f" {'●' if switch.name in self.on else '○'} {switch.label}  "
            yield start, switch, text
            start += cell_len(switch.key) + cell_len(text)

    def render_line(self, y: int) -> Strip:
        style = self.get_component_rich_style
        segments: list[Segment] = []
        for _, switch, text in self._parts():
            state = "on" if switch.name in self.on else "off"
            segments.append(Segment(switch.key, style("switches--key")))
            segments.append(Segment(text, style(f"switches--{state}")))
        return Strip(segments).adjust_cell_length(self.size.width, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        for start, switch, text in self._parts():
            if start <= event.x < start + cell_len(switch.key) + cell_len(text):
                self.post_message(self.Pressed(switch.name))

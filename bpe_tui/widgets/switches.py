"""A line of switches, each with its key: what is on, what is off, and what turns it."""

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
class Switch:
    """Something on or off: the key that turns it, what it is called."""

    name: str
    key: str
    label: str


class Switches(Widget):
    """A line of switches; those that are `on` have a mark, so no colour is needed to tell."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"switches--key", "switches--off", "switches--on"}

    on: reactive[frozenset[str]] = reactive(frozenset())

    class Pressed(Message):
        """The mouse turns a switch."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

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

"""Equal panels of a screen: all at once if there is room, else one at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from textual.containers import Container
from textual.widget import Widget
from textual.widgets import Static

from bpe_tui.shell.session_screen import SessionScreen


def name_tiles(screen: type[SessionScreen], tiles: Sequence[Any]) -> None:
    """Make the panels of tiles those of a screen, in their order; each is named by its id."""
    screen.PANEL_ORDER = tuple(tile.id for tile in tiles)
    screen.SLOT, screen.TAKES_TURNS = screen.PANEL_ORDER, True
    screen.HIDDEN = {panel: panel for panel in screen.PANEL_ORDER}


def compose_tiles(panels: Iterable[Widget]) -> Iterator[Widget]:
    """Yield the line that names the panels, and the panels; each has a reactive `frame`."""
    yield Static(id="panel-names")
    with Container(id="panels"):
        for panel in panels:
            panel.data_bind(frame=SessionScreen.frame)
            panel.add_class("panel", update=False)  # its style sheet names it
            yield panel

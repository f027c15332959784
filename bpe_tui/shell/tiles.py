"""Equal panels of a screen: all at once if there is room, else one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from textual.containers import Container
from textual.widget import Widget
from textual.widgets import Static

from bpe_tui.shell.session_screen import SessionScreen

PanelOfTile = Mapping[type, Callable[[Any], Widget]]
"""Type of a tile → the class of its panel, which has a reactive `frame`."""


def name_tiles(screen: type[SessionScreen], tiles: Sequence[Any]) -> None:
    """Make the panels of tiles those of a screen, in their order; each is named by its id."""
    screen.PANEL_ORDER = tuple(tile.id for tile in tiles)
    screen.SLOT, screen.TAKES_TURNS = screen.PANEL_ORDER, True
    screen.HIDDEN = {panel: panel for panel in screen.PANEL_ORDER}


def compose_tiles(tiles: Sequence[Any], panel_of: PanelOfTile) -> Iterator[Widget]:
    """Yield the line that names the panels, and the panels."""
    yield Static(id="panel-names")
    with Container(id="panels"):
        for tile in tiles:
            panel = panel_of[type(tile)](tile).data_bind(frame=SessionScreen.frame)
            panel.add_class("panel", update=False)  # its style sheet names it
            yield panel

"""The room of a screen for its panels, beside or below the text of a lesson."""

from __future__ import annotations

from typing import Any

from textual import events
from textual.geometry import Size
from textual.screen import Screen

LEAST_WIDTH, LEAST_HEIGHT = 60, 20
"""Least size of the terminal, in cells."""
COMPACT_BELOW = 22
"""Room for panels, in rows, below which a screen under a text is compact."""
WIDTHS = [(0, "-too-narrow"), (LEAST_WIDTH, "-slim"), (76, "-narrow"), (100, "-wide")]
HEIGHTS = [(0, "-too-low"), (LEAST_HEIGHT - 1, "-low"), (27, "-tall")]
"""(least room for panels, in cells, class of the screen) from the smallest on."""
ROOMY_HEIGHT = 30
"""Least height of the terminal, in rows, at which the footer has two lines, without a text."""
FLAT_BELOW = 34
"""Room for panels, in rows, below which the heap gets rows that the panels below can spare."""
LARGE = Size(140, 50)
"""Least room, in cells, for panels that elsewhere take turns."""


class ScreenRoom:
    """The part of the terminal that a screen's panels have.

    Args:
        screen: the screen, which gets classes for its room.
        tabs: the line of tabs, which a compact screen does without; nothing if it has none.

    Attributes:
        taken: columns and rows used by something else, such as the text of a lesson.
        is_compact: whether a text above the screen leaves it fewer rows than a terminal needs.
        has_text_beside: whether a text beside or above the screen takes a part of its room.
    """

    def __init__(self, screen: Screen[Any], tabs: Size) -> None:
        self._screen, self._tabs = screen, tabs
        self.taken = tabs
        self.is_compact = self.has_text_beside = False

    def give(self, taken: Size) -> None:
        """Leave columns and rows to a text, which splits them off itself."""
        full = self._screen.app.size
        self.has_text_beside = taken != Size(0, 0)
        self.is_compact = taken.height > 0 and full.height - taken.height < COMPACT_BELOW
        if not self.is_compact:
            taken += self._tabs
        if taken != self.taken:
            self.taken = taken
            self._screen.post_message(events.Resize(full, full, full))

    def uncover(self) -> None:
        """Hide a text that covers the screen, so that nothing moves unseen."""
        if self._screen.has_class("-covered"):
            self._screen.query(".lesson-pane").set(display=False)
            self._screen.set_class(False, "-covered")

    def show_size(self, update: bool = True) -> None:
        """Set the screen's classes for the room in the terminal."""
        room = self._screen.app.size - self.taken
        if self.is_compact:
            room = Size(room.width, LEAST_HEIGHT)
        is_large = room.width >= LARGE.width and room.height >= LARGE.height
        classes: dict[str, bool] = {"-compact": self.is_compact, "-large": is_large}
        for cells, limits in ((room.width, WIDTHS), (room.height, HEIGHTS)):
            here = max(least for least, _ in limits if cells >= least)
            classes |= {name: least == here for least, name in limits}
        is_roomy = self._screen.app.size.height >= ROOMY_HEIGHT and self._tabs.height > 0
        classes["-flat"] = classes["-tall"] and room.height < FLAT_BELOW
        classes["-roomy"] = is_roomy and not self.has_text_beside
        classes["-small"] = any(map(classes.get, ("-narrow", "-slim", "-low")))
        self._screen.update_classes(classes, update=update, animate=False)

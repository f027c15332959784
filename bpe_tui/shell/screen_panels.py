"""The panels of a screen: which one has the focus, which is in front, which fills the screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from textual.screen import Screen
from textual.widget import Widget

from bpe_tui.widgets.lines import Lines


class Spot(NamedTuple):
    """A place on a screen: the focused panel and widget, and the rows of all lists.

    Attributes:
        rows: the row of the cursor in each list.
        tops: the first visible row of each list.
    """

    panel: str | None
    widget: Widget | None
    rows: tuple[int, ...]
    tops: tuple[int, ...]


class ScreenPanels:
    """The panels of a screen.

    Args:
        screen: the screen.
        order: their ids in the order of the Tab key.
        slot: those that share a place if there is too little room.

    Attributes:
        slot: the panel in front in the shared place, at first the first one; "" without one.
        alone: the panel that fills the screen in a scene of a lesson; Esc leads back to it.
    """

    def __init__(self, screen: Screen[Any], order: Sequence[str], slot: Sequence[str]) -> None:
        self._screen, self._order, self._sharing = screen, order, slot
        self.slot = slot[0] if slot else ""
        self.alone: str | None = None

    def focused(self) -> str | None:
        """Return the id of the panel that has the focus, or that contains the focused field."""
        widget: Widget | None = self._screen.focused
        while widget is not None and widget is not self._screen:
            if widget.id in self._order:
                return widget.id
            widget = cast("Widget | None", widget.parent)
        return None

    def rows_of(self, panel: str) -> Lines | None:
        """Return the list that a panel is or has; `None` if it has none."""
        widget = self._screen.query_one(f"#{panel}")
        return widget if isinstance(widget, Lines) else next(iter(widget.query(Lines)), None)

    def hidden(self, names: Mapping[str, str]) -> dict[str, str]:
        """Return those of some panels that have no room, with their names."""
        return {
            panel: name
            for panel, name in names.items()
            if not (widget := self._screen.query_one(f"#{panel}")).display
            and not widget.has_class("-needs-text")
        }

    def focus(self, panel: str) -> None:
        """Focus a panel, or the first field in it."""
        widget = self._screen.query_one(f"#{panel}")
        if not widget.can_focus:
            fields = (each for each in widget.query("*") if each.can_focus and each.display)
            widget = next(fields, widget)  # a new panel has no field yet
        # `focus()` would act later, and keys typed fast would go elsewhere meanwhile.
        self._screen.set_focus(widget)

    def bring_forward(self, panel: str) -> None:
        """Put a panel in front of those that share its place."""
        for each in self._sharing:
            self._screen.query_one(f"#{each}").set_class(each == panel, "-in-front")
        # In one assignment: each change of a class computes styles again.
        screen = self._screen
        screen.classes = (screen.classes - {f"slot-{self.slot}"}) | {f"slot-{panel}"}
        self.slot = panel

    def mark_zoom(self, old: str | None, new: str | None) -> None:
        """Mark the panel that fills the screen, and its ancestors, for the style sheet."""
        for panel, is_zoomed in ((old, False), (new, True)):
            if panel is not None:
                for widget in self._screen.query_one(f"#{panel}").ancestors_with_self:
                    if widget is not self._screen.app:
                        widget.set_class(is_zoomed, "-zoom", update=widget is self._screen)

    def spot(self) -> Spot:
        """Return the present place on the screen."""
        lists = self._screen.query(Lines)
        rows, tops = (each.cursor for each in lists), (each.scroll_offset.y for each in lists)
        return Spot(self.focused(), self._screen.focused, tuple(rows), tuple(map(int, tops)))

    def put_back(self, spot: Spot) -> None:
        """Put all cursors and the focus where they were."""
        for each, row, top in zip(self._screen.query(Lines), spot.rows, spot.tops, strict=False):
            if each.cursor != row:
                each.put_cursor(row, top)
        if spot.widget is not None and spot.widget.is_attached:
            self._screen.set_focus(spot.widget)

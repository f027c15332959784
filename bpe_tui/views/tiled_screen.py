"""A screen of panels that are all alike: all at once where there is room, else one at a time."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from bpe_tui.views.session_screen import SessionScreen


class TiledScreen(SessionScreen):
    """Where there is little room, a line names the panels, and the one in front is to be seen."""

    def on_mount(self) -> None:
        self.show_panel(self.PANEL_ORDER[0])

    def show_panel(self, panel: str) -> None:
        for name in self.PANEL_ORDER:
            self.query_one(f"#{name}").set_class(name == panel, "-in-front")
        names = (f"‹{name}›" if name == panel else f" {name} " for name in self.PANEL_ORDER)
        self.query_one("#panel-names", Static).update(Content(" ".join(names)), layout=False)
        super().show_panel(panel)

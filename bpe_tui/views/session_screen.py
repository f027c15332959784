"""What the screens of a session share: its frame, and the way back to where a row led from."""

from __future__ import annotations

from typing import Any, cast

from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Static

from bpe_tui.session.commands.command import Command
from bpe_tui.session.host import Host
from bpe_tui.session.session import Session
from bpe_tui.views.panel_screen import PanelScreen

ABOUT_MERGES = frozenset(
    (
        *("app.tie(1)", "app.tie(-1)", "app.breakpoints", "app.run_to_breakpoint", "app.what_if"),
        *("screen.ask", "screen.show('lockstep')", "screen.show('dropout')"),
        *("screen.walk(1)", "screen.walk(-1)", "screen.walk(1000000)", "screen.walk(-1000000)"),
        "screen.play",
        *("screen.sub_step", "screen.heap_view", "screen.show('pseudocode')", "app.show('race')"),
    )
)
"""The actions that have no answer for a tokenizer without merges."""


class SessionScreen(PanelScreen):
    """A screen that shows the session's frame in panels."""

    frame: reactive[Any] = reactive(None, repaint=False)
    """What the session shows: the state at the cursor, as the model of the screen has it."""

    @property
    def host(self) -> Host:
        return cast("Host", self.app)

    @property
    def session(self) -> Session:
        return self.host.session

    def on_mount(self) -> None:
        self.host.session_changed.subscribe(self, self.show_session, immediate=True)
        self.show_session(self.session)

    def on_screen_resume(self) -> None:
        self.show_session(self.session)

    def on_resize(self) -> None:
        if self.is_mounted:
            self.show_session(self.session)

    def show_session(self, session: Session) -> None:
        """Bring the screen up to date with the session."""
        if self.is_current:
            self.frame = self.frame_of(session)

    def frame_of(self, session: Session) -> Any:
        """The frame that the panels see."""
        return session.shown

    def refusal_of(self, command: Command) -> str | None:
        opened = self.session.opened
        if self.session.merges_nothing and opened is not None and command.action in ABOUT_MERGES:
            pipeline = opened.tokenizer.pipeline
            model = "" if pipeline is None else f" {pipeline.model.name}"
            return f"This is about merges, and the model{model} has none; 8 shows what it does."
        return super().refusal_of(command)

    @property
    def is_ready(self) -> bool:
        return self.session.shown is not None

    @property
    def way_back(self) -> bool:
        """Whether a row has led here, so that Esc leads back."""
        return self.host.ways.way_back

    def action_go_back(self) -> None:
        self.host.ways.go_back()


# A screen of panels that are all alike: all at once where there is room, else one at a time.


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

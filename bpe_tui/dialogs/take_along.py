"""Take along where one stands: the command that opens it, and the session in a file."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from bpe_tui.session.config import Config, Viewpoint
from bpe_tui.session.opening import (
    command_that_opens,
    root_config,
    saved_session,
    why_not_in_command,
)
from bpe_tui.session.session import Session
from bpe_tui.views.dialog import SaveFile
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.visible import visible_text
from bpe_tui.widgets.window import Window
from engine.core.files import check_free
from engine.learning.session_file import SavedSession, write_session


class CommandWindow(Window[None]):
    """Shows the command that opens what is open, and copies it where the terminal allows that."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,y", "dismiss(None)", "close"),
    ]

    def __init__(self, session: Session, viewpoint: Viewpoint) -> None:
        super().__init__()
        origin = session.forked_from
        config: Config = root_config(session)
        if origin is not None:
            while origin.forked_from is not None:
                origin = origin.forked_from
            viewpoint = Viewpoint(origin.step, viewpoint.view, viewpoint.text)
        self._command = command_that_opens(config, viewpoint)
        self._remarks = list(_left_out(session, viewpoint))

    def compose(self) -> ComposeResult:
        with Vertical(id="take-along", classes="window") as window:
            window.border_title = Content("the command that opens this")
            window.border_subtitle = Content("Esc closes")
            with VerticalScroll():
                shown = visible_text(self._command, spaces=False)
                yield Static(Content(shown), id="take-along-command")
            said = ["It is copied, if your terminal lets programs copy.", *self._remarks]
            yield Static(Content("\n".join(said)), classes="keys")

    def on_mount(self) -> None:
        self.app.copy_to_clipboard(self._command)


def _left_out(session: Session, viewpoint: Viewpoint) -> list[str]:
    """What a command cannot say."""
    said = []
    if session.config.from_input:
        said.append("The corpus came from standard input: pipe it in again.")
    if (why := why_not_in_command(viewpoint.text)) is not None:
        said.append(f"Without the text, which has {why}; S saves it.")
    if session.forked_from is not None:
        said.append("It opens the run that was forked, at the fork; S saves forks, too.")
    if session.breakpoints.enabled:
        said.append("Without the breakpoints; S saves them.")
    return said


class SaveSession(SaveFile):
    """Asks where to save the session, and for a note; gives back the file's name."""

    def __init__(self, session: Session, viewpoint: Viewpoint, suggestion: str) -> None:
        super().__init__(
            "save the session", "bpe-tui FILE opens it again. Tab: a note to yourself.", suggestion
        )
        self._session, self._viewpoint = session, viewpoint
        self._saved: SavedSession | None = None

    def compose_more(self) -> ComposeResult:
        with Horizontal(classes="labelled"):
            yield Static("note")
            yield Field("", id="session-note", compact=True)

    def answer(self, value: str) -> None:
        path = self.query_one("#dialog-input", Input).value.strip()
        if not path:
            self.refuse("Name a file.")
        else:
            self.run_worker(self._save(path), exclusive=True)

    async def _save(self, name: str) -> None:
        with self.writing(name, asked=name) as (path, overwrite):
            if not overwrite:
                check_free(path)
            self.say("Reading the corpus for its digest …")
            self._saved = await asyncio.to_thread(saved_session, self._session, self._noted)
            self.write(path, overwrite)

    @property
    def _noted(self) -> Viewpoint:
        return replace(self._viewpoint, note=self.query_one("#session-note", Input).value)

    def write(self, path: Path, overwrite: bool) -> None:
        assert self._saved is not None
        write_session(path, self._saved, overwrite=overwrite)

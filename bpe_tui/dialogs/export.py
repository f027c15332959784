"""Windows that ask for a step, and those that export: a file, a command, a session."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from bpe_tui.session.config import Viewpoint
from bpe_tui.session.saved_sessions import (
    before_forks,
    command_that_opens,
    saved_session,
    why_not_in_command,
)
from bpe_tui.session.session import Session, StepFrame
from bpe_tui.views.dialog import Dialog, SaveFile
from bpe_tui.views.exports import ExportKind, ExportSource
from bpe_tui.views.typed import parse_step, parse_steps
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import cursor_sign
from bpe_tui.widgets.visible import visible_text
from bpe_tui.widgets.window import Window
from engine.core.files import check_free, write_files
from engine.learning.session_file import SavedSession, write_session


class GoTo(Dialog):
    """The window for a step between 0 and `last`: `128`, `1,024`, `50%`, `+10` or `-10`."""

    def __init__(self, step: int, last: int) -> None:
        self._step, self._last = step, last
        super().__init__(
            "go to step", f"0 to {number(last)}, or like 50%, +10, -10; now {number(step)}"
        )

    def answer(self, value: str) -> None:
        step = parse_step(value, self._step, self._last)
        if step is None:
            self.refuse(f"Give a number from 0 to {number(self._last)}, or like 50%, +10, -10.")
        else:
            self.dismiss(str(step))


SLICE_SECONDS = 0.015
"""Longest time for which making a file keeps the screen waiting."""


class Export(SaveFile):
    """The window to export a file; returns its name when it is written."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "choose(-1)", "what", show=False, priority=True),
        Binding("down", "choose(1)", "what", show=False, priority=True),
    ]

    def __init__(
        self, screen: Screen[object], frame: StepFrame, corpus: str, kinds: Sequence[ExportKind]
    ) -> None:
        self._screen, self._frame, self._corpus = screen, frame, corpus
        self._kinds, self._kind = kinds, kinds[0]
        self._suggested = self._suggestion()
        self._content = ""
        super().__init__("export", "↑ ↓ choose what; the directory is made.", self._suggested)

    def compose_more(self) -> ComposeResult:
        yield Static(id="export-kinds")
        first = str(max(self._frame.step, 1))
        with Horizontal(id="export-range", classes="labelled"):
            yield Static("steps")
            yield Field(first, id="export-steps", compact=True)

    def on_mount(self) -> None:
        super().on_mount()
        self._show_kind()

    # -- the kind of file

    def action_choose(self, by: int) -> None:
        self._kind = self._kinds[(self._kinds.index(self._kind) + by) % len(self._kinds)]
        field = self.query_one("#dialog-input", Input)
        if field.value == self._suggested:
            self._suggested = field.value = self._suggestion()
        elif Path(field.value).suffix:
            field.value = str(Path(field.value).with_suffix(self._kind.suffix))
        self._show_kind()

    def _suggestion(self) -> str:
        return f"{self._corpus}-{self._kind.name}-{self._frame.step}{self._kind.suffix}"

    def _show_kind(self) -> None:
        lines = [
            f"{cursor_sign(kind is self._kind)[0]}{kind.label:<24}{kind.suffix}"
            for kind in self._kinds
        ]
        self.query_one("#export-kinds", Static).update(Content("\n".join(lines)))
        self.query_one("#export-range").display = self._kind.asks_for_steps
        if self._kind.asks_for_steps:
            last = number(self._frame.recorded_steps)
            self.say(f"Tab: which steps, like 128 or 1-200, of {last}.")
        else:
            self.say("↑ ↓ choose what to export.")

    # -- the file

    def answer(self, value: str) -> None:
        path = self.query_one("#dialog-input", Input).value.strip()
        kind, last = self._kind, self._frame.recorded_steps
        if path and not path.endswith("/") and not Path(path).suffix:
            path += kind.suffix
        steps: tuple[int, int] | None = 0, 0
        if kind.asks_for_steps:
            steps = parse_steps(self.query_one("#export-steps", Input).value, last)
        if not path:
            self.refuse("Name a file.")
        elif steps is None and not last:
            self.refuse("No step is recorded yet.")
        elif steps is None:
            self.refuse(f"Give a step or a range from 1 to {number(last)}, like 128 or 1-200.")
        else:
            exported = ExportSource(self._screen, self._frame, *steps)
            work: Any = partial(self._write, path, kind.parts_of(exported))
            self.run_worker(work, exclusive=True)

    async def _write(self, name: str, parts: Iterator[str]) -> None:
        with self.writing(name, asked=name) as (path, overwrite):
            if not overwrite:
                check_free(path)  # before the long work
            self._content = await self._joined(parts)
            self.write(path, overwrite)

    def write(self, path: Path, overwrite: bool) -> None:
        write_files({path: self._content.encode("utf-8", "replace")}, overwrite=overwrite)

    async def _joined(self, parts: Iterator[str]) -> str:
        """Make the file's text in slices, between which Esc closes the window."""
        made: list[str] = []
        lines = 0
        due = monotonic() + SLICE_SECONDS
        for part in parts:
            made.append(part)
            lines += part.endswith("\n")  # a step may be made in several parts
            if monotonic() >= due:
                self.say(f"{plural(lines, 'step')} made; Esc stops.")
                await asyncio.sleep(0)
                due = monotonic() + SLICE_SECONDS
        return "".join(made)


FORKED = "It opens the run that was forked, at the fork."


class CommandWindow(Window[None]):
    """A window with the command that opens the session; the terminal may copy it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,y", "dismiss(None)", "close"),
    ]

    def __init__(self, session: Session, viewpoint: Viewpoint) -> None:
        super().__init__()
        config, viewpoint = before_forks(session, viewpoint)
        self._command = command_that_opens(config, viewpoint)
        # The parts of the session that a command leaves out.
        remarks = ["It is copied, if your terminal lets programs copy."]
        if session.config.from_input:
            remarks.append("The corpus came from standard input: pipe it in again.")
        if (why := why_not_in_command(viewpoint.text)) is not None:
            remarks.append(f"Without the text, which has {why}; S saves it.")
        if session.forked_from is not None:
            remarks.append(FORKED)
        if session.breakpoints.enabled:
            remarks.append("Without the breakpoints; S saves them.")
        self._remarks = remarks

    def compose(self) -> ComposeResult:
        with Vertical(id="take-along", classes="window") as window:
            window.border_title = Content("the command that opens this")
            window.border_subtitle = Content("Esc closes")
            with VerticalScroll():
                shown = visible_text(self._command, spaces=False)
                yield Static(Content(shown), id="take-along-command")
            yield Static(Content("\n".join(self._remarks)), classes="keys")

    def on_mount(self) -> None:
        self.app.copy_to_clipboard(self._command)


class SaveSession(SaveFile):
    """The window to save the session, with a note; returns the file's name."""

    def __init__(self, session: Session, viewpoint: Viewpoint, suggestion: str) -> None:
        hint = "bpe-tui FILE opens it again. Tab: a note to yourself."
        hint += f" {FORKED}" if session.forked_from is not None else ""
        super().__init__("save the session", hint, suggestion)
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
            work: Any = partial(self._save, path)
            self.run_worker(work, exclusive=True)

    async def _save(self, name: str) -> None:
        with self.writing(name, asked=name) as (path, overwrite):
            if not overwrite:
                check_free(path)
            self.say("Reading the corpus for its digest …")
            note = self.query_one("#session-note", Input).value
            viewpoint = replace(self._viewpoint, note=note)
            self._saved = await asyncio.to_thread(saved_session, self._session, viewpoint)
            self.write(path, overwrite)

    def write(self, path: Path, overwrite: bool) -> None:
        assert self._saved is not None
        write_session(path, self._saved, overwrite=overwrite)

"""Windows that ask for a number and those that export: a file or a command."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from bpe_tui.session.config import Viewpoint
from bpe_tui.session.opening_command import before_forks, command_that_opens, why_not_in_command
from bpe_tui.session.session import Session
from bpe_tui.shell.dialog import Dialog, SaveFile
from bpe_tui.shell.exports import exported_text, screen_svg
from bpe_tui.shell.panel_screen import PanelScreen
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.visible import visible_text
from bpe_tui.widgets.window import Window
from bpe_tui.words.typed import parse_step
from engine.core.files import write_files


class GoTo(Dialog):
    """The window for a step between 0 and `last`: `128`, `1,024`, `50%`, `+10` or `-10`."""

    def __init__(self, step: int, last: int) -> None:
        self._step, self._last = step, last
        template = "0 to {last}, or like 50%, +10, -10; now {step}"
        super().__init__("go to step", tr(template, last=last, step=step))

    def answer(self, value: str) -> None:
        step = parse_step(value, self._step, self._last)
        if step is None:
            template = "Give a number from 0 to {last}, or like 50%, +10, -10."
            self.refuse(tr(template, last=self._last))
        else:
            self.dismiss(str(step))


class Export(SaveFile):
    """The window to export a screen, as a picture or as a text; returns the file's name."""

    def __init__(self, screen: PanelScreen, step: int, corpus: str) -> None:
        self._screen, self._step = screen, step
        hint = tr("A picture; with a name that ends in .txt, the text.")
        super().__init__("export the screen", hint, f"{corpus}-screen-{step}.svg")

    def answer(self, value: str) -> None:
        lacks_suffix = value and not value.endswith("/") and not Path(value).suffix
        super().answer(f"{value}.svg" if lacks_suffix else value)

    def write(self, path: Path, overwrite: bool) -> None:
        if path.suffix == ".txt":
            drawn = exported_text(self._screen)
        else:
            drawn = screen_svg(self._screen, tr("bpe-tui, step {step}", step=self._step))
        write_files({path: drawn.encode("utf-8", "replace")}, overwrite=overwrite)


class CommandWindow(Window[None]):
    """A window with the command that opens the session; the terminal may copy it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,y", "dismiss(None)", "close")]

    def __init__(self, session: Session, viewpoint: Viewpoint) -> None:
        super().__init__()
        config, viewpoint = before_forks(session, viewpoint)
        self._command = command_that_opens(config, viewpoint)
        # The parts of the session that a command leaves out.
        remarks = ["It is copied, if your terminal lets programs copy."]
        if session.config.from_input:
            remarks.append("The corpus came from standard input: pipe it in again.")
        if (why := why_not_in_command(viewpoint.text)) is not None:
            remarks.append(tr("Without the text, which has {why}.", why=why))
        if session.forked_from is not None:
            remarks.append("It opens the run that was forked, at the fork.")
        if session.breakpoints.watched:
            remarks.append("Without the breakpoints.")
        if session.claimed is not None:
            remarks.append("Without the merges that are checked; o opens them again.")
        self._remarks = remarks

    def compose(self) -> ComposeResult:
        with Vertical(id="take-along", classes="window") as window:
            window.border_title = Content(tr("the command that opens this"))
            window.border_subtitle = Content(tr("Esc closes"))
            with VerticalScroll():
                shown = visible_text(self._command, spaces=False)
                yield Static(Content(shown), id="take-along-command")
            yield Static(Content("\n".join(map(tr, self._remarks))), classes="keys")

    def on_mount(self) -> None:
        self.app.copy_to_clipboard(self._command)

"""What all applications here share: colours, commands, help, and how they end."""

from __future__ import annotations

from typing import ClassVar

from textual.app import App

from bpe_tui.app import terminal
from bpe_tui.styles import sheet
from bpe_tui.styles.themes import DARK, LIGHT, THEMES
from bpe_tui.views.commands import CommandProvider


class BaseApp(App[int]):
    """An application without anything to show yet."""

    TITLE = "bpe-tui"
    CSS_PATH = sheet("app.tcss")
    COMMANDS: ClassVar = {CommandProvider}
    ENABLE_COMMAND_PALETTE = True

    def __init__(self) -> None:
        super().__init__(driver_class=terminal.lasting_driver())
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK.name

    def on_mount(self) -> None:
        terminal.on_ending_signals(self._end_on_signal)

    def _end_on_signal(self, number: int) -> None:
        self.exit(128 + number, return_code=128 + number)

    def action_light(self) -> None:
        self.theme = DARK.name if self.theme == LIGHT.name else LIGHT.name

    def action_help(self) -> None:
        self.clear_notifications()
        from bpe_tui.views.commands import Help

        self.push_screen(Help(self.screen.id or ""))

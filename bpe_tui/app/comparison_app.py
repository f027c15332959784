"""The comparison screen by itself, for `bpe-tui compare --open`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import App

from bpe_tui.app import terminal
from bpe_tui.studies.comparison.screen import ComparisonScreen
from bpe_tui.styles import sheet
from bpe_tui.styles.themes import DARK, LIGHT, THEMES
from bpe_tui.views.commands import CommandProvider, Help
from engine.encoding.tokenizer import Tokenizer


class ComparisonApp(App[int]):
    """Compares tokenizers on one text until the user leaves."""

    TITLE = "bpe-tui"
    CSS_PATH = sheet("app.tcss")
    COMMANDS: ClassVar = {CommandProvider}
    ENABLE_COMMAND_PALETTE = True

    def __init__(
        self, names: Sequence[str], open_all: Callable[[], Sequence[Tokenizer]], data: bytes
    ) -> None:
        super().__init__(driver_class=terminal.lasting_driver())
        self._screen = ComparisonScreen(names, open_all, data)
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK.name

    def on_mount(self) -> None:
        terminal.on_ending_signals(self._end_on_signal)
        self.push_screen(self._screen)

    def _end_on_signal(self, number: int) -> None:
        self.exit(128 + number, return_code=128 + number)

    def action_light(self) -> None:
        self.theme = DARK.name if self.theme == LIGHT.name else LIGHT.name

    def action_help(self) -> None:
        self.push_screen(Help(self.screen.id or ""))


def run_comparison(names: Sequence[str], tokenizers: Sequence[Tokenizer], data: bytes) -> int:
    """Run until the user leaves; the exit code."""
    terminal.tolerate_bad_bytes()
    app = ComparisonApp(names, lambda: tokenizers, data)
    app.run()
    return app.return_code or 0

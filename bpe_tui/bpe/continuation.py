"""The window that asks how many merges to learn after those of a tokenizer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from bpe_tui.session.config import Config, TokenizerConfig, Viewpoint
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.visible import visible_text
from bpe_tui.widgets.window import Window
from engine.bpe.continuation import check_continuable
from engine.core.errors import BpeError
from engine.encoding.tokenizer import Tokenizer

USUAL = 500
"""Number of merges that is suggested."""


class AddMerges(Window[Config | None]):
    """A window that asks for a number of merges; returns the config that learns them."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "cancel")]

    def __init__(self, config: TokenizerConfig, tokenizer: Tokenizer) -> None:
        super().__init__()
        self._config, self._tokenizer = config, tokenizer

    def compose(self) -> ComposeResult:
        own = number(len(self._tokenizer.merge_table))
        corpus = visible_text(Path(self._config.corpus or "").name, spaces=False)
        with Vertical(id="dialog") as window:
            window.border_title = Content("add merges")
            window.border_subtitle = Content("Enter learns them │ Esc cancels")
            yield Field(str(self._config.continued or USUAL), id="dialog-input", compact=True)
            hint = f"New merges to learn on {corpus}, after the tokenizer's {own}. All ids stay."
            yield Static(Content(hint), id="dialog-hint")

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        typed = event.value.strip().replace(",", "")
        if not (typed.isascii() and typed.isdigit()):
            self._refuse(f"Give a number, such as {number(USUAL)}.")
            return
        merges = int(typed[:12])
        try:
            check_continuable(self._tokenizer, merges)
        except BpeError as error:
            self._refuse(visible_text(str(error), spaces=False))
            return
        own = len(self._tokenizer.merge_table)
        self.dismiss(replace(self._config, continued=merges, viewpoint=Viewpoint(own)))

    def _refuse(self, why: str) -> None:
        hint = self.query_one("#dialog-hint", Static)
        hint.update(Content(why))
        hint.add_class("-refused")

"""The comparison screen: one text under several tokenizers, from difference to difference."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from bpe_tui.session.commands.command import COMPARISON
from bpe_tui.studies.comparison.panels import NumbersPanel, StripsPanel, Vocabularies
from bpe_tui.styles import sheet
from bpe_tui.views.dialog import Dialog
from bpe_tui.views.panel_screen import PanelScreen
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.visible import shorten, visible_text
from engine.analysis.comparison import TextComparison, first_parting, overlap
from engine.bpe.frame import Frame
from engine.core.errors import BpeError
from engine.encoding.tokenizer import Tokenizer
from engine.formats import open_tokenizer
from engine.text.pretokenize import to_bytes


@dataclass
class TokenizersOpened(Message):
    """The tokenizers are there."""

    tokenizers: Sequence[Tokenizer]


@dataclass
class TextCompared(Message):
    """The text is cut by all of them; `wish` is the number of the request."""

    comparison: TextComparison
    wish: int


@dataclass
class VocabulariesCompared(Message):
    """It is known what the vocabularies and merges share."""

    vocabularies: Vocabularies


@dataclass
class ComparisonFailed(Message):
    """A tokenizer cannot be opened."""

    error: BpeError


class ComparisonScreen(PanelScreen):
    """Strips of the text, numbers beside them, a line to type another text in.

    Args:
        names: what to call the tokenizers.
        open_all: makes them; called in a thread, since it may take seconds.
        data: the text to begin with.
    """

    NAME = COMPARISON
    CSS_PATH = sheet("comparison.tcss")
    PANEL_ORDER = ("strips", "numbers", "other-text")

    def __init__(
        self, names: Sequence[str], open_all: Callable[[], Sequence[Tokenizer]], data: bytes
    ) -> None:
        super().__init__()
        self._names = [visible_text(name, spaces=False) for name in names]
        self._open_all = open_all
        self._data = data
        self._tokenizers: Sequence[Tokenizer] = ()
        self._wish = 0

    def compose_body(self) -> ComposeResult:
        with Container(id="panels"):
            yield StripsPanel(self._names)
            yield NumbersPanel(self._names)
        with Vertical(id="other-text") as line:
            line.border_title = Content("another text")
            yield Field(placeholder="type here (e)", id="other-text-input", compact=True)

    def on_mount(self) -> None:
        self._head(f"Opening {' and '.join(self._names)} …")
        self.show_panel("strips")
        self._start(lambda: TokenizersOpened(self._open_all()))

    def _head(self, text: str) -> None:
        self.say("#heading", shorten(text, 500))

    # -- work in threads, which the end of the program does not wait for, and their news

    def _start(self, work: Callable[[], Message]) -> None:
        def run() -> None:
            try:
                self.post_message(work())
            except BpeError as error:
                self.post_message(ComparisonFailed(error))

        Thread(target=run, name="comparison", daemon=True).start()

    def on_tokenizers_opened(self, news: TokenizersOpened) -> None:
        news.stop()
        tokenizers = self._tokenizers = news.tokenizers
        self._compare(self._data)

        def compare_vocabularies() -> Message:
            partings = (first_parting(tokenizers[0], each) for each in tokenizers[1:])
            return VocabulariesCompared(Vocabularies(overlap(tokenizers), tuple(partings)))

        self._start(compare_vocabularies)

    def _compare(self, data: bytes) -> None:
        tokenizers = self._tokenizers
        if not tokenizers:
            return
        self._wish += 1
        wish = self._wish
        self._head(f"Comparing {' and '.join(self._names)} …")

        def compare_text() -> Message:
            comparison = TextComparison(tokenizers, data)
            _ = comparison.differences, comparison.fertility  # not on the screen's time
            return TextCompared(comparison, wish)

        self._start(compare_text)

    def on_text_compared(self, news: TextCompared) -> None:
        news.stop()
        if news.wish == self._wish:  # else another text has been typed meanwhile
            self._head(" · ".join(self._names))
            self.query_one(StripsPanel).comparison = news.comparison
            self.query_one(NumbersPanel).comparison = news.comparison

    def on_vocabularies_compared(self, news: VocabulariesCompared) -> None:
        news.stop()
        self.query_one(NumbersPanel).vocabularies = news.vocabularies

    def on_comparison_failed(self, news: ComparisonFailed) -> None:
        news.stop()
        self._head(visible_text(str(news.error), spaces=False))

    # -- commands

    def show_panel(self, panel: str) -> None:
        """Where there is little room, the strips and the numbers share a place."""
        self.set_class(panel == "numbers", "slot-numbers")
        super().show_panel(panel)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._compare(to_bytes(event.value) if event.value else self._data)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.show_panel("strips")

    def action_type(self) -> None:
        self.show_panel("other-text")

    def action_difference(self, by: int) -> None:
        self.query_one(StripsPanel).go(by)

    @property
    def way_back(self) -> bool:
        """Whether another screen is under this one."""
        return len(self.app.screen_stack) > 2

    def action_go_back(self) -> None:
        if self.way_back:
            self.dismiss()


class CompareWith(Dialog):
    """Asks for the path of a tokenizer, or the name of a known encoding."""

    def __init__(self) -> None:
        super().__init__("compare with", "A tokenizer: a file or a directory in any known format.")

    def answer(self, value: str) -> None:
        if value:
            self.dismiss(os.path.expanduser(value))
        else:
            self.refuse("Name a file or a directory.")


def comparison_with(path: str, frame: Frame, text: str) -> ComparisonScreen:
    """The screen that compares a step's tokenizer with one from a file, on a text."""
    names = [f"step {number(frame.step)}", Path(path).name or path]

    def open_all() -> list[Tokenizer]:
        tokenizers = [frame.tokenizer(), open_tokenizer(path).tokenizer]
        return tokenizers if frame.cuts_specials else [each.allowing([]) for each in tokenizers]

    return ComparisonScreen(names, open_all, to_bytes(text))

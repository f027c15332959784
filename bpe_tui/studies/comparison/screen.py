"""The comparison screen: one text under several tokenizers, from difference to difference."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from bpe_tui.session.commands.command import COMPARISON
from bpe_tui.studies.comparison import job
from bpe_tui.studies.comparison.numbers import NumbersPanel
from bpe_tui.studies.comparison.strips import StripsPanel
from bpe_tui.styles import sheet
from bpe_tui.views.panel_screen import PanelScreen, TooSmall
from bpe_tui.widgets.key_bar import KeyBar
from bpe_tui.widgets.visible import shorten, visible_text
from engine.encoding.tokenizer import Tokenizer
from engine.text.pretokenize import to_bytes


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
        self._job = job.ComparisonJob(self.post_message)
        self._tokenizers: Sequence[Tokenizer] = ()
        self._wish = 0

    def compose(self) -> ComposeResult:
        yield TooSmall(id="too-small")
        yield Static(id="heading")
        with Container(id="panels"):
            yield StripsPanel(self._names)
            yield NumbersPanel(self._names)
        with Vertical(id="other-text") as line:
            line.border_title = Content("another text")
            yield Input(placeholder="type here (e)", id="other-text-input", compact=True)
        yield KeyBar()

    def on_mount(self) -> None:
        self._head(f"Opening {' and '.join(self._names)} …")
        self.show_panel("strips")
        self._job.open(self._open_all)

    def _head(self, text: str) -> None:
        self.say("#heading", shorten(text, 500))

    # -- news from the job

    def on_tokenizers_opened(self, news: job.TokenizersOpened) -> None:
        news.stop()
        self._tokenizers = news.tokenizers
        self._compare(self._data)
        self._job.compare_vocabularies(self._tokenizers)

    def _compare(self, data: bytes) -> None:
        if self._tokenizers:
            self._wish += 1
            self._head(f"Comparing {' and '.join(self._names)} …")
            self._job.compare(self._tokenizers, data, self._wish)

    def on_text_compared(self, news: job.TextCompared) -> None:
        news.stop()
        if news.wish == self._wish:  # else another text has been typed meanwhile
            self._head(" · ".join(self._names))
            self.query_one(StripsPanel).comparison = news.comparison
            self.query_one(NumbersPanel).comparison = news.comparison

    def on_vocabularies_compared(self, news: job.VocabulariesCompared) -> None:
        news.stop()
        self.query_one(NumbersPanel).vocabularies = news.vocabularies

    def on_comparison_failed(self, news: job.ComparisonFailed) -> None:
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

"""The window that asks what a scene asks, over the live screen: that would tell the answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.screen import ModalScreen

from bpe_tui.lessons.question_panel import QuestionPanel
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import ROLE_CLASSES
from engine.learning.questions.question import Attempt

FOOT = "Esc looks at the screen; N asks again"


class AskWindow(ModalScreen[bool]):
    """Asks one question after another; gives back whether all are over.

    Args:
        attempts: those that are left.
        place: says where the window goes, beside the text.
        over: is told of each question that is over.
        score: says how many were right, for the title.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+b", "dismiss(False)", "look", priority=True)
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = set(ROLE_CLASSES)

    def __init__(
        self,
        attempts: Sequence[Attempt],
        place: Callable[[], Region],
        over: Callable[[Attempt], None],
        score: Callable[[], str],
    ) -> None:
        super().__init__()
        self._left = list(attempts)
        self._place, self._over, self._score = place, over, score

    def compose(self) -> ComposeResult:
        yield QuestionPanel("lesson-question")

    def on_mount(self) -> None:
        self._fit()
        self._ask()

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        region, panel = self._place(), self.query_one(QuestionPanel)
        panel.styles.offset = region.offset
        panel.styles.width, panel.styles.height = region.size

    def _ask(self) -> None:
        panel, count = self.query_one(QuestionPanel), len(self._left)
        title = f"question, and {count - 1} more" if count > 1 else "question"
        panel.ask(self._left[0], f"{title}   {self._score()}".rstrip(), FOOT)
        panel.focus()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()

    def on_question_panel_over(self, event: QuestionPanel.Over) -> None:
        event.stop()
        self._over(event.attempt)

    def on_question_panel_go_on(self, event: QuestionPanel.GoOn) -> None:
        event.stop()
        self._left.remove(event.attempt)
        if self._left:
            self._ask()
        else:
            self.dismiss(True)

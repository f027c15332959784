"""Applications of a single screen, for `bpe-tui quiz` and `bpe-tui compare --open`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bpe_tui.app import terminal
from bpe_tui.app.base import BaseApp
from bpe_tui.lessons.asking import Keep, QuizScreen
from bpe_tui.studies.comparison import ComparisonScreen
from engine.encoding.tokenizer import Tokenizer
from engine.learning.questions.question import Question


class QuizApp(BaseApp):
    """Asks until the questions are over, or the user leaves."""

    def __init__(self, questions: Sequence[Question], keep: Keep, name: str) -> None:
        super().__init__()
        self._screen = QuizScreen(questions, keep, name)

    def on_mount(self) -> None:
        self.push_screen(self._screen)


def run_quiz(questions: Sequence[Question], keep: Keep, name: str) -> int:
    """Run until the user leaves; the exit code."""
    terminal.tolerate_bad_bytes()
    app = QuizApp(questions, keep, name)
    app.run()
    return app.return_code or 0


class ComparisonApp(BaseApp):
    """Compares tokenizers on one text until the user leaves."""

    def __init__(
        self, names: Sequence[str], open_all: Callable[[], Sequence[Tokenizer]], data: bytes
    ) -> None:
        super().__init__()
        self._screen = ComparisonScreen(names, open_all, data)

    def on_mount(self) -> None:
        self.push_screen(self._screen)


def run_comparison(names: Sequence[str], tokenizers: Sequence[Tokenizer], data: bytes) -> int:
    """Run until the user leaves; the exit code."""
    terminal.tolerate_bad_bytes()
    app = ComparisonApp(names, lambda: tokenizers, data)
    app.run()
    return app.return_code or 0

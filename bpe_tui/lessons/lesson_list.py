"""The list of lessons, with what is done."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content

from bpe_tui.session.lessons import (
    ENGLISH,
    all_progress,
    builtin_lessons,
    key_of,
    language_of,
    next_lesson,
)
from bpe_tui.widgets.lines import Lines, RowList
from bpe_tui.widgets.rows import Row
from bpe_tui.widgets.visible import visible_text
from bpe_tui.widgets.window import Window


class LessonRows(RowList):
    """The lessons; the cursor stands at the first that is not done."""

    def row(self, index: int) -> Row:
        row = super().row(index)
        here = index == self.cursor
        return Row([("❯ " if here else "  ", "here"), *row.spans], row.target)


class Close(Enum):
    """Chosen in place of a lesson."""

    LESSON = "close the lesson that is open"


class LessonList(Window[Path | Close | None]):
    """Gives back the file of a lesson, or `None`; `current` is the one that is open."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,L,q", "dismiss(None)", "close")]

    def __init__(self, current: Path | None) -> None:
        super().__init__()
        self._current = current

    def compose(self) -> ComposeResult:
        with Vertical(id="lesson-list", classes="window") as window:
            window.border_title = Content("lessons")
            window.border_subtitle = Content("↑ ↓ · ↵ opens · Esc closes")
            yield LessonRows("lesson-rows")

    def on_mount(self) -> None:
        rows = self.query_one(LessonRows)
        language = ENGLISH if self._current is None else language_of(self._current)
        lessons = lesson_rows(language)
        if self._current is not None:
            lessons.append(Row([("   ✕ ", "dim"), ("Close the lesson", "")], Close.LESSON))
        here = [n for n, row in enumerate(lessons) if row.target == self._current]
        rows.styles.height = len(lessons)
        rows.show(lessons, here[0] if here else next_lesson().number - 1)
        rows.focus()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        assert isinstance(event.target, Path | Close)
        self.dismiss(event.target)


def lesson_rows(language: str) -> list[Row]:
    """The built-in lessons: number, ✓ or ◐, title."""
    progress = all_progress()
    rows = []
    for lesson in builtin_lessons(language):
        known = progress.get(key_of(lesson.path))
        mark = known.mark if known is not None else ""
        title = visible_text(lesson.title, spaces=False)
        spans = [(f"{lesson.number:>2} ", "dim"), (f"{mark:<2}", "gain"), (title, "")]
        rows.append(Row(spans, lesson.path))
    return rows

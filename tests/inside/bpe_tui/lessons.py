# ruff: noqa: F401
"""Names inside `bpe_tui/lessons` that tests need: they know the room, not its modules."""

from __future__ import annotations

from bpe_tui.lessons import beats
from bpe_tui.lessons.asking import AskWindow, QuizScreen
from bpe_tui.lessons.beats import ALL_BEATS, BeatClock
from bpe_tui.lessons.guide import LessonList
from bpe_tui.lessons.layout import layout
from bpe_tui.lessons.pane import LessonPane, LessonText, rows_of
from bpe_tui.lessons.question_panel import QuestionPanel
from bpe_tui.lessons.question_rows import sentence_rows
from bpe_tui.lessons.screen import LessonScreen
from bpe_tui.lessons.section import LessonSection

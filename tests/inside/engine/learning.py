# ruff: noqa: F401
"""Names inside `engine/learning` that tests need: they know the room, not its modules."""

from __future__ import annotations

from engine.learning.grade_tables import grade_tables
from engine.learning.grading import Grades, grade_files
from engine.learning.lesson import LARGEST_CORPUS, Lesson, LessonError, Paragraph
from engine.learning.lesson_file import parse_lesson, read_head, read_lesson
from engine.learning.message_file import read_messages
from engine.learning.mistakes import MISTAKES, answer_words, mistake_of
from engine.learning.questions import KINDS, kinds_for, predict
from engine.learning.questions.merges_form import CountedWord, Merges
from engine.learning.questions.question import (
    END,
    Answer,
    Attempt,
    Chance,
    Choice,
    Cuts,
    FirstTries,
    Joins,
    Level,
    Number,
    Question,
    Text,
    YesOrNo,
)
from engine.learning.quiz import Answered, AnswerSheet, Paper, make_quiz, regraded
from engine.learning.quiz_file import QuizFile, is_quiz_file, read_quiz_file
from engine.learning.session_file import (
    KEY,
    SavedFile,
    SavedFork,
    SavedSession,
    check_unchanged,
    is_session,
    read_session,
    read_session_bytes,
    write_session,
)

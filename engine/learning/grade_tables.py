"""Tables of grades as CSV, for spreadsheets and notebooks.

The files begin with a byte order mark, by which spreadsheets know UTF-8, and no cell is a formula.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from io import StringIO

from engine.core.wording import ShowBytes, describe
from engine.learning.grading import Grades

Rows = Iterator[Sequence[object]]


def grade_tables(grades: Grades, show: ShowBytes) -> dict[str, bytes]:
    """Return the tables of grades as CSV files: suffix of the name → content.

    Args:
        show: writes the bytes of a token as text.
    """
    tables = {
        "": _learners(grades),
        "-answers": _answers(grades, show),
        "-questions": _questions(grades, show),
        "-kinds": _kinds(grades),
        "-mistakes": _mistakes(grades, show),
    }
    return {suffix: _csv(rows) for suffix, rows in tables.items()}


def _learners(grades: Grades) -> Rows:
    """Yield a row for each file; in its column a question has 1 if right at the first try."""
    longest = max((len(sheet.attempts) for sheet in grades.sheets), default=0)
    yield [
        *("file", "learner", "id", "quiz", "questions", "answered", "first_try", "right"),
        *("without_hint", "gave_up", "hints", "seconds", "notes"),
        *(f"q{place + 1}" for place in range(longest)),
    ]
    for quiz in grades.quizzes:
        for graded in quiz.sheets:
            sheet = graded.sheet
            yield [
                *(graded.path.name, sheet.learner, sheet.id, quiz.name, len(graded.attempts)),
                *(len(graded.answered), graded.at_first_try, graded.right),
                *(graded.without_hint, graded.gave_up),
                sum(attempt.hinted for attempt in graded.answered),
                *(round(graded.seconds), "; ".join(graded.notes)),
                *("" if each is None else int(each.at_first_try) for each in graded.attempts),
            ]


def _answers(grades: Grades, show: ShowBytes) -> Rows:
    """Yield a row for each learner and question."""
    yield [
        *("file", "learner", "id", "quiz", "question", "kind", "answered", "first_try"),
        *("hints", "gave_up", "first_wrong", "mistake"),
    ]
    for quiz in grades.quizzes:
        for graded in quiz.sheets:
            sheet = graded.sheet
            places = zip(graded.attempts, graded.slips, strict=True)
            for number, (attempt, slip) in enumerate(places, 1):
                learner = graded.path.name, sheet.learner, sheet.id, quiz.name, number
                if attempt is None:
                    yield [*learner, "", 0, "", "", "", "", ""]
                    continue
                wrong = (describe(slip.answer, show), slip.mistake) if slip else ("", "")
                done = 1, int(attempt.at_first_try), attempt.hints, int(attempt.given_up)
                yield [*learner, attempt.question.kind, *done, *wrong]


def _questions(grades: Grades, show: ShowBytes) -> Rows:
    """Yield a row for each question, the hardest first, with its most frequent wrong answer."""
    yield [
        *("quiz", "question", "kind", "step", "asked", "answered", "first_try", "share"),
        *("without_hint", "gave_up", "first_wrong", "times", "mistake", "text"),
    ]
    for quiz in grades.quizzes:
        for graded in quiz.questions:
            question = graded.question
            wrong: tuple[object, ...] = ("", "", "")
            if graded.slips:
                slip, times = graded.slips[0]
                wrong = describe(slip.answer, show), times, slip.mistake
            yield [
                *(quiz.name, graded.number, question.kind, question.frame.step, graded.asked),
                *(graded.answered, graded.first, f"{graded.share:.2f}"),
                *(graded.without_hint, graded.gave_up, *wrong, graded.sentence.describe(show)),
            ]


def _kinds(grades: Grades) -> Rows:
    """Yield a row for each kind of question, the hardest first."""
    yield ["quiz", "kind", "asked", "first_try", "share", "without_hint"]
    for quiz in grades.quizzes:
        for each in quiz.kinds:
            share = f"{each.share:.2f}"
            yield [quiz.name, each.kind, each.asked, each.first, share, each.without_hint]


def _mistakes(grades: Grades, show: ShowBytes) -> Rows:
    """Yield a row for each mistake of a class, those of the most learners first."""
    yield ["quiz", "kind", "mistake", "learners", "times", "of", "question", "answer"]
    for quiz in grades.quizzes:
        for each in quiz.mistakes:
            yield [
                *(quiz.name, each.kind, each.mistake, each.learners, each.times),
                *(len(quiz.sheets), each.number, describe(each.answer, show)),
            ]


def _csv(rows: Rows) -> bytes:
    stream = StringIO()
    csv.writer(stream, lineterminator="\r\n").writerows([map(_harmless, row) for row in rows])
    return stream.getvalue().encode("utf-8-sig")


FORMULA = tuple("=+-@|%＝＋－＠")


def _harmless(value: object) -> object:
    """Return a cell that no spreadsheet takes for a formula.

    >>> _harmless("=1+1"), _harmless(" @cmd"), _harmless("Li"), _harmless(-1)
    ("'=1+1", "' @cmd", 'Li', -1)
    """
    if not isinstance(value, str):
        return value
    clean = "".join(char if char.isprintable() else " " for char in value)
    return f"'{clean}" if clean.lstrip(" '\"")[:1] in FORMULA else clean

"""Grading of answer files: the questions are made again, and every answer is graded again.

The grades in a file are not trusted. A file that is broken, foreign or about another corpus is
reported and does not stop the others. This is practice, not an exam: anybody can compute the right
answers.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import Any

from engine.core.errors import AnswerError, BpeError, QuizFileError
from engine.core.wording import ShowBytes, describe
from engine.learning.questions.question import Attempt, Question
from engine.learning.quiz import AnswerSheet, Paper, make_quiz, regraded
from engine.recording.playback import Player

OpenRun = Callable[[Paper], Player[Any]]
"""Returns the finished recording of a paper's run; raises a `BpeError` if there is none."""
MOST_RUNS = 20
"""Largest number of different runs that one call trains; files could name any number."""


@dataclass(frozen=True)
class GradedSheet:
    """The graded file of one learner.

    Attributes:
        attempts: one for each question of the quiz; `None` for one that was not answered.
        notes: differences between the file's claims and the grades.
    """

    path: Path
    sheet: AnswerSheet
    attempts: tuple[Attempt | None, ...]
    notes: tuple[str, ...] = ()

    @property
    def answered(self) -> list[Attempt]:
        """The attempts at questions that were answered or given up."""
        return [attempt for attempt in self.attempts if attempt is not None]

    @property
    def at_first_try(self) -> int:
        """Number of questions answered right at the first try."""
        return sum(attempt.at_first_try for attempt in self.answered)

    @property
    def right(self) -> int:
        """Number of questions answered right in the end, without seeing the answer."""
        return sum(attempt.is_right and not attempt.given_up for attempt in self.answered)

    @property
    def seconds(self) -> float:
        """Time taken, according to the file."""
        return sum(max(answered.seconds, 0) for answered in self.sheet.answers)


@dataclass(frozen=True)
class GradedQuestion:
    """One question of a quiz, with the results of all learners.

    Attributes:
        number: its number in the quiz, from 1.
        first: number of learners who answered right at the first try.
        asked: number of files of this quiz.
    """

    paper: Paper
    number: int
    question: Question
    first: int
    asked: int

    @property
    def share(self) -> float:
        """Share of the learners who answered right at the first try."""
        return self.first / self.asked


@dataclass
class Grades:
    """The grades of all files.

    Attributes:
        sheets: the files that could be graded, in the order given.
        problems: a line for each file that could not.
    """

    sheets: list[GradedSheet] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @cached_property
    def questions(self) -> list[GradedQuestion]:
        """The questions of all quizzes, the hardest first."""
        by_paper: dict[str, list[GradedSheet]] = {}
        for sheet in self.sheets:
            by_paper.setdefault(sheet.sheet.paper.key, []).append(sheet)
        found = [each for sheets in by_paper.values() for each in _questions_of(sheets)]
        return sorted(found, key=lambda each: (each.share, each.paper.name, each.number))


def grade_files(paths: Iterable[Path], open_run: OpenRun, seed: str | None = None) -> Grades:
    """Grade files of answers; each run is trained once.

    Args:
        open_run: trains the run of a paper.
        seed: the seed of the quiz; a file with another one is refused. `None` takes any.
    """
    grades, quizzes = Grades(), _Quizzes(open_run)
    for path in paths:
        try:
            sheet = AnswerSheet.read(path)
            if seed is not None and sheet.paper.seed != seed:
                raise QuizFileError(f"{path}: is of seed {sheet.paper.seed!r}, not of {seed!r}")
        except QuizFileError as error:  # names its file
            grades.problems.append(str(error))
            continue
        try:
            questions = quizzes.questions_of(sheet.paper)
        except BpeError as error:
            grades.problems.append(f"{path}: {error}")
        else:
            grades.sheets.append(_graded(path, sheet, questions))
    return grades


class _Quizzes:
    """The runs and quizzes of papers, each made once; a run that failed is not tried again."""

    def __init__(self, open_run: OpenRun) -> None:
        self._open_run = open_run
        self._runs: dict[str, Player[Any] | BpeError] = {}
        self._quizzes: dict[str, tuple[Question, ...]] = {}

    def questions_of(self, paper: Paper) -> tuple[Question, ...]:
        if paper.key not in self._quizzes:
            self._quizzes[paper.key] = make_quiz(
                self._run(paper), paper.seed, paper.questions, paper.kinds
            )
        return self._quizzes[paper.key]

    def _run(self, paper: Paper) -> Player[Any]:
        if paper.run not in self._runs:
            if len(self._runs) >= MOST_RUNS:
                raise QuizFileError(
                    f"these files are about more than {MOST_RUNS} runs; grade one quiz at a time"
                )
            try:
                self._runs[paper.run] = self._open_run(paper)
            except BpeError as error:
                self._runs[paper.run] = error
        found = self._runs[paper.run]
        if isinstance(found, BpeError):
            raise found
        return found


def _graded(path: Path, sheet: AnswerSheet, questions: Sequence[Question]) -> GradedSheet:
    attempts: list[Attempt | None] = [None] * len(questions)
    notes: list[str] = []
    for place, answered in enumerate(sheet.answers):
        where = f"{path}: question {place + 1}"
        if place >= len(questions):
            notes.append(f"{where}: this quiz has only {len(questions)} questions")
            break
        question = questions[place]
        if (answered.kind, answered.step) != (question.kind, question.frame.step):
            notes.append(
                f"{where}: asks {question.kind} at step {question.frame.step}, and the file has "
                f"{answered.kind!r} at step {answered.step}; not counted"
            )
            continue
        try:
            attempt = attempts[place] = regraded(question, answered)
        except AnswerError as error:
            notes.append(f"{where}: {error} Not counted")
            continue
        if answered.right != attempt.at_first_try:
            claims, found = ("right", "not") if answered.right else ("not right", "right")
            notes.append(f"{where}: the file says {claims} at the first try; it is {found}")
    return GradedSheet(path, sheet, tuple(attempts), tuple(notes))


def _questions_of(sheets: Sequence[GradedSheet]) -> Iterator[GradedQuestion]:
    """Yield the questions of one quiz that any learner answered."""
    for place in range(len(sheets[0].attempts)):
        attempts = [sheet.attempts[place] for sheet in sheets]
        known = next((attempt for attempt in attempts if attempt is not None), None)
        if known is None:
            continue
        first = sum(attempt is not None and attempt.at_first_try for attempt in attempts)
        paper = sheets[0].sheet.paper
        yield GradedQuestion(paper, place + 1, known.question, first, len(sheets))


# -- as tables for other programs


def learners_csv(grades: Grades) -> str:
    """Return a CSV line for each file; in its column a question has 1 if right at the first try."""
    longest = max((len(sheet.attempts) for sheet in grades.sheets), default=0)
    head = ["file", "learner", "quiz", "questions", "answered", "first_try", "right", "hints"]
    rows: list[list[object]] = [
        [*head, "seconds", "notes", *(f"q{place + 1}" for place in range(longest))]
    ]
    for graded in grades.sheets:
        sheet = graded.sheet
        rows.append(
            [
                *(graded.path.name, sheet.learner, sheet.paper.name, len(graded.attempts)),
                *(len(graded.answered), graded.at_first_try, graded.right),
                sum(attempt.hinted for attempt in graded.answered),
                *(round(graded.seconds), len(graded.notes)),
                *("" if each is None else int(each.at_first_try) for each in graded.attempts),
            ]
        )
    return _csv(rows)


def questions_csv(grades: Grades, show: ShowBytes) -> str:
    """Return a CSV line for each question, the hardest first."""
    rows: list[list[object]] = [
        ["quiz", "question", "kind", "step", "asked", "first_try", "share", "text"]
    ]
    for graded in grades.questions:
        question = graded.question
        rows.append(
            [
                *(graded.paper.name, graded.number, question.kind, question.frame.step),
                *(graded.asked, graded.first, f"{graded.share:.2f}"),
                describe(question.asks.words, show),
            ]
        )
    return _csv(rows)


def _csv(rows: Iterable[Sequence[object]]) -> str:
    stream = StringIO()
    csv.writer(stream, lineterminator="\n").writerows([map(_harmless, row) for row in rows])
    return stream.getvalue()


def _harmless(value: object) -> object:
    """Return a cell that no spreadsheet takes for a formula.

    >>> _harmless("=1+1"), _harmless(" @cmd"), _harmless("Li"), _harmless(-1)
    ("'=1+1", "' @cmd", 'Li', -1)
    """
    if not isinstance(value, str):
        return value
    clean = "".join(char if char.isprintable() else " " for char in value)
    return f"'{clean}" if clean.lstrip()[:1] in tuple("=+-@|%") else clean

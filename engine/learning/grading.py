"""Files of answers, graded: the questions are made again, and so is every grade.

What a file claims is not believed. A file that is broken, foreign or about another corpus is told
and does not stop the others. It is practice, not an exam: who wants to can make the right answers.
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
from engine.learning.quiz import Answered, AnswerSheet, Paper, make_quiz, regraded
from engine.recording.playback import Player

OpenRun = Callable[[Paper], Player[Any]]
"""The finished recording of the run that a paper is about; a `BpeError` says why there is none."""
MOST_RUNS = 20
"""So many different runs are trained for one call. Files could name any number."""


@dataclass(frozen=True)
class GradedSheet:
    """One learner's file.

    Attributes:
        attempts: one for each question of the quiz; `None` for one that was not answered.
        notes: what the file claims otherwise.
    """

    path: Path
    sheet: AnswerSheet
    attempts: tuple[Attempt | None, ...]
    notes: tuple[str, ...] = ()

    @property
    def answered(self) -> list[Attempt]:
        """The questions that were answered, or given up."""
        return [attempt for attempt in self.attempts if attempt is not None]

    @property
    def at_first_try(self) -> int:
        """How many were right at the first try."""
        return sum(attempt.at_first_try for attempt in self.answered)

    @property
    def right(self) -> int:
        """How many were right in the end, without the answer being shown."""
        return sum(attempt.is_right and not attempt.given_up for attempt in self.answered)

    @property
    def seconds(self) -> float:
        """How long it took, as the file has it."""
        return sum(answered.seconds for answered in self.sheet.answers)


@dataclass(frozen=True)
class GradedQuestion:
    """One question of a quiz, over all who were asked.

    Attributes:
        number: from 1.
        first: how many answered right at the first try.
        asked: how many files are of this quiz.
    """

    paper: Paper
    number: int
    question: Question
    first: int
    asked: int

    @property
    def share(self) -> float:
        return self.first / self.asked


@dataclass
class Grades:
    """All files, graded.

    Attributes:
        sheets: those that could be graded, in the order given.
        problems: a line for each that could not.
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
        open_run: trains what a paper is about.
        seed: the seed that the quiz was given with; a file with another one is refused. `None`
            takes any.
    """
    grades, desk = Grades(), _Desk(open_run)
    for path in paths:
        try:
            sheet = AnswerSheet.read(path)
            if seed is not None and sheet.paper.seed != seed:
                raise QuizFileError(f"{path}: is of seed {sheet.paper.seed!r}, not of {seed!r}")
        except QuizFileError as error:  # names its file
            grades.problems.append(str(error))
            continue
        try:
            questions = desk.questions(sheet.paper)
        except BpeError as error:
            grades.problems.append(f"{path}: {error}")
        else:
            grades.sheets.append(_graded(path, sheet, questions))
    return grades


class _Desk:
    """Makes runs and quizzes, each once; what failed once is not tried again."""

    def __init__(self, open_run: OpenRun) -> None:
        self._open_run = open_run
        self._runs: dict[str, Player[Any] | BpeError] = {}
        self._quizzes: dict[str, tuple[Question, ...]] = {}

    def questions(self, paper: Paper) -> tuple[Question, ...]:
        if paper.key not in self._quizzes:
            self._quizzes[paper.key] = make_quiz(self._run(paper), paper.seed, paper.questions)
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
            attempts[place] = _checked(question, answered, where, notes)
        except AnswerError as error:
            notes.append(f"{where}: {error} Not counted")
    return GradedSheet(path, sheet, tuple(attempts), tuple(notes))


def _checked(question: Question, answered: Answered, where: str, notes: list[str]) -> Attempt:
    attempt = regraded(question, answered)
    if answered.right != attempt.at_first_try:
        claims, found = ("right", "not") if answered.right else ("not right", "right")
        notes.append(f"{where}: the file says {claims} at the first try; it is {found}")
    return attempt


def _questions_of(sheets: Sequence[GradedSheet]) -> Iterator[GradedQuestion]:
    """The questions of one quiz."""
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
    """A line for each file: who, how many right, and each question: 1 at the first try, else 0."""
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
    """A line for each question, the hardest first."""
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
    """A cell that no spreadsheet takes for a formula.

    >>> _harmless("=1+1"), _harmless(" @cmd"), _harmless("Li"), _harmless(-1)
    ("'=1+1", "' @cmd", 'Li', -1)
    """
    if not isinstance(value, str):
        return value
    clean = "".join(char if char.isprintable() else " " for char in value)
    return f"'{clean}" if clean.lstrip()[:1] in tuple("=+-@|%") else clean

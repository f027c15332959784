"""Grading of answer files: the questions are made again, and every answer is graded again.

The grades in a file are not trusted. A file that is broken, foreign or about another corpus is
reported and does not stop the others. With the quiz files of a lecturer, these alone decide what
was asked. This is practice, not an exam: anybody can compute the right answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from statistics import median
from typing import Any

from engine.core.errors import AnswerError, BpeError, QuizFileError
from engine.core.wording import Sentence, Words, say
from engine.learning.questions.answer_forms import Choice
from engine.learning.questions.question import Attempt, Question
from engine.learning.quiz import AnswerSheet, Paper, make_quiz, regraded
from engine.recording.playback import MergeFrame, Player

OpenRun = Callable[[Paper], Player[Any]]
"""Returns the finished recording of a paper's run; raises a `BpeError` if there is none."""
MOST_RUNS = 20
"""Largest number of different runs that one call trains; files could name any number."""


@dataclass(frozen=True)
class WrongAnswer:
    """The first wrong answer to a question, and the mistake behind it."""

    answer: Words
    mistake: str


@dataclass(frozen=True)
class GradedSheet:
    """The graded file of one learner.

    Attributes:
        attempts: one for each question of the quiz; `None` for one that was not answered.
        notes: remarks on the file, such as claims that differ from the grades.
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
    def without_hint(self) -> int:
        """Number of those that were answered without a hint."""
        return sum(map(_is_unhinted, self.attempts))

    @property
    def right(self) -> int:
        """Number of questions answered right in the end, without seeing the answer."""
        return sum(attempt.is_right and not attempt.given_up for attempt in self.answered)

    @property
    def gave_up(self) -> int:
        """Number of questions that the learner gave up."""
        return sum(attempt.given_up for attempt in self.answered)

    @property
    def seconds(self) -> float:
        """Time taken, according to the file."""
        return sum(max(answered.seconds, 0) for answered in self.sheet.answers)

    @cached_property
    def slips(self) -> tuple[WrongAnswer | None, ...]:
        """The first wrong answer to each question; `None` if there was none."""
        return tuple(map(_first_slip, self.attempts))


def _is_unhinted(attempt: Attempt | None) -> bool:
    """Whether the first answer was right, and no hint was asked for."""
    return attempt is not None and attempt.at_first_try and not attempt.hinted


def _first_slip(attempt: Attempt | None) -> WrongAnswer | None:
    if attempt is None or not attempt.tried or attempt.tried[0] == attempt.question.answer:
        return None
    question, first = attempt.question, attempt.tried[0]
    return WrongAnswer(question.form.words_of(first), question.grade(first).mistake)


@dataclass(frozen=True)
class GradedQuestion:
    """One question of a quiz, with the results of all learners.

    Attributes:
        number: its number in the quiz, from 1.
        answered: number of learners who answered it or gave it up.
        first: number of learners who answered right at the first try.
        without_hint: number of those who asked for no hint.
        gave_up: number of learners who gave it up.
        asked: number of files of this quiz.
        slips: the first wrong answers, the most frequent first, with their numbers.
    """

    number: int
    question: Question
    answered: int
    first: int
    without_hint: int
    gave_up: int
    asked: int
    slips: tuple[tuple[WrongAnswer, int], ...] = ()

    @property
    def share(self) -> float:
        """Share of the learners who answered right at the first try."""
        return self.first / self.asked

    @property
    def sentence(self) -> Sentence:
        """The question, the merge after which it is asked, and the rows to choose."""
        frame, form, asked = self.question.frame, self.question.form, self.question.asks
        if isinstance(frame, MergeFrame) and frame.merge is not None:
            left, right = map(frame.any_token, frame.merge.pair)
            template = "{question} (after merge {n}: {left} + {right})"
            asked = say(template, question=asked, n=f"{frame.step:,}", left=left, right=right)
        for option in form.options if isinstance(form, Choice) else ():
            asked = say("{question} │ {row}", question=asked, row=option.label)
        return asked


@dataclass(frozen=True)
class GradedKind:
    """The results of all learners in the questions of one kind.

    Attributes:
        kind: the kind.
        asked: number of its questions in all files, answered or not.
        first: number of those that were answered right at the first try.
        without_hint: number of those that were answered without a hint.
    """

    kind: str
    asked: int
    first: int
    without_hint: int

    @property
    def share(self) -> float:
        """Share of the questions that were answered right at the first try."""
        return self.first / self.asked


@dataclass(frozen=True)
class ClassMistake:
    """A mistake in the first answers of a class.

    Attributes:
        kind: the kind of the questions.
        learners: number of files with the mistake.
        times: number of first answers with it, in all questions.
        number: the question, from 1, in which most learners made it.
        answer: the answer that most of them gave there.
    """

    kind: str
    mistake: str
    learners: int
    times: int
    number: int
    answer: Words


@dataclass(frozen=True)
class GradedQuiz:
    """The grades of one quiz.

    Attributes:
        name: a name that no other quiz of these grades has.
        sheets: the files, in the order given.
    """

    name: str
    sheets: tuple[GradedSheet, ...]

    @cached_property
    def questions(self) -> list[GradedQuestion]:
        """The questions that any learner answered, the hardest first."""
        places = range(len(self.sheets[0].attempts))
        found = [each for each in map(self._question, places) if each is not None]
        return sorted(found, key=lambda each: (each.share, each.number))

    def _question(self, place: int) -> GradedQuestion | None:
        attempts = [sheet.attempts[place] for sheet in self.sheets]
        known = [attempt for attempt in attempts if attempt is not None]
        if not known:
            return None
        slips = Counter(slip for sheet in self.sheets if (slip := sheet.slips[place]))
        return GradedQuestion(
            place + 1,
            known[0].question,
            len(known),
            sum(attempt.at_first_try for attempt in known),
            sum(map(_is_unhinted, known)),
            sum(attempt.given_up for attempt in known),
            len(self.sheets),
            tuple(slips.most_common()),
        )

    @cached_property
    def kinds(self) -> list[GradedKind]:
        """The kinds of the questions that any learner answered, the hardest first."""
        found = []
        for kind in dict.fromkeys(each.question.kind for each in self.questions):
            same = [each for each in self.questions if each.question.kind == kind]
            asked, first = sum(each.asked for each in same), sum(each.first for each in same)
            found.append(GradedKind(kind, asked, first, sum(each.without_hint for each in same)))
        return sorted(found, key=lambda each: each.share)

    @property
    def medians(self) -> tuple[float, float]:
        """The class's median of right answers: at the first try, and without a hint."""
        return (
            median(sheet.at_first_try for sheet in self.sheets),
            median(sheet.without_hint for sheet in self.sheets),
        )

    @cached_property
    def mistakes(self) -> list[ClassMistake]:
        """The mistakes of the class, those of the most learners first."""
        where: dict[tuple[str, str], list[tuple[int, int, Words]]] = {}
        for learner, sheet in enumerate(self.sheets):
            for place, (attempt, slip) in enumerate(zip(sheet.attempts, sheet.slips, strict=True)):
                if attempt is not None and slip is not None:
                    key = attempt.question.kind, slip.mistake
                    where.setdefault(key, []).append((learner, place, slip.answer))
        found = []
        for (kind, mistake), made in where.items():
            counted = Counter(each[1:] for each in made)
            place, answer = max(counted, key=counted.__getitem__)
            learners = len({learner for learner, _, _ in made})
            found.append(ClassMistake(kind, mistake, learners, len(made), place + 1, answer))
        return sorted(found, key=lambda each: (-each.learners, -each.times, each.number))


@dataclass
class Grades:
    """The grades of all files.

    Attributes:
        quizzes: the quizzes, in the order in which their files were given.
        others: a line for each file that answers another quiz than those asked for.
        problems: a line for each file that could not be graded.
    """

    quizzes: list[GradedQuiz] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def sheets(self) -> list[GradedSheet]:
        """The files that could be graded."""
        return [sheet for quiz in self.quizzes for sheet in quiz.sheets]


def grade_files(
    paths: Iterable[Path], open_run: OpenRun, seed: str | None = None, papers: Sequence[Paper] = ()
) -> Grades:
    """Grade files of answers; each run is trained once.

    Args:
        open_run: trains the run of a paper.
        seed: the seed of the quiz; a file with another one is listed apart. `None` takes any.
        papers: the quizzes that were asked; files of others are listed apart. Empty takes any.
    """
    grades, quizzes = Grades(), _Quizzes(open_run)
    asked_papers: dict[str, Paper] = {}
    sheets_of: dict[str, list[GradedSheet]] = {}
    for path in paths:
        try:
            sheet = AnswerSheet.read(path)
        except QuizFileError as error:  # names its file
            grades.problems.append(str(error))
            continue
        asked, why_other = _asked(sheet, papers, seed)
        if asked is None:
            grades.others.append(f"{path}: {why_other}")
            continue
        try:
            questions = quizzes.questions_of(asked)
        except BpeError as error:
            grades.problems.append(f"{path}: {error}")
            continue
        attempts: list[Attempt | None] = []
        notes = (*_notes_on_edits(sheet, asked), *_regrade(sheet, questions, attempts))
        graded = GradedSheet(path, sheet, tuple(attempts), notes)
        asked_papers.setdefault(asked.key, asked)
        sheets_of.setdefault(asked.key, []).append(graded)
    named = Counter(paper.name for paper in asked_papers.values())
    for key, paper in asked_papers.items():
        name = paper.name if named[paper.name] == 1 else f"{paper.name} ({paper.code})"
        kept = _each_learner_once(sheets_of[key], grades.others)
        grades.quizzes.append(GradedQuiz(name, tuple(kept)))
    return grades


def _each_learner_once(sheets: Sequence[GradedSheet], others: list[str]) -> list[GradedSheet]:
    """Return the first attempt of each learner; name copies and later attempts in `others`.

    Files without a name and an ID are of different learners, and so are two names with one ID.
    """
    firsts: dict[tuple[str, str], GradedSheet] = {}
    ids = Counter[str]()
    kept = []
    for graded in sorted(sheets, key=lambda each: (each.sheet.started or "~", len(each.path.name))):
        sheet, who = graded.sheet, (graded.sheet.id.strip(), graded.sheet.learner.strip())
        first = firsts.setdefault(who, graded) if any(who) else graded
        if first is not graded:
            is_copy = first.sheet.answers == sheet.answers and first.sheet.started == sheet.started
            what = "a copy of" if is_copy else "a later attempt of the learner of"
            others.append(f"{graded.path}: is {what} {first.path.name}, not counted")
            continue
        ids[who[0]] += bool(who[0])
        kept.append(graded)
    kept.sort(key=sheets.index)
    return [
        replace(each, notes=(*each.notes, f"the ID {each.sheet.id} is another learner's, too"))
        if ids[each.sheet.id.strip()] > 1
        else each
        for each in kept
    ]


def _asked(
    sheet: AnswerSheet, papers: Sequence[Paper], seed: str | None
) -> tuple[Paper | None, str]:
    """Return the paper that a file answers; or `None`, and why it is of another quiz."""
    own = sheet.paper
    if seed is not None and own.seed != seed:
        return None, f"is of seed {own.seed!r}, not of {seed!r}"
    if not papers:
        return own, ""
    for paper in papers:
        if own.key == paper.key or sheet.quiz == paper.code:
            return paper, ""
    return None, f"answers another quiz, with {' and '.join(_differences(own, papers[0]))}"


def _differences(own: Paper, asked: Paper) -> list[str]:
    """Return the differences between two papers: `another corpus`, `pattern 'gpt2'`."""
    found = [] if own.digest == asked.digest else [f"another corpus, {own.corpus!r}"]
    for name in dict.fromkeys((*asked.options, *own.options)):
        value = own.options.get(name)
        if value != asked.options.get(name):
            found.append(f"{name.replace('_', '-')} {_in_short(value)}")
    if own.seed != asked.seed:
        found.append(f"seed {own.seed!r}")
    if own.questions != asked.questions:
        found.append(f"{own.questions} questions")
    if set(own.kinds) != set(asked.kinds):
        found.append(f"the kinds {', '.join(own.kinds) or 'of all questions'}")
    return found


def _in_short(value: object) -> str:
    """Write a value of an option in a few characters."""
    if isinstance(value, list | tuple):
        return f"of {len(value)}"
    text = "by default" if value is None else repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


def _notes_on_edits(sheet: AnswerSheet, asked: Paper) -> list[str]:
    """Return a note if the file names another quiz than the one that was asked."""
    if sheet.paper.key != asked.key:
        edited = " and ".join(_differences(sheet.paper, asked))
        return [f"its options were edited: {edited}; graded by the quiz file"]
    if sheet.quiz != asked.code:
        return ["its options or its code were edited after the questions were asked"]
    return []


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


def _regrade(
    sheet: AnswerSheet, questions: Sequence[Question], attempts: list[Attempt | None]
) -> Iterator[str]:
    """Fill in the attempts; yield notes on answers that do not count, and on false claims."""
    for number, (question, answered) in enumerate(zip_longest(questions, sheet.answers), 1):
        where = f"question {number}"
        if question is None:
            yield f"{where}: this quiz has only {len(questions)} questions"
            return
        attempts.append(None)
        if answered is None:
            continue
        if (answered.kind, answered.step) != (question.kind, question.frame.step):
            yield (
                f"{where}: asks {question.kind} at step {question.frame.step}, and the file has "
                f"{answered.kind[:40]!r} at step {_in_short(answered.step)}; not counted"
            )
            continue
        try:
            attempt = attempts[-1] = regraded(question, answered)
        except AnswerError as error:
            yield f"{where}: {error} Not counted"
            continue
        if answered.right != attempt.at_first_try:
            claims, found = ("right", "not") if answered.right else ("not right", "right")
            yield f"{where}: the file says {claims} at the first try; it is {found}"

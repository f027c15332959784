"""`bpe-tui grade`: tables of the answers of a class."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import typer

from bpe_tui.cli import console, options, outputs
from bpe_tui.cli.program import app, examples
from bpe_tui.cli.quiz import QUIZ, config_of, finished_run
from bpe_tui.session.config import RunConfig
from bpe_tui.session.samples import sample_paths
from bpe_tui.widgets.language import plural
from bpe_tui.widgets.numbers import percent
from bpe_tui.widgets.visible import shorten, visible_bytes, visible_text
from engine.core.errors import QuizFileError
from engine.core.files import write_files
from engine.core.wording import describe
from engine.learning.file_values import KnownFile
from engine.learning.grade_tables import grade_tables
from engine.learning.grading import GradedQuiz, grade_files
from engine.learning.quiz import Paper
from engine.learning.quiz_file import read_quiz_file
from engine.recording.playback import Player
from engine.text.patterns import PATTERNS

NAME_CELLS, TEXT_CELLS, ANSWER_CELLS = 40, 160, 28


@app.command(
    epilog=examples(
        "bpe-tui grade --quiz quiz.toml answers/*.json --out grades.csv",
        "bpe-tui grade answers/*.json --corpus corpus.txt --seed 7 --out grades.csv",
    )
)
def grade(
    files: list[Path] = options.argument("FILES...", "Files of answers, of `bpe-tui quiz`."),
    quiz: list[Path] | None = options.option(
        "--quiz QUIZ.toml",
        "The quiz file that was asked, which alone decides the questions; repeat it for "
        "more. Answers to other quizzes are listed apart.",
        QUIZ,
    ),
    corpus: list[Path] | None = options.names_file(
        "--corpus FILE",
        "A corpus that was asked about; repeat it for more. Samples are known, and so is "
        "what lies here under the name in the file.",
        QUIZ,
    ),
    seed: str | None = options.option(
        "--seed TEXT", "Only files of this seed count; others are listed apart.", QUIZ
    ),
    out: Path | None = options.option(
        "--out FILE.csv",
        "Write a line for each learner; beside it NAME-answers.csv, NAME-questions.csv, "
        "NAME-kinds.csv and NAME-mistakes.csv.",
        options.OUTPUT,
    ),
    force: bool = options.FORCE,
) -> None:
    """Grade files of answers, and print who knew what.

    The questions are made again: those of `--quiz`, else those that each file names. A file that
    cannot be graded is named on standard error; the others are graded.
    """
    paths = {}
    if out is not None:
        paths = {each: out.with_name(f"{out.stem}{each}{out.suffix}") for each in SUFFIXES}
    outputs.check_free(*paths.values(), force=force)
    library = QuizCorpora(corpus or ())
    papers = [library.add_quiz(path) for path in quiz or ()]
    grades = grade_files(files, library.open_run, seed, papers)
    for problem in grades.problems:
        print(f"{console.PROGRAM}: {_line(problem)}", file=sys.stderr)
    for each in grades.quizzes:
        for line in _lines_of_quiz(each):
            print(line)
    if grades.others:
        print("Answers to other quizzes, in no table:")
    for other in grades.others:
        print(f"  {_line(other)}")
    graded = plural(len(grades.sheets), "file")
    print(f"{graded} graded", file=sys.stdout if grades.sheets else sys.stderr)
    if paths and grades.sheets:  # empty tables would replace good ones
        tables = grade_tables(grades, visible_bytes)
        write_files({paths[suffix]: tables[suffix] for suffix in paths}, overwrite=force)
        print(f"written: {', '.join(_line(str(path)) for path in paths.values())}")
    if grades.problems or grades.others:
        raise typer.Exit(console.BAD_INPUT)


SUFFIXES = ("", "-answers", "-questions", "-kinds", "-mistakes")


def _line(text: str) -> str:
    return visible_text(text, spaces=False)


class QuizCorpora:
    """The corpora of the quizzes. A file of answers only names its corpus."""

    def __init__(self, given: Sequence[Path]) -> None:
        self._by_digest = {_digest_of(path): path for path in given}
        self._fixed: set[str] = set()
        self._samples = sample_paths()

    def add_quiz(self, path: Path) -> Paper:
        """Read a quiz file, and find its corpus; return its paper.

        Raises:
            BpeError: it is no quiz file, or its corpus is not there or has changed.
        """
        quiz = read_quiz_file(path)
        if quiz.paper.digest not in self._by_digest:
            self._by_digest[quiz.paper.digest] = quiz.find_corpus(path.parent, self._samples)
        self._fixed.add(quiz.paper.run)
        return quiz.paper

    def open_run(self, paper: Paper) -> Player[Any]:
        """Train the run of a paper.

        Raises:
            BpeError: its corpus is not there, or its options are invalid.
        """
        pattern = paper.options.get("pattern", RunConfig.pattern)
        if paper.run not in self._fixed and pattern not in PATTERNS:
            raise QuizFileError("has a regex as its pattern; give its quiz file with --quiz")
        return finished_run(config_of(paper, self._find(paper)))

    def _find(self, paper: Paper) -> Path:
        if paper.digest in self._by_digest:
            return self._by_digest[paper.digest]
        name = Path(paper.corpus).name
        near = [*self._samples, Path(name)] if name else self._samples
        for path in near:
            if path.name == name and path.is_file() and _digest_of(path) == paper.digest:
                return path
        raise QuizFileError(
            f"is about a corpus {name!r} that is not here; give it with --corpus FILE"
        )


def _digest_of(path: Path) -> str:
    return KnownFile.of(str(path)).digest


def _lines_of_quiz(quiz: GradedQuiz) -> Iterator[str]:
    """Yield the tables of a quiz: its learners, its questions and kinds, the class's mistakes."""
    yield _line(f"{quiz.name}: {plural(len(quiz.sheets), 'file')}")
    yield (
        f"{'first try':>10} {'without hint':>13} {'right':>6} {'gave up':>8} {'answered':>9} "
        f"{'hints':>6}  learner"
    )
    for graded in quiz.sheets:
        sheet = graded.sheet
        name = " │ ".join(filter(None, (sheet.id, sheet.learner))) or graded.path.stem
        hints = sum(attempt.hinted for attempt in graded.answered)
        of_all = f"{len(graded.answered)}/{len(graded.attempts)}"
        yield (
            f"{graded.at_first_try:>10} {graded.without_hint:>13} {graded.right:>6} "
            f"{graded.gave_up:>8} {of_all:>9} {hints:>6}  {shorten(_line(name), NAME_CELLS)}"
        )
    first, without_hint = quiz.medians
    yield f"{first:>10g} {without_hint:>13g} {'':32} median of the class"
    notes = [f"{graded.path.name}: {note}" for graded in quiz.sheets for note in graded.notes]
    if notes:
        yield ""
        yield "Notes"
        yield from (f"  {_line(note)}" for note in notes)
    yield ""
    yield from _lines_of_questions(quiz)
    if quiz.mistakes:
        yield ""
        yield f"{'learners':>10}  mistake in the first answer, the most frequent first"
    for mistake in quiz.mistakes:
        answer = shorten(describe(mistake.answer, visible_bytes), ANSWER_CELLS)
        where = f"question {mistake.number}: {answer}"
        yield f"{mistake.learners:>10}  {mistake.kind}: {mistake.mistake} ({where})"
    yield ""


def _lines_of_questions(quiz: GradedQuiz) -> Iterator[str]:
    """Yield the tables of the questions and of their kinds, the hardest first."""
    head = f"{'first try':>10} {'without hint':>13} {'answered':>9} {'gave up':>8}"
    yield f"{head}  question, the hardest first"
    for each in quiz.questions:
        unhinted = percent(each.without_hint / each.asked)
        yield (
            f"{percent(each.share):>10} {unhinted:>13} {each.answered:>9} {each.gave_up:>8}  "
            f"{each.number:>2}. {each.question.kind}, step {each.question.frame.step:,}"
        )
        yield f"{'':15}{shorten(describe(each.words, visible_bytes), TEXT_CELLS)}"
        if each.slips:
            slip, times = each.slips[0]
            answer = shorten(describe(slip.answer, visible_bytes), ANSWER_CELLS)
            yield f"{'':15}{times} × {answer}: {slip.mistake}"
    yield ""
    yield f"{'first try':>10} {'without hint':>13} {'asked':>9}  kind, the hardest first"
    for kind in quiz.kinds:
        unhinted = percent(kind.without_hint / kind.asked)
        yield f"{percent(kind.share):>10} {unhinted:>13} {kind.asked:>9}  {kind.kind}"

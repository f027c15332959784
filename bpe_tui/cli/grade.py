"""`bpe-tui grade`: tables of the answers of a class."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bpe_tui.cli import console, options, outputs
from bpe_tui.cli.declared import command, examples
from bpe_tui.cli.quiz import QUIZ, config_of, finished_run
from bpe_tui.session.config import RunConfig
from bpe_tui.session.samples import sample_paths
from bpe_tui.widgets.language import (
    current_table,
    listed,
    plural,
    tr,
    tr_message,
    tr_sentence,
    visible_message,
)
from bpe_tui.widgets.numbers import percent
from bpe_tui.widgets.rows import right
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


@command(
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
        console.print_problem(problem)
    for each in grades.quizzes:
        for line in _lines_of_quiz(each):
            print(line)
    if grades.others:
        print(tr("Answers to other quizzes, in no table:"))
    for other in grades.others:
        print(f"  {visible_message(other)}")
    graded = tr("{files} graded", files=plural(len(grades.sheets), "file"))
    print(graded, file=sys.stdout if grades.sheets else sys.stderr)
    if paths and grades.sheets:  # empty tables would replace good ones
        tables = grade_tables(grades, visible_bytes)
        write_files({paths[suffix]: tables[suffix] for suffix in paths}, overwrite=force)
        print(tr("written: {paths}", paths=listed(_line(str(path)) for path in paths.values())))
    if grades.problems or grades.others:
        raise SystemExit(console.BAD_INPUT)


TRIES = ("first try", 10), ("without hint", 13)
"""Columns of each table but the last, with their widths."""
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


def _head(*columns: tuple[str, int], title: str) -> str:
    """Return the heads of columns of numbers, and the title of what follows them."""
    heads = [right(tr(name), cells)[0] for name, cells in columns]
    return f"{' '.join(heads)}  {tr(title)}"


def _lines_of_quiz(quiz: GradedQuiz) -> Iterator[str]:
    """Yield the tables of a quiz: its learners, its questions and kinds, the class's mistakes."""
    yield tr("{name}: {files}", name=_line(quiz.name), files=plural(len(quiz.sheets), "file"))
    yield _head(
        *TRIES, ("correct", 7), ("gave up", 8), ("answered", 9), ("hints", 6), title="learner"
    )
    for graded in quiz.sheets:
        sheet = graded.sheet
        name = " │ ".join(filter(None, (sheet.id, sheet.learner))) or graded.path.stem
        hints = sum(attempt.hinted for attempt in graded.answered)
        of_all = f"{len(graded.answered)}/{len(graded.attempts)}"
        yield (
            f"{graded.at_first_try:>10} {graded.without_hint:>13} {graded.right:>7} "
            f"{graded.gave_up:>8} {of_all:>9} {hints:>6}  {shorten(_line(name), NAME_CELLS)}"
        )
    first, without_hint = quiz.medians
    yield f"{first:>10g} {without_hint:>13g} {'':33} {tr('median of the class')}"
    notes = [f"{graded.path.name}: {note}" for graded in quiz.sheets for note in graded.notes]
    if notes:
        yield ""
        yield tr("Notes")
        yield from (f"  {visible_message(note)}" for note in notes)
    yield ""
    yield from _lines_of_questions(quiz)
    if quiz.mistakes:
        yield ""
        yield _head(("learners", 10), title="mistake in the first answer, the most frequent first")
    for mistake in quiz.mistakes:
        answer = shorten(describe(mistake.answer, visible_bytes), ANSWER_CELLS)
        template = "{kind}: {mistake} (question {n}: {answer})"
        named = {"kind": mistake.kind, "mistake": tr_message(mistake.mistake)}
        yield f"{mistake.learners:>10}  {tr(template, n=mistake.number, answer=answer, **named)}"
    yield ""


def _lines_of_questions(quiz: GradedQuiz) -> Iterator[str]:
    """Yield the tables of the questions and of their kinds, the hardest first."""
    yield _head(*TRIES, ("answered", 9), ("gave up", 8), title="question, the hardest first")
    for each in quiz.questions:
        unhinted, step = percent(each.without_hint / each.asked), each.question.frame.step
        yield (
            f"{percent(each.share):>10} {unhinted:>13} {each.answered:>9} {each.gave_up:>8}  "
            f"{each.number:>2}. {tr('{kind}, step {n}', kind=each.question.kind, n=step)}"
        )
        own = replace(each, question=each.question.translated(current_table()))
        asked = tr_sentence(own.sentence)
        yield f"{'':15}{shorten(asked.describe(visible_bytes), TEXT_CELLS)}"
        if each.slips:
            slip, times = each.slips[0]
            answer = shorten(describe(slip.answer, visible_bytes), ANSWER_CELLS)
            yield f"{'':15}{times} × {answer}: {tr_message(slip.mistake)}"
    yield ""
    yield _head(*TRIES, ("asked", 9), title="kind, the hardest first")
    for kind in quiz.kinds:
        unhinted = percent(kind.without_hint / kind.asked)
        yield f"{percent(kind.share):>10} {unhinted:>13} {kind.asked:>9}  {kind.kind}"

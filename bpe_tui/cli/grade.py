"""`bpe-tui grade`: tables of the answers of a class."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from bpe_tui.cli import console, inputs, options, outputs
from bpe_tui.cli.program import GroupedHelp, app, examples
from bpe_tui.cli.quiz import QUIZ, config_of, finished_run
from bpe_tui.session.lessons import sample_paths
from bpe_tui.widgets.numbers import percent, plural
from bpe_tui.widgets.visible import shorten, visible_bytes, visible_text
from engine.core.errors import QuizFileError
from engine.core.files import write_files
from engine.learning.grading import Grades, grade_files, learners_csv, questions_csv
from engine.learning.quiz import Paper
from engine.learning.session_file import SavedFile
from engine.recording.playback import Player

NAME_CELLS, KIND_CELLS, TEXT_CELLS = 40, 34, 64


@app.command(
    cls=GroupedHelp,
    epilog=examples(
        "bpe-tui grade answers/*.json --out grades.csv",
        "bpe-tui grade answers/*.json --corpus corpus.txt --seed 7 --out grades.csv",
    ),
)
def grade(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES...", help="Files of answers, of `bpe-tui quiz`.", show_default=False
        ),
    ],
    corpus: Annotated[
        list[Path] | None,
        typer.Option(
            "--corpus",
            metavar="FILE",
            help="A corpus that was asked about; repeat it for more. Samples are known, and so is "
            "what lies here under the name in the file.",
            rich_help_panel=QUIZ,
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option(
            "--seed",
            metavar="TEXT",
            help="Only files of this seed count; others are named.",
            rich_help_panel=QUIZ,
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE.csv",
            help="Write a line for each learner, and beside it NAME-questions.csv.",
            rich_help_panel=options.OUTPUT,
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Overwrite files that are there.", rich_help_panel=options.OUTPUT
        ),
    ] = False,
) -> None:
    """Grade files of answers, and print who knew what.

    The questions are made again from the seed in each file. A file that cannot be graded is named
    on standard error; the others are graded.
    """
    paths = [] if out is None else [out, out.with_name(f"{out.stem}-questions{out.suffix}")]
    for path in () if force else paths:
        outputs.check_free(path)
    library = QuizCorpora(corpus or ())
    grades = grade_files(files, library.open_run, seed)
    for problem in (*grades.problems, *(note for each in grades.sheets for note in each.notes)):
        print(f"{console.PROGRAM}: {visible_text(problem, spaces=False)}", file=sys.stderr)
    for line in (*_learner_lines(grades), *_question_lines(grades)):
        print(line)
    if paths:
        tables = learners_csv(grades), questions_csv(grades, visible_bytes)
        contents = {path: table.encode() for path, table in zip(paths, tables, strict=True)}
        write_files(contents, overwrite=force)
        print(f"written: {', '.join(visible_text(str(path), spaces=False) for path in paths)}")
    if grades.problems:
        raise typer.Exit(console.BAD_INPUT)


class QuizCorpora:
    """The corpora of the quizzes. A file of answers only names its corpus."""

    def __init__(self, given: Sequence[Path]) -> None:
        self._by_digest = {_digest_of(path): path for path in given}
        self._samples = sample_paths()

    def open_run(self, paper: Paper) -> Player[Any]:
        """Train the run of a paper."""
        config = config_of(paper, self._find(paper))
        inputs.check_run(config)
        return finished_run(config)

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
    return SavedFile.of(str(path)).digest


def _learner_lines(grades: Grades) -> Iterator[str]:
    if not grades.sheets:
        return
    yield f"{'first try':>10} {'right':>6} {'answered':>9} {'hints':>6}  learner"
    for graded in grades.sheets:
        name = visible_text(graded.sheet.learner or graded.path.stem, spaces=False)
        hints = sum(attempt.hinted for attempt in graded.answered)
        of_all = f"{len(graded.answered)}/{len(graded.attempts)}"
        yield (
            f"{graded.at_first_try:>10} {graded.right:>6} {of_all:>9} {hints:>6}  "
            f"{shorten(name, NAME_CELLS)}"
        )


def _question_lines(grades: Grades) -> Iterator[str]:
    if not grades.questions:
        return
    quizzes = {each.paper.key for each in grades.questions}
    yield ""
    yield f"{'first try':>10}  question, the hardest first"
    for each in grades.questions:
        text = shorten(each.question.asks.describe(visible_bytes), TEXT_CELLS)
        kind = f"{each.number:>2}. {each.question.kind}, step {each.question.frame.step:,}"
        quiz = f"  ({visible_text(each.paper.name, spaces=False)})" if len(quizzes) > 1 else ""
        yield f"{percent(each.share):>10}  {kind:<{KIND_CELLS}}{text}{quiz}"
    yield f"{plural(len(grades.sheets), 'file')} graded"

"""`bpe-tui quiz` and `bpe-tui grade`: questions about a corpus; tables of the answers."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer

from bpe_tui.cli import console, inputs, options, outputs
from bpe_tui.cli.plain import lines_typed
from bpe_tui.cli.program import GroupedHelp, app, examples
from bpe_tui.session.config import RunConfig
from bpe_tui.session.lessons import SAMPLES, directory
from bpe_tui.session.training import train
from bpe_tui.views.transcript import PlainQuestion
from bpe_tui.widgets.numbers import percent, plural
from bpe_tui.widgets.visible import shorten, visible_bytes, visible_text
from engine.core.errors import QuizFileError
from engine.core.files import write_files
from engine.learning.grading import Grades, grade_files, learners_csv, questions_csv
from engine.learning.questions.question import Attempt, Question, Tally
from engine.learning.quiz import MOST_QUESTIONS, Answered, AnswerSheet, Paper, make_quiz
from engine.learning.session_file import SavedFile
from engine.recording.playback import Player
from engine.text.sources import STANDARD_INPUT

QUIZ = "Quiz"
OPTIONS = (
    *("model", "vocab_size", "special_tokens", "pattern", "tie_rule"),
    *("min_count", "max_token_length", "units"),
)
"""The options of a training that decide its merges."""


@app.command(
    cls=GroupedHelp,
    epilog=examples(
        "bpe-tui quiz samples/handout.txt --pattern whitespace --out answers.json",
        "bpe-tui quiz corpus.txt --questions 12 --seed 7 --name Li --out answers/li.json",
        "bpe-tui quiz corpus.txt --out answers.json --plain",
    ),
)
@options.with_training("trainer", "ngram", "no_cache")
def quiz(
    context: typer.Context,
    corpus: Annotated[
        str,
        typer.Argument(
            metavar="CORPUS",
            help="The text to train on, one file; .gz is unpacked.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="FILE.json",
            help="Where the answers go, after each question.",
            rich_help_panel=options.OUTPUT,
        ),
    ],
    questions: Annotated[
        int,
        typer.Option(
            "--questions",
            metavar="N",
            min=1,
            max=MOST_QUESTIONS,
            help="How many, from easy to hard.",
            rich_help_panel=QUIZ,
        ),
    ] = 12,
    seed: Annotated[
        str,
        typer.Option(
            "--seed",
            metavar="TEXT",
            help="Decides which questions; the same seed asks the same on every machine.",
            rich_help_panel=QUIZ,
        ),
    ] = "1",
    name: Annotated[
        str,
        typer.Option(
            "--name",
            metavar="NAME",
            help="Your name, for the file.",
            rich_help_panel=QUIZ,
            show_default=False,
        ),
    ] = "",
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Overwrite a file that is there.", rich_help_panel=options.OUTPUT
        ),
    ] = False,
    plain: Annotated[
        bool,
        typer.Option(
            "--plain",
            help="No screen: questions in sentences, answers line by line.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = False,
    **of_training: Any,
) -> None:
    """Ask questions about a training, and write the answers down.

    `bpe-tui grade` makes tables of such files. It is practice: nothing in the file is secret.
    """
    options.check_model(context)
    if corpus == STANDARD_INPUT:
        raise inputs.CommandLineError(
            "a quiz is about a corpus in a file, so that it can be graded"
        )
    config = options.run_of(context, corpus)
    source = inputs.check_run(config)
    paper = paper_of(config, seed, questions)  # fails before the reading if the corpus is no file
    outputs.check_outputs([out], source, overwrite=force)
    if not plain:
        inputs.check_terminal()
    print(f"Reading {visible_text(config.name, spaces=False)}.", file=sys.stderr, flush=True)
    asked = make_quiz(finished_run(config), seed, questions)
    sheet = AnswerSheet(paper, name, datetime.now(UTC).isoformat(timespec="seconds"))
    keep = AnswerKeeper(sheet, out)
    if plain:
        ask_plainly(asked, keep, lines_typed())
        return
    from bpe_tui.app.base import run_screen  # slow to import, and only the screen needs it
    from bpe_tui.lessons.asking import QuizScreen

    raise typer.Exit(run_screen(lambda: QuizScreen(asked, keep.keep, sheet.paper.name)))


# -- the paper, which decides the questions


def paper_of(config: RunConfig, seed: str, questions: int) -> Paper:
    """Return the paper of a quiz, for its file of answers."""
    options = {name: getattr(config, name) for name in OPTIONS}
    options["special_tokens"] = list(config.special_tokens)
    return Paper(config.name, SavedFile.of(config.corpus).digest, options, seed, questions)


def config_of(paper: Paper, corpus: Path) -> RunConfig:
    """Return the config that a paper asks to train."""
    chosen = {name: value for name, value in paper.options.items() if name in OPTIONS}
    return RunConfig(str(corpus), **{**chosen, "min_count": max(chosen.get("min_count", 1), 1)})


def finished_run(config: RunConfig) -> Player[Any]:
    """Train, and return the recording with all its steps.

    Raises:
        BpeError: the corpus cannot be read, or the options contradict each other.
    """
    recording: Player[Any] = train(config).complete()
    return recording


# -- asking


@dataclass
class AnswerKeeper:
    """A keeper of answers, which writes each to the file at once.

    Attributes:
        sheet: the answers so far.
        out: the file that they are written to.
        began: when the present question was asked.
    """

    sheet: AnswerSheet
    out: Path
    began: float = field(default_factory=monotonic)

    def keep(self, attempt: Attempt) -> None:
        """Add the answer to a question that is over.

        Raises:
            OutputError: the file cannot be written.
        """
        now = monotonic()
        self.sheet.answers.append(Answered.of(attempt, now - self.began))
        self.began = now
        self.sheet.write(self.out, overwrite=True)

    def describe_rest(self, questions: int) -> str:
        """Describe the answers that are kept when a quiz ends before its last question."""
        count = len(self.sheet.answers)
        if not count:
            return f"Answered: none of {questions}, so no file was written."
        out = visible_text(str(self.out), spaces=False)
        return f"Answered: {count} of {questions}, kept in {out}."


def ask_plainly(asked: Iterable[Question], keeper: AnswerKeeper, lines: Iterable[str]) -> None:
    """Ask on standard output, and read answers; the end of the input ends the quiz."""
    questions, answers, score = list(asked), iter(lines), Tally()
    for number, question in enumerate(questions, 1):
        asking = PlainQuestion(Attempt(question))
        step = f"step {question.frame.step:,}"
        print(f"Question {number} of {len(questions)}, {step}.", flush=True)
        for sentence in asking.question():
            print(sentence, flush=True)
        while not asking.attempt.is_over:
            line = next(answers, None)
            if line is None or line.strip() == "quit":
                print(keeper.describe_rest(len(questions)))
                return
            for sentence in asking.answer(line):
                print(sentence, flush=True)
        score.count(asking.attempt)
        keeper.keep(asking.attempt)
    print(f"{score}.".capitalize())


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
        place = directory()
        self._samples = [place / sample.name for sample in SAMPLES]

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

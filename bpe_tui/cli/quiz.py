"""`bpe-tui quiz`: questions about a corpus, and a file of what was answered."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer

from bpe_tui.cli.console import PROGRAM
from bpe_tui.cli.inputs import CommandLineError, check_run, check_terminal
from bpe_tui.cli.options import (
    OUTPUT,
    check_model,
    run_of,
    with_training,
)
from bpe_tui.cli.outputs import check_outputs
from bpe_tui.cli.plain import lines_typed
from bpe_tui.cli.program import GroupedHelp, app, examples
from bpe_tui.session.config import RunConfig
from bpe_tui.session.training import train
from bpe_tui.views.transcript import PlainQuestion
from bpe_tui.widgets.visible import visible_text
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
"""Of a training: what decides its merges."""


@app.command(
    cls=GroupedHelp,
    epilog=examples(
        f"{PROGRAM} quiz samples/handout.txt --pattern whitespace --out answers.json",
        f"{PROGRAM} quiz corpus.txt --questions 12 --seed 7 --name Li --out answers/li.json",
        f"{PROGRAM} quiz corpus.txt --out answers.json --plain",
    ),
)
@with_training("trainer", "no_cache")
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
            rich_help_panel=OUTPUT,
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
        typer.Option("--force", help="Overwrite a file that is there.", rich_help_panel=OUTPUT),
    ] = False,
    plain: Annotated[
        bool,
        typer.Option(
            "--plain",
            help="No screen: questions in sentences, answers line by line.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    **options: Any,
) -> None:
    """Ask questions about a training, and write the answers down.

    `bpe-tui grade` makes tables of such files. It is practice: nothing in the file is secret.
    """
    check_model(context)
    if corpus == STANDARD_INPUT:
        raise CommandLineError("a quiz is about a corpus in a file, so that it can be graded")
    config = run_of(context, corpus)
    source = check_run(config)
    paper = paper_of(config, seed, questions)  # refuses what is no file before it is read
    check_outputs([out], source, overwrite=force)
    if not plain:
        check_terminal()
    print(f"Reading {visible_text(config.name, spaces=False)}.", file=sys.stderr, flush=True)
    asked = make_quiz(finished_run(config), seed, questions)
    sheet = AnswerSheet(paper, name, _now())
    keep = Keeper(sheet, out)
    if plain:
        ask_plainly(asked, keep, lines_typed())
        return
    from bpe_tui.app.single_screen import run_quiz  # slow to import, and only the screen needs it

    raise typer.Exit(run_quiz(asked, keep.keep, sheet.paper.name))


# -- the paper: what decides the questions


def paper_of(config: RunConfig, seed: str, questions: int) -> Paper:
    """What a file of answers says of the quiz."""
    options = {name: getattr(config, name) for name in OPTIONS}
    options["special_tokens"] = list(config.special_tokens)
    return Paper(config.name, SavedFile.of(config.corpus).digest, options, seed, questions)


def config_of(paper: Paper, corpus: Path) -> RunConfig:
    """What a paper asks to be trained."""
    chosen = {name: value for name, value in paper.options.items() if name in OPTIONS}
    return RunConfig(str(corpus), **{**chosen, "min_count": max(chosen.get("min_count", 1), 1)})


def finished_run(config: RunConfig) -> Player[Any]:
    """The recording of a training, with all its steps.

    Raises:
        BpeError: the corpus cannot be read, or the options do not go together.
    """
    recording: Player[Any] = train(config).complete()
    return recording


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


# -- asking


class Keeper:
    """Keeps each answer in the file as soon as it is given."""

    def __init__(self, sheet: AnswerSheet, out: Path) -> None:
        self.sheet = sheet
        self._out = out
        self._began = monotonic()

    def keep(self, attempt: Attempt) -> None:
        """Write down a question that is over.

        Raises:
            OutputError: the file cannot be written.
        """
        now = monotonic()
        self.sheet.answers.append(Answered.of(attempt, now - self._began))
        self._began = now
        self.sheet.write(self._out, overwrite=True)

    def describe_rest(self, questions: int) -> str:
        """What is kept where a quiz ends before its last question."""
        count = len(self.sheet.answers)
        if not count:
            return f"Answered: none of {questions}, so no file was written."
        out = visible_text(str(self._out), spaces=False)
        return f"Answered: {count} of {questions}, kept in {out}."


def ask_plainly(asked: Iterable[Question], keeper: Keeper, lines: Iterable[str]) -> None:
    """Ask on standard output, and read answers; the end of the input ends the quiz."""
    questions, answers, score = list(asked), iter(lines), Tally()
    for number, question in enumerate(questions, 1):
        asking = PlainQuestion(Attempt(question))
        step = f"step {question.frame.step:,}"
        print(f"Question {number} of {len(questions)}, {step}.", flush=True)
        for said in asking.question():
            print(said, flush=True)
        while not asking.attempt.is_over:
            line = next(answers, None)
            if line is None or line.strip() == "quit":
                print(keeper.describe_rest(len(questions)))
                return
            for said in asking.answer(line):
                print(said, flush=True)
        score.count(asking.attempt)
        keeper.keep(asking.attempt)
    print(f"{score}.".capitalize())

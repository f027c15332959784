"""`bpe-tui quiz`: questions about a corpus, and the quiz file of a lecturer."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

from bpe_tui.cli import choices, inputs, options, outputs
from bpe_tui.cli.declared import Given, command, examples
from bpe_tui.cli.plain import ask_until_over, lines_typed
from bpe_tui.session.config import RunConfig
from bpe_tui.session.lessons import kinds_of_lessons
from bpe_tui.session.samples import sample_paths
from bpe_tui.session.training import train
from bpe_tui.widgets.language import current_table, listed, plural, tr
from bpe_tui.widgets.visible import visible_text
from bpe_tui.words.transcript import PlainQuestion
from engine.learning.file_values import KnownFile
from engine.learning.questions import kinds_for
from engine.learning.questions.question import Attempt, FirstTries, Question
from engine.learning.quiz import (
    LONGEST_NAME,
    MOST_QUESTIONS,
    QUIZ_KINDS,
    Answered,
    AnswerSheet,
    Paper,
    make_quiz,
    without_controls,
)
from engine.learning.quiz_file import QuizFile, corpus_beside, is_quiz_file, read_quiz_file
from engine.recording.playback import Player
from engine.text.sources import STANDARD_INPUT

QUIZ = "Quiz"
OPTIONS = (
    *("model", "vocab_size", "special_tokens", "pattern", "tie_rule"),
    *("min_count", "max_token_length", "units"),
)
"""The options of a training that decide its merges."""


def _complete_kinds(incomplete: str) -> list[str]:
    """Return the kinds of questions that go on after the last comma, for a shell."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{kind}" for kind in QUIZ_KINDS if kind.startswith(last)]


@command(
    epilog=examples(
        "bpe-tui quiz samples/handout.txt --pattern whitespace --out answers.json",
        "bpe-tui quiz corpus.txt --questions 12 --seed 7 --name Li --out answers/li.json",
        "bpe-tui quiz corpus.txt --out answers.json --plain",
        "bpe-tui quiz corpus.txt --lessons 1-4 --seed 7 --ask-id --write quiz.toml",
        "bpe-tui quiz quiz.toml --name Li --id 4711 --out li.json",
    ),
    training={
        name: each
        for name, each in options.OF_TRAINING.items()
        if name not in ("trainer", "phases")
    },
)
def quiz(
    context: Given,
    corpus: str = options.names_file(
        "CORPUS|QUIZ.toml",
        "The text to train on, one file (.gz, .bz2, .xz, .zst are unpacked); or a quiz file.",
    ),
    out: Path | None = options.option(
        "--out FILE.json", "Where the answers go, after each question.", options.OUTPUT
    ),
    write: Path | None = options.option(
        "--write FILE.toml",
        "Ask nothing: write a quiz file for your class, which fixes corpus and options.",
        options.OUTPUT,
    ),
    questions: int = options.option(
        "--questions N", "How many, from easy to hard.", QUIZ, default=12, min=1, max=MOST_QUESTIONS
    ),
    seed: str = options.option(
        "--seed TEXT",
        "Decides which questions; the same seed asks the same on every machine.",
        QUIZ,
        default="1",
    ),
    kinds: str = options.option(
        "--kinds KIND,…",
        f"Only questions of these kinds: {', '.join(QUIZ_KINDS)}.",
        QUIZ,
        default="",
        autocompletion=_complete_kinds,
    ),
    lessons: str = options.option(
        "--lessons 1-4", "Only questions of the kinds that these lessons ask.", QUIZ, default=""
    ),
    name: str = options.option("--name NAME", "Your name, for the file.", QUIZ, default=""),
    learner_id: str = options.option(
        "--id ID", "Your ID, such as a student number, for the file.", QUIZ, default=""
    ),
    ask_id: bool = options.option(
        "--ask-id", "With --write: learners are asked for name and ID first.", QUIZ
    ),
    force: bool = options.FORCE,
    plain: bool = options.option(
        "--plain", "No screen: questions in sentences, answers line by line.", options.OUTPUT
    ),
    **of_training: Any,
) -> None:
    """Ask questions about a training, and write the answers down.

    `bpe-tui grade` makes tables of such files. It is practice: nothing in the file is secret.
    """
    if os.path.exists(corpus) and not os.path.isfile(corpus):  # a pipe could be read only once
        raise inputs.CommandLineError(f"{corpus}: is no ordinary file; a quiz is about one file")
    if is_quiz_file(corpus):
        choices.refuse_given(context, FIXED, "is not for a quiz file, which decides it")
        asked = read_quiz_file(Path(corpus))
        config = config_of(asked.paper, asked.find_corpus(Path(corpus).parent, sample_paths()))
        paper, ask_id = asked.paper, asked.asks_id
        source = inputs.check_run(config)
    else:
        choices.check_model(context)
        if corpus == STANDARD_INPUT:
            raise inputs.CommandLineError(
                "a quiz is about a corpus in a file, so that it can be graded"
            )
        config = choices.run_of(context, corpus)
        if config.most_words is not None:
            raise inputs.CommandLineError("a quiz limits tokens in bytes: --max-token-length N")
        source = inputs.check_run(config)
        wanted = chosen_kinds(kinds, lessons)
        paper = paper_of(config, seed, questions, wanted)  # fails early if the corpus is no file
    if write is not None:
        write_quiz(context, config, QuizFile(paper, KnownFile.of(config.corpus), ask_id), write)
        return
    if ask_id and not is_quiz_file(corpus):
        raise inputs.CommandLineError("--ask-id is for --write; give --name and --id instead")
    if out is None:
        raise inputs.CommandLineError("say where the answers go: --out answers.json")
    sheet = AnswerSheet(paper, _checked_text("--name", name), id=_checked_text("--id", learner_id))
    outputs.check_outputs([out], source, overwrite=force)
    if not plain:
        inputs.check_terminal()
    made = _made(config, paper)
    sheet.started = datetime.now(UTC).isoformat(timespec="seconds")
    keeper = AnswerKeeper(sheet, out)
    if plain:
        lines = lines_typed()
        if ask_id:
            ask_who(sheet, lines)
        ask_plainly(made, keeper, lines)
    else:
        raise SystemExit(_ask_on_screen(made, keeper, ask_id=ask_id))


FIXED = (*("questions", "seed", "kinds", "lessons", "ask_id", "write"), *options.OF_TRAINING)
"""Options that a quiz file decides."""


def _checked_text(option: str, text: str) -> str:
    """Return a name, an ID or a seed as it is kept; one that no file may hold is an error."""
    clean = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace").strip()
    if len(clean) > LONGEST_NAME:
        raise inputs.CommandLineError(f"{option} has at most {LONGEST_NAME} characters")
    if clean != without_controls(clean):
        raise inputs.CommandLineError(f"{option} has a control character; type letters and digits")
    return clean


def _made(config: RunConfig, paper: Paper) -> tuple[Question, ...]:
    """Train, and return the questions; print a note if there are fewer than wanted."""
    template = "Reading {name}."
    print(tr(template, name=visible_text(config.name, spaces=False)), file=sys.stderr, flush=True)
    run = finished_run(config)
    made = make_quiz(run, paper.seed, paper.questions, paper.kinds)
    if unfit := [kind for kind in paper.kinds if kind not in kinds_for(run.frame)]:
        template = "not asked about the model {model}: {unfit}"
        inputs.note(tr(template, model=config.model, unfit=listed(unfit)))
    if len(made) < paper.questions:
        found = plural(len(made), "different question")
        template = "this corpus gives only {found}, not {questions}"
        inputs.note(tr(template, found=found, questions=paper.questions))
    return made


# -- the quiz file


def chosen_kinds(kinds: str, lessons: str) -> tuple[str, ...]:
    """Return the kinds that `--kinds` and `--lessons` ask for; empty for all.

    Raises:
        UnknownNameError: there is no such kind, or no such lesson.
        CommandLineError: the lessons are typed in another form.
    """
    named = [QUIZ_KINDS[word.strip()].name for word in kinds.split(",") if word.strip()]
    asked = [kind for kind in kinds_of_lessons(numbers_of(lessons)) if kind in QUIZ_KINDS]
    if lessons and not asked:
        raise inputs.CommandLineError(
            f"the lessons {lessons} ask about texts of their own, and a quiz asks no such question"
        )
    return tuple(dict.fromkeys([*named, *asked]))


MOST_NUMBERS = 100


def numbers_of(typed: str) -> list[int]:
    """Return the numbers that are typed as `1-4` or `1,3,7-9`.

    >>> numbers_of("1-3,7")
    [1, 2, 3, 7]
    """
    found: list[int] = []
    for part in typed.split(",") if typed.strip() else ():
        first, dash, last = part.strip().partition("-")
        ends = first.strip(), (last if dash else first).strip()
        if not all(end.isascii() and end.isdigit() and len(end) < 4 for end in ends):
            raise inputs.CommandLineError("--lessons is like 1-4, or 1,3,7-9")
        found += range(int(ends[0]), int(ends[1]) + 1)
    return found[:MOST_NUMBERS]


def write_quiz(context: Given, config: RunConfig, quiz: QuizFile, path: Path) -> None:
    """Make the questions once, write the quiz file, and print what it asks."""
    of_answers = "out", "name", "learner_id", "plain"
    choices.refuse_given(context, of_answers, "is for answers, and --write asks nothing")
    outputs.check_free(path, force=context.params["force"])
    if path.suffix.lower() != ".toml":
        raise inputs.CommandLineError("the name of a quiz file ends with .toml")
    asked = Counter(question.kind for question in _made(config, quiz.paper))
    near = KnownFile(corpus_beside(config.corpus, path.parent), *astuple(quiz.corpus)[1:])
    quiz = replace(quiz, corpus=near)
    quiz.write(path, overwrite=context.params["force"])
    kinds = listed(f"{count} {kind}" for kind, count in asked.items())
    place = visible_text(str(path), spaces=False)
    template = "written: {place}, {questions}: {kinds}"
    print(tr(template, place=place, questions=plural(asked.total(), "question"), kinds=kinds))
    is_sample = near.path in {sample.name for sample in sample_paths()}
    if not is_sample and not Path(path.parent, near.path).exists():
        inputs.note(tr("give {path} to your class, too, in the same folder", path=near.path))


# -- the paper, which decides the questions


def paper_of(config: RunConfig, seed: str, questions: int, kinds: Sequence[str] = ()) -> Paper:
    """Return the paper of a quiz, for its file of answers."""
    options = {name: getattr(config, name) for name in OPTIONS}
    options["special_tokens"] = tuple(config.special_tokens)
    seed = _checked_text("--seed", seed)
    digest = KnownFile.of(config.corpus).digest
    return Paper(config.name, digest, options, seed, questions, tuple(kinds))


def config_of(paper: Paper, corpus: Path) -> RunConfig:
    """Return the config that a paper asks to train."""
    chosen = {name: value for name, value in paper.options.items() if name in OPTIONS}
    chosen["special_tokens"] = tuple(chosen.get("special_tokens", ()))
    return RunConfig(str(corpus), **{**chosen, "min_count": max(chosen.get("min_count", 1), 1)})


def finished_run(config: RunConfig) -> Player[Any]:
    """Train, and return the recording with all its steps.

    Raises:
        BpeError: the corpus cannot be read, or the options contradict each other.
    """
    recording: Player[Any] = train(config).complete()
    return recording


# -- asking


def ask_who(sheet: AnswerSheet, lines: Iterator[str]) -> None:
    """Ask for the name and the ID that are not given yet, on standard output."""
    for key, asked in (("learner", "Your name?"), ("id", "Your ID?")):
        if not getattr(sheet, key):
            print(tr(asked), flush=True)
            line = next(lines, "").encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            setattr(sheet, key, line.strip()[:LONGEST_NAME])


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
            return tr("Answered: none of {questions}, so no file was written.", questions=questions)
        out = visible_text(str(self.out), spaces=False)
        template = "Answered: {count} of {questions}, kept in {out}."
        return tr(template, count=count, questions=questions, out=out)


def _ask_on_screen(questions: Sequence[Question], keeper: AnswerKeeper, *, ask_id: bool) -> int:
    """Ask on the screen of a quiz, name and ID first if they are wanted; return the exit code."""
    from bpe_tui.app.base import run_screen  # slow to import, and only the screen needs it
    from bpe_tui.lessons.asking import QuizScreen

    sheet = keeper.sheet
    who = sheet if ask_id else None
    return run_screen(lambda: QuizScreen(questions, keeper.keep, sheet.paper.name, who))


def ask_plainly(questions: Sequence[Question], keeper: AnswerKeeper, lines: Iterator[str]) -> None:
    """Ask on standard output, and read answers; the end of the input ends the quiz."""
    score = FirstTries()
    for number, question in enumerate(questions, 1):
        asking = PlainQuestion(Attempt(question.translated(current_table())))
        step, last = question.frame.step, len(questions)
        template = "Question {n} of {last}, step {step}."
        print(tr(template, n=number, last=last, step=step), flush=True)
        if not ask_until_over(asking, lines):
            print(keeper.describe_rest(len(questions)))
            return
        score.count(asking.attempt)
        keeper.keep(asking.attempt)
    described = score.describe(current_table())
    print(tr("{clause}.", clause=f"{described[:1].upper()}{described[1:]}"))

"""A quiz: questions about one run, made from a seed, and the file of what a learner answered.

The corpus, the options of its training, the seed and the number of questions decide the questions,
on every machine. So a file of answers holds those, and none of the questions; see `grading`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.core.errors import QuestionError, QuizFileError
from engine.core.files import write_files
from engine.learning.questions import KINDS, ask
from engine.learning.questions.form import Answer
from engine.learning.questions.question import Attempt, Chance, Level, Question
from engine.recording.player import Player

MOST_QUESTIONS = 100
DECK = (
    *("next-pair", "next-pair", "next-pair", "tie", "count-change", "count-change"),
    *("encode-by-hand", "encode-by-hand", "cuts", "stale", "decode"),
    *("best-score", "first-to-go", "best-path"),
)
"""What is drawn from; a kind that stands more often is asked more often."""
OF_ONE_MOMENT = frozenset(("next-pair", "tie", "best-score", "first-to-go"))
"""Kinds that ask what a step does: at one step, or at neighbours, one tells the other's answer."""
TRIES = 12
"""So often a question of the level wanted is looked for; then the nearest is taken."""


@dataclass(frozen=True)
class Paper:
    """What decides the questions of a quiz.

    Attributes:
        corpus: the name of the corpus, for people.
        digest: its SHA-256, by which it is known.
        options: of the training: name → a value that JSON can hold.
        seed: any text.
        questions: how many.
    """

    corpus: str
    digest: str
    options: Mapping[str, Any]
    seed: str
    questions: int

    @property
    def run(self) -> str:
        """What decides the run: equal for papers about the same one."""
        return json.dumps([self.digest, dict(self.options)], sort_keys=True)

    @property
    def key(self) -> str:
        """What decides the questions."""
        return json.dumps([self.run, self.seed, self.questions])

    @property
    def name(self) -> str:
        """What it is called: `handout.txt, seed 7`."""
        return f"{self.corpus}, seed {self.seed}"


def make_quiz(player: Player[Any], seed: str, count: int) -> tuple[Question[Any], ...]:
    """The questions of a quiz about a finished recording, from easy to hard.

    There may be fewer than asked for, where a small corpus gives no more different ones.

    Raises:
        QuestionError: nothing can be asked about this run.
    """
    chosen: list[Question[Any]] = []
    deck = [name for name in DECK if isinstance(player.frame, KINDS[name].OF)]
    for number in range(count):
        level = Level(number * len(Level) // count)
        chance = Chance(f"{seed}:quiz:{number}")
        found = list(_looked_for(player, deck, level, chance, chosen))
        asked = Counter(question.NAME for question in chosen)
        if found:
            # A kind that was asked three times counts as a level off.
            chosen.append(min(found, key=lambda q: abs(q.level - level) + asked[q.NAME] / 3))
    if not chosen:
        raise QuestionError("nothing can be asked about this run; give a corpus with more in it")
    return tuple(chosen)


def _looked_for(
    player: Player[Any],
    deck: list[str],
    level: Level,
    chance: Chance,
    chosen: list[Question[Any]],
) -> Iterator[Question[Any]]:
    """New questions that can be asked, until one is of the level."""
    for _ in range(TRIES):
        # Early steps are the ones that a learner follows: half of them before the root of all.
        step = int((len(player) + 1) ** chance.share()) - 1
        kind = chance.pick(deck)
        try:
            question = ask(kind, player.frame.at(step), f"{chance.below(1 << 30)}")
        except QuestionError:
            continue
        if any(_are_alike(question, other) for other in chosen):
            continue
        yield question
        if question.level == level and kind not in [other.NAME for other in chosen[-2:]]:
            return


def _are_alike(one: Question[Any], other: Question[Any]) -> bool:
    """Whether who knows one question knows the other: they are the same, or of the same moment."""
    if (one.asks, one.given, one.form) == (other.asks, other.given, other.form):
        return True
    near = abs(one.frame.step - other.frame.step) <= 1
    return near and {one.NAME, other.NAME} <= OF_ONE_MOMENT


# -- what was answered, as a file

FORMAT, VERSION = "bpe-tui answers", 1
LARGEST = 1 << 20
"""Bytes of a file of answers, at the most."""
MOST_TRIES = 100
LONGEST_NAME = 200


@dataclass
class Answered:
    """What somebody made of one question.

    Attributes:
        kind, step: of the question, so that a file tells for itself what was asked.
        tried: the answers in their order.
        hinted, given_up: whether the hint and the answer were asked for.
        seconds: from the question to its end.
        right: whether the first answer was right. Nobody believes it.
    """

    kind: str
    step: int
    tried: list[Any] = field(default_factory=list)
    hinted: bool = False
    given_up: bool = False
    seconds: float = 0.0
    right: bool = False

    @classmethod
    def of(cls, attempt: Attempt, seconds: float) -> Answered:
        """What was answered by now."""
        question = attempt.question
        tried = [list(each) if isinstance(each, tuple) else each for each in attempt.tried]
        return cls(
            *(question.NAME, question.frame.step, tried, attempt.hinted, attempt.given_up),
            *(round(seconds, 1), attempt.at_first_try),
        )


@dataclass
class AnswerSheet:
    """A file of answers.

    Attributes:
        learner: what the learner is called, if that was said.
        started: when, as an ISO date with time.
    """

    paper: Paper
    learner: str = ""
    started: str = ""
    answers: list[Answered] = field(default_factory=list)

    def write(self, path: Path, *, overwrite: bool = False) -> None:
        """Write the file, whole or not at all.

        Raises:
            OutputExistsError, OutputError: something is there, or it cannot be written.
        """
        paper = self.paper
        content = {
            "format": FORMAT,
            "version": VERSION,
            "learner": self.learner,
            "started": self.started,
            "corpus": {"name": paper.corpus, "sha256": paper.digest},
            "options": dict(paper.options),
            "seed": paper.seed,
            "questions": paper.questions,
            "answers": [vars(answered) for answered in self.answers],
        }
        text = json.dumps(content, ensure_ascii=True, indent=1)
        write_files({path: f"{text}\n".encode()}, overwrite=overwrite)

    @classmethod
    def read(cls, path: Path) -> AnswerSheet:
        """A file of answers, which may hold anything.

        Raises:
            QuizFileError: says what is wrong with it.
        """
        content = _Reader(path, _json_in(path))
        if content.value.get("format") != FORMAT:
            raise content.error("is no file of answers of this program")
        if content.value.get("version") != VERSION:
            raise content.error("is of another version of this program")
        corpus = content.table("corpus")
        count = content.number("questions", 1, MOST_QUESTIONS)
        paper = Paper(
            corpus.text("name"),
            corpus.text("sha256"),
            content.table("options").value,
            content.text("seed"),
            count,
        )
        answers = [each.answered() for each in content.tables("answers", count)]
        return cls(paper, content.text("learner"), content.text("started"), answers)


def _json_in(path: Path) -> object:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        raise QuizFileError(
            f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from error
    if len(data) > LARGEST:
        raise QuizFileError(f"{path}: is larger than any file of answers")
    try:
        value: object = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise QuizFileError(f"{path}: is no JSON, or cut short") from error
    return value


class _Reader:
    """Reads a table of JSON that may hold anything."""

    def __init__(self, path: Path, value: object) -> None:
        self._path = path
        if not isinstance(value, dict):
            raise self.error("is no file of answers of this program")
        self.value: dict[str, Any] = value

    def error(self, problem: str) -> QuizFileError:
        return QuizFileError(f"{self._path}: {problem}")

    def table(self, name: str) -> _Reader:
        return _Reader(self._path, self._of(name, dict))

    def tables(self, name: str, most: int) -> list[_Reader]:
        found = self._of(name, list)
        if len(found) > most:
            raise self.error(f"{name} has more entries than there are questions")
        return [_Reader(self._path, each) for each in found]

    def text(self, name: str) -> str:
        found: str = self._of(name, str)
        if len(found) > LONGEST_NAME:
            raise self.error(f"{name} is longer than {LONGEST_NAME} characters")
        if not found.isascii() and found != found.encode("utf-8", "ignore").decode():
            raise self.error(f"{name} is no text")
        return found

    def number(self, name: str, least: int, most: int) -> int:
        found: int = self._of(name, int)
        if not least <= found <= most:
            raise self.error(f"{name} is not between {least} and {most}")
        return found

    def answered(self) -> Answered:
        tried = self._of("tried", list)
        if len(tried) > MOST_TRIES:
            raise self.error(f"tried has more than {MOST_TRIES} entries")
        seconds = self._of("seconds", (int, float))
        return Answered(
            self.text("kind"),
            self.number("step", 0, 1 << 40),
            tried,
            self._of("hinted", bool),
            self._of("given_up", bool),
            seconds if 0 <= seconds < 1e9 else 0.0,
            self._of("right", bool),
        )

    def _of(self, name: str, kind: type[Any] | tuple[type[Any], ...]) -> Any:
        found = self.value.get(name)
        if not isinstance(found, kind) or (kind is not bool and isinstance(found, bool)):
            raise self.error(f"{name} is missing or of the wrong kind")
        return found


def regraded(question: Question[Any], answered: Answered) -> Attempt:
    """What an entry of a file is worth, graded again.

    Raises:
        AnswerError: an answer is none of the question's form.
    """
    attempt = Attempt(question, hinted=answered.hinted)
    for claimed in answered.tried:
        answer: Answer = question.form.check(claimed)
        if not attempt.is_over:
            attempt.try_answer(answer)
    attempt.given_up = answered.given_up
    return attempt

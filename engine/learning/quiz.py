"""A quiz: questions about one run, made from a seed, and the file of a learner's answers.

The corpus, the options of its training, the kinds, the seed and the number of questions decide the
questions, on every machine. So an answer file holds these, and no questions; see `grading`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import repeat
from pathlib import Path
from typing import Any
from unicodedata import category

from engine.core.errors import QuestionError, QuizFileError, TokenizerFileError
from engine.core.files import write_files
from engine.core.json_fields import Fields
from engine.core.registry import Registry
from engine.learning.file_values import read_options, read_small, short_text
from engine.learning.questions import KINDS, ask
from engine.learning.questions.answer_forms import Answer, Choice
from engine.learning.questions.question import Attempt, Chance, Question
from engine.recording.playback import Player

MOST_QUESTIONS = 100
DECK = (
    *("next-pair", "next-pair", "tie", "tie", "count-change", "count-change"),
    *("make-merges", "encode-by-hand", "stale", "tokens-left"),
    *("reason", "reason", "fewer", "fewer"),
    *("longest-match", "best-path"),
)
"""The kinds to draw from; one that is listed more often is asked more often."""
QUIZ_KINDS = Registry("kind of question", {name: KINDS[name] for name in DECK})
"""The kinds that a quiz asks."""
OF_ONE_MOMENT = frozenset(("next-pair", "tie", "make-merges"))
"""Kinds that ask what a step does: at the same or a neighbouring step one reveals another."""
NAMES_THE_MERGE = frozenset(("count-change", "tokens-left"))
"""Kinds that name the pair that merges next, so the answer to the other kinds at that step."""
MOST_OF_A_KIND, DRAWS_A_STEP = 2, 2
"""Number of questions of a kind beyond its share, and of draws for each step of a short run."""
TRIES, EXAMPLES, STEPS = 12, 60, 400
"""Numbers of draws in search of a new question, of draws of another example, and of steps in search
of a fair question."""


@dataclass(frozen=True)
class Paper:
    """The facts that decide the questions of a quiz.

    Attributes:
        corpus: the name of the corpus, for people.
        digest: the SHA-256 that identifies the corpus.
        options: the options of the training: name → a value that JSON can hold.
        seed: any text.
        questions: the number of questions.
        kinds: the kinds to draw from, names in `QUIZ_KINDS`; empty for all.
    """

    corpus: str
    digest: str
    options: Mapping[str, Any]
    seed: str
    questions: int
    kinds: tuple[str, ...] = ()

    @property
    def run(self) -> str:
        """A key of the run, equal for papers about the same run."""
        chosen = {name: value for name, value in self.options.items() if value is not None}
        return json.dumps([self.digest, chosen], sort_keys=True)

    @property
    def key(self) -> str:
        """A key of the quiz, equal for papers with the same questions."""
        return json.dumps([self.run, self.seed, self.questions, sorted(self.kinds)])

    @property
    def code(self) -> str:
        """A short code of the quiz, the first hex digits of the digest of its key."""
        return sha256(self.key.encode("utf-8", "surrogatepass")).hexdigest()[:12]

    @property
    def name(self) -> str:
        """The name of the quiz: `handout.txt, seed 7`."""
        return f"{self.corpus}, seed {self.seed}"


def make_quiz(
    player: Player[Any], seed: str, count: int, kinds: Collection[str] = ()
) -> tuple[Question, ...]:
    """Return the questions of a quiz about a finished recording, from easy to hard.

    A small corpus may give fewer different questions than `count`.

    Args:
        kinds: the kinds to draw from; empty for all that suit the model.

    Raises:
        QuestionError: nothing can be asked about this run.
    """
    chosen: list[Question] = []
    deck = [
        name
        for name in DECK
        if isinstance(player.frame, QUIZ_KINDS[name].frames) and (not kinds or name in kinds)
    ]
    if not deck:
        raise QuestionError(f"no question of these kinds suits this model: {', '.join(kinds)}")
    weights, asked = Counter(deck), Counter[str]()
    is_fair = True
    while len(chosen) < count:
        chance = Chance(f"{seed}:quiz:{len(chosen)}")
        # Each kind has its share: the next one is of a kind that was asked least for its weight.
        kinds_left = sorted(
            chance.shuffled(weights), key=lambda kind: (asked[kind] + 1) / weights[kind]
        )
        for kind in kinds_left:
            question = _new_question(player, kind, chance, chosen, is_fair)
            if question is not None:
                chosen.append(question)
                asked[kind] += 1
            most = MOST_OF_A_KIND + count * weights[kind] // len(deck)
            if question is None or asked[kind] == most:
                del weights[kind]  # a small corpus has no other one, or only these
            if question is not None:
                break
        if not weights and not is_fair:
            break
        if not weights:  # a small corpus has few fair questions, and others say more than none
            is_fair, weights = False, Counter(deck)
    if not chosen:
        raise QuestionError("nothing can be asked about this run; give a corpus with more in it")
    return tuple(sorted(chosen, key=lambda question: question.level))


def _new_question(
    player: Player[Any], kind: str, chance: Chance, chosen: Sequence[Question], is_fair: bool
) -> Question | None:
    """Draw questions of a kind until one is new; return `None` if none is found."""
    for _ in range(TRIES):
        question = draw_question(player, kind, chance, is_fair)
        if question is None or not any(_are_alike(question, other) for other in chosen):
            return question
    return None


def draw_question(
    player: Player[Any], kind: str, chance: Chance, is_fair: bool = True
) -> Question | None:
    """Draw steps until a question is found, and unless others will do a fair one; else `None`."""
    unfair = 0
    first = KINDS[kind].find_steps(player, chance)
    later = repeat(None, min(STEPS, DRAWS_A_STEP * len(player)))
    for step in (*first, *later):
        question = _drawn(player, kind, chance, step)
        if question is not None and (question.is_fair or not is_fair):
            return question
        unfair += question is not None
        if unfair * KINDS[kind].draws >= STEPS:
            return None
    return None


def _drawn(
    player: Player[Any], kind: str, chance: Chance, step: int | None = None
) -> Question | None:
    """Draw a step, unless one is given, and ask there; `None` if that is not possible."""
    if step is None:
        # A learner can follow early steps: half of the draws are below the square root of all.
        step = int((len(player) + 1) ** chance.share()) - 1
    try:
        return ask(kind, player.frame.at(step), f"{chance.below(1 << 30)}")
    except QuestionError:
        return None


def another_example(player: Player[Any], kind: str, asked: Sequence[Question]) -> Question:
    """Return a question of a kind that is none of those asked before.

    Raises:
        QuestionError: none was found.
    """
    chance = Chance(f"another:{kind}:{len(asked)}")
    for _ in range(EXAMPLES):
        question = _drawn(player, kind, chance)
        if question is not None and not any(_is_same(question, other) for other in asked):
            return question
    raise QuestionError("no other example was found in this corpus")


def _is_same(one: Question, other: Question) -> bool:
    """Whether two questions ask for the same, with whatever words, and rows in whatever order."""
    forms = [question.form for question in (one, other)]
    rows = [{*form.options} if isinstance(form, Choice) else form for form in forms]
    return (one.asks, rows[0]) == (other.asks, rows[1])


def _are_alike(one: Question, other: Question) -> bool:
    """Whether two questions are the same, or one reveals the answer to the other."""
    if _is_same(one, other):
        return True
    first, second = sorted((one, other), key=lambda question: question.frame.step)
    apart = max(second.frame.step - (first.frame.step + first.steps - 1), 0)
    names = {one.kind, other.kind}
    if names & OF_ONE_MOMENT and names & NAMES_THE_MERGE:
        return not apart
    return apart <= 1 and names.issubset(OF_ONE_MOMENT)


# -- the file of answers

FORMAT, VERSION = "bpe-tui answers", 18
LARGEST = 1 << 20
"""Largest size of an answer file, in bytes."""
MOST_TRIES = 100
"""Largest number of answers that are kept of a question: the first ones, and the last."""
LONGEST_NAME = 200
LONGEST_TIME = 1e9
"""Longest believable time, in seconds."""


@dataclass
class Answered:
    """The entry of an answer file for one question.

    Attributes:
        kind, step: kind and step of the question, for people who read the file.
        tried: the answers in their order; of more than `MOST_TRIES` the first ones and the last.
        hinted, given_up: whether the learner asked for the hint, and for the answer.
        seconds: time from the question to its end.
        right: whether the first answer was right; it is not trusted.
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
        """Return the entry of an attempt."""
        question = attempt.question
        tried = [list(each) if isinstance(each, tuple) else each for each in attempt.tried]
        tried = [*tried[: MOST_TRIES - 1], *tried[MOST_TRIES - 1 :][-1:]]
        return cls(
            kind=question.kind,
            step=question.frame.step,
            tried=tried,
            hinted=attempt.hinted,
            given_up=attempt.given_up,
            seconds=round(seconds, 1),
            right=attempt.at_first_try,
        )


@dataclass
class AnswerSheet:
    """An answer file.

    Attributes:
        learner: the learner's name; may be empty.
        started: time of the start, as an ISO date with time.
        id: the learner's ID, such as a student number; may be empty.
        quiz: the code of the quiz that was asked; "" before it is written.
    """

    paper: Paper
    learner: str = ""
    started: str = ""
    answers: list[Answered] = field(default_factory=list)
    id: str = ""
    quiz: str = ""

    def write(self, path: Path, *, overwrite: bool = False) -> None:
        """Write the file, whole or not at all.

        Raises:
            OutputExistsError: the file exists and `overwrite` is false.
            OutputError: it cannot be written.
        """
        paper = self.paper
        content = {
            "format": FORMAT,
            "version": VERSION,
            "learner": without_controls(self.learner),
            "id": without_controls(self.id),
            "quiz": self.quiz or paper.code,
            "started": self.started,
            "corpus": {"name": without_controls(paper.corpus), "sha256": paper.digest},
            "options": dict(paper.options),
            "seed": paper.seed,
            "questions": paper.questions,
            "kinds": list(paper.kinds),
            "answers": [vars(answered) for answered in self.answers],
        }
        text = json.dumps(content, ensure_ascii=True, indent=" ")
        write_files({path: f"{text}\n".encode()}, overwrite=overwrite)

    @classmethod
    def read(cls, path: Path) -> AnswerSheet:
        """Read an answer file, which may contain anything.

        Raises:
            QuizFileError: it is no valid answer file; the message gives the reason.
        """
        data = read_small(path, LARGEST, "any file of answers", QuizFileError)
        try:
            value = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise QuizFileError(f"{path}: is no JSON, or cut short") from error
        try:
            return _sheet(Fields(value))
        except (TokenizerFileError, QuizFileError) as error:
            raise QuizFileError(f"{path}: {error}") from error


def _sheet(fields: Fields) -> AnswerSheet:
    if fields.value.get("format") != FORMAT:
        raise QuizFileError("is no file of answers of this program")
    if fields.count("version") != VERSION:
        raise QuizFileError(
            "its questions are those of another version of this program; grade it with that one"
        )
    corpus, count = fields.inner("corpus"), fields.count("questions")
    if not 1 <= count <= MOST_QUESTIONS:
        raise fields.error("questions", f"is not between 1 and {MOST_QUESTIONS}")
    paper = Paper(
        name_of(corpus, "name"),
        name_of(corpus, "sha256"),
        dict(read_options(fields)),
        name_of(fields, "seed"),
        count,
        kinds_of(fields),
    )
    answers = fields.each("answers")
    if len(answers) > count:
        raise fields.error("answers", "has more entries than there are questions")
    learner, started = person_of(fields, "learner"), name_of(fields, "started")
    answered = list(map(_answered, answers))
    return AnswerSheet(
        paper, learner, started, answered, person_of(fields, "id"), name_of(fields, "quiz")
    )


def kinds_of(fields: Fields) -> tuple[str, ...]:
    """Read a list of kinds, without repetitions.

    Raises:
        TokenizerFileError: a kind is unknown.
    """
    kinds = fields.texts("kinds")
    if unknown := next((kind for kind in kinds if kind not in QUIZ_KINDS), None):
        known = ", ".join(QUIZ_KINDS)
        raise fields.error("kinds", f"unknown kind {unknown[:60]!r}; there are: {known}")
    return tuple(dict.fromkeys(kinds))


def _answered(fields: Fields) -> Answered:
    tried, seconds = fields.items("tried"), fields.number_or_null("seconds") or 0
    if len(tried) > MOST_TRIES:
        raise fields.error("tried", f"has more than {MOST_TRIES} entries")
    return Answered(
        kind=name_of(fields, "kind"),
        step=fields.count("step"),
        tried=tried,
        hinted=fields.flag("hinted"),
        given_up=fields.flag("given_up"),
        seconds=seconds if 0 <= seconds < LONGEST_TIME else -1,
        right=fields.flag("right"),
    )


def person_of(fields: Fields, key: str) -> str:
    """Read what people type about themselves: in one line, and shortened if it is long.

    Raises:
        TokenizerFileError: it is no text.
    """
    typed = without_controls(" ".join(fields.text(key).split()))
    return typed if len(typed) <= LONGEST_NAME else f"{typed[: LONGEST_NAME - 1]}…"


def name_of(fields: Fields, key: str) -> str:
    """Read a name or another short text that is shown.

    Raises:
        TokenizerFileError: it is too long, no text, or has a control character.
    """
    text = short_text(fields, key, LONGEST_NAME)
    if text != without_controls(text):
        raise fields.error(key, "has a control character")
    return text


def without_controls(text: str) -> str:
    """Replace each control character by �.

    >>> without_controls("Li\x1b[2J")
    'Li�[2J'
    """
    return "".join("\ufffd" if category(char) == "Cc" else char for char in text)


def regraded(question: Question, answered: Answered) -> Attempt:
    """Grade the answers of a file's entry again.

    Raises:
        AnswerError: an answer does not have the question's form.
    """
    attempt = Attempt(question, hints=int(answered.hinted))
    for claimed in answered.tried:
        answer: Answer = question.form.check(claimed)
        if not attempt.is_over:
            attempt.try_answer(answer)
    attempt.given_up = answered.given_up
    return attempt

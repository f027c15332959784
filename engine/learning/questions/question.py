"""Questions about a step of a run: grading, and what several kinds share.

A question is made from a frame, so from the real run. The engine grades it and explains it with the
run's numbers. A question never changes; an `Attempt` keeps what the learner did with it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple, TypeVar

from engine.core.errors import QuestionError
from engine.core.events import PAIR_SIGN, Pair
from engine.core.wording import ENGLISH, Messages, Sentence, Value, Words, say
from engine.learning.questions.answer_forms import CUT, SPACE, Answer, Form, YesOrNo
from engine.recording.playback import AnyMergeFrame
from engine.text.pretokenize import to_bytes

ItemT = TypeVar("ItemT")
FindAnswers = Callable[[Any], Collection[Any]]
"""Takes the facts of a question, and returns the answers that a wrong idea allows."""

# -- a question, and attempts at it


class Level(IntEnum):
    """The difficulty of a question; the names describe the choice of a pair."""

    CLEAR = 0
    CLOSE = 1
    TIE = 2
    AFTER_LOSS = 3


class Wrong(NamedTuple):
    """The mistake in a wrong answer.

    Attributes:
        mistake: its name, in English: a clause without a subject, the same in each question.
        said: a sentence that grades the answer, without revealing the right one.
        why: the reason; `None` if it would reveal the answer.
    """

    mistake: str
    said: Sentence
    why: Sentence | None = None

    def translated(self, messages: Messages) -> Wrong:
        """Return the sentences in the language of a table."""
        why = None if self.why is None else self.why.translated(messages)
        return Wrong(self.mistake, self.said.translated(messages), why)


@dataclass(frozen=True)
class Misconception:
    """A wrong idea of the matter, as a rule that answers questions.

    Attributes:
        mistake: as of `Wrong`.
        find_answers: returns the answers that it allows, none where it says nothing.
        why: what to say to who answers so; `None` for what the kind says.
    """

    mistake: str
    find_answers: FindAnswers
    why: Sentence | None = None


@dataclass(frozen=True)
class Grade:
    """The grade of an answer.

    Attributes:
        right: whether it is right so far.
        done: whether nothing is left to answer; joins and merges go on after a right part.
        said: a sentence that grades the answer, with its numbers.
        why: the reason; `None` if it would reveal the answer.
        mistake: the name of the mistake; "" if it is right.
    """

    right: bool
    done: bool
    said: Sentence
    why: Sentence | None = None
    mistake: str = field(default="", kw_only=True)

    @property
    def verdict(self) -> str:
        """The template of the words to put before `said`."""
        return "Right: " if self.right else "No: "


@dataclass(frozen=True, eq=False)
class Question:
    """A question about a frame, with its right answer and what to say to others.

    Explanations are one sentence or two: the fact with its numbers, then the reason.

    Attributes:
        frame: the state of the run that it is about.
        asks: the question.
        form: the form of its answer.
        answer: the right answer.
        explain: explains the right answer.
        explain_wrong: returns the mistake in a wrong answer.
        find_hints: returns helps for the part after an answer that is right so far, each with more
            than the one before; none reveals the answer.
        advice: how to find the answer.
        given: facts to find the answer with, a row each.
        find_level: returns the difficulty of the question.
        explain_part: explains an answer that is right so far; returns () for any other.
        pairs: the pairs of a choice between pairs, in the order of the rows, so that a view can
            draw them itself.
        is_fair: whether no rule about the names of the rows finds the answer, and no misconception
            leads to it; others are asked only where somebody has chosen the step, never in a quiz.
        steps: the number of steps that it asks about, from the frame's on.
        facts: what the misconceptions of its kind look at.
        kind: its name in `KINDS`, which `ask` sets.
        misconceptions: those of its kind, which `ask` sets.
        messages: the table of its language.
    """

    frame: Any
    asks: Sentence
    form: Form
    answer: Answer
    explain: Callable[[], tuple[Sentence, ...]]
    explain_wrong: Callable[[Any], Wrong]
    find_hints: Callable[[tuple[int, ...]], tuple[Sentence, ...]]
    advice: Sentence
    given: tuple[Sentence, ...] = ()
    find_level: Callable[[], Level] = lambda: Level.CLEAR
    explain_part: Callable[[Any], tuple[Sentence, ...]] = lambda answer: ()
    pairs: tuple[Pair, ...] = ()
    is_fair: bool = True
    steps: int = 1
    facts: Any = None
    kind: str = ""
    misconceptions: tuple[Misconception, ...] = ()
    messages: Messages = field(default_factory=lambda: ENGLISH)

    @property
    def how(self) -> str:
        """A sentence that says how to type an answer."""
        return str(self.form.instruction.translated(self.messages))

    def translated(self, messages: Messages) -> Question:
        """Return the question in the language of a table, with its explanations."""
        if not messages:
            return self

        def told(sentences: Iterable[Sentence]) -> tuple[Sentence, ...]:
            return tuple(sentence.translated(messages) for sentence in sentences)

        asks, advice = told((self.asks, self.advice))
        return replace(
            self,
            asks=asks,
            advice=advice,
            given=told(self.given),
            form=self.form.translated(messages),
            find_hints=lambda progress: told(self.find_hints(progress)),
            explain=lambda: told(self.explain()),
            explain_wrong=lambda answer: self.explain_wrong(answer).translated(messages),
            explain_part=lambda answer: told(self.explain_part(answer)),
            messages=messages,
        )

    @cached_property
    def level(self) -> Level:
        """The difficulty of the question."""
        return self.find_level()

    def grade(self, answer: Answer) -> Grade:
        """Grade an answer that has the question's form."""
        if answer == self.answer:
            return Grade(True, True, *self.explain())
        if part := self.explain_part(answer):
            return Grade(True, False, *part)
        wrong = self.explain_wrong(answer)
        for each in self.misconceptions:
            if answer in each.find_answers(self.facts):
                why = wrong.why if each.why is None else each.why.translated(self.messages)
                return Grade(False, False, wrong.said, why, mistake=each.mistake)
        return Grade(False, False, wrong.said, wrong.why, mistake=wrong.mistake)

    @cached_property
    def misleading(self) -> int:
        """The number of misconceptions that lead to the right answer, of several answers or one.

        Of two answers a wrong idea has to be right as often as not: else its contrary were right.
        """
        if isinstance(self.form, YesOrNo):
            return 0
        return sum(self.answer in each.find_answers(self.facts) for each in self.misconceptions)

    @property
    def model_answer(self) -> tuple[Sentence, ...]:
        """The explanation for a learner who gives up."""
        first, *why = self.explain()
        return (say("Answer: {sentence}", sentence=first).translated(self.messages), *why)


@dataclass(frozen=True)
class Request:
    """The details of a question that is wanted.

    Attributes:
        chance: decides what is left open.
        about: what to ask about: a pair `o|t`, a word, a text; `None` leaves it open.
        rows: the largest number of rows to choose from.
    """

    chance: Chance
    about: str | None = None
    rows: int = 6


@dataclass(frozen=True)
class Kind:
    """A kind of question.

    Attributes:
        name: its name in lesson files, answer files and commands.
        frames: classes of the frames that it can be asked about.
        model: the models of those frames, for people.
        pose: makes a question about a frame; raises a `QuestionError` with the reason if it cannot.
        misconceptions: wrong ideas that lead to wrong answers in a fair question.
        draws: number of draws in search of a fair question.
        find_steps: takes a player, and draws steps to ask at first; mostly none.
    """

    name: str
    frames: tuple[type[Any], ...]
    model: str
    pose: Callable[[Any, Request], Question]
    misconceptions: tuple[Misconception, ...] = ()
    draws: int = 1
    find_steps: Callable[[Any, Chance], list[int]] = lambda player, chance: []


@dataclass
class Attempt:
    """A question and what a learner answered.

    Attributes:
        tried: the different answers in their order; of several parts only the wrong ones and the
            last.
        hints: number of hints that the learner asked for, in all parts.
        given_up: whether the learner asked for the answer or skipped the question.
        grade: the grade of the last answer.
        progress: the parts of an answer that are right so far.
        shown: number of hints for the present part that were asked for; the last is shown.
    """

    question: Question
    tried: list[Answer] = field(default_factory=list)
    hints: int = 0
    given_up: bool = False
    grade: Grade | None = None
    progress: tuple[int, ...] = ()
    shown: int = 0

    @property
    def hint(self) -> Sentence:
        """A help for the present part that does not reveal the answer."""
        hints = self.question.find_hints(self.progress)
        return hints[min(max(self.shown, 1), len(hints)) - 1]

    def ask_hint(self) -> None:
        """Show the next hint for the present part."""
        self.hints += 1
        self.shown += 1

    @property
    def hinted(self) -> bool:
        """Whether the learner asked for a hint."""
        return self.hints > 0

    @property
    def shows_hint(self) -> bool:
        """Whether a hint for the present part is shown."""
        return self.shown > 0

    def try_answer(self, answer: Answer) -> Grade:
        """Grade an answer, and remember it."""
        self.grade = self.question.grade(answer)
        if self.grade.right and isinstance(answer, tuple):
            self.progress, self.shown = answer, 0
        if answer not in self.tried and (self.grade.done or not self.grade.right):
            self.tried.append(answer)
        return self.grade

    @property
    def is_right(self) -> bool:
        """Whether the right answer was found."""
        return self.grade is not None and self.grade.right and self.grade.done

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to answer."""
        return self.given_up or self.is_right

    def reveals(self, place: int) -> bool:
        """Whether the number and the bar of a row are shown: once it is tried, and at the end."""
        return self.is_over or place in self.tried

    @property
    def at_first_try(self) -> bool:
        """Whether the first answer was right; the hint is allowed."""
        return self.is_right and len(self.tried) == 1 and not self.given_up


@dataclass
class FirstTries:
    """The number of questions asked, and of those answered right at the first try."""

    first: int = 0
    asked: int = 0

    def count(self, attempt: Attempt) -> None:
        """Count a question that is over."""
        self.asked += 1
        self.first += attempt.at_first_try

    def describe(self, messages: Messages = ENGLISH) -> str:
        """Return the two numbers in a phrase."""
        n, asked = str(self.first), str(self.asked)
        return str(say("{n} of {asked} at the first try", n=n, asked=asked).translated(messages))

    def __str__(self) -> str:
        return self.describe()


# -- what several kinds of questions share


class Chance:
    """Draws that are the same on every machine and in every version of Python.

    Python promises only that `random()` of a seed stays the same, so all draws use it.

    >>> chance = Chance("7:1")
    >>> [chance.below(10) for _ in range(5)], Chance("7:1").pick("abc")
    ([9, 7, 1, 3, 3], 'c')
    """

    def __init__(self, seed: str) -> None:
        self.share = Random(seed.encode("utf-8", "surrogatepass")).random
        """Draws a number from 0 to 1, without 1."""

    def below(self, end: int) -> int:
        """Draw a whole number from 0 to `end` − 1."""
        return int(self.share() * end)

    def pick(self, items: Sequence[ItemT]) -> ItemT:
        """Draw one of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[ItemT]) -> list[ItemT]:
        """Return all items in a random order."""
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in range(len(left))]


def pair_words(frame: AnyMergeFrame, pair: Pair) -> Words:
    """Return a pair as words of a sentence: `o+t`."""
    left, right = map(frame.any_token, pair)
    return left, PAIR_SIGN, right


def in_turn(things: Iterable[Value]) -> Sentence:
    """Return things in their order, as a part of a sentence: `a, then b, then c`."""
    first, *others = things
    listed = say("{thing}", thing=first)
    for thing in others:
        listed = say("{before}, then {thing}", before=listed, thing=thing)
    return listed


def joining(frame: AnyMergeFrame, ids: Sequence[int], merged: Pair) -> Words:
    """Return the tokens of a word before a merge, with `+` where two join: `·l┊o+o┊k`."""
    words: list[str | bytes] = [frame.any_token(ids[0])]
    joined = False  # whether a join already takes the token before
    for pair in pairwise(ids):
        joined = pair == merged and not joined
        words += [PAIR_SIGN if joined else "┊", frame.any_token(pair[1])]
    return tuple(words)


def minus(value: float) -> str:
    """Return a number with two decimals and a typographic minus: −1.5 → '−1.50'."""
    return f"{value:.2f}".replace("-", "\u2212")


def named_pair(frame: AnyMergeFrame, about: str) -> Pair:
    """Return the pair of two tokens written as `o|t`, with `·` for a space.

    Raises:
        QuestionError: it is no pair of tokens.
    """
    parts = about.replace(SPACE, " ").split(CUT)
    ids = [frame.id_of(to_bytes(part)) for part in parts]
    if len(ids) != 2 or None in ids:
        raise QuestionError(f"{about} is no pair of two tokens; write it as o{CUT}t")
    return ids[0], ids[1]  # type: ignore[return-value]

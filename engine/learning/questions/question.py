"""`Question`: what is asked about a step of a run, and what is said to an answer.

A question is made of a frame, so of the real run. It is graded by the engine and explained with its
numbers. It never changes: how often somebody tried is kept by an `Attempt`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import pairwise
from random import Random
from typing import Any, ClassVar, Generic, Self, TypeVar

from engine.core.errors import QuestionError
from engine.core.events import Pair
from engine.core.wording import Sentence, Words
from engine.learning.questions.form import CUT, SPACE, Answer, Form
from engine.recording.merge_frame import AnyMergeFrame
from engine.text.pretokenize import to_bytes

FrameT = TypeVar("FrameT", bound=Any)
ItemT = TypeVar("ItemT")


class Level(IntEnum):
    """How hard a question is; the names are those of the choice of a pair."""

    CLEAR = 0
    CLOSE = 1
    TIE = 2
    AFTER_LOSS = 3


@dataclass(frozen=True)
class Grade:
    """What is said to an answer.

    Attributes:
        right: whether it is right, as far as it goes.
        done: whether nothing is left to answer; only joins go on after a right one.
        said: what the answer is worth, with its numbers.
        why: why; `None` where there is nothing to tell without telling the answer.
    """

    right: bool
    done: bool
    said: Sentence
    why: Sentence | None = None

    @property
    def word(self) -> str:
        """Stands before what is said."""
        return "Right" if self.right else "No"


class Chance:
    """Draws that are the same on every machine and in every version of Python.

    Only `random()` of a seed is promised to stay, so all is made of that.

    >>> chance = Chance("7:1")
    >>> [chance.below(10) for _ in range(5)], Chance("7:1").pick("abc")
    ([9, 7, 1, 3, 3], 'c')
    """

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)

    def below(self, end: int) -> int:
        """A whole number from 0 to `end` − 1."""
        return int(self._random.random() * end)

    def share(self) -> float:
        """A number from 0 to 1."""
        return self._random.random()

    def pick(self, items: Sequence[ItemT]) -> ItemT:
        """One of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[ItemT]) -> list[ItemT]:
        """All of the items in some order."""
        left, order = list(items), []
        while left:
            order.append(left.pop(self.below(len(left))))
        return order


@dataclass(frozen=True)
class Wish:
    """What a question should be like.

    Attributes:
        chance: decides what is left open.
        about: what to ask about: a pair `o|t`, a word, a text, ids; `None` leaves it open.
        rows: how many rows there may be to choose from.
    """

    chance: Chance
    about: str | None = None
    rows: int = 6


class Question(ABC, Generic[FrameT]):
    """A question about a frame. Each kind is a subclass in a file of its own.

    Attributes:
        NAME, SUMMARY: of the kind.
        OF: the class of the frames that it can be asked about, or several.
        MODEL: what those frames are of, in a word.
        frame: what it is about.
    """

    NAME: ClassVar[str]
    SUMMARY: ClassVar[str]
    OF: ClassVar[type[Any] | tuple[type[Any], ...]]
    MODEL: ClassVar[str]

    frame: FrameT

    @classmethod
    @abstractmethod
    def of(cls, frame: FrameT, wish: Wish) -> Self:
        """The question about a frame.

        Raises:
            QuestionError: it cannot be asked there; says why.
        """

    @property
    @abstractmethod
    def asks(self) -> Sentence:
        """The question."""

    @property
    def advice(self) -> Sentence | None:
        """How the answer is found."""
        return None

    @property
    def given(self) -> tuple[Sentence, ...]:
        """Facts to find the answer with, a row each."""
        return ()

    @property
    @abstractmethod
    def form(self) -> Form:
        """What an answer looks like."""

    @property
    @abstractmethod
    def answer(self) -> Answer:
        """The right one."""

    @property
    @abstractmethod
    def facts(self) -> tuple[Sentence, ...]:
        """The right answer with its numbers, then why: one sentence or two."""

    @property
    @abstractmethod
    def hint(self) -> Sentence:
        """What helps without telling."""

    @property
    def level(self) -> Level:
        """How hard it is."""
        return Level.CLEAR

    def grade(self, answer: Answer) -> Grade:
        """What to say to an answer of the form."""
        if answer == self.answer:
            return Grade(True, True, self.facts[0], *self.facts[1:2])
        return Grade(False, False, *self.wrong(answer))

    @abstractmethod
    def wrong(self, answer: Answer) -> tuple[Sentence, ...]:
        """What to say to a wrong answer, and why it is wrong, without telling the right one."""

    @property
    def model_answer(self) -> tuple[Sentence, ...]:
        """What is told to who gives up."""
        first = self.facts[0]
        return (Sentence(("Answer: ", *first.words)), *self.facts[1:])


class PairQuestion(Question[FrameT]):
    """One of several pairs is the answer, so a view of pairs can ask in its own rows.

    Attributes:
        pairs: in the order of what they are written as, which tells nothing.
        tied: those that share the top; none if one has it alone.
        told_by_bars: whether bars may stand beside them; else there are other ways to the answer.
    """

    pairs: tuple[Pair, ...]

    @property
    @abstractmethod
    def tied(self) -> tuple[Pair, ...]: ...

    @property
    @abstractmethod
    def told_by_bars(self) -> bool: ...


@dataclass
class Attempt:
    """A question and what somebody made of it.

    Attributes:
        tried: the answers, each once, in their order; of joins those that were wrong and the last.
        hinted: whether the hint was asked for.
        given_up: whether the answer was asked for, or the question was skipped.
        grade: what was said to the last answer.
    """

    question: Question[Any]
    tried: list[Answer] = field(default_factory=list)
    hinted: bool = False
    given_up: bool = False
    grade: Grade | None = None

    def try_answer(self, answer: Answer) -> Grade:
        """Grade an answer, and remember it."""
        self.grade = self.question.grade(answer)
        if answer not in self.tried and (self.grade.done or not self.grade.right):
            self.tried.append(answer)
        return self.grade

    def give_up(self) -> None:
        """Show the answer: the question counts as not known."""
        self.given_up = True

    @property
    def is_right(self) -> bool:
        """Whether the right answer was found."""
        return self.grade is not None and self.grade.right and self.grade.done

    @property
    def is_over(self) -> bool:
        """Whether there is nothing more to answer."""
        return self.given_up or self.is_right

    @property
    def at_first_try(self) -> bool:
        """Whether the first answer was right; a hint may have helped."""
        return self.is_right and len(self.tried) == 1 and not self.given_up


@dataclass
class Score:
    """How many questions were asked, and how many answered right at the first try."""

    first: int = 0
    asked: int = 0

    def count(self, attempt: Attempt) -> None:
        """Count a question that is over."""
        self.asked += 1
        self.first += attempt.at_first_try

    def __str__(self) -> str:
        return f"{self.first} of {self.asked} at the first try"


# -- what several kinds of questions share


def pair_words(frame: AnyMergeFrame, pair: Pair) -> Words:
    """A pair within a sentence: `o│t`."""
    return frame.any_token(pair[0]), "│", frame.any_token(pair[1])


def edged(tokens: Iterable[bytes]) -> Words:
    """Tokens with their edges, within a sentence: `·l┊ow`."""
    words: list[str | bytes] = []
    for token in tokens:
        words += ["┊", token] if words else [token]
    return tuple(words)


def joining(frame: AnyMergeFrame, ids: Sequence[int], merged: Pair) -> Words:
    """The tokens of a word before a merge, `+` where two join: `·l┊o+o┊k`."""
    words: list[str | bytes] = [frame.any_token(ids[0])]
    joined = False  # whether the token before is taken by a join already
    for pair in pairwise(ids):
        joined = pair == merged and not joined
        words += ["+" if joined else "┊", frame.any_token(pair[1])]
    return tuple(words)


def named_pair(frame: AnyMergeFrame, about: str) -> Pair:
    """The pair that somebody names: `o|t`, with `·` for a space.

    Raises:
        QuestionError: it is no pair of tokens.
    """
    parts = about.replace(SPACE, " ").split(CUT)
    ids = [frame.id_of(to_bytes(part)) for part in parts]
    if len(ids) != 2 or None in ids:
        raise QuestionError(f"{about} is no pair of two tokens; write it as o{CUT}t")
    return ids[0], ids[1]  # type: ignore[return-value]


def refuse_prescribed(frame: Any) -> None:
    """Refuse where no count chooses the merges of BPE: a tokenizer's, or a fork's.

    Raises:
        QuestionError: says why.
    """
    if frame.given:
        raise QuestionError("these merges are a tokenizer's; no count chose them")
    if frame.run.record.prescribed is not None:
        raise QuestionError("this run is a fork; its merges do not follow from the counts alone")
    if frame.next_pair is None:
        raise QuestionError(f"no pair merges after step {frame.step:,}")


def refuse_without_next(frame: Any) -> None:
    """Refuse where no step is recorded that follows.

    Raises:
        QuestionError: says so.
    """
    if frame.step >= frame.recorded_steps:
        raise QuestionError(f"no merge follows step {frame.step:,}")

"""The forms of an answer: what a learner does, what may be typed, which values there are.

A form knows nothing of right and wrong. It reads what was typed, and checks what a file claims was
answered, which may be anything. Screens draw a form; see `bpe_tui.lessons`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import accumulate

from engine.core.errors import AnswerError
from engine.core.wording import Words

Answer = int | bool | str | tuple[int, ...]
"""A row, a number, yes or no, a text, places: whatever the form says. JSON can hold it."""

CUT = "|"
"""What parts pretokens, and tokens, where they are typed."""
SPACE = "·"
"""May be typed for a space, as it is shown."""


class Form(ABC):
    """What an answer looks like."""

    @property
    @abstractmethod
    def how(self) -> str:
        """How it is answered where answers are typed, as a sentence."""

    @abstractmethod
    def read(self, typed: str) -> Answer:
        """The answer that somebody typed.

        Raises:
            AnswerError: it is none; says what would be.
        """

    @abstractmethod
    def check(self, value: object) -> Answer:
        """A value out of a file, if it is an answer of this form.

        Raises:
            AnswerError: it is none.
        """


@dataclass(frozen=True)
class Option:
    """A row to choose.

    Attributes:
        label: what it is, such as the two tokens of a pair.
        note: numbers to find the answer with, where these are given.
        told: what is told of it once it has been tried: its count.
        amount: how long a bar would be, beside those of the others; 0 where there are none.
    """

    label: Words
    note: str = ""
    told: str = ""
    amount: float = 0


@dataclass(frozen=True)
class Choice(Form):
    """One of these rows. The answer is its place, from 0; typed, it counts from 1."""

    options: tuple[Option, ...]

    @property
    def how(self) -> str:
        return f"Answer with a number from 1 to {len(self.options)}."

    def read(self, typed: str) -> int:
        return self.check(_read_int(typed, self.how) - 1)

    def check(self, value: object) -> int:
        place = _check_int(value, self.how)
        if not 0 <= place < len(self.options):
            raise AnswerError(f"there is no row {place + 1}. {self.how}")
        return place


@dataclass(frozen=True)
class Number(Form):
    """A whole number, 0 or more."""

    how = "Answer with a number."

    def read(self, typed: str) -> int:
        return self.check(_read_int(typed.replace(",", ""), self.how))

    def check(self, value: object) -> int:
        number = _check_int(value, self.how)
        if number < 0:
            raise AnswerError(f"a count is never below 0. {self.how}")
        return number


@dataclass(frozen=True)
class YesOrNo(Form):
    """Yes or no, typed as y or n."""

    how = "Answer with y or n."

    def read(self, typed: str) -> bool:
        said = typed.strip().lower()
        if said not in ("y", "yes", "n", "no"):
            raise AnswerError(self.how)
        return said.startswith("y")

    def check(self, value: object) -> bool:
        if not isinstance(value, bool):
            raise AnswerError(f"it is neither yes nor no. {self.how}")
        return value


@dataclass(frozen=True)
class Text(Form):
    """A text; spaces count, and may be typed as `·`."""

    longest: int

    @property
    def how(self) -> str:
        return f"Answer with a text; {SPACE} may stand for a space."

    def read(self, typed: str) -> str:
        return self.check(typed)

    def check(self, value: object) -> str:
        if not isinstance(value, str):
            raise AnswerError(f"it is no text. {self.how}")
        if len(value) > self.longest:
            raise AnswerError(f"it is longer than {self.longest} characters. {self.how}")
        return value.replace(SPACE, " ")


@dataclass(frozen=True)
class Cuts(Form):
    """Bars between the characters of a text.

    The answer is the places of the bars, ascending: place 3 is behind the third character. Typed,
    it is the text with `|` in it.

    >>> Cuts("don't go").read("don|'t| go")
    (3, 5)
    """

    text: str

    @property
    def how(self) -> str:
        return f"Answer with the text and {CUT} wherever it is cut; {SPACE} may stand for a space."

    def read(self, typed: str) -> tuple[int, ...]:
        pieces = typed.strip("\r\n").replace(SPACE, " ").split(CUT)
        if "".join(pieces) != self.text:
            raise AnswerError(f"that is another text. {self.how}")
        return self.check([place for place in accumulate(map(len, pieces[:-1])) if place])

    def check(self, value: object) -> tuple[int, ...]:
        places = _check_ints(value, self.how)
        if list(places) != sorted(set(places)):
            raise AnswerError("the places of the bars do not ascend")
        if any(not 0 < place < len(self.text) for place in places):
            raise AnswerError("a bar stands outside of the text")
        return places


@dataclass(frozen=True)
class Joins(Form):
    """Two neighbours to join, again and again, until no more merge.

    The answer is the places of the joins so far; place 2 joins the third token with the fourth, of
    those that are there then. Typed, one join at a time, it is the two tokens with `|` between
    them, or the place from 1.

    >>> Joins((b"l", b"o", b"w")).tokens_after((1, 0))
    (b'low',)
    """

    tokens: tuple[bytes, ...]

    how = "Answer with the place where two tokens join: 2 is between the second and the third."

    def tokens_after(self, answer: tuple[int, ...]) -> tuple[bytes, ...]:
        """The tokens that these joins leave."""
        tokens = self.tokens
        for place in answer:
            tokens = (*tokens[:place], tokens[place] + tokens[place + 1], *tokens[place + 2 :])
        return tokens

    def read(self, typed: str) -> tuple[int, ...]:
        return self.check([_read_int(word, self.how) - 1 for word in typed.split()])

    def check(self, value: object) -> tuple[int, ...]:
        places = _check_ints(value, self.how)
        for left, place in zip(range(len(self.tokens) - 1, -1, -1), places, strict=False):
            if not 0 <= place < left:
                raise AnswerError(f"there are no two tokens at place {place + 1}. {self.how}")
        if len(places) >= len(self.tokens):
            raise AnswerError("there are more joins than tokens")
        return places


def _read_int(typed: str, how: str) -> int:
    word = typed.strip()
    if not word.isascii() or not word.removeprefix("-").isdigit() or len(word) > 18:
        raise AnswerError(how)
    return int(word)


def _check_int(value: object, how: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise AnswerError(f"it is no whole number. {how}")
    return value


def _check_ints(value: object, how: str) -> tuple[int, ...]:
    if not isinstance(value, list | tuple):
        raise AnswerError(f"it is no list of places. {how}")
    return tuple(_check_int(place, how) for place in value)

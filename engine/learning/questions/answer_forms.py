"""Forms of an answer, such as a row or a number. Right and wrong are elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any

from engine.core.errors import AnswerError
from engine.core.wording import Messages, Sentence, Words, edged, say

Answer = int | bool | str | tuple[int, ...]
"""A row, a number, yes or no, a text, or places, depending on the form. JSON can hold it."""

LARGEST_NUMBER, LONGEST_NUMBER = 10**18, 19
"""Bound of the numbers in an answer, and of their characters; Python refuses to write numbers of
thousands of digits."""
CUT = "|"
"""Separates pretokens, and tokens, in what is typed."""
SPACE = "·"
"""May be typed for a space, which is also shown so."""
END = -1
"""In an answer of places: nothing joins any more, or a part of the answer ends."""


def is_printable(token: bytes) -> bool:
    """Whether the bytes are a text that a terminal can show."""
    try:
        return token.decode().isprintable()
    except UnicodeDecodeError:
        return False


class Form(ABC):
    """The form of an answer; the screens of `bpe_tui.lessons` draw it."""

    how: str
    """A sentence that says how to type an answer."""

    @property
    def instruction(self) -> Sentence:
        """The sentence `how`, which can be translated."""
        return say(self.how)

    @abstractmethod
    def read(self, typed: str) -> Answer:
        """Return the typed answer.

        Raises:
            AnswerError: it has another form; the message describes the right one.
        """

    def read_on(self, typed: str, progress: tuple[int, ...]) -> Answer:
        """Return the answer that goes on from a right part with what is typed.

        Raises:
            AnswerError: as `read`.
        """
        return self.read(typed)

    @abstractmethod
    def check(self, value: object) -> Answer:
        """Return a value, such as one from a file, as an answer of this form.

        Raises:
            AnswerError: it has another form.
        """

    def translated(self, messages: Messages) -> Form:
        """Return the form with its own words in the language of a table."""
        return self

    @abstractmethod
    def words_of(self, answer: Any) -> Words:
        """Return an answer as words of a sentence: `e+s`, `no`, `don│'t`."""


@dataclass(frozen=True)
class Option:
    """A row to choose.

    Attributes:
        label: words that name the row, such as the two tokens of a pair.
        note: numbers to find the answer with; "" if none are given.
        revealed: a number shown after the row was tried, such as the pair's count.
        amount: length of a bar, relative to the other rows; 0 for no bar. It is shown with
            `revealed`: see `Attempt.reveals`.
    """

    label: Words
    note: str = ""
    revealed: str = ""
    amount: float = 0


@dataclass(frozen=True)
class Choice(Form):
    """A choice of one row. The answer is its place from 0; in what is typed, from 1."""

    options: tuple[Option, ...]

    @property
    def how(self) -> str:  # type: ignore[override]
        return str(self.instruction)

    @property
    def instruction(self) -> Sentence:
        return say("Answer with a number from 1 to {n}.", n=str(len(self.options)))

    def read(self, typed: str) -> int:
        return self.check(_read_int(typed, self.how) - 1)

    def check(self, value: object) -> int:
        place = _check_int(value, self.how)
        if not 0 <= place < len(self.options):
            raise AnswerError(f"there is no row {place + 1}. {self.how}")
        return place

    def translated(self, messages: Messages) -> Choice:
        def told(word: str | bytes) -> str | bytes:
            return messages.get(word, word) if isinstance(word, str) else word

        labels = (tuple(map(told, option.label)) for option in self.options)
        pairs = zip(self.options, labels, strict=True)
        return Choice(tuple(replace(option, label=label) for option, label in pairs))

    def words_of(self, answer: int) -> Words:
        return self.options[answer].label


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

    def words_of(self, answer: int) -> Words:
        return (f"{answer:,}",)


@dataclass(frozen=True)
class YesOrNo(Form):
    """Yes or no, typed as y or n."""

    how = "Answer with y or n."

    def read(self, typed: str) -> bool:
        word = typed.strip().lower()
        if word not in ("y", "yes", "n", "no"):
            raise AnswerError(self.how)
        return word.startswith("y")

    def check(self, value: object) -> bool:
        if not isinstance(value, bool):
            raise AnswerError(f"it is neither yes nor no. {self.how}")
        return value

    def words_of(self, answer: bool) -> Words:
        return ("yes" if answer else "no",)


@dataclass(frozen=True)
class Cuts(Form):
    """Bars between the characters of a text.

    The answer is the places of the bars, ascending: place 3 follows the third character. It is
    typed as the text with `|` in it.

    >>> Cuts("don't go").read("don|'t| go")
    (3, 5)
    """

    text: str

    how = f"Answer with the text and {CUT} wherever it is cut; you may type {SPACE} for a space."

    def read(self, typed: str) -> tuple[int, ...]:
        pieces = typed.strip("\r\n").replace(SPACE, " ").split(CUT)
        if "".join(pieces) != self.text:
            raise AnswerError(f"that is another text. {self.how}")
        return self.check([place for place in accumulate(map(len, pieces[:-1])) if place])

    def check(self, value: object) -> tuple[int, ...]:
        places = check_ints(value, self.how)
        if list(places) != sorted(set(places)):
            raise AnswerError("the places of the bars do not ascend")
        if any(not 0 < place < len(self.text) for place in places):
            raise AnswerError("a bar is outside of the text")
        return places

    def words_of(self, answer: tuple[int, ...]) -> Words:
        spans = pairwise((0, *answer, len(self.text)))
        pieces = (self.text[start:end].encode() for start, end in spans)
        return tuple(word for piece in pieces for word in ("│", piece))[1:]


@dataclass(frozen=True)
class Joins(Form):
    """Neighbouring tokens to join, one pair after another, until no more merge.

    The answer is the places of the joins so far; place 2 joins the third token of the moment with
    the fourth. `END` after them says that no more merge; one token alone needs none. Typed places
    count from 1, and 0 is the end.

    >>> Joins((b"l", b"o", b"w")).tokens_after((1, 0))
    (b'low',)
    """

    tokens: tuple[bytes, ...]

    how = (
        "Answer with the place where two tokens join, 2 is between the second and the third; "
        "0 if none join."
    )

    def tokens_after(self, answer: tuple[int, ...]) -> tuple[bytes, ...]:
        """Return the tokens after these joins."""
        tokens = self.tokens
        for place in answer:
            if place != END:
                tokens = (*tokens[:place], tokens[place] + tokens[place + 1], *tokens[place + 2 :])
        return tokens

    def read(self, typed: str) -> tuple[int, ...]:
        return self.check([_read_int(word, self.how) - 1 for word in typed.split()])

    def read_on(self, typed: str, progress: tuple[int, ...]) -> tuple[int, ...]:
        return self.check((*progress, *(_read_int(word, self.how) - 1 for word in typed.split())))

    def check(self, value: object) -> tuple[int, ...]:
        places = check_ints(value, self.how)
        joins = places[:-1] if places[-1:] == (END,) else places
        for number, place in enumerate(joins, 1):
            if not 0 <= place < len(self.tokens) - number:
                raise AnswerError(f"there are no two tokens at place {place + 1}. {self.how}")
        return places

    def words_of(self, answer: tuple[int, ...]) -> Words:
        ends = (" (end)",) if answer[-1:] == (END,) else ()
        return (*edged(self.tokens_after(answer)), *ends)


def _read_int(typed: str, how: str) -> int:
    word = typed.strip()
    if not word.isascii() or not word.removeprefix("-").isdigit() or len(word) > LONGEST_NUMBER:
        raise AnswerError(how)
    return int(word)


def _check_int(value: object, how: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= LARGEST_NUMBER:
        raise AnswerError(f"it is no whole number of up to 18 digits. {how}")
    return value


def check_ints(value: object, how: str) -> tuple[int, ...]:
    """Return a value as whole numbers.

    Raises:
        AnswerError: it is no list of them.
    """
    if not isinstance(value, list | tuple):
        raise AnswerError(f"it is no list of places. {how}")
    return tuple(_check_int(place, how) for place in value)

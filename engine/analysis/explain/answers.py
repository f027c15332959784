"""The answers to "why is this not one token?", each with what it rests on and a sentence."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from engine.core.gpt2_bytes import spell
from engine.core.wording import ShowBytes
from engine.encoding.rules import Merge, Part, describe_parts
from engine.text.pretokenize import Pretoken, to_bytes


@dataclass(frozen=True)
class Answer(ABC):
    """Why `piece` is not one token, or that it is."""

    piece: bytes

    @abstractmethod
    def describe(self, show: ShowBytes = spell) -> str:
        """The answer in one or two sentences.

        Args:
            show: how tokens are written, which may be any bytes; by default in GPT-2's spelling,
                where a space is `Ġ`.
        """


@dataclass(frozen=True)
class NotInText(Answer):
    """The text does not hold the piece."""

    def describe(self, show: ShowBytes = spell) -> str:
        if not self.piece:
            return "Nothing is asked: type the piece that you expected to be one token."
        return f"{show(self.piece)} does not stand in the text; spaces and case count."


@dataclass(frozen=True)
class OneToken(Answer):
    """It is one token here. `merge` made it, or it is a single byte."""

    token_id: int
    merge: Merge | None

    def describe(self, show: ShowBytes = spell) -> str:
        made = f"made by {self.merge.describe(show)}" if self.merge else "a single byte"
        return f"{show(self.piece)} is one token here: id {self.token_id}, {made}."


@dataclass(frozen=True)
class SpecialToken(Answer):
    """It is a special token, or lies inside one."""

    token: str
    token_id: int

    def describe(self, show: ShowBytes = spell) -> str:
        whole = show(to_bytes(self.token))
        is_whole = to_bytes(self.token) == self.piece
        subject = whole if is_whole else f"{show(self.piece)} lies inside {whole}, which"
        return (
            f"{subject} is a special token: one id, {self.token_id}, cut out before anything "
            "merges and never taken apart."
        )


@dataclass(frozen=True)
class BorderInside(Answer):
    """The pattern cuts the text inside the piece, the first time between `left` and `right`."""

    left: Pretoken
    right: Pretoken
    borders: int

    def describe(self, show: ShowBytes = spell) -> str:
        runs = "A pretoken border runs" if self.borders == 1 else f"{self.borders} borders run"
        first = "" if self.borders == 1 else "the first one "
        return (
            f"{runs} through {show(self.piece)}: {first}between {show(self.left.bytes)} "
            f"({cut_by(self.left)}) and {show(self.right.bytes)} ({cut_by(self.right)}). "
            "Merges never cross a border."
        )


@dataclass(frozen=True)
class NoSuchToken(Answer):
    """No token has these bytes. `parts` is how they end up; `made_later` is a merge to come."""

    parts: tuple[Part, ...]
    made_later: int | None

    def describe(self, show: ShowBytes = spell) -> str:
        if self.made_later is not None:
            missing = f"no token yet: merge {self.made_later + 1:,} makes it"
        else:
            missing = "no token of this vocabulary"
        return f"{show(self.piece)} is {missing}. The closest: {describe_parts(self.parts, show)}."


@dataclass(frozen=True)
class Unreachable(Answer):
    """The token is there, but its own bytes encode as `parts`."""

    token_id: int
    merge: Merge | None
    parts: tuple[Part, ...]

    def describe(self, show: ShowBytes = spell) -> str:
        way = f"made by {self.merge.describe(show)}" if self.merge else "which no merge makes"
        return (
            f"{show(self.piece)} is token {self.token_id}, {way}, but no text reaches it: its own "
            f"bytes encode as {describe_parts(self.parts, show)}."
        )


@dataclass(frozen=True)
class Beaten(Answer):
    """A merge joins bytes of the piece to bytes outside. It is merge `number` of the pretoken.

    `was_whole` says that the piece was one token by then, and went into a larger one.
    """

    token_id: int
    pretoken: bytes
    number: int
    merge: Merge
    was_whole: bool

    def describe(self, show: ShowBytes = spell) -> str:
        taken = show(self.merge.left + self.merge.right)
        if self.was_whole:
            return (
                f"{show(self.piece)} was one token, until {self.merge.describe(show)}, "
                f"{nth_here(self.number)}, made it part of {taken}."
            )
        return (
            f"{show(self.piece)} is a token, but beaten by rank {self.merge.rank:,}: "
            f"{show(self.merge.left)} + {show(self.merge.right)} → {taken}, "
            f"{nth_here(self.number)}, took bytes across its edge."
        )


def nth_here(number: int) -> str:
    """A merge in the encoding of a pretoken, told apart from the merges of the training.

    >>> nth_here(3), nth_here(12)
    ('the 3rd merge of the pretoken', 'the 12th merge of the pretoken')
    """
    teens = 10 <= number % 100 <= 20
    ending = "th" if teens else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"the {number:,}{ending} merge of the pretoken"


def cut_by(pretoken: Pretoken) -> str:
    """What cut a pretoken: the name of an alternative, mostly."""
    if pretoken.special:
        return "special token"
    return pretoken.alternative.name if pretoken.alternative else "no alternative"


@dataclass(frozen=True)
class Merged(Answer):
    """The pair does merge here, as merge `number` of the pretoken."""

    pretoken: bytes
    number: int
    merge: Merge

    def describe(self, show: ShowBytes = spell) -> str:
        return f"They do merge here: {self.merge.describe(show)} is {nth_here(self.number)}."


@dataclass(frozen=True)
class NoMerge(Answer):
    """No merge joins these two tokens.

    `other` makes the same bytes of other parts, if any does; `made_later` is a merge to come.
    """

    left: bytes
    right: bytes
    other: Merge | None
    made_later: int | None

    def describe(self, show: ShowBytes = spell) -> str:
        pair = f"{show(self.left)} + {show(self.right)}"
        if self.made_later is not None:
            return f"No merge joins {pair} yet; merge {self.made_later + 1:,} does."
        if self.other is None:
            return f"No merge joins {pair}."
        other = self.other.describe(show)
        return f"No merge joins {pair}; {show(self.piece)} is only made of {other}."


@dataclass(frozen=True)
class PairBeaten(Answer):
    """The pair has a merge, `wanted`, but merge `number` took one of its tokens first."""

    wanted: Merge
    pretoken: bytes
    number: int
    merge: Merge

    def describe(self, show: ShowBytes = spell) -> str:
        return (
            f"{self.wanted.describe(show)} is a merge, but {self.merge.describe(show)}, "
            f"{nth_here(self.number)}, took part of it first."
        )

"""Breakpoints: what to stop at while the merges go by, each written as one line of text.

A breakpoint looks at one merge at a time and says whether to stop there. The lines that can be
written are those of `KINDS`; `parse` turns a line into a breakpoint, and its `str` is a line again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import regex

from engine.errors import BreakpointError
from engine.quoting import quoted, text_of, unquoted

if TYPE_CHECKING:
    from engine.record import MergeStep
    from engine.timeline import Timeline

LONGEST_MATCH_SECONDS = 0.02
"""What one token may cost an expression; some take ages to find that nothing matches."""


class Breakpoint:
    """Something to stop at."""

    def matches(self, step: MergeStep, timeline: Timeline) -> bool:
        """Whether to stop at this merge of the timeline.

        Raises:
            BreakpointError: it cannot be told.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Tie(Breakpoint):
    """Several pairs had the top count."""

    def matches(self, step: MergeStep, timeline: Timeline) -> bool:
        return timeline.ties.is_tied(step.index + 1)

    def __str__(self) -> str:
        return "tie"


@dataclass(frozen=True)
class CountBelow(Breakpoint):
    """The first merge of a pair less frequent than `limit`: counts only fall, so there is one."""

    limit: int

    def __post_init__(self) -> None:
        if self.limit < 2:
            raise BreakpointError(
                f"no merge has a count below {max(self.limit, 0)}: a pair that merges stands "
                "somewhere; give a number from 2 on"
            )

    def matches(self, step: MergeStep, timeline: Timeline) -> bool:
        was_below = step.index > 0 and step.record.count_of(step.index - 1) < self.limit
        return step.count < self.limit and not was_below

    def __str__(self) -> str:
        return f"count<{self.limit}"


@dataclass(frozen=True)
class TokenLength(Breakpoint):
    """The new token has `least` bytes or more."""

    least: int

    def matches(self, step: MergeStep, timeline: Timeline) -> bool:
        return len(step.token) >= self.least

    def __str__(self) -> str:
        return f"len>={self.least}"


@dataclass(frozen=True)
class AtStep(Breakpoint):
    """A step by its number."""

    number: int

    def __post_init__(self) -> None:
        if self.number < 1:
            raise BreakpointError("no merge leads to step 0, the start; give a number from 1 on")

    def matches(self, step: MergeStep, timeline: Timeline) -> bool:
        return step.index + 1 == self.number

    def __str__(self) -> str:
        return f"step {self.number}"


@dataclass(frozen=True)
class TokenMade(Breakpoint):
    """The merge makes the token of these bytes."""

    token: bytes

    def __post_init__(self) -> None:
        if len(self.token) < 2:
            raise BreakpointError("no merge makes this token: it has to have two bytes or more")

    def matches(self, step: MergeStep, timeline: Timeline) -> bool:
        return step.token == self.token

    def __str__(self) -> str:
        return f"token {quoted(self.token)}"


@dataclass(frozen=True)
class PairMerged(Breakpoint):
    """The merge joins these two tokens."""

    left: bytes
    right: bytes

    def __post_init__(self) -> None:
        if not self.left or not self.right:
            raise BreakpointError("neither token of a pair can be empty")

    def matches(self, step: MergeStep, timeline: Timeline) -> bool:
        return (step.left, step.right) == (self.left, self.right)

    def __str__(self) -> str:
        return f"pair {quoted(self.left)} {quoted(self.right)}"


@dataclass(frozen=True)
class PretokenWhole(Breakpoint):
    """The merge makes the pretoken one token."""

    pretoken: bytes

    def __post_init__(self) -> None:
        if len(self.pretoken) < 2:
            raise BreakpointError("no merge makes this pretoken whole: it is one token already")

    def matches(self, step: MergeStep, timeline: Timeline) -> bool:
        if step.token != self.pretoken:
            return False
        # A token of the same bytes need not be what the pretoken's own merges come to.
        tokens = timeline.segmenter.tokens_at(self.pretoken, step.index + 1)
        return tokens == (step.new_id,)

    def __str__(self) -> str:
        return f"pretoken {quoted(self.pretoken)}"


@dataclass(frozen=True)
class Matching(Breakpoint):
    """The new token as text matches a regular expression; a stray byte reads `<E6>` in it."""

    expression: str

    def __post_init__(self) -> None:
        _compiled(self.expression)

    def matches(self, step: MergeStep, timeline: Timeline) -> bool:
        text = text_of(step.token, stray="<{:02X}>")
        try:
            found = _compiled(self.expression).search(text, timeout=LONGEST_MATCH_SECONDS)
        except TimeoutError:
            raise BreakpointError(
                f"{self} takes too long on a token of {len(text)} characters; make it simpler"
            ) from None
        return found is not None

    def __str__(self) -> str:
        return f"/{self.expression}/"


@lru_cache
def _compiled(expression: str) -> regex.Pattern[str]:
    try:
        return regex.compile(expression)
    except regex.error as error:
        raise BreakpointError(f"/{expression}/ is no regular expression: {error}") from None


# -- lines of text


@dataclass(frozen=True)
class Kind:
    """A line that can be written: an example, its grammar, and what it means."""

    example: str
    grammar: re.Pattern[str]
    make: Callable[..., Breakpoint]


_STRING = r"(\"(?:[^\"\\]|\\.)*\"|[^\s\"]+)"


def _kind(example: str, grammar: str, make: Callable[..., Breakpoint]) -> Kind:
    return Kind(example, re.compile(grammar, re.DOTALL), make)


KINDS: tuple[Kind, ...] = (
    _kind("tie", r"ties?", Tie),
    _kind("count<50", r"count\s*<\s*(-?\d{1,18})", lambda limit: CountBelow(int(limit))),
    _kind("len>=8", r"len\s*>=\s*(-?\d{1,18})", lambda least: TokenLength(int(least))),
    _kind("step 1000", r"step\s+(-?\d{1,18})", lambda number: AtStep(int(number))),
    _kind('token " the"', rf"token\s+{_STRING}", lambda text: TokenMade(unquoted(text))),
    _kind(
        'pair "t" "h"',
        rf"pair\s+{_STRING}\s+{_STRING}",
        lambda left, right: PairMerged(unquoted(left), unquoted(right)),
    ),
    _kind('pretoken " there"', rf"pretoken\s+{_STRING}", lambda t: PretokenWhole(unquoted(t))),
    _kind("/ing$/", r"/(.+)/", Matching),
)


def parse(line: str) -> Breakpoint:
    r"""The breakpoint that a line means.

    >>> parse("count < 50"), parse('token " the"')
    (CountBelow(limit=50), TokenMade(token=b' the'))

    Raises:
        BreakpointError: it means none, or one at which nothing can ever stop.
    """
    line = line.strip()
    for kind in KINDS:
        if found := kind.grammar.fullmatch(line):
            return kind.make(*found.groups())
    raise BreakpointError(
        "not a breakpoint; write one like  " + "   ".join(kind.example for kind in KINDS)
    )

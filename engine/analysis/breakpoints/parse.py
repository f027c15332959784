"""Breakpoints: what to stop at while the merges go by, each written as one line of text.

The lines that can be written are those of `KINDS`; `parse` turns a line into a breakpoint.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from engine.analysis.breakpoints.conditions import (
    AtStep,
    CountBelow,
    Matching,
    PairMerged,
    PretokenWhole,
    ScoreBelow,
    Tie,
    TokenLength,
    TokenMade,
    unquoted,
)
from engine.analysis.breakpoints.conditions import Breakpoint as Breakpoint
from engine.core.errors import BreakpointError


@dataclass(frozen=True)
class Kind:
    """A line that can be written: an example, its grammar, and what it means.

    `example_in_words` is the example where tokens are pieces of words, as WordPiece has them;
    `scored` says that it is about scores, which only WordPiece's merges have.
    """

    example: str
    grammar: re.Pattern[str]
    make: Callable[..., Breakpoint]
    example_in_words: str
    scored: bool


_STRING = r"(\"(?:[^\"\\]|\\.)*\"|[^\s\"]+)"
_SCORE = r"(\d{1,18}(?:\s*/\s*\d{1,18}|\.\d{1,18})?(?:e-\d{1,2})?)"


def _kind(
    example: str,
    grammar: str,
    make: Callable[..., Breakpoint],
    in_words: str | None = None,
    scored: bool = False,
) -> Kind:
    return Kind(example, re.compile(grammar, re.DOTALL), make, in_words or example, scored)


def _score_below(limit: str) -> Breakpoint:
    try:
        return ScoreBelow(Fraction(limit.replace(" ", "")))
    except (ValueError, ZeroDivisionError):
        raise BreakpointError(
            f"{limit} is no number; give a fraction such as 1/100, or 0.01"
        ) from None


KINDS: tuple[Kind, ...] = (
    _kind("tie", r"ties?", Tie),
    _kind("count<50", r"count\s*<\s*(-?\d{1,18})", lambda limit: CountBelow(int(limit))),
    _kind("score<1/100", rf"score\s*<\s*{_SCORE}", _score_below, scored=True),
    _kind("len>=8", r"len\s*>=\s*(-?\d{1,18})", lambda least: TokenLength(int(least))),
    _kind("step 1000", r"step\s+(-?\d{1,18})", lambda number: AtStep(int(number))),
    _kind(
        'token " the"',
        rf"token\s+{_STRING}",
        lambda text: TokenMade(unquoted(text)),
        'token "##ing"',
    ),
    _kind(
        'pair "t" "h"',
        rf"pair\s+{_STRING}\s+{_STRING}",
        lambda left, right: PairMerged(unquoted(left), unquoted(right)),
        'pair "t" "##h"',
    ),
    _kind(
        'pretoken " there"',
        rf"pretoken\s+{_STRING}",
        lambda text: PretokenWhole(unquoted(text)),
        'pretoken "there"',
    ),
    _kind("/ing$/", r"/(.+)/", Matching),
)


def examples(scored: bool) -> list[str]:
    """The lines that can be written, for merges with scores or without."""
    return [
        kind.example_in_words if scored else kind.example
        for kind in KINDS
        if scored or not kind.scored
    ]


def parse(line: str, scored: bool = False) -> Breakpoint:
    r"""The breakpoint that a line means, for merges with scores or without.

    >>> parse("count < 50"), parse('token " the"')
    (CountBelow(limit=50), TokenMade(token=b' the'))
    >>> parse("score<0.01", scored=True)
    ScoreBelow(limit=Fraction(1, 100))

    Raises:
        BreakpointError: it means none, or one at which nothing can ever stop.
    """
    line = line.strip()
    for kind in KINDS:
        if found := kind.grammar.fullmatch(line):
            if kind.scored and not scored:
                raise BreakpointError(
                    "only WordPiece merges by score; these merges go by count: write count<50"
                )
            return kind.make(*found.groups())
    raise BreakpointError("not a breakpoint; write one like  " + "   ".join(examples(scored)))

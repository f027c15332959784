"""Compiling an expression that somebody has typed, or that a file brings along.

Wrong ones and bombs become errors. What is typed is tried with a time limit wherever it is used.
What a file brings along cuts whole corpora. It has to show beforehand that it does not try every
way to cut a run, as `(a+)+` does: 2ⁿ of them for n letters. Some such regexes hide from that trial,
so its use is limited, too: `LimitedRegex` allows time by the length of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from time import thread_time
from typing import Any, TypeVar

import regex

from engine.core.errors import PatternError

MOST_REPEATS = 10_000
"""Counted repeats such as `{9}`, multiplied: compiling more takes all the memory there is."""
RUN = 40
"""Repeats in a text that a regex is tried on: a linear one takes microseconds, 2⁴⁰ ways hours."""
SECONDS_A_RUN = 0.5
MOST_SIGNS = 60
_KINDS_OF_SIGNS = "aA1 !\n'_é漢"
SECONDS_AT_LEAST = 1.0
SECONDS_A_CHARACTER = 20e-6
"""What a foreign regex may take: a hundred times what an ordinary one needs."""

T = TypeVar("T")


def compile_typed(source: str) -> regex.Pattern[str]:
    """The compiled expression.

    Raises:
        PatternError: it is none, with the place of the error; or compiling it would take too much.
    """
    if _repeats(source) > MOST_REPEATS:
        raise PatternError(f"it repeats something more than {MOST_REPEATS:,} times")
    try:
        return regex.compile(source)
    except regex.error as error:
        raise PatternError(str(error.msg), error.pos) from None
    except ValueError as error:  # of flags that exclude each other
        raise PatternError(str(error)) from None
    except RecursionError:
        raise PatternError("groups are nested too deeply") from None
    except OverflowError:
        raise PatternError("a number is too large") from None


def compile_foreign(source: str) -> regex.Pattern[str]:
    """The compiled expression, if it may be used without a time limit.

    >>> compile_foreign(" ?[a-z]+").pattern
    ' ?[a-z]+'

    Raises:
        PatternError: as in `compile_typed`; or it takes for ever on a short text.
    """
    compiled = compile_typed(source)
    for run in _runs(source):
        try:
            for _ in compiled.finditer(run, timeout=SECONDS_A_RUN):
                pass
        except TimeoutError:
            raise PatternError(
                f"it takes for ever on a text of {len(run)} characters, since repeats such as "
                "(a+)+ try every way to cut a run; a possessive ++ tries one"
            ) from None
    return compiled


class LimitedRegex:
    """A foreign regex whose every use is bound in time; used like a compiled one.

    Raises:
        PatternError: a call takes longer than its text is worth.
    """

    def __init__(self, source: str) -> None:
        self._regex = compile_typed(source)

    def findall(self, text: str) -> list[Any]:
        return self._limited(text, lambda seconds: self._regex.findall(text, timeout=seconds))

    def finditer(self, text: str) -> Iterator[regex.Match[str]]:
        """All matches, found before the first is given."""
        return iter(
            self._limited(text, lambda seconds: list(self._regex.finditer(text, timeout=seconds)))
        )

    def match(self, text: str, start: int = 0) -> regex.Match[str] | None:
        return self._limited(text, lambda seconds: self._regex.match(text, start, timeout=seconds))

    def search(self, text: str, start: int = 0) -> regex.Match[str] | None:
        return self._limited(text, lambda seconds: self._regex.search(text, start, timeout=seconds))

    def _limited(self, text: str, work: Callable[[float], T]) -> T:
        limit = SECONDS_AT_LEAST + len(text) * SECONDS_A_CHARACTER
        try:
            return within_seconds(limit, work)
        except TimeoutError:
            shown = self._regex.pattern[:60]
            raise PatternError(
                f"the regex {shown} takes more than {limit:.0f} s for {len(text):,} characters; "
                "repeats such as (a+)+ or a*a*a* try every way to cut a run"
            ) from None


def within_seconds(limit: float, work: Callable[[float], T]) -> T:
    """Do `work(timeout)`, which searches with that timeout, within so much time of this thread.

    `regex` counts the time of all threads. So what runs out beside a busy one is tried again.

    Raises:
        TimeoutError: the work alone takes longer.
    """
    timeout, begun = limit, thread_time()
    while True:
        try:
            return work(timeout)
        except TimeoutError:
            if thread_time() - begun >= 0.9 * limit:  # nobody else was busy
                raise
            timeout *= 2


def _runs(source: str) -> Iterator[str]:
    """Short texts of one sign or two again and again, each with an end that may not fit."""
    signs = list(dict.fromkeys(_KINDS_OF_SIGNS + source))[:MOST_SIGNS]
    for sign in signs:
        for unit in (sign, f"{sign}a", f"{sign} "):
            for end in ("", "\0", "!"):
                yield unit * RUN + end


def _repeats(source: str) -> int:
    """How often counted repeats, one inside the other, could repeat something at the most.

    >>> _repeats("(a{2,30}b){10}"), _repeats("a+"), _repeats("a{9999999999}") > MOST_REPEATS
    (300, 1, True)
    """
    braces = regex.findall(r"\{([^{}]*)\}", source)
    counts = [[int(digits[:9]) for digits in regex.findall(r"\d+", inside)] for inside in braces]
    return prod(max(numbers, default=1) or 1 for numbers in counts)

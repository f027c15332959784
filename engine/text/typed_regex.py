"""Regexes that a user typed or that a file contains, compiled and used with limits.

Wrong regexes and those that need too much memory or time raise errors. A typed regex is only used
with a time limit. A regex from a file cuts whole corpora, so it is tried on short texts first: some
try every way to cut a run, as `(a+)+` does, 2ⁿ ways for n letters. The trial misses some of them,
so `LimitedRegex` also limits the time of each use by the length of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from time import thread_time
from typing import Any, TypeVar

from engine.core.errors import PatternError
from engine.core.slow_modules import regex

MOST_REPEATS = 10_000
"""Largest product of counted repeats such as `{9}`; compiling more can fill the memory."""
RUN = 40
"""Repeats in a trial text: a linear regex takes microseconds, one with 2⁴⁰ ways takes hours."""
SECONDS_A_RUN = 0.5
SECONDS_OF_TRIAL = 3.0
"""Time limit of all trial texts together; ordinary regexes need some milliseconds."""
MOST_SIGNS = 60
_KINDS_OF_SIGNS = "aA1 !\n'_é漢"
SECONDS_AT_LEAST = 1.0
SECONDS_A_CHARACTER = 20e-6
"""Time limit of a foreign regex: a hundred times the need of an ordinary one."""

_CALLS = r"(?s)\\.|(\(\?(?:R|[+-]?\d+|&\w+|P[>&]\w+))(?:\s|#[^\n]*\n)*\)"
"""A regex of calls of a group or of the whole regex; an escaped bracket begins none."""

T = TypeVar("T")


def compile_typed(source: str) -> regex.Pattern[str]:
    """Compile a regex.

    Raises:
        PatternError: it is no regex (with the place of the error), or would need too much memory.
    """
    for call in regex.finditer(_CALLS, source):
        if call[1]:  # each level of a recursion keeps its state: 160 bytes can ask for gigabytes
            raise PatternError(f"it calls itself with {call[1][:20]}), which can fill the memory")
    if _repeats(source) > MOST_REPEATS:
        raise PatternError(f"it repeats something more than {MOST_REPEATS:,} times")
    try:
        return regex.compile(source)
    except regex.error as error:
        raise PatternError(str(error.msg), error.pos) from None
    except (ValueError, KeyError) as error:  # KeyError: older versions of `regex`
        raise PatternError(f"flags exclude each other: {error}") from None
    except RecursionError:
        raise PatternError("groups are nested too deeply") from None
    except OverflowError:
        raise PatternError("a number is too large") from None


def compile_foreign(source: str) -> regex.Pattern[str]:
    """Compile a regex and try it on short texts.

    >>> compile_foreign(" ?[a-z]+").pattern
    ' ?[a-z]+'

    Raises:
        PatternError: as for `compile_typed`, or it takes too long on a short text.
    """
    compiled = compile_typed(source)
    signs = list(dict.fromkeys(_KINDS_OF_SIGNS + source))[:MOST_SIGNS]
    # Runs of one sign or of two in turn, each with an end that may not match.
    units = [unit for sign in signs for unit in (sign, f"{sign}a", f"{sign} ")]
    end_of_trial = thread_time() + SECONDS_OF_TRIAL
    for run in (unit * RUN + end for unit in units for end in ("", "\0", "!")):
        try:
            for _ in compiled.finditer(run, timeout=SECONDS_A_RUN):
                pass
            if thread_time() > end_of_trial:
                raise TimeoutError
        except TimeoutError:
            raise PatternError(
                f"it takes for ever on a text of {len(run)} characters, since repeats such as "
                "(a+)+ try every way to cut a run; a possessive ++ tries one"
            ) from None
    return compiled


class LimitedRegex:
    """A regex from a file with a time limit on every call, used like a compiled one.

    Raises:
        PatternError: a call takes longer than the length of its text allows.
    """

    def __init__(self, source: str) -> None:
        self._regex = compile_typed(source)

    def findall(self, text: str) -> list[Any]:
        return self._limited(text, lambda seconds: self._regex.findall(text, timeout=seconds))

    def finditer(self, text: str) -> Iterator[regex.Match[str]]:
        """Find all matches, then return an iterator over them."""
        return iter(
            self._limited(text, lambda seconds: list(self._regex.finditer(text, timeout=seconds)))
        )

    def search(self, text: str, start: int = 0) -> regex.Match[str] | None:
        return self._limited(text, lambda seconds: self._regex.search(text, start, timeout=seconds))

    def _limited(self, text: str, work: Callable[[float], T]) -> T:
        limit = SECONDS_AT_LEAST + len(text) * SECONDS_A_CHARACTER
        try:
            return within_seconds(limit, work)
        except TimeoutError:
            raise PatternError(
                f"the regex {self._regex.pattern[:60]} takes more than {limit:.0f} s for "
                f"{len(text):,} characters; repeats such as (a+)+ or a*a*a* try every way to cut a "
                "run"
            ) from None


def within_seconds(limit: float, work: Callable[[float], T]) -> T:
    """Call `work(timeout)`, a search with a timeout, within `limit` seconds of this thread.

    `regex` counts the time of all threads, so a search is repeated if other threads used its time.

    Raises:
        TimeoutError: this thread alone needs longer.
    """
    timeout, begun = limit, thread_time()
    while True:
        try:
            return work(timeout)
        except TimeoutError:
            if thread_time() - begun >= 0.9 * limit:  # other threads used no time
                raise
            timeout *= 2


def _repeats(source: str) -> int:
    """Return an upper bound of how often nested counted repeats can repeat something.

    >>> _repeats("(a{2,30}b){10}"), _repeats("\\p{L}a{0}"), _repeats("a{9999999999}") > MOST_REPEATS
    (300, 1, True)
    """
    braces = regex.findall(r"\{([^{}]*)\}", source)
    counts = [[*map(int, regex.findall(r"\d{1,9}", inside))] for inside in braces]
    return prod(max(numbers, default=1) or 1 for numbers in counts)

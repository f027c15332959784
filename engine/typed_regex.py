"""Compiling an expression that somebody has typed: wrong ones and bombs become errors."""

from __future__ import annotations

from math import prod

import regex

from engine.errors import PatternError

MOST_REPEATS = 10_000
"""Counted repeats such as `{9}`, multiplied: compiling more takes all the memory there is."""


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
    except RecursionError:
        raise PatternError("groups are nested too deeply") from None
    except OverflowError:
        raise PatternError("a number is too large") from None


def _repeats(source: str) -> int:
    """How often counted repeats, one inside the other, could repeat something at the most.

    >>> _repeats("(a{2,30}b){10}"), _repeats("a+"), _repeats("a{9999999999}") > MOST_REPEATS
    (300, 1, True)
    """
    braces = regex.findall(r"\{([^{}]*)\}", source)
    counts = [[int(digits[:9]) for digits in regex.findall(r"\d+", inside)] for inside in braces]
    return prod(max(numbers, default=1) or 1 for numbers in counts)

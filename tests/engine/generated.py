"""The number of generated examples, or of listed cases, for a test."""

from collections.abc import Iterable
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings

CaseT = TypeVar("CaseT")


def examples(count: int) -> settings:
    """Set `count` examples for the profile `full`, and its share for other profiles.

    Below 5 a test would say too little.
    """
    return settings(max_examples=max(min(count, 5), count * settings().max_examples // 100))


def some(cases: Iterable[CaseT], step: int = 8) -> list[CaseT]:
    """Return all cases in a thorough run, and every `step`-th case in a quick run.

    Of so many that are alike, such as each place where a file can be cut short.
    """
    return list(cases)[:: 1 if settings().max_examples >= 50 else step]


def diagonal_quick(rows: Iterable[object], columns: Iterable[object]) -> list[ParameterSet]:
    """Return all pairs of a row and a column; quick is one for each row and for each column."""
    rows, columns = list(rows), list(columns)
    return [
        pytest.param(
            row,
            column,
            marks=() if place % len(columns) == at or at % len(rows) == place else pytest.mark.slow,
        )
        for place, row in enumerate(rows)
        for at, column in enumerate(columns)
    ]


def first_quick(cases: Iterable[object], quick: int = 1) -> list[ParameterSet]:
    """Return the parameters of a test; all after the first `quick` are slow.

    For cases that are alike, such as sizes of a screen. A tuple is a case of several parameters.
    """
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=() if number < quick else pytest.mark.slow,
        )
        for number, case in enumerate(cases)
    ]

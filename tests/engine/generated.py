"""How many generated examples, or listed cases, a test is tried on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from hypothesis import settings

CaseT = TypeVar("CaseT")


def examples(count: int) -> settings:
    """`count` examples with the profile `full`, and as many fewer with another as it says.

    Below 10 a test would say too little.
    """
    return settings(max_examples=max(min(count, 10), count * settings().max_examples // 100))


def some(cases: Iterable[CaseT], step: int = 4) -> list[CaseT]:
    """All cases in a thorough run, and the first of each `step` of them in a quick one.

    Of so many that are alike, such as each place where a file can be cut short.
    """
    return list(cases)[:: 1 if settings().max_examples >= 50 else step]

"""What becomes of the matches that a pre-tokenizer cuts at: the five behaviours.

A text is a row of stretches, each a match or what is between two. A behaviour leaves matches out,
keeps them as pieces, or joins them with a neighbour.

>>> matches = [(1, 2), (2, 3)]   # the dashes of "a--b"
>>> for name, behavior in BEHAVIORS.items():
...     print(name, ["a--b"[slice(*span)] for span in behavior(list(stretches(matches, 4)))])
Removed ['a', 'b']
Isolated ['a', '-', '-', 'b']
MergedWithPrevious ['a-', '-', 'b']
MergedWithNext ['a', '-', '-b']
Contiguous ['a', '--', 'b']
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

from engine.core.registry import Registry

Span = tuple[int, int]
Stretch = tuple[int, int, bool]
"""Where it begins, where it ends, whether it is a match."""


def stretches(matches: Iterable[Span], length: int) -> Iterator[Stretch]:
    """The matches and what stands between them; together they cover a text of that length."""
    last = 0
    for start, end in matches:
        if last < start:
            yield last, start, False
        yield start, end, True
        last = end
    if last < length:
        yield last, length, False


def _removed(row: list[Stretch]) -> list[Span]:
    return [(start, end) for start, end, is_match in row if not is_match]


def _isolated(row: list[Stretch]) -> list[Span]:
    return [(start, end) for start, end, _ in row]


def _merged_with_previous(row: list[Stretch]) -> list[Span]:
    spans: list[Span] = []
    after_match = False
    for start, end, is_match in row:
        if is_match and not after_match and spans:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
        after_match = is_match
    return spans


def _merged_with_next(row: list[Stretch]) -> list[Span]:
    spans: list[Span] = []
    before_match = False
    for start, end, is_match in reversed(row):
        if is_match and not before_match and spans:
            spans[-1] = (start, spans[-1][1])
        else:
            spans.append((start, end))
        before_match = is_match
    return spans[::-1]


def _contiguous(row: list[Stretch]) -> list[Span]:
    runs = [list(run) for _, run in groupby(row, key=lambda stretch: stretch[2])]
    return [(run[0][0], run[-1][1]) for run in runs]


BEHAVIORS: Registry[Callable[[list[Stretch]], list[Span]]] = Registry(
    "behavior",
    {
        "Removed": _removed,
        "Isolated": _isolated,
        "MergedWithPrevious": _merged_with_previous,
        "MergedWithNext": _merged_with_next,
        "Contiguous": _contiguous,
    },
)

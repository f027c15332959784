"""Rows that the inspections of several models share.

The shell prints such rows and the screen shows them; nothing of textual is imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bpe_tui.views.targets import ToToken
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, Span, left, paragraph, right
from bpe_tui.widgets.visible import shorten, visible_bytes, visible_text
from engine.analysis.inspection import (
    EXAMPLES,
    AnyInspection,
    Histogram,
    Inspection,
    NumberPolicy,
    TokenExamples,
)
from engine.text.patterns import STAGED, Pattern

NAME_CELLS = 20
COUNT_CELLS = 9
LEAST_BAR = 4
LONGEST_SHOWN = 12
KINDS_SHOWN = 16
SINGLE_LENGTHS = 12
"""Up to this length each has a bar of its own; longer ones go together, doubling."""
SIGNS = {"byte": " B"}
"""Signs of units, where there is one."""
EIGHTHS = " ▏▎▍▌▋▊▉"


@dataclass(frozen=True)
class InspectionSection:
    """A part of an inspection: its id, the question it answers, and its rows in so many cells.

    The function `rows` takes an inspection of the model's own kind, and the cells of a row.
    """

    id: str
    title: str
    rows: Callable[[Any, int], list[Row]]


def sections(
    overview: Callable[[Any], Iterable[tuple[str, str]]],
    odd: Mapping[str, str],
    what: str = "tokens",
    describe: Callable[[Any, int], str] = lambda inspection, token_id: f"id {number(token_id)}",
    leads: Callable[[int], object] = ToToken,
) -> tuple[InspectionSection, ...]:
    """The five sections of the inspection of a model.

    Args:
        overview: names and what is said of each.
        odd: what may be odd in a vocabulary → the inspection's attribute that has those tokens.
        what: what the model calls tokens.
        describe: what is said of one of the longest tokens, besides its length.
        leads: where the row of a token leads to.
    """

    def odd_rows(inspection: Any, width: int) -> list[Row]:
        return [
            _few_row(name, inspection, getattr(inspection, those), leads, width)
            for name, those in odd.items()
            if inspection.encodes or those != "unreachable"
        ]

    def longest(inspection: Any, width: int) -> list[Row]:
        return [
            _long_row(describe(inspection, token_id), inspection, token_id, leads(token_id), width)
            for token_id in inspection.longest(LONGEST_SHOWN)
        ]

    return (
        InspectionSection(
            "overview", "what is it?", lambda found, width: fact_rows(overview(found), width)
        ),
        InspectionSection("lengths", f"how long are the {what}?", _lengths),
        InspectionSection("odd", "which are odd?", odd_rows),
        InspectionSection("kinds", "what are they made of?", _kinds),
        InspectionSection("longest", "which are the longest?", longest),
    )


def fact_rows(facts: Iterable[tuple[str, str]], width: int) -> list[Row]:
    """Names and what is said of each."""
    return [row for name, fact in facts for row in _fact(name, fact, width)]


def _fact(name: str, fact: str, width: int) -> Iterator[Row]:
    """A name and what is said of it, broken into lines under each other."""
    for place, line in enumerate(paragraph(fact, width - NAME_CELLS - 1)):
        label = name if place == 0 else ""
        yield Row([*left([(label, "dim")], NAME_CELLS), *line.spans])


def describe_ids(inspection: Inspection) -> str:
    """From which id to which, and those that no token has."""
    told = f"0 to {number(inspection.greatest_id)}"
    gaps = inspection.gaps
    if not gaps.count:
        return f"{told}, without gaps"
    stretches = ", ".join(
        number(first) if first == last else f"{number(first)}–{number(last)}"
        for first, last in gaps.stretches
    )
    return f"{told}; {plural(gaps.count, 'id')} without a token: {stretches}"


def describe_specials(special_ids: Mapping[str, int]) -> str:
    """The first special tokens with their ids, and how many more there are."""
    shown = [
        f"{visible_text(token)} {token_id}"
        for token, token_id in list(special_ids.items())[:EXAMPLES]
    ]
    more = len(special_ids) - len(shown)
    return "  ".join(shown) + (f"  and {number(more)} more" if more else "")


def describe_pattern(pattern: Pattern, name: str | None) -> str:
    """The name of a pattern and what it does, or its source; or which stages cut in its place."""
    if pattern.name == STAGED:
        return f"none: {pattern.summary}"
    if name is None:
        return f"none of the named ones: {visible_text(pattern.source, spaces=False)}"
    return f"{name} ({pattern.summary})" if pattern.summary else name


def describe_numbers(numbers: NumberPolicy) -> list[tuple[str, str]]:
    """How numbers are cut, and how many of them are tokens."""
    known = ", ".join(
        f"{number(have)} of {number(of)} with {plural(digits, 'digit')}"
        for digits, (have, of) in numbers.known.items()
    )
    return [("numbers", numbers.policy), ("numbers as tokens", known)]


def _lengths(inspection: AnyInspection, width: int) -> list[Row]:
    """A bar for each length, and the mean."""
    histogram = inspection.length_histogram
    mean, unit = inspection.mean_length, inspection.unit
    told = [*left([("on average", "dim")], NAME_CELLS), right(f"{mean:.2f}", COUNT_CELLS)]
    return [*_bars(list(_binned(histogram, unit)), width), Row(told)]


def _binned(histogram: Histogram, unit: str) -> Iterator[tuple[str, int]]:
    """(length in words, count): 1, 2, … each, from `SINGLE_LENGTHS` on 13–24, 25–48, …"""
    bins: dict[tuple[int, int], int] = {}
    for length, count in histogram:
        first = last = length
        if length > SINGLE_LENGTHS:
            first, last = SINGLE_LENGTHS + 1, 2 * SINGLE_LENGTHS
            while length > last:
                first, last = last + 1, 2 * last
        bins[first, last] = bins.get((first, last), 0) + count
    for (first, last), count in bins.items():
        yield plural(first, unit) if first == last else f"{first}–{last} {unit}s", count


def _kinds(inspection: AnyInspection, width: int) -> list[Row]:
    """A bar for each kind of token, the rarest together."""
    found = inspection.kinds
    rest = sum(count for _, count in found[KINDS_SHOWN:])
    more = [(f"{number(len(found) - KINDS_SHOWN)} other scripts", rest)] if rest else []
    return _bars([*found[:KINDS_SHOWN], *more], width)


def _bars(named: Sequence[tuple[str, int]], width: int) -> list[Row]:
    """A row for each: name, count, share, and a bar that the greatest fills."""
    total = sum(count for _, count in named) or 1
    most = max((count for _, count in named), default=1) or 1
    room = max(width - NAME_CELLS - COUNT_CELLS - 10, LEAST_BAR)
    return [
        Row(
            [
                *left([(name, "dim")], NAME_CELLS),
                right(number(count), COUNT_CELLS),
                right(f"{100 * count / total:.1f} %", 8, "dim"),
                ("  ", ""),
                (_bar(count / most, room), "curve"),
            ]
        )
        for name, count in named
    ]


def _bar(share: float, cells: int) -> str:
    """A bar in eighths of a cell; what is not nothing is seen."""
    eighths = max(round(share * cells * 8), 1 if share else 0)
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def _few_row(
    name: str,
    inspection: AnyInspection,
    few: TokenExamples,
    leads: Callable[[int], object],
    width: int,
) -> Row:
    """How many, and the first of them as far as there is room; the row leads to the first."""
    spans: list[Span] = [*left([(name, "dim")], NAME_CELLS), right(number(few.count), COUNT_CELLS)]
    room = width - NAME_CELLS - COUNT_CELLS
    told = "".join(f"  {visible_bytes(inspection.token(each))}" for each in few.ids)
    more = "  …" if few.count > len(few.ids) else ""
    return Row([*spans, (shorten(told + more, room), "")], leads(few.ids[0]) if few.ids else None)


def _long_row(
    said: str, inspection: AnyInspection, token_id: int, target: object, width: int
) -> Row:
    """One of the longest tokens."""
    length = f"{number(inspection.length_of(token_id))}{SIGNS.get(inspection.unit, '')}"
    token = visible_bytes(inspection.token(token_id))
    spans = [
        *left([(said, "dim")], NAME_CELLS),
        right(length, COUNT_CELLS),
        (f"  {shorten(token, width - NAME_CELLS - COUNT_CELLS - 2)}", ""),
    ]
    return Row(spans, target)

"""Rows that the inspections of several models share.

The command line prints such rows and the screen shows them; this module imports nothing of Textual.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from bpe_tui.shell.targets import ToToken
from bpe_tui.widgets.language import listed, plural, tr, tr_message
from bpe_tui.widgets.numbers import block_bar, number
from bpe_tui.widgets.rows import Row, Span, left, paragraph, right, spans_width, wrapped
from bpe_tui.widgets.visible import shorten, visible_bytes, visible_text
from engine.analysis.inspection import (
    EXAMPLES,
    MOST_TOKENS,
    AnyInspection,
    Inspection,
    NumberPolicy,
    TokenExamples,
)
from engine.text.patterns import STAGED, Pattern

NAME_CELLS = 20
COUNT_CELLS = 9
LEAST_BAR = 4
LONGEST_SHOWN = 12
MORE = "  …"
KINDS_SHOWN = 16
SINGLE_LENGTHS = 12
"""Greatest length with a bar of its own; longer ones share bars, of doubling ranges."""
UNIT_SIGNS = {"byte": " B"}
"""Units of length that have a sign."""


class InspectionSection(NamedTuple):
    """A part of an inspection: its id, the question it answers, and its rows.

    The function `rows` takes an inspection of the model's own kind, the cells of a row, and the
    most rows of tokens of each kind.
    """

    id: str
    title: str
    rows: Callable[..., list[Row]]


def sections(
    overview: Callable[[Any], Iterable[tuple[str, str]]],
    odd: Mapping[str, str],
    what: str = "tokens",
    describe: Callable[[Any, int], str] = lambda inspection, token_id: tr("id {n}", n=token_id),
    leads: Callable[[int], object] = ToToken,
) -> tuple[InspectionSection, ...]:
    """Return the five sections of a model's inspection.

    Args:
        overview: returns names and facts.
        odd: name of a kind of odd tokens → the name that the inspection finds them by.
        what: the model's word for tokens.
        describe: describes one of the longest tokens, apart from its length.
        leads: returns the target of a token's row.
    """

    def odd_rows(inspection: Any, width: int, most: int = 1) -> list[Row]:
        rows = list[Row]()
        for name, those in odd.items():
            if those == "never-encoded" and not inspection.encodes:
                continue
            few: TokenExamples = inspection.odd(those)
            count = right(number(few.count), COUNT_CELLS)
            rows += examples(inspection, name, few, width, most, count)
        return rows

    def examples(
        inspection: Any, name: str, few: TokenExamples, width: int, most: int, *between: Span
    ) -> Iterator[Row]:
        """Yield tokens after their name, in at most `most` rows, each leading to its first one."""
        spans = [*left([(tr(name), "dim")], NAME_CELLS), *between]
        room = width - spans_width(spans)
        ids = few.ids[: max(room, 0) * most]
        words = [[(f"  {visible_bytes(inspection.token(each))}", "")] for each in ids]
        lines = wrapped(words, room)
        if len(lines) > most or few.count > len(ids):
            lines = wrapped(words, room - len(MORE))
        begun = 0
        for line in lines[:most]:
            target = leads(few.ids[begun]) if few.ids else None
            begun += sum(text.startswith("  ") for text, _ in line)
            is_last = line is lines[:most][-1]
            more = [(MORE, "")] if is_last and begun < few.count else []
            yield Row([*spans, *line, *more], target)
            spans = [(" " * spans_width(spans), "")]

    def length_rows(inspection: AnyInspection, width: int, most: int = 1) -> list[Row]:
        bins = _length_bins(inspection)
        average = [
            *left([(tr("on average"), "dim")], NAME_CELLS),
            right(f"{inspection.mean_length:.2f}", COUNT_CELLS),
        ]
        names = {each: _name(each, inspection.unit) for each in bins}
        bars = _bars([(names[each], count) for each, count in bins.items()], width)
        rows = [*bars, Row(average), Row([])]
        for each, name in names.items():
            rows += examples(inspection, name, inspection.of_length(*each), width, most)
        return rows

    def kind_rows(inspection: AnyInspection, width: int, most: int = 1) -> list[Row]:
        """Return a bar for each kind of token, the rarest sharing one; then examples."""
        shown, rare = inspection.kinds[:KINDS_SHOWN], inspection.kinds[KINDS_SHOWN:]
        rest = [(tr("{n} other scripts", n=len(rare)), sum(count for _, count in rare))]
        rows = [*_bars([*shown, *(rest if rare else [])], width), Row([])]
        for name, _ in shown:
            rows += examples(inspection, name, inspection.of_kind(name), width, most)
        return rows

    def longest(inspection: Any, width: int, most: int = 1) -> list[Row]:
        rows, room_after = [], NAME_CELLS + COUNT_CELLS
        ids: Sequence[int] = inspection.longest(min(most * LONGEST_SHOWN, MOST_TOKENS))
        if [length for length, _ in inspection.length_histogram] == [1]:
            template = "All {what} are one {unit} long, such as:"
            rows = paragraph(tr(template, what=tr(what), unit=tr(inspection.unit)), width, "dim")
            ids = inspection.of_length(1, 1).ids[: len(ids)]
        for token_id in ids:
            length = (
                f"{number(inspection.length_of(token_id))}{UNIT_SIGNS.get(inspection.unit, '')}"
            )
            token = shorten(visible_bytes(inspection.token(token_id)), width - room_after - 2)
            spans = [
                *left([(describe(inspection, token_id), "dim")], NAME_CELLS),
                right(length, COUNT_CELLS),
                (f"  {token}", ""),
            ]
            rows.append(Row(spans, leads(token_id)))
        return rows

    return (
        InspectionSection(
            "overview", "what is it?", lambda found, width, _=1: fact_rows(overview(found), width)
        ),
        InspectionSection("lengths", f"how long are the {what}?", length_rows),
        InspectionSection("odd", "which are odd?", odd_rows),
        InspectionSection("kinds", "what are they made of?", kind_rows),
        InspectionSection("longest", "which are the longest?", longest),
    )


def fact_rows(facts: Iterable[tuple[str, str]], width: int) -> list[Row]:
    """Return the rows of named facts, each fact wrapped beside its name."""
    rows = []
    for name, fact in facts:
        for place, line in enumerate(paragraph(fact, width - NAME_CELLS - 1)):
            label = tr(name) if place == 0 else ""
            rows.append(Row([*left([(label, "dim")], NAME_CELLS), *line.spans]))
    return rows


def describe_ids(inspection: Inspection) -> str:
    """Describe the range of ids and its gaps."""
    ids = tr("0 to {n}", n=inspection.greatest_id)
    gaps = inspection.gaps
    if not gaps.count:
        return tr("{ids}, without gaps", ids=ids)
    stretches = listed(
        number(first) if first == last else f"{number(first)}–{number(last)}"
        for first, last in gaps.stretches
    )
    template = "{ids}; {missing} without a token: {stretches}"
    return tr(template, ids=ids, missing=plural(gaps.count, "id"), stretches=stretches)


def describe_specials(special_ids: Mapping[str, int]) -> str:
    """List the first special tokens with their ids, and the number of further ones."""
    shown = [
        f"{visible_text(token)} {token_id}"
        for token, token_id in list(special_ids.items())[:EXAMPLES]
    ]
    more = len(special_ids) - len(shown)
    return "  ".join(shown) + (tr("  and {more} more", more=more) if more else "")


def describe_pattern(pattern: Pattern, name: str | None) -> str:
    """Describe a pattern by its name and effect, or by its source, or by the stages that cut."""
    if pattern.name == STAGED:
        return tr("none: {summary}", summary=tr_message(pattern.summary))
    if name is None:
        template = "none of the named ones: {source}"
        return tr(template, source=visible_text(pattern.source, spaces=False))
    summary = tr_message(pattern.summary)
    return tr("{name} ({summary})", name=name, summary=summary) if pattern.summary else name


def describe_numbers(numbers: NumberPolicy) -> list[tuple[str, str]]:
    """Describe how numbers are cut, and how many numbers are tokens."""
    known = listed(
        tr("{have} of {of} with {digits}", have=have, of=of, digits=plural(digits, "digit"))
        for digits, (have, of) in numbers.known.items()
    )
    return [("numbers", numbers.policy), (tr("numbers as tokens"), known)]


def _length_bins(inspection: AnyInspection) -> dict[tuple[int, int], int]:
    """Count the tokens of each length 1, 2, … `SINGLE_LENGTHS`, then of 13 to 24, 25 to 48, …"""
    bins: dict[tuple[int, int], int] = {}
    for length, count in inspection.length_histogram:
        first = last = length
        if length > SINGLE_LENGTHS:
            first, last = SINGLE_LENGTHS + 1, 2 * SINGLE_LENGTHS
            while length > last:
                first, last = last + 1, 2 * last
        bins[first, last] = bins.get((first, last), 0) + count
    return bins


def _name(lengths: tuple[int, int], unit: str) -> str:
    """Name a range of lengths: '1 byte', '13–24 bytes'."""
    first, last = lengths
    return plural(first, unit) if first == last else tr(f"{{n}} {unit}s", n=f"{first}–{last}")


def _bars(named: Sequence[tuple[str, int]], width: int) -> list[Row]:
    """Return a row for each name: count, share, and a bar that is full for the greatest count."""
    total = sum(count for _, count in named)
    most = max((count for _, count in named), default=0)
    room = max(width - NAME_CELLS - COUNT_CELLS - 10, LEAST_BAR)
    rows = []
    for name, count in named:
        spans = [
            *left([(tr(name), "dim")], NAME_CELLS),
            right(number(count), COUNT_CELLS),
            right(f"{100 * count / total:.1f}%", 8, "dim"),
            ("  ", ""),
            (block_bar(count / most, room), "curve"),
        ]
        rows.append(Row(spans))
    return rows

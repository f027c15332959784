"""The view of the trainer `linked`: the merge's places and neighbours, lists, bigrams.

This module imports nothing of Textual when it runs: the transcript uses it, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, islice
from time import monotonic
from typing import TYPE_CHECKING

from bpe_tui.shell.targets import ToPair, ToPretoken
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import (
    Column,
    PairSpans,
    Row,
    RowTable,
    Span,
    left,
    paragraph,
    right,
    spans_width,
    wrapped,
)
from bpe_tui.widgets.visible import ELLIPSIS, shorten, visible_bytes
from bpe_tui.widgets.visible import width as cells_of
from bpe_tui.words.narration import format_pair
from engine.bpe.frame import Frame
from engine.bpe.linked_lists import Bigram, BigramState, LinkedLists, ListNode, Place
from engine.bpe.trainers.linked import LEAST_ACTIVE
from engine.recording.affected_pretokens import LONGEST_TAKEN_APART

if TYPE_CHECKING:
    from bpe_tui.shell.panel import TokenPainter

SIGNS = {BigramState.BEST: "▸", BigramState.ACTIVE: "●", BigramState.INACTIVE: "○"}
"""The sign of each state, for rows without room for its word."""
TOO_LONG = "A pretoken of more than {n} bytes is not drawn."
STARTS = "Step 0: every {unit} is a node of its list."
COUNTING = "counting the places …"
NO_PAIR = "No pair is left: every pretoken is one token."

WIDE = 100
"""Least width, in cells, for the bigrams and the merge beside each other."""
WITH_WORDS = 44
"""Least width, in cells, for the word of a state beside its sign."""
TALL = 20
"""Least height, in rows, for more than the least of each part."""
HEADED = 5
"""Least height, in rows, of the bigrams for the names of their columns."""
LOW = 10
"""Height, in rows, below which the bigrams come first."""
NODES_BEFORE = 2
"""Number of nodes that are shown before the merged ones, if the list is cut there."""
NODES_SHOWN = 100
"""Largest number of nodes that are drawn of a list."""
DEAD_CELLS = 12
"""Most cells of the dead nodes after a token."""
PLACES_SHOWN = 12
"""Largest number of places in a row."""
SECONDS = 0.012
"""Time for one slice of each search."""


def _too_long() -> str:
    return tr(TOO_LONG, n=LONGEST_TAKEN_APART)


def describe_place(place: Place) -> str:
    """Return a place as `pretoken:node`."""
    return f"{place.number}:{place.node}"


def describe_touched(lists: LinkedLists) -> str:
    """Return how many places the merge touched: `3 of 214 places touched`.

    If they cannot be counted, return the number of pretokens instead.
    """
    merge = lists.merge
    assert merge is not None, "step 0 has none"
    if not lists.count_places():
        places = plural(merge.pretokens, "pretoken")
    else:
        n, every = number(lists.touched), plural(lists.places_before, "place")
        places = tr("{n} of {all}", n=n, all=every)
    return tr("{places} touched", places=places)


def describe_none_left_out(lists: LinkedLists) -> str:
    """Return why no bigram is inactive."""
    if lists.active <= LEAST_ACTIVE:
        return tr("none, as up to {n} are all active", n=LEAST_ACTIVE)
    return tr("none was left out at step {n}", n=lists.refreshed_at)


@dataclass
class _FirstLists:
    """The first pretokens that the merge changed; at step 0 those of the best bigram.

    Attributes:
        shown: a place in each of the pretokens found so far.
    """

    lists: LinkedLists
    most: int
    shown: list[Place] = field(default_factory=list)

    def read(self, seconds: float = 3600.0) -> bool:
        """Search for some seconds; return whether all that are wanted are found."""
        places, best = self.lists.merged_places, self.lists.best
        if not self.lists.merge and best is not None:
            places = self.lists.places(best.pair)
        deadline, limit = monotonic() + seconds, self.most
        while True:
            is_complete = places.read(limit, deadline - monotonic())
            first: dict[int, Place] = {}
            for place in places.found:
                first.setdefault(place.number, place)
            self.shown = list(first.values())[: self.most]
            if len(self.shown) == self.most or places.is_over or not is_complete:
                return is_complete
            limit = len(places.found) + 1  # several places were in one pretoken


# -- a list


def drawn_list(frame: Frame, lists: LinkedLists, shown: Place, marks: bool) -> list[list[Span]]:
    """Return a list in parts: a token in brackets, then its dead nodes, struck out after `✗`.

    For example: `[我们]✗们`, `⇄[的]`, `⇄[花]`. If the place to show is far from the start, parts
    before it are left out. `marks` puts «» round the fresh token.
    """
    window = max(shown.node - NODES_SHOWN, 1)
    nodes = lists.nodes(shown.pretoken, window, shown.node + 2 * NODES_SHOWN)
    parts: list[list[ListNode]] = []
    first = 0
    for at, each in enumerate(nodes, window):
        if each.token is not None:
            first += at < shown.node
            parts.append([each])
        elif parts:
            parts[-1].append(each)
    start = max(first - NODES_BEFORE, 0) if window > 1 or first > 2 * NODES_BEFORE else 0
    drawn: list[list[Span]] = [[(ELLIPSIS, "dim")]] if start else []
    for place, part in enumerate(islice(parts, start, start + NODES_SHOWN), start):
        spans: list[Span] = [("⇄", "dim")] if place else []
        alive = part[0]
        assert alive.token is not None, "a list begins with a living node"
        text = visible_bytes(frame.any_token(alive.token))
        if alive.is_new and marks:
            text = f"«{text}»"
        spans += [("[", "border"), (text, "fresh" if alive.is_new else ""), ("]", "border")]
        for is_new, dead in groupby(part[1:], key=lambda each: each.is_new):
            units = b"".join(frame.any_token(each.unit) for each in dead)
            gone = f"✗{shorten(visible_bytes(units), DEAD_CELLS)}"
            spans.append((gone, "loss" if is_new else "stale"))
        drawn.append(spans)
    if len(parts) > start + NODES_SHOWN:
        drawn.append([(ELLIPSIS, "dim")])
    return drawn


def _list_rows(
    frame: Frame, lists: LinkedLists, place: Place, width: int, lines: int, marks: bool
) -> list[Row]:
    """Return the list of a pretoken in a few rows, after the pretoken's number."""
    margin = f"{place.number}: "
    parts = drawn_list(frame, lists, place, marks)
    found = wrapped(parts, width - len(margin))
    rows = []
    for at, spans in enumerate(found[:lines]):
        is_cut = at + 1 == lines and len(found) > lines
        shown = left([*spans, (ELLIPSIS, "dim")], width - len(margin)) if is_cut else spans
        before = margin if not at else " " * len(margin)
        rows.append(Row([(before, "dim"), *shown], ToPretoken(place.pretoken)))
    return rows


# -- the merge


class _SearchTime:
    """The time for the searches of one drawing. The first that is not complete gets some.

    Attributes:
        is_complete: whether all searches so far are complete.
    """

    def __init__(self) -> None:
        self.is_complete = True
        self._left = SECONDS

    def search(self, go_on: Callable[[float], bool]) -> bool:
        """Let a search go on if there is time left; return whether it is complete."""
        if not self.is_complete or self._left < 0:
            self.is_complete = False
            return False
        start = monotonic()
        self.is_complete = go_on(self._left)
        self._left -= monotonic() - start
        return self.is_complete


def _merge_rows(
    frame: Frame, lists: LinkedLists, painter: TokenPainter, width: int, time: _SearchTime
) -> list[Row]:
    """Return the merge and how many places it touched."""
    merge = lists.merge
    if merge is None:
        start = tr(STARTS, unit=tr(frame.units.one))
        return paragraph(start, width, "dim")
    touched = ""
    if lists.has_long_pretoken:
        touched = describe_touched(lists)
    elif frame.run.is_complete:  # else they would be counted again and again
        is_counted = time.search(lists.count_places)
        touched = describe_touched(lists) if is_counted else COUNTING
    spans: list[Span] = [*painter.sum(merge.pair), (" → ", "dim")]
    spans += painter.spans(merge.new_id)
    if spans_width(spans) + 3 + cells_of(touched) <= width:
        rows = [Row([*spans, ("   ", ""), (touched, "strong")])]
    else:
        rows = [Row(left(spans, width)), Row([(touched, "strong")])]
    return rows


def _neighbour_rows(lists: LinkedLists, painter: TokenPainter, width: int, lines: int) -> list[Row]:
    """Return the bigrams that went, each beside those that came in its place."""
    flat = [
        ((out, lost) if not at else None, came)
        for out, lost, every in lists.neighbours
        for at, came in enumerate(every or (None,))
    ]
    counts = [row.lost for row in lists.neighbours] + [came[1] for _, came in flat if came]
    digits = len(number(max(counts, default=0))) + 2  # with its sign, after a blank
    cells = max((width - 8) // 2 - digits, 5)
    rows: list[Row] = []
    for at, (went, came) in enumerate(flat[:lines]):
        label = ("    ", "   ") if at else (tr("out "), tr("in "))
        spans: list[Span] = [(label[0], "loss")]
        if went is None:
            spans.append((" " * (cells + digits), ""))
        elif went[0] is None:
            spans += left([(tr("itself, overlapping"), "dim")], cells + digits)
        else:
            spans += left(painter.pair(went[0]), cells)
            spans.append(right(f"−{number(went[1])}", digits, "loss"))
        spans.append((" ", ""))
        spans.append((label[1], "gain"))
        if came is not None:
            spans += left(painter.pair(came[0]), cells)
            spans.append(right(f"+{number(came[1])}", digits, "gain"))
        rows.append(Row(spans, ToPair(came[0]) if came else None))
    if len(flat) > lines:
        rest = plural(len(flat) - lines, "neighbour")
        rows.append(Row([(f"    {tr('and {neighbours} more', neighbours=rest)}", "dim")]))
    return rows


# -- the bigrams


@dataclass
class _BigramTable:
    """The rows of bigrams, with as many of their places as a slice of time finds."""

    frame: Frame
    lists: LinkedLists
    painter: TokenPainter
    width: int
    time: _SearchTime

    def __post_init__(self) -> None:
        has_words = self.width >= WITH_WORDS
        self.state_cells = 12 if has_words else 2
        digits = len(number(self.frame.highest_count))
        self.count_cells = max(digits, len("count")) + 1
        self.doubt_cells = max(digits, len("gone")) + 3 if self.lists.inactive else 0
        pair_cells = 14 if self.width >= 60 else 10 if has_words else 9
        spare = self.width - self.state_cells - pair_cells - self.count_cells - self.doubt_cells
        self.place_cells = spare - 2
        columns = [
            Column("", self.state_cells, self._state),
            Column("bigram", pair_cells, self._pair),
            Column("count", self.count_cells, self._count, is_number=True),
        ]
        if self.doubt_cells:
            columns.append(Column("", self.doubt_cells, self._doubt))
        if self.place_cells > 3:
            title = "  pretoken:node" if self.place_cells >= len("pretoken:node") else "  at"
            columns.append(Column(title, self.place_cells + 2, self._places))
        self.table = RowTable(columns, self.width, least=8)

    def row(self, bigram: Bigram) -> Row:
        return self.table.row(bigram, ToPair(bigram.pair))

    def rest(self, state: BigramState, text: str) -> Row:
        """Return a row about the bigrams of a state that have no row of their own."""
        return Row(left([*left(self._named(state), self.state_cells), (text, "dim")], self.width))

    def _state(self, bigram: Bigram) -> list[Span]:
        return self._named(bigram.state)

    def _named(self, state: BigramState) -> list[Span]:
        """Return the sign of a state, and its word if there is room."""
        word = f" {tr(state.value)}" if self.width >= WITH_WORDS else ""
        return [(f"{SIGNS[state]}{word}", state.value)]

    def _pair(self, bigram: Bigram) -> PairSpans:
        def coloured(token: int) -> list[Span]:
            return [
                (text, role if role == "fresh" else bigram.state.value)
                for text, role in self.painter.spans(token)
            ]

        first, second = bigram.pair
        return PairSpans(coloured(first), self.painter.between, coloured(second))

    def _count(self, bigram: Bigram) -> list[Span]:
        return [(number(bigram.counted), "stale" if bigram.in_doubt else "")]

    def _doubt(self, bigram: Bigram) -> list[Span]:
        truth = number(bigram.count) if bigram.count else tr("gone")
        return [(f" ✗{truth}" if bigram.in_doubt else "", "stale-truth")]

    def _places(self, bigram: Bigram) -> list[Span]:
        places = self.lists.places(bigram.pair)
        self.time.search(lambda seconds: places.read(PLACES_SHOWN, seconds))
        text, more = "", not places.is_over
        for place in places.found[:PLACES_SHOWN]:
            longer = f"{text} {describe_place(place)}"
            if len(longer) + 2 > self.place_cells:
                more = True
                break
            text = longer
        return [(" " + text + (f" {ELLIPSIS}" if more else ""), "dim")]


def _bigram_rows(
    frame: Frame,
    lists: LinkedLists,
    painter: TokenPainter,
    width: int,
    height: int,
    time: _SearchTime,
) -> list[Row]:
    """Return the best bigram, then active ones, then inactive ones, in about `height` rows."""
    best = lists.best
    if best is None and not lists.active:
        return paragraph(NO_PAIR, width, "dim")
    table = _BigramTable(frame, lists, painter, width, time)
    rows = [table.table.header()] if height >= HEADED else []
    if best is None:
        none = tr("none: no merge follows")
        rows.append(table.rest(BigramState.BEST, none))
    else:
        rows.append(table.row(best))
    others = lists.active - (best is not None)
    room = max(height - len(rows), 4)
    for_inactive = min(lists.inactive, max(room // 3, 2)) if lists.inactive else 1
    for state, total, most in (
        (BigramState.ACTIVE, others, room - for_inactive),
        (BigramState.INACTIVE, lists.inactive, for_inactive),
    ):
        shown = most if total <= most else most - 1  # the last row counts the rest
        found = lists.most_frequent(state, shown)
        rows += map(table.row, found)
        if total > len(found):
            n = number(total - len(found))
            more, step = tr("{n} more", n=n), number(lists.refreshed_at)
            if state is BigramState.INACTIVE:
                more = tr("{n} more, left out at step {step}", n=n, step=step)
            rows.append(table.rest(state, more))
        elif not total and state is BigramState.INACTIVE:
            rows.append(table.rest(state, describe_none_left_out(lists)))
    return rows


# -- the view


def linked_rows(
    frame: Frame, lists: LinkedLists, painter: TokenPainter, width: int, height: int, note: str
) -> tuple[list[Row], bool]:
    """Return the rows of the view, and whether all of them are complete.

    If they are not, the next call goes on with the searches.

    Args:
        frame: the state that is shown.
        lists: its lists and bigrams.
        painter: draws the tokens.
        width: cells of a row.
        height: number of rows that are visible at once.
        note: a sentence above the rows, or "".
    """
    top = paragraph(note, width, "dim") if note else []
    is_wide, is_tall = width >= WIDE, height >= TALL
    half = width // 2 - 1 if is_wide else width
    time, first = _SearchTime(), _FirstLists(lists, 6 if is_tall else 2 if is_wide else 1)
    time.search(first.read)
    lines = 3 if is_tall else 2 if is_wide else 1
    words = chain.from_iterable(
        _list_rows(frame, lists, place, half, lines, painter.marks) for place in first.shown
    )
    is_undrawn = lists.has_long_pretoken and not first.shown
    merge = _merge_rows(frame, lists, painter, half, time)
    merged = [
        *_neighbour_rows(lists, painter, half, 8 if is_tall else 2),
        *words,
        *(paragraph(_too_long(), half, "dim") if is_undrawn else []),
    ]
    is_low = height < LOW
    room = height - len(top) - (0 if is_wide else len(merge) + (0 if is_low else len(merged)))
    room -= is_tall and not is_wide
    bigrams = _bigram_rows(frame, lists, painter, half, room, time)
    if is_wide:
        rows = _beside(bigrams, [*merge, *merged], half)
    elif is_low:
        rows = [*merge, *bigrams, *merged]
    else:
        rows = [*merge, *merged, *([Row([])] if is_tall else []), *bigrams]
    return [*top, *rows], time.is_complete


def _beside(one: Sequence[Row], other: Sequence[Row], half: int) -> list[Row]:
    """Return rows with those of one list on the left and those of the other on the right."""
    rows = []
    for place in range(max(len(one), len(other))):
        first = one[place] if place < len(one) else Row([])
        second = other[place] if place < len(other) else Row([])
        target = first.target or second.target
        rows.append(Row([*left(first.spans, half), ("│ ", "border"), *second.spans], target))
    return rows


# -- the same in sentences


def describe_lists(frame: Frame, lists: LinkedLists, most: int) -> Iterable[str]:
    """Yield the facts of the view in sentences, at most `most` bigrams of each state."""
    merge = lists.merge
    if merge is None:
        yield tr(STARTS, unit=frame.units.one)
    else:
        pair, touched = format_pair(frame, merge.pair), describe_touched(lists)
        yield tr("Merge {step}, {pair}: {touched}.", step=frame.step, pair=pair, touched=touched)
        for out, lost, came in lists.neighbours[:most]:
            template = "Out: {pair}, {lost}"
            went = (
                tr(template, pair=format_pair(frame, out), lost=lost)
                if out
                else tr("Out: the pair itself")
            )
            comes = "; in: ".join(
                f"{format_pair(frame, pair)}, {number(count)}" for pair, count in came
            )
            yield f"{went}; in: {comes}." if comes else f"{went}."
        if (more := len(lists.neighbours) - most) > 0:
            yield tr("And {neighbours} more.", neighbours=plural(more, "neighbour"))
    first = _FirstLists(lists, min(most, 3))
    first.read()
    for place in first.shown:
        parts = drawn_list(frame, lists, place, False)
        text = "".join(text for part in parts for text, _ in part)
        yield tr("List of pretoken {number}: {text}", number=place.number, text=text)
    if lists.has_long_pretoken:
        yield _too_long()
    if not lists.active:
        yield tr(NO_PAIR)
        return
    for state, total in (
        (BigramState.BEST, int(lists.best is not None)),
        (BigramState.ACTIVE, lists.active - (lists.best is not None)),
        (BigramState.INACTIVE, lists.inactive),
    ):
        if state is not BigramState.BEST:
            none = tr("none besides the best one")
            if state is BigramState.INACTIVE:
                none = describe_none_left_out(lists)
            named = plural(total, "bigram") if total else none
            yield tr("{word}: {named}.", word=tr(state.value).capitalize(), named=named)
        elif not total:
            yield tr("Best: none, no merge follows.")
        for bigram in lists.most_frequent(state, most):
            counted = number(bigram.counted)
            doubt = tr(", in doubt, really {count}", count=bigram.count) if bigram.in_doubt else ""
            places = lists.places(bigram.pair)
            places.read(4)
            at = ", ".join(map(describe_place, places.found[:3]))
            more_places = f", {ELLIPSIS}" if len(places.found) > 3 else ""
            where = tr(", at {places}", places=f"{at}{more_places}") if at else ""
            word = tr(state.value).capitalize()
            template = "{word}: {pair}, {counted} times{doubt}{where}."
            yield tr(
                template,
                word=word,
                pair=format_pair(frame, bigram.pair),
                counted=counted,
                doubt=doubt,
                where=where,
            )

"""Details of tokens: characters and bytes in aligned lanes, the merge tree, and explanations.

Bytes are the finest lane: each has a column of its own, and a character or token is as wide as its
bytes together. If its text needs more room, its last column is widened. The lanes spell the text as
it was typed. A token that covers none of it has a column of its own, without a byte.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, ClassVar, NamedTuple

from textual.reactive import reactive

from bpe_tui.shell.panel import FramePanel, TokenPainter, TokenPanel, needs_marks, sentence
from bpe_tui.shell.targets import ToToken
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.lines import ShownInRows
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import NameSpans, Row, RowsOnDemand, Span, SubjectSpan, left, right
from bpe_tui.widgets.visible import shorten, visible_bytes, visible_text, width
from engine.bpe.frame import Frame
from engine.core.gpt2_bytes import BYTE_TO_CHAR
from engine.encoding.lanes import Character, Lanes, TokenPlace, align_places
from engine.recording.playback import AnyMergeFrame
from engine.recording.vocabulary import TreeLine

BYTE_CELLS = 3
"""Least cells of a byte: two digits and a blank."""
TOKENS_SHOWN = 500
LOST = "text over no token is lost"
NAME_CELLS = 12
LINES_SHOWN = 400
"""Most lines of a merge tree."""
RANK_CELLS = 8


class Label(NamedTuple):
    """A label of the columns `start`…`end` in a lane; a click on it explains its token, if any."""

    start: int
    end: int
    text: str
    role: str
    token_id: int | None = None

    def span(self, text: str) -> Span:
        """Return a span with this text, which may be shortened."""
        if self.token_id is None:
            return text, self.role
        return SubjectSpan.of(text, self.role, self.token_id)


def character_text(lanes: Lanes, character: Character) -> str:
    """Return a character as visible text, or its bytes if it is incomplete: `漢`, `<E4 BD>`."""
    if character.text is not None:
        return visible_text(character.text)
    return visible_bytes(lanes.between(character.start, character.end))


def column_widths(lanes: Lanes, shown: Sequence[Lane]) -> list[int]:
    """Return the cells of each column, so that every label of the lanes fits."""
    cells = [BYTE_CELLS] * len(lanes.columns)
    for lane in shown:
        beside = 2 if lane.draw is bracketed else 1
        for label in lane.labels:
            needed = width(label.text) + beside
            cells[label.end - 1] += max(needed - sum(cells[label.start : label.end]), 0)
    return cells


def break_lines(lanes: Lanes, cells: Sequence[int], room: int) -> Iterator[tuple[int, int]]:
    """Yield each line as (start, end) in columns; only a token wider than a line is broken."""
    start = end = used = 0
    for first, last in _unbroken(lanes):
        if used and used + sum(cells[first:last]) > room:
            yield start, end
            start, used = end, 0
        for place in range(first, last):
            if used and used + cells[place] > room:
                yield start, place
                start, used = place, 0
            used += cells[place]
        end = last
    if start < end:
        yield start, end


def _unbroken(lanes: Lanes) -> Iterator[tuple[int, int]]:
    """Yield the parts that stay in one line: the tokens, and the columns between them."""
    end = 0
    for token in lanes.tokens:
        yield from ((place, place + 1) for place in range(end, token.start))
        yield token.start, token.end
        end = token.end
    yield from ((place, place + 1) for place in range(end, len(lanes.columns)))


def _in_line(
    labels: Sequence[Label], cells: Sequence[int], start: int, end: int
) -> Iterator[tuple[Label | None, int]]:
    """Yield the labels of a line with their cells; `None` for columns without a label."""
    at = start
    for label in labels:
        first, last = max(label.start, start), min(label.end, end)
        if at < first:
            yield None, sum(cells[at:first])
        yield label, sum(cells[first:last])
        at = last
    if at < end:
        yield None, sum(cells[at:end])


def flush_left(
    labels: Sequence[Label], cells: Sequence[int], start: int, end: int
) -> Iterator[Span]:
    """Yield the labels of a line, each at its first column; one that began earlier stays blank."""
    for label, room in _in_line(labels, cells, start, end):
        text = shorten(label.text, room - 1) if label and label.start >= start else ""
        if label is not None:
            yield label.span(text)
        yield " " * (room - width(text)), ""


def bracketed(
    labels: Sequence[Label], cells: Sequence[int], start: int, end: int
) -> Iterator[Span]:
    """Yield the labels of a line between `├` and `┤`; `─` if a label goes on in another line."""
    for label, room in _in_line(labels, cells, start, end):
        if label is None:
            yield " " * room, ""
            continue
        text = shorten(label.text, room - 2)
        before = (room - 2 - width(text)) // 2
        after = room - 2 - width(text) - before
        yield ("├" if label.start >= start else "─") + "─" * before, "border"
        yield label.span(text)
        yield "─" * after + ("┤" if label.end <= end else "─"), "border"


class Lane(NamedTuple):
    """A lane: its name, its labels, and the function that draws the labels of a line."""

    name: str
    labels: Sequence[Label]
    draw: Callable[[Sequence[Label], Sequence[int], int, int], Iterator[Span]] = flush_left


def characters_and_bytes(lanes: Lanes) -> list[Lane]:
    """Return the two lanes that every text has."""
    characters = [
        Label(c.start, c.end, character_text(lanes, c), "loss" if c.text is None else "")
        for c in lanes.characters
    ]
    return [Lane("characters", characters), byte_lane(lanes, "bytes", "{:02X}".format)]


def byte_lane(lanes: Lanes, name: str, text: Callable[[int], str]) -> Lane:
    """Return a lane with a text for each byte."""
    return Lane(
        name,
        [
            Label(place, place + 1, text(byte), "dim")
            for place, byte in enumerate(lanes.columns)
            if byte is not None
        ],
    )


def lane_rows(lanes: Lanes, shown: Sequence[Lane], width: int) -> Sequence[Row]:
    """Return a row of each lane for each line of the text, with a blank row between two lines.

    A row is made on demand, from the labels in its line.
    """
    cells = column_widths(lanes, shown)
    lines = list(break_lines(lanes, cells, max(width - NAME_CELLS, 8)))
    starts = [[label.start for label in lane.labels] for lane in shown]
    ends = [[label.end for label in lane.labels] for lane in shown]

    def row(place: int) -> Row:
        line, lane = divmod(place, len(shown) + 1)
        if lane == len(shown):
            return Row([])
        start, end = lines[line]
        name, labels, draw = shown[lane]
        here = labels[bisect_right(ends[lane], start) : bisect_left(starts[lane], end)]
        return Row([*left([(tr(name), "strong")], NAME_CELLS), *draw(here, cells, start, end)])

    return RowsOnDemand(max(len(lines) * (len(shown) + 1) - 1, 0), row)


class LanesPanel(FramePanel[Any]):
    """The lanes of `text`: characters, bytes, GPT-2's spelling, tokens and ids, aligned.

    Only tokens of bytes have GPT-2's spelling.
    """

    ID, TITLE = "lanes", "bytes and tokens"
    WIDEST = 1000
    TOKEN: ClassVar[str] = "token"
    """The model's word for a token."""
    FOOT: ClassVar[str] = ""
    """Text of the lower border; "": whether text is lost."""

    text: ShownInRows[str] = ShownInRows("")
    rows_of_a_line = 1
    """Rows of a line of the text: one for each lane, and a blank one."""

    def show(self, frame: Any, text: str) -> None:
        """Show another text and another frame, making the rows only once."""
        self.set_reactive(LanesPanel.frame, frame)
        self.set_reactive(LanesPanel.text, text)
        self.rebuild()

    def places_of(self, frame: Any) -> tuple[bytes, Iterable[TokenPlace]]:
        """Return the text to show, and its tokens with their places in it."""
        raise NotImplementedError

    def rows_of(self, frame: Any, width: int) -> Sequence[Row]:
        data, found = self.places_of(frame)
        places = list(islice(found, TOKENS_SHOWN + 1))
        if more := len(places) > TOKENS_SHOWN:
            data = data[: places[TOKENS_SHOWN].start]
        lanes = align_places(data, places[:TOKENS_SHOWN])
        if not lanes.columns:
            self.say(self.TITLE)
            return sentence(tr("No {token} to show: type a text.", token=tr(self.TOKEN)), width)
        in_bytes = isinstance(frame, Frame) and frame.run.alphabet.unit == "byte"
        lost = len(data) > sum(place.end - place.start for place in places[:TOKENS_SHOWN])
        units, sizes = ("character", "byte", self.TOKEN), (lanes.characters, data, lanes.tokens)
        every = zip(map(len, sizes), units, strict=True)
        counted = " │ ".join(plural(n, unit) for n, unit in every)
        self.say(f"{tr(self.TITLE)}  {counted}", self.FOOT or (LOST if lost else ""))
        shown = characters_and_bytes(lanes)
        if in_bytes:
            shown.append(byte_lane(lanes, "GPT-2", BYTE_TO_CHAR.__getitem__))
        ids = [Label(t.start, t.end, str(t.token_id), "dim", t.token_id) for t in lanes.tokens]
        tokens = list(self.labels_of(frame, lanes))
        shown += [Lane(f"{self.TOKEN}s", tokens, bracketed), Lane("ids", ids)]
        self.rows_of_a_line = len(shown) + 1
        rows = lane_rows(lanes, shown, width)
        if not more:
            return rows
        template = "Only the first {tokens_shown} {token}s."
        last = Row([(tr(template, tokens_shown=TOKENS_SHOWN, token=tr(self.TOKEN)), "dim")])
        return RowsOnDemand(len(rows) + 1, lambda at: rows[at] if at < len(rows) else last)

    def labels_of(self, frame: Any, lanes: Lanes) -> Iterator[Label]:
        """Yield a label for each token of the lanes."""
        painter = TokenPainter(frame, marks=needs_marks(self.app))
        for token in lanes.tokens:
            text, role = painter.token(token.token_id)
            yield Label(token.start, token.end, text, role, token.token_id)


class MergeTreePanel(TokenPanel[AnyMergeFrame]):
    """The merge tree of a token down to bytes or characters, then the tokens made with it."""

    ID, TITLE = "tree", "merge tree"

    token_id: reactive[int | None] = reactive(None, repaint=False)

    def watch_token_id(self) -> None:
        self.cursor = 1  # under the title
        self.scroll_to(y=0, animate=False, immediate=True)
        self.rebuild()

    def rows_of(self, frame: AnyMergeFrame, width: int) -> Sequence[Row]:
        if self.token_id is None or not frame.has_token(self.token_id):
            self.say("merge tree")
            template = "No {token} is under the table's cursor."
            return sentence(tr(template, token=tr(frame.TOKEN)), width)
        painter = self.painter(frame)
        name = shorten(painter.token(self.token_id)[0], 20)
        self.say(tr("merge tree of {token}", token=name), "↵ goes there")
        lines = frame.vocabulary.merge_tree(self.token_id)
        tree = [_ranked_title(tr("made of"), width)]
        tree += [_tree_row(painter, line, width) for line in islice(lines, LINES_SHOWN)]
        if next(lines, None) is not None:
            tree.append(Row([(tr("… and more"), "dim")]))
        built = frame.vocabulary.built_on(self.token_id)
        if not built:
            return [*tree, Row([]), *sentence(tr("No merge uses it yet."), width)]
        used = tr("used in {merges}", merges=plural(len(built), "merge"))
        tree += [Row([]), _ranked_title(used, width)]

        def make(index: int) -> Row:
            if index < len(tree):
                return tree[index]
            return _built_row(painter, built[index - len(tree)], width)

        return RowsOnDemand(len(tree) + len(built), make)


def _ranked_title(title: str, width: int) -> Row:
    spans = left([(title, "strong")], width - RANK_CELLS)
    return Row([*spans, right(tr("merge"), RANK_CELLS, "dim")])


def _tree_row(painter: TokenPainter, line: TreeLine, width: int) -> Row:
    rank = "" if line.rank is None else number(line.rank + 1)
    spans: list[Span] = [(branches(line.trunk), "border"), painter.token(line.token_id)]
    room = max(width - RANK_CELLS, 4)
    return Row([*left(spans, room), right(rank, RANK_CELLS, "dim")], ToToken(line.token_id))


def branches(trunk: Sequence[bool]) -> str:
    """Draw the branches before a token in the tree; in a deep tree, only the depth.

    >>> branches((True,)), branches((False,)), branches((True, False)), branches((False, True))
    ('├─ ', '└─ ', '│  └─ ', '   ├─ ')
    """
    if not trunk:
        return ""
    *above, here = trunk
    last = "├─ " if here else "└─ "
    if len(above) > 7:
        return f"{len(trunk)}⋯ {last}"
    return "".join("│  " if goes_on else "   " for goes_on in above) + last


def _built_row(painter: TokenPainter, token_id: int, width: int) -> Row:
    vocabulary = painter.frame.vocabulary
    parents = vocabulary.parents_of(token_id)
    rank = vocabulary.rank_of(token_id)
    assert parents is not None
    assert rank is not None
    room = max(width - RANK_CELLS - 3, 8)
    name = left(NameSpans([painter.token(token_id)]), room // 2)
    made = left(painter.sum(parents), room - room // 2)
    return Row(
        [*name, (" = ", "dim"), *made, right(number(rank + 1), RANK_CELLS, "dim")],
        ToToken(token_id),
    )

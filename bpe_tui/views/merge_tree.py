"""Of what is this token made, and what is made of it?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from textual.reactive import reactive

from bpe_tui.views.panel import TokenPainter, TokenPanel, ToToken, sentence
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import Row, RowsOnDemand, Span, left, right
from bpe_tui.widgets.visible import shorten
from engine.recording.merge_frame import AnyMergeFrame
from engine.recording.vocabulary import TreeLine

LINES_SHOWN = 400
RANK_CELLS = 8


class MergeTreePanel(TokenPanel[AnyMergeFrame]):
    """The merge tree of a token down to bytes or characters, then what was built on it."""

    token_id: reactive[int | None] = reactive(None, repaint=False)

    def __init__(self) -> None:
        super().__init__("merge tree", id="tree")
        self._folded: frozenset[int] = frozenset()

    def watch_token_id(self) -> None:
        self._folded = frozenset()
        self.cursor = 1  # under the title
        self.scroll_to(y=0, animate=False, immediate=True)
        self.rebuild()

    def toggle_fold(self) -> None:
        """Fold or unfold the token under the cursor, wherever it stands in the tree."""
        target = self.row(self.cursor).target if self.cursor < self.row_count else None
        if isinstance(target, ToToken):
            self._folded ^= {target.token_id}
            self.rebuild()

    def rows_of(self, frame: AnyMergeFrame, width: int) -> Sequence[Row]:
        if self.token_id is None or not frame.has_token(self.token_id):
            self.say("merge tree")
            return sentence(f"No {self.TOKEN} is under the table's cursor.", width)
        width -= 1  # a blank before the scrollbar
        painter = self.painter(frame)
        name = shorten(painter.token(self.token_id)[0], 20)
        self.say(f"merge tree of {name}", "space folds · ↵ goes there")
        tree = self._tree_rows(painter, self.token_id, width)
        built = frame.vocabulary.built_on(self.token_id)
        if not built:
            return [*tree, Row([]), *sentence(f"No {self.TOKEN} is built on it yet.", width)]
        tree += [Row([]), _built_title(len(built), width)]

        def make(index: int) -> Row:
            if index < len(tree):
                return tree[index]
            return _built_row(painter, built[index - len(tree)], width)

        return RowsOnDemand(len(tree) + len(built), make)

    def _tree_rows(self, painter: TokenPainter, token_id: int, width: int) -> list[Row]:
        lines = painter.frame.vocabulary.merge_tree(token_id, self._folded)
        rows = [_tree_row(painter, line, width) for line in islice(lines, LINES_SHOWN)]
        if next(lines, None) is not None:
            rows.append(Row([("… and more: space folds a part away", "dim")]))
        return [_tree_title(width), *rows]


def _tree_title(width: int) -> Row:
    title = left([("made of", "strong")], width - RANK_CELLS)
    return Row([*title, right("rank", RANK_CELLS, "dim")])


def _tree_row(painter: TokenPainter, line: TreeLine, width: int) -> Row:
    rank = "" if line.rank is None else number(line.rank)
    spans: list[Span] = [(drawn(line.trunk), "border"), painter.token(line.token_id)]
    if line.folded:
        spans.append((" ▸ …", "dim"))
    room = max(width - RANK_CELLS, 4)
    return Row([*left(spans, room), right(rank, RANK_CELLS, "dim")], ToToken(line.token_id))


def drawn(trunk: Sequence[bool]) -> str:
    """The branches before a token in the tree; deep ones give way to their depth.

    >>> drawn((True,)), drawn((False,)), drawn((True, False)), drawn((False, True))
    ('├─ ', '└─ ', '│  └─ ', '   ├─ ')
    """
    if not trunk:
        return ""
    *above, here = trunk
    last = "├─ " if here else "└─ "
    if len(above) > 7:
        return f"{len(trunk)}⋯ {last}"
    return "".join("│  " if goes_on else "   " for goes_on in above) + last


def _built_title(count: int, width: int) -> Row:
    title = left([(f"built on it: {number(count)}", "strong")], width - RANK_CELLS)
    return Row([*title, right("rank", RANK_CELLS, "dim")])


def _built_row(painter: TokenPainter, token_id: int, width: int) -> Row:
    vocabulary = painter.frame.vocabulary
    parents = vocabulary.parents_of(token_id)
    rank = vocabulary.rank_of(token_id)
    assert parents is not None
    assert rank is not None
    room = max(width - RANK_CELLS - 3, 8)
    name = left([painter.token(token_id)], room // 2)
    made = left(painter.pair(parents, between=" + "), room - room // 2)
    return Row(
        [*name, (" = ", "dim"), *made, right(number(rank), RANK_CELLS, "dim")],
        ToToken(token_id),
    )

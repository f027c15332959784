"""In which ways can this pretoken be cut? Its lattice, the characters along the top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bpe_tui.unigram.numbers import score_text
from bpe_tui.unigram.panels.piece_panel import PiecePainter
from bpe_tui.unigram.panels.walkthrough import WalkPanel, Walkthrough
from bpe_tui.widgets.lines import Row, Span
from bpe_tui.widgets.visible import plural, shorten, visible_text, width
from engine.unigram.pieces import Edge

COLUMN = 7
"""Cells of a character, the one before it, where the node stands, included."""
HEAD = 3
"""Rows above the bars: the nodes, the characters, the best scores."""


@dataclass(frozen=True)
class Look:
    """How a bar is drawn: its ends, its line, its role."""

    left: str
    right: str
    line: str
    role: str


TAKEN = Look("┝", "┥", "━", "pair")
KEPT_HERE = Look("╞", "╡", "═", "gain")
ARRIVING = Look("├", "┤", "─", "")
KEPT = Look("├", "┤", "─", "hue")
LEFT_OUT = Look("╎", "╎", "┄", "dim")
CUT = "…"
"""The end of a bar that goes on outside the panel."""


class LatticePanel(WalkPanel):
    """Pieces as bars over the characters that they cover, with their scores.

    What is wider than the panel is seen through a window that follows the walk.
    """

    NOTHING_TYPED = "Type something: here are all ways to cut the pretoken that ↑ ↓ choose."

    def __init__(self) -> None:
        super().__init__("lattice", id="lattice")

    def rows_of(self, frame: object, width: int) -> Sequence[Row]:
        if none := self.why_none(width):
            self.say("lattice")
            return none
        walk, place = self.walk, self.place
        assert walk is not None
        pieces = sum(len(edges) for edges in walk.lattice.arriving)
        self.say(
            f"lattice of {visible_text(walk.word)}  {plural(pieces, 'piece')} fit",
            "━ best path  ═ kept here  ─ kept, or arrives  ┄ left out, or not reached",
        )
        return Drawing(walk, place, width).rows()


class Drawing:
    """The lattice at a place of the walk, in a window of so many cells."""

    def __init__(self, walk: Walkthrough, place: int, cells: int) -> None:
        self._walk, self._place = walk, place
        self._painter = PiecePainter(walk.frame)
        self._taken = set(walk.taken(place))
        columns = max((cells - 2) // COLUMN, 1)
        characters = len(walk.word)
        node = walk.node(place)
        self._first = max(0, min(node - columns // 2, characters - columns))
        self._last = min(self._first + columns, characters)

    def rows(self) -> list[Row]:
        lanes = [Row(self._lane(lane)) for lane in lanes_of(self._walk)]
        return [Row(self._nodes()), Row(self._characters()), Row(self._scores()), *lanes]

    # -- the head

    def _nodes(self) -> list[Span]:
        here = self._walk.node(self._place)
        spans: list[Span] = []
        for node in range(self._first, self._last + 1):
            cells = COLUMN if node < self._last else len(str(node))
            spans.append((f"{node:<{cells}}", "pair" if node == here else "dim"))
        return spans

    def _characters(self) -> list[Span]:
        spans: list[Span] = [("│", "border")]
        for character in self._walk.word[self._first : self._last]:
            shown = shorten(visible_text(character), COLUMN - 1)
            spare = COLUMN - 1 - width(shown)
            spans.append((" " * (spare // 2) + shown + " " * (spare - spare // 2), "strong"))
            spans.append(("│", "border"))
        return spans

    def _scores(self) -> list[Span]:
        """Under each node that is reached the score of the best path to it."""
        scores, reached = self._walk.lattice.best_scores, self._walk.reached(self._place)
        here = self._walk.node(self._place)
        spans: list[Span] = [(" ", "")]
        for node in range(self._first + 1, self._last + 1):
            shown = score_text(scores[node]) if node <= reached else ""
            spans.append((shown.rjust(COLUMN), "pair" if node == here else "dim"))
        return spans

    # -- the bars

    def _lane(self, lane: list[Edge]) -> list[Span]:
        spans: list[Span] = []
        used = 0
        for edge in lane:
            start, end = max(edge.start, self._first), min(edge.end, self._last)
            if start >= end:
                continue
            at = (start - self._first) * COLUMN + 1
            cells = (end - start) * COLUMN - 1
            spans.append((" " * (at - used), ""))
            spans.append(self._bar(edge, cells))
            used = at + cells
        return spans

    def _bar(self, edge: Edge, cells: int) -> Span:
        look = self._look(edge)
        left = CUT if edge.start < self._first else look.left
        right = CUT if edge.end > self._last else look.right
        text = shorten(self._label(edge, cells - 2), cells - 2)
        spare = cells - 2 - width(text)
        line = look.line * (spare // 2) + text + look.line * (spare - spare // 2)
        role = self._painter.role(edge.piece) if look.role == "hue" else look.role
        return f"{left}{line}{right}", role

    def _label(self, edge: Edge, cells: int) -> str:
        """Piece and score, if there is room; else the score in as few cells as will do."""
        piece = visible_text(self._walk.word[edge.start : edge.end])
        full = f" {piece} {score_text(edge.score)} "
        if edge.end - edge.start > 1 and width(full) <= cells:
            return full
        return score_text(edge.score, 1 if edge.score > -9.95 else 0)

    def _look(self, edge: Edge) -> Look:
        walk, reached = self._walk, self._walk.reached(self._place)
        if edge in self._taken:
            return TAKEN
        if self._taken or edge.end > reached:
            return LEFT_OUT
        if edge == walk.lattice.best_edge(edge.end):
            return KEPT_HERE if edge.end == reached else KEPT
        return ARRIVING if edge.end == reached else LEFT_OUT


def lanes_of(walk: Walkthrough) -> list[list[Edge]]:
    """The edges in as few lanes as it takes, none over another; the best path has the first.

    Short ones come first, so that the lanes stand as they do in books: longer ones below.
    """
    best = list(walk.best.edges)
    others = [edge for edges in walk.lattice.arriving for edge in edges if edge not in set(best)]
    others.sort(key=lambda edge: (edge.end - edge.start, edge.start))
    lanes: list[list[Edge]] = []
    for edge in others:
        lane = next((lane for lane in lanes if _fits(lane, edge)), None)
        if lane is None:
            lanes.append(lane := [])
        lane.append(edge)
    return [best, *(sorted(lane) for lane in lanes)]


def _fits(lane: list[Edge], edge: Edge) -> bool:
    return all(other.end <= edge.start or edge.end <= other.start for other in lane)

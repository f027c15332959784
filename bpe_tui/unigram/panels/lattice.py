"""In which ways can this pretoken be cut? Its lattice, the characters along the top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp
from random import Random
from typing import ClassVar

from bpe_tui.unigram.narration import score_text
from bpe_tui.unigram.panels.piece_panel import PiecePainter, PiecePanel
from bpe_tui.widgets.numbers import plural
from bpe_tui.widgets.rows import Row, Span, paragraph
from bpe_tui.widgets.visible import shorten, visible_text, width
from engine.unigram.encoder import Reached, TracedBack, ViterbiStep, viterbi_steps
from engine.unigram.frame import UnigramFrame
from engine.unigram.lattice import (
    ForwardBackward,
    Lattice,
    Path,
    PathThrough,
    best_paths_through_edges,
)
from engine.unigram.pieces import Edge

LONGEST = 100
"""Characters of a pretoken up to which its lattice is drawn and walked through."""
BEST_SHOWN = 8
SPECIAL = "A special token is one piece: there is nothing to cut."


@dataclass(frozen=True)
class Walkthrough:
    """A pretoken, spelled with ▁, at a step; everything about it is computed when asked.

    `word` is empty where there is none to walk through: no text at all, or a special token.
    """

    frame: UnigramFrame
    word: str
    is_special: bool = False

    def is_like(self, other: Walkthrough) -> bool:
        """Whether both are the same pretoken under the same pieces."""
        same = (self.word, self.is_special) == (other.word, other.is_special)
        return same and self.frame.looks_like(other.frame)

    @cached_property
    def lattice(self) -> Lattice:
        return self.frame.lattice(self.word)

    @cached_property
    def steps(self) -> list[ViterbiStep]:
        """To the right node by node, then back edge by edge; none where there are too many."""
        return [] if len(self.word) > LONGEST else list(viterbi_steps(self.lattice))

    @cached_property
    def best(self) -> Path:
        return self.lattice.best

    @cached_property
    def paths(self) -> list[Path]:
        """The best segmentations, the best first."""
        return self.lattice.n_best(BEST_SHOWN)

    @cached_property
    def lost(self) -> list[PathThrough]:
        """The best path through each edge that the best path does not have."""
        used = set(self.best.edges)
        return [found for found in best_paths_through_edges(self.lattice) if found.edge not in used]

    @cached_property
    def log_total(self) -> float:
        """log P(pretoken), over all its segmentations."""
        return ForwardBackward(self.lattice).log_total

    def probability(self, path: Path) -> float:
        """How probable a segmentation is, given the pretoken."""
        return exp(path.score - self.log_total)

    def sample(self, sharpness: float, seed: int) -> tuple[Path, float]:
        """A segmentation drawn by chance, and how probable it was to be drawn."""
        sums = ForwardBackward(self.lattice, sharpness)
        path = sums.sample(Random(seed))
        return path, exp(sharpness * path.score - sums.log_total)

    # -- a place in the walk

    def reached(self, place: int) -> int:
        """The node that the sweep to the right has come to after so many steps."""
        return min(place, len(self.word))

    def taken(self, place: int) -> list[Edge]:
        """The edges of the best path that the way back has taken by then, from the right."""
        return [step.taken for step in self.steps[:place] if isinstance(step, TracedBack)]

    def node(self, place: int) -> int:
        """The node that the walk stands at."""
        taken = self.taken(place)
        return taken[-1].start if taken else self.reached(place)

    def arrivals(self, place: int) -> Reached | None:
        """What arrives at the node, while the sweep goes to the right."""
        step = self.steps[place - 1] if place else None
        return step if isinstance(step, Reached) else None


class WalkPanel(PiecePanel):
    """A panel about `walk`, of whose steps `place` are made."""

    WIDEST = 1000
    NOTHING_TYPED: ClassVar[str]
    """What is to be seen here once there is a text."""

    walk: Walkthrough | None = None
    place = 0

    def show(self, walk: Walkthrough, place: int) -> None:
        """Show a walk at a place."""
        self.walk, self.place = walk, place
        self.rebuild()

    def watch_frame(self, old: UnigramFrame | None, new: UnigramFrame | None) -> None:
        """The screen brings a walk through every new frame, and that shows it."""

    def walk_rows(self, walk: Walkthrough, width: int) -> Sequence[Row]:
        """The rows for a walk in so many cells."""
        raise NotImplementedError

    def rows_of(self, frame: UnigramFrame, width: int) -> Sequence[Row]:
        if none := self._why_none(width):
            self.say(self.named)
            return none
        assert self.walk is not None
        return self.walk_rows(self.walk, width)

    def _why_none(self, width: int) -> list[Row]:
        """Why there is nothing to walk through; no rows if there is."""
        if self.walk is None or not self.walk.word:
            is_special = self.walk is not None and self.walk.is_special
            return paragraph(SPECIAL if is_special else self.NOTHING_TYPED, width, "dim")
        if (length := len(self.walk.word)) > LONGEST:
            return paragraph(
                f"A pretoken of {plural(length, 'character')} is too long to be drawn; up to "
                f"{LONGEST} it is.",
                width,
                "dim",
            )
        return []


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

    ID = "lattice"
    _highest = 0

    def walk_rows(self, walk: Walkthrough, width: int) -> Sequence[Row]:
        pieces = sum(len(edges) for edges in walk.lattice.arriving)
        self.say(
            f"lattice of {visible_text(walk.word)}  {plural(pieces, 'piece')}",
            "━ best path · ═ best at this node · ─ arrives, or won before · ┄ lost, or not reached",
        )
        rows = Drawing(walk, self.place, width).rows()
        # As high as the highest so far: who goes on to the next pretoken finds all in place.
        self._highest = max(self._highest, len(rows))
        self.styles.height = self._highest + 2
        return rows


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

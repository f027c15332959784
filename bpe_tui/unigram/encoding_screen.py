"""The encoding screen of Unigram: a text, its pretokens, its bytes, walks through a lattice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import exp, inf
from typing import ClassVar

from textual.content import Content

from bpe_tui.panels.encoding_screen import LANES_KEY, TextPretokensPanel, WalkScreen
from bpe_tui.panels.token_detail import TOKENS_SHOWN
from bpe_tui.shell.panel import needs_marks, token_edge
from bpe_tui.styles import sheet
from bpe_tui.unigram.model import UNIGRAM_ENCODING
from bpe_tui.unigram.narration import describe_unknown, probability_text, score_text
from bpe_tui.unigram.piece_table import PieceLanesPanel
from bpe_tui.unigram.pieces import UNIGRAM_VIEW, PiecePainter, PiecePanel, pieces_of_text
from bpe_tui.unigram.training_screen import PiecesOfText
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.numbers import MINUS, number
from bpe_tui.widgets.rows import Column, Row, RowTable, Span, columns_of_spans, left, paragraph
from bpe_tui.widgets.visible import shorten, visible_text, width
from engine.text.pretokenize import Pretoken
from engine.unigram.frame import UnigramFrame
from engine.unigram.lattice import (
    Lattice,
    Path,
    Reached,
    TracedBack,
    ViterbiStep,
    log_total,
    viterbi_steps,
)
from engine.unigram.pieces import Edge, spelled

LONGEST = 100
"""Most characters of a pretoken whose lattice is drawn and walked through."""
BEST_SHOWN = 8
SPECIAL = "A special token is one piece: there is nothing to cut."


@dataclass(frozen=True)
class Walkthrough:
    """A pretoken, spelled with ▁, at a step; its lattice and paths are computed when asked for.

    `word` is empty if there is no text, or if the pretoken is a special token.
    """

    frame: UnigramFrame
    word: str
    is_special: bool = False

    def is_like(self, other: Walkthrough) -> bool:
        """Whether the other is the same pretoken with the same pieces."""
        same = (self.word, self.is_special) == (other.word, other.is_special)
        return same and self.frame.looks_like(other.frame)

    @cached_property
    def lattice(self) -> Lattice:
        return self.frame.lattice(self.word)

    @cached_property
    def steps(self) -> list[ViterbiStep]:
        """The steps of Viterbi: forwards node by node, back edge by edge. Empty if too many."""
        return [] if len(self.word) > LONGEST else list(viterbi_steps(self.lattice))

    @cached_property
    def paths(self) -> list[tuple[Path, float]]:
        """The best segmentations, the best first, with their probabilities, given the pretoken."""
        total, best = log_total(self.lattice), self.lattice.n_best(BEST_SHOWN)
        return [(path, exp(path.score - total)) for path in best]

    # -- one step of the walk

    def reached(self, place: int) -> int:
        """Return the node that the forward sweep has reached after `place` steps."""
        nodes = (step.node for step in reversed(self.steps[:place]) if isinstance(step, Reached))
        return next(nodes, 0)

    def taken(self, place: int) -> list[Edge]:
        """Return the edges of the best path followed back by then, from the right."""
        return [step.taken for step in self.steps[:place] if isinstance(step, TracedBack)]

    def node(self, place: int) -> int:
        """Return the current node of the walk."""
        taken = self.taken(place)
        return taken[-1].start if taken else self.reached(place)


class WalkPanel(PiecePanel):
    """A panel about the lattice of `walk`; `place` is the number of steps made."""

    WIDEST = 1000
    NOTHING_TYPED: ClassVar[str]
    """The sentence shown while there is no text."""

    walk: Walkthrough | None = None
    place = 0

    def show(self, walk: Walkthrough, place: int) -> None:
        """Show a walk at a place."""
        self.walk, self.place = walk, place
        self.rebuild()

    def watch_frame(self, old: UnigramFrame | None, new: UnigramFrame | None) -> None:
        """Do nothing: the screen calls `show` for every new frame."""

    def painter(self, walk: Walkthrough) -> PiecePainter:
        """Return a painter of the walk's pieces."""
        return PiecePainter(walk.frame, marks=needs_marks(self.app))

    def walk_rows(self, walk: Walkthrough, width: int) -> Sequence[Row]:
        """Return the rows of a walk, in `width` cells."""
        raise NotImplementedError

    def rows_of(self, frame: UnigramFrame, width: int) -> Sequence[Row]:
        walk = self.walk or Walkthrough(frame, "")
        length = len(walk.word)
        if 0 < length <= LONGEST:
            return self.walk_rows(walk, width)
        self.say(self.named)
        why_none = SPECIAL if walk.is_special else self.NOTHING_TYPED
        if length:
            template = "A pretoken of {characters} is too long to be drawn"
            too_long = tr(template, characters=plural(length, "character"))
            why_none = f"{too_long}; up to {LONGEST} it is."
        return paragraph(why_none, width, "dim")


COLUMN = 7
"""Width of a character with the border before it, in cells."""


TAKEN, KEPT_HERE = ("┝━┥", "pair"), ("╞═╡", "gain")
ARRIVING, KEPT, LEFT_OUT = ("├─┤", ""), ("├─┤", "hue"), ("╎┄╎", "dim")
"""How bars look: the left end, the line and the right end, and the role."""
CUT = "…"
"""The end of a bar that continues outside the panel."""


class LatticePanel(WalkPanel):
    """Pieces as bars over the characters that they cover, with their scores.

    If the lattice is wider than the panel, a window onto it follows the walk.
    """

    NOTHING_TYPED = "Type something: here are all ways to cut the pretoken that ↑ ↓ choose."

    ID = "lattice"
    _highest = 0

    def walk_rows(self, walk: Walkthrough, width: int) -> Sequence[Row]:
        pieces = sum(len(edges) for edges in walk.lattice.arriving)
        title = tr("lattice of {text}", text=visible_text(walk.word))
        self.say(
            f"{title}  {plural(pieces, 'piece')}",
            "━ best path │ ═ best at this node │ ─ arrives, or won before │ ┄ lost, or not reached",
        )
        rows = LatticeDrawing(walk, self.place, width).rows()
        # As high as the highest lattice so far, so that the panels below never move.
        self._highest = max(self._highest, len(rows))
        self.styles.height = self._highest + 2
        return rows


class LatticeDrawing:
    """The lattice at one step of the walk, in a window of `cells`."""

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
        """Return the nodes, the characters between them, the scores under them, and the bars."""
        here, reached = self._walk.node(self._place), self._walk.reached(self._place)
        best_scores = self._walk.lattice.best_scores
        nodes: list[Span] = []
        scores: list[Span] = []
        for node in range(self._first, self._last + 1):
            role = "pair" if node == here else "dim"
            nodes.append((f"{node:<{COLUMN if node < self._last else len(str(node))}}", role))
            is_node = best_scores[node] > -inf  # no edge ends inside a word that is a unit
            score = score_text(best_scores[node]) if node <= reached and is_node else ""
            scores.append((score.rjust(COLUMN), role) if node > self._first else (" ", ""))
        characters: list[Span] = [("│", "border")]
        for character in self._walk.word[self._first : self._last]:
            shown = shorten(visible_text(character), COLUMN - 1)
            spare = COLUMN - 1 - width(shown)
            characters.append((" " * (spare // 2) + shown + " " * (spare - spare // 2), "strong"))
            characters.append(("│", "border"))
        lanes = [Row(self._lane(lane)) for lane in lanes_of(self._walk)]
        return [Row(nodes), Row(characters), Row(scores), *lanes]

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
        signs, role = self._look(edge)
        left = CUT if edge.start < self._first else signs[0]
        right = CUT if edge.end > self._last else signs[-1]
        # Piece and score if they fit, else the score in as few cells as possible.
        label = f" {visible_text(self._walk.word[edge.start : edge.end])} {score_text(edge.score)} "
        if width(label) > cells - 2:
            label = score_text(edge.score, 1 if edge.score > -9.95 else 0)
        text = shorten(label, cells - 2)
        spare = cells - 2 - width(text)
        body = signs[1] * (spare // 2) + text + signs[1] * (spare - spare // 2)
        return f"{left}{body}{right}", self._painter.role(edge.piece) if role == "hue" else role

    def _look(self, edge: Edge) -> tuple[str, str]:
        walk, reached = self._walk, self._walk.reached(self._place)
        if edge in self._taken:
            return TAKEN
        if self._taken or edge.end > reached:
            return LEFT_OUT
        if edge == walk.lattice.best_edge(edge.end):
            return KEPT_HERE if edge.end == reached else KEPT
        return ARRIVING if edge.end == reached else LEFT_OUT


def lanes_of(walk: Walkthrough) -> list[list[Edge]]:
    """Return the edges in as few lanes as possible, without overlaps; the best path is first.

    Short edges come first, so that longer ones are below, as in textbooks.
    """
    best = list(walk.lattice.best.edges)
    others = [edge for edges in walk.lattice.arriving for edge in edges if edge not in set(best)]
    others.sort(key=lambda edge: (edge.end - edge.start, edge.start))
    lanes: list[list[Edge]] = []
    for edge in others:
        for lane in lanes:
            if all(other.end <= edge.start or edge.end <= other.start for other in lane):
                lane.append(edge)
                break
        else:
            lanes.append([edge])
    return [best, *(sorted(lane) for lane in lanes)]


SUM_CELLS = 24
REMARK_CELLS = 8


class ArrivalsPanel(WalkPanel):
    """The Viterbi algorithm at one node: every piece that ends there, and the one kept."""

    NOTHING_TYPED = "Here → looks for the best way to cut the pretoken, piece by piece."

    ID, TITLE = "arrivals", "Viterbi"

    def walk_rows(self, walk: Walkthrough, width: int) -> Sequence[Row]:
        place, total = self.place, len(walk.steps)
        at = tr("step {n} of {last}", n=place, last=str(total))
        self.say(tr("Viterbi  {at}", at=at), "→ next  ← back  space plays")
        if not place:
            return [
                *paragraph(tr("Node 0 is the empty beginning: its score is 0."), width),
                Row([]),
                *paragraph(tr("→ goes to node 1 and asks which piece arrives best."), width, "dim"),
            ]
        step = walk.steps[place - 1]
        if isinstance(step, Reached):
            return list(_arrival_rows(walk, step, width))
        return list(_way_back_rows(walk, self.painter(walk), place, width))


def _arrival_rows(walk: Walkthrough, reached: Reached, width: int) -> Iterator[Row]:
    """Yield the pieces that end at a node, the best first, each with the sum of its scores."""
    arrive, pieces = len(reached.arrivals), plural(len(reached.arrivals), "piece")
    head = "Node {node}: {pieces} ends here" if arrive == 1 else "Node {node}: {pieces} end here"
    yield Row([(tr(head, node=str(reached.node), pieces=pieces), "strong")])
    painter = PiecePainter(walk.frame)
    columns = columns_of_spans(("", 0), ("", 4), ("", SUM_CELLS), ("", REMARK_CELLS))
    table = RowTable(columns, width, least=6)
    for arrival in sorted(reached.arrivals, key=lambda arrival: -arrival.score):
        edge, is_kept = arrival.edge, arrival == reached.best
        text = visible_text(walk.word[edge.start : edge.end])
        behind = reached.best.score - arrival.score
        remark = f"{MINUS}{behind:.2f}" if behind > 0 else tr("tie")
        remark = tr("kept") if is_kept else remark
        addition = (
            f"{score_text(arrival.score - edge.score)} {MINUS if edge.score <= 0 else '+'} "
            f"{abs(edge.score):.2f} = {score_text(arrival.score)}"
        )
        yield table.row(
            [
                [("▸ " if is_kept else "  ", "gain"), (text, painter.role(edge.piece))],
                [(f"{edge.start}:", "dim")],
                [(addition, "")],
                [(remark, "gain" if is_kept else "loss")],
            ]
        )


def _way_back_rows(
    walk: Walkthrough, painter: PiecePainter, place: int, width: int
) -> Iterator[Row]:
    """Yield the part of the best path that is found, and the sum of its scores."""
    taken = walk.taken(place)
    start = taken[-1].start
    head = tr("The best path: the kept pieces, followed from the end")
    if start:
        head = "Back to node {node}: the kept pieces, followed from the end"
    yield from paragraph(tr(head, node=str(start)), width, "strong")
    cut = painter.cut(walk.word, reversed(taken))
    text = visible_text(walk.word[:start])
    before: list[Span] = [(text, "dim"), token_edge(marks=painter.marks)] if start else []
    yield Row(left([*before, *cut], width))
    yield Row([])
    scores = "  ".join(score_text(edge.score) for edge in reversed(taken))
    yield from paragraph(f"{scores}  =  {score_text(sum(edge.score for edge in taken))}", width)


class PathsPanel(WalkPanel):
    """The best segmentations, with their probabilities."""

    ID, TITLE = "paths", "segmentations"
    NOTHING_TYPED = "Here are the best ways to cut the pretoken."

    def walk_rows(self, walk: Walkthrough, width: int) -> Sequence[Row]:
        self.say("segmentations", "the best first")
        painter = self.painter(walk)
        columns = columns_of_spans(("", 4), ("score", 8), ("P", 10), (tr("  the best"), 0))
        table = RowTable(columns, width, least=6)
        rows = [table.header()]
        for place, (path, probability) in enumerate(walk.paths, 1):
            cut = [("  ", ""), *painter.cut(walk.word, path.edges)]
            share = probability_text(probability)
            score = score_text(path.score)
            rows.append(table.row([[(str(place), "dim")], [(score, "")], [(share, "")], cut]))
        return rows


ROOM_FOR_SCORE = 22
"""Least width, in cells, for a column of scores."""
SCORE_CELLS = 8


class UnigramTextPretokens(TextPretokensPanel[UnigramFrame]):
    """The pretokens of a text in their pieces, with the number of pieces and the score."""

    FOOT = "▁ is a space"

    def columns(self, frame: UnigramFrame, width: int) -> Sequence[Column]:
        painter = PiecePainter(frame, marks=needs_marks(self.app))

        def edges(pretoken: Pretoken) -> Sequence[Edge]:
            return () if pretoken.special else frame.pieces_of(spelled(pretoken.text))

        def count(pretoken: Pretoken) -> list[Span]:
            return [("" if pretoken.special else number(len(edges(pretoken))), "dim")]

        def score(pretoken: Pretoken) -> list[Span]:
            scores = [edge.score for edge in edges(pretoken)]
            return [(score_text(sum(scores), 1) if scores else "", "")]

        columns = [
            Column("text", 0, painter.pretoken),
            Column("pieces", 7, count, True),
            Column("score", SCORE_CELLS, score, True),
        ]
        return columns if width >= ROOM_FOR_SCORE else columns[:2]


LONGEST_TEXT = 20_000
"""Number of characters that are cut; each may be a pretoken with its own lattice."""


class UnigramEncodingScreen(WalkScreen):
    """A screen to type a text and walk through the lattice of each pretoken."""

    NAME = UNIGRAM_ENCODING
    VIEW = UNIGRAM_VIEW
    CSS_PATH = sheet("encoding.tcss")
    SLOT = ("arrivals", "paths", "pretokens")
    PANEL_ORDER = ("pretokens", "lattice", *SLOT[:2], "ids", "text")
    HIDDEN: ClassVar[Mapping[str, str]] = {
        "arrivals": "Viterbi",
        "paths": "segmentations",
        **WalkScreen.HIDDEN,
    }
    STEPS_A_SECOND = 2
    TOKENS = PiecesOfText
    LANES = PieceLanesPanel
    PANELS = (LatticePanel, UnigramTextPretokens, ArrivalsPanel, PathsPanel)

    _place = 0
    _walk: Walkthrough | None = None

    # -- new frames and texts

    def facts_of(self, frame: UnigramFrame) -> Sequence[str]:
        pieces = plural(frame.size, frame.record.PIECE)
        return "Unigram", pieces, tr("the best way through the lattice")

    def show_text(self) -> None:
        text = self.text[:LONGEST_TEXT]
        if self.frame is not None:
            self.query_one(UnigramTextPretokens).pretokens = self.frame.cut(text)
            shown = tuple(islice(pieces_of_text(self.frame, text), TOKENS_SHOWN + 1))
            lanes = self.query_one(PieceLanesPanel)
            lanes.frame, lanes.pieces = self.frame, shown
            tokens, more = self.query_one(PiecesOfText), "+" * (len(shown) > TOKENS_SHOWN)
            tokens.text = text[: tokens.LONGEST]
            count = f"{number(min(len(shown), TOKENS_SHOWN))}{more}"
            tokens.say(tr("tokens  {n}", n=count), f"{tr('scores below')} │ {tr(LANES_KEY)}")
        remark = ""  # which part of the text is not cut, or which no piece spells
        if len(self.text) > LONGEST_TEXT:
            template = "the first {characters} are cut"
            remark = tr(template, characters=plural(LONGEST_TEXT, "character"))
        elif self.frame is not None:
            remark = describe_unknown(self.frame, self.text, self.size.width - 6)
        self.query_one("#text").border_subtitle = Content(remark or tr("e types"))

    def on_parts_panel_selected(self, event: UnigramTextPretokens.Selected) -> None:
        if self.frame is None:
            return
        pretoken: Pretoken | None = event.part
        is_special = pretoken is not None and pretoken.special
        word = "" if pretoken is None or is_special else spelled(pretoken.text)
        walk = Walkthrough(self.frame, word, is_special)
        if self._walk is None or not self._walk.is_like(walk):
            self._walk = walk
            self.pause()
            self.go_to(len(walk.steps))

    @property
    def progress(self) -> tuple[int, int]:
        return self._place, len(self._walk.steps) if self._walk is not None else 0

    def go_to(self, place: int) -> None:
        if self._walk is not None:
            self._place = max(0, min(place, len(self._walk.steps)))
            for panel in self.query(WalkPanel):
                panel.show(self._walk, self._place)

"""The panels beside the lattice: the pretokens of a text, its bytes, and ways through a lattice.

The ways are the best one, node by node; the n best; some drawn by chance; and why no other piece is
used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from textual.reactive import reactive

from bpe_tui.unigram.narration import percent, score_text
from bpe_tui.unigram.panels.lattice import WalkPanel, Walkthrough
from bpe_tui.unigram.panels.piece_panel import PiecePainter, PiecePanel
from bpe_tui.views.encoding_screen import PartsPanel
from bpe_tui.views.panel import sentence
from bpe_tui.views.token_detail import Label, Lane, bracketed, characters_and_bytes, lane_rows
from bpe_tui.widgets.lines import Drawn
from bpe_tui.widgets.numbers import MINUS, number, plural
from bpe_tui.widgets.rows import Row, RowsOnDemand, left, paragraph, right, spans_width
from bpe_tui.widgets.visible import visible_text
from engine.encoding.lanes import align
from engine.text.pretokenize import Pretoken, to_bytes
from engine.unigram.encoder import Arrival, Reached
from engine.unigram.frame import UnigramFrame
from engine.unigram.lattice import Path
from engine.unigram.pieces import spelled

ROOM_FOR_SCORE = 22
"""From so many cells on the score has a column of its own."""
SCORE_CELLS = 8
PIECES_SHOWN = 500
SUM_CELLS = 24
REMARK_CELLS = 8
SHARPNESS = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""What scores are multiplied with before a segmentation is drawn (α in Kudo 2018)."""
DRAWN = 3
"""Samples that are shown, the latest first."""


class WordsOfTextPanel(PartsPanel[UnigramFrame]):
    """The pretokens of `text`, one a row, in their pieces; the cursor chooses one."""

    text: reactive[str] = reactive("", repaint=False)

    frame: reactive[UnigramFrame | None] = reactive(None, repaint=False)

    def __init__(self) -> None:
        super().__init__("pretokens", id="pretokens")
        self._pretokens: list[Pretoken] = []

    @property
    def selected(self) -> str:
        """The pretoken that the cursor is on, spelled with ▁; "" for a special token or none."""
        if self.cursor >= len(self._pretokens) or self._pretokens[self.cursor].special:
            return ""
        return spelled(self._pretokens[self.cursor].text)

    def watch_text(self) -> None:
        self._pretokens = self.frame.cut(self.text) if self.frame is not None else []
        self.rebuild()

    def watch_frame(self, old: UnigramFrame | None, new: UnigramFrame | None) -> None:
        self.watch_text()

    def rows_of(self, frame: UnigramFrame, width: int) -> Sequence[Row]:
        self.say(f"pretokens  {number(len(self._pretokens))}", "▁ is a space")
        if not self._pretokens:
            return sentence("Nothing typed yet: press e and type.", width)
        scored = ("pieces", "   score") if width >= ROOM_FOR_SCORE else ("pieces",)
        numbers = "".join(scored)
        self.name_columns([("  text".ljust(width - len(numbers)) + numbers, "")])
        return RowsOnDemand(len(self._pretokens), lambda place: self._row(frame, place, width))

    def _row(self, frame: UnigramFrame, place: int, width: int) -> Row:
        pretoken, here = self._pretokens[place], place == self.cursor
        mark = ("▸ " if here else "  ", "here")
        if pretoken.special:
            return Row([mark, *left([(visible_text(pretoken.text), "special")], width - 2)])
        edges = frame.pieces_of(spelled(pretoken.text))
        score = score_text(sum(edge.score for edge in edges), 1)
        numbers = [right(number(len(edges)), 4, "dim")]
        if width >= ROOM_FOR_SCORE:
            numbers.append(right(score, SCORE_CELLS))
        cells = width - 2 - spans_width(numbers)
        return Row([mark, *left(PiecePainter(frame).pretoken(pretoken), max(cells, 4)), *numbers])


class TextPiece(NamedTuple):
    """A piece of the text: its id, the text that it stands for, how it looks."""

    id: int
    text: str
    shown: str
    role: str


class TextLanesPanel(PiecePanel):
    """Characters, bytes and pieces of `text` with their ids, aligned."""

    ID, TITLE = "lanes", "three lanes"
    WIDEST = 1000

    text: Drawn[str] = Drawn("")

    def rows_of(self, frame: UnigramFrame, width: int) -> list[Row]:
        pieces = list(islice(_pieces(frame, self.text), PIECES_SHOWN + 1))
        if not pieces:
            self.say("three lanes")
            return sentence("No piece to show: type a text.", width)
        shown = pieces[:PIECES_SHOWN]
        lanes = align((piece.id, to_bytes(piece.text)) for piece in shown)
        self.say(
            f"three lanes  {plural(len(lanes.characters), 'character')} · "
            f"{plural(len(lanes.data), 'byte')} · {plural(len(shown), 'piece')}",
            "a: the lattice again",
        )
        drawn = [
            Label(span.start, span.end, piece.shown, piece.role)
            for span, piece in zip(lanes.tokens, shown, strict=True)
        ]
        ids = [Label(span.start, span.end, str(span.token_id), "dim") for span in lanes.tokens]
        named = [Lane("pieces", drawn, bracketed), Lane("ids", ids)]
        rows = list(lane_rows(lanes, [*characters_and_bytes(lanes), *named], width))
        if len(pieces) > PIECES_SHOWN:
            rows.append(Row([(f"The first {PIECES_SHOWN} pieces.", "dim")]))
        return rows


def _pieces(frame: UnigramFrame, text: str) -> Iterator[TextPiece]:
    """The tokens of a text; an unknown one has the id 0."""
    painter, special = PiecePainter(frame), frame.record.special_tokens
    for pretoken in frame.cut(text):
        if pretoken.special:
            shown = visible_text(pretoken.text)
            yield TextPiece(1 + special.index(pretoken.text), pretoken.text, shown, "special")
            continue
        word = spelled(pretoken.text)
        for edge in frame.pieces_of(word):
            at = frame.index_of(edge.piece)
            yield TextPiece(
                0 if at is None else int(frame.ids[at]),
                pretoken.text[edge.start : edge.end],
                visible_text(word[edge.start : edge.end]),
                painter.role(edge.piece),
            )


class ArrivalsPanel(WalkPanel):
    """The Viterbi algorithm at one node: every piece that ends there, and the one that is kept."""

    NOTHING_TYPED = "Here → looks for the best way to cut the pretoken, piece by piece."

    ID, TITLE = "arrivals", "Viterbi"

    def walk_rows(self, walk: Walkthrough, width: int) -> Sequence[Row]:
        place, total = self.place, len(walk.steps)
        self.say(f"Viterbi  step {place} of {total}", "→ next  ← back  space plays")
        if not place:
            return [
                *paragraph("Node 0 is the empty beginning: its score is 0.", width),
                Row([]),
                *paragraph("→ goes to node 1 and asks which piece arrives best.", width, "dim"),
            ]
        if (reached := walk.arrivals(place)) is not None:
            return list(_arrival_rows(walk, reached, width))
        return list(_way_back_rows(walk, place, width))


def _arrival_rows(walk: Walkthrough, reached: Reached, width: int) -> Iterator[Row]:
    arrive = plural(len(reached.arrivals), "piece")
    verb = "ends" if len(reached.arrivals) == 1 else "end"
    yield Row([(f"Node {reached.node}: {arrive} {verb} here", "strong")])
    for arrival in sorted(reached.arrivals, key=lambda arrival: -arrival.score):
        yield _arrival_row(walk, reached, arrival, width)


def _arrival_row(walk: Walkthrough, reached: Reached, arrival: Arrival, width: int) -> Row:
    edge, is_kept = arrival.edge, arrival == reached.best
    before = arrival.score - edge.score
    text = visible_text(walk.word[edge.start : edge.end])
    behind = reached.best.score - arrival.score
    remark = "kept" if is_kept else f"{MINUS}{behind:.2f}" if behind > 0 else "tie"
    addition = (
        f"{score_text(before)} {MINUS if edge.score <= 0 else '+'} {abs(edge.score):.2f} "
        f"= {score_text(arrival.score)}"
    )
    spare = width - SUM_CELLS - 6
    remark_cells = REMARK_CELLS if spare >= REMARK_CELLS + 4 else 0  # ▸ says it, too
    piece_cells = max(spare - remark_cells, 4)
    return Row(
        [
            ("▸ " if is_kept else "  ", "gain"),
            *left([(text, PiecePainter(walk.frame).role(edge.piece))], piece_cells),
            right(f"{edge.start}:", 4, "dim"),
            right(addition, SUM_CELLS),
            right(remark if remark_cells else "", remark_cells, "gain" if is_kept else "loss"),
        ]
    )


def _way_back_rows(walk: Walkthrough, place: int, width: int) -> Iterator[Row]:
    painter, taken = PiecePainter(walk.frame), walk.taken(place)
    is_over = not taken[-1].start
    said = "The best path" if is_over else f"Back to node {taken[-1].start}"
    yield from paragraph(f"{said}: the kept pieces, followed from the end", width, "strong")
    cut = painter.cut(walk.word, reversed(taken))
    start = visible_text(walk.word[: taken[-1].start])
    yield Row(left([(start, "dim"), *([("┊", "cut")] if start else []), *cut], width))
    yield Row([])
    for edge in taken:
        text = visible_text(walk.word[edge.start : edge.end])
        piece_cells = max(width - 26, 6)
        yield Row(
            [
                right(f"{edge.end} → {edge.start}", 9, "dim"),
                ("  ", ""),
                *left([(text, painter.role(edge.piece))], piece_cells),
                right(score_text(edge.score), 8),
            ]
        )
    if is_over:
        yield Row([right(f"score {score_text(walk.best.score)}", max(width - 7, 10), "pair")])


class PathsPanel(WalkPanel):
    """The n best segmentations, and some drawn by chance: `seed` and the two before it."""

    ID, TITLE = "paths", "segmentations"
    NOTHING_TYPED = "Here are the best ways to cut the pretoken, and some by chance."

    seed: Drawn[int] = Drawn(1)
    sharpness: Drawn[int] = Drawn(SHARPNESS.index(1.0))
    """The place of the present one in `SHARPNESS`."""

    def walk_rows(self, walk: Walkthrough, width: int) -> Sequence[Row]:
        alpha = SHARPNESS[self.sharpness]
        self.say("segmentations", "n draws · + − α · w why not others")
        rows = [_row("", "score", "P", [("the best", "dim")], width, role="dim")]
        for rank, path in enumerate(walk.paths, 1):
            shares = score_text(path.score), percent(walk.probability(path))
            rows.append(_row(str(rank), *shares, _cut(walk, path), width))
        rows.append(Row([]))
        drawn = f"by chance, α = {alpha:g}"
        rows.append(_row("seed", "score", "P", [(drawn, "dim")], width, role="dim"))
        for seed in range(self.seed, max(self.seed - DRAWN, 0), -1):
            path, probability = walk.sample(alpha, seed)
            shares = score_text(path.score), percent(probability)
            rows.append(_row(str(seed), *shares, _cut(walk, path), width))
        return rows


def _cut(walk: Walkthrough, path: Path) -> list[tuple[str, str]]:
    return PiecePainter(walk.frame).cut(walk.word, path.edges)


def _row(
    first: str, score: str, share: str, spans: list[tuple[str, str]], width: int, role: str = ""
) -> Row:
    return Row(
        [
            right(first, 4, "dim"),
            right(score, 8, role),
            right(share, 10, role),
            ("  ", ""),
            *left(spans, max(width - 24, 6)),
        ]
    )


class WhyNotPiecesPanel(WalkPanel):
    """Why a piece is not used: the best segmentation that has it, against the best of all."""

    ID, TITLE = "why-not-pieces", "why not these pieces?"
    NOTHING_TYPED = "Here is by how much all other pieces lose."

    def walk_rows(self, walk: Walkthrough, width: int) -> Sequence[Row]:
        best = score_text(walk.best.score)
        self.say(
            f"why not these pieces?  best {best}", "the best segmentation with each · Esc back"
        )
        if not walk.lost:
            return sentence("No other piece fits: there is one segmentation only.", width)
        piece_cells = min(12, max(width // 4, 6))
        painter = PiecePainter(walk.frame)
        rows = [
            _lost_row("piece", "loses by", [("score with it", "dim")], piece_cells, width, "dim")
        ]
        for edge, path, behind in walk.lost:
            text = visible_text(walk.word[edge.start : edge.end])
            cut = [(f"{score_text(path.score)}  ", "dim"), *painter.cut(walk.word, path.edges)]
            rows.append(_lost_row(text, f"{behind:.2f}", cut, piece_cells, width))
        return rows


def _lost_row(
    text: str,
    behind: str,
    spans: list[tuple[str, str]],
    piece_cells: int,
    width: int,
    role: str = "",
) -> Row:
    return Row(
        [
            *left([(text, role or "strong")], piece_cells),
            right(behind, 9, role or "loss"),
            ("  ", ""),
            *left(spans, max(width - piece_cells - 11, 6)),
        ]
    )

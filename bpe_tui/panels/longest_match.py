"""Rows of WordPiece's longest match: what is looked up for a word, until its pieces are found.

A line under the word shows the part that is looked up. It shrinks from the right until that part
is a piece, and starts again after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bpe_tui.shell.panel import FramePanel, TokenPainter
from bpe_tui.widgets.language import listed, plural, tr
from bpe_tui.widgets.rows import Row, RowsOnDemand, Span, left, paragraph, right
from bpe_tui.widgets.visible import shorten, visible_bytes, visible_text
from bpe_tui.widgets.visible import width as cells_of
from engine.wordpiece.tokenizer import EncodedWord, Outcome, WordPieceEncoder
from engine.wordpiece.words import CONTINUES

MARGIN = 8
"""Cells before the line: a mark and the number of the probe."""
VERDICT = 14
LOOKED_UP = "looked up"
SPELLED = "Spelled with {pieces}, each the longest that fits: {probes}."
WINDOW, FOUND_WINDOW = "─", "━"


def _found_so_far(word: EncodedWord, place: int) -> str:
    """Return the pieces that the first `place` probes found: `found: un ##aff`; "" if none."""
    found = " ".join(probe.piece for probe in word.probes[:place] if probe.found)
    return tr("found: {pieces}", pieces=visible_text(found, spaces=False)) if found else ""


def _why_not_looked_up(word: EncodedWord, encoder: WordPieceEncoder) -> str:
    """Return why a word has no probes."""
    if word.outcome is Outcome.SPECIAL:
        return tr("A special token: one id wherever it occurs. Nothing is looked up.")
    unknown = next(piece for piece, piece_id in encoder.ids.items() if piece_id in word.ids)
    return tr(
        "This word has {characters}, and WordPiece looks at none of more than "
        "{max_input_characters}: it is {unknown} at once. A word of n characters may "
        "take n²/2 probes, and what is so long is seldom a word, but a link or a row "
        "of dashes.",
        characters=plural(len(word.word), "character"),
        max_input_characters=encoder.max_input_characters,
        unknown=visible_text(unknown),
    )


def outcome_rows(painter: TokenPainter, word: EncodedWord, width: int) -> list[Row]:
    """Return the result of the word after all probes."""
    frame = painter.frame
    if word.outcome is Outcome.NO_PIECE:
        last = word.probes[-1]
        forgotten = [frame.any_token(token_id) for token_id in last.taken]
        before = listed(visible_bytes(piece) for piece in forgotten)
        template = ", and what was found before is forgotten: {before}"
        lost = tr(template, before=before) if forgotten else ""
        text = tr(
            "Not even {piece} alone is a piece, so nothing can begin here. The whole "
            "word becomes {ids}{lost}.",
            piece=visible_text(last.piece),
            ids=visible_bytes(frame.any_token(word.ids[0])),
            lost=lost,
        )
        return paragraph(text, width, "loss")
    pieces = plural(len(word.ids), "piece")
    probes = plural(len(word.probes), "probe")
    return paragraph(tr(SPELLED, pieces=pieces, probes=probes), width, "gain")


class ProbeTable:
    """The probes of a word as rows; a word too wide for its column is drawn to scale."""

    def __init__(self, painter: TokenPainter, word: EncodedWord, room: int) -> None:
        self.painter, self.word = painter, word
        self.word_cells = cells_of(visible_text(word.word))
        self.window_cells = min(self.word_cells, max((room - MARGIN - VERDICT - 6) // 2, 6))
        self.piece_cells = min(
            max(room - MARGIN - self.window_cells - VERDICT - 4, 6),
            max(self.word_cells + 2 * len(CONTINUES), len(LOOKED_UP)),
        )
        shown = left([(visible_text(word.word), "strong")], self.window_cells)
        looked = left([(tr(LOOKED_UP), "dim")], self.piece_cells)
        self.header = Row([(" " * MARGIN, ""), *shown, ("  ", ""), *looked])

    def row(self, count: int, here: bool, ahead: bool) -> Row:
        probe = self.word.probes[count - 1]
        role = "dim" if probe.token_id is None else self.painter.role(probe.token_id)
        verdict = tr("id {n}", n=str(probe.token_id))
        verdict = tr("no") if probe.token_id is None else tr("found, {id}", id=verdict)
        # A line under the part of the word that is looked up.
        start, end = (
            cells_of(visible_text(self.word.word[:place])) * self.window_cells // self.word_cells
            for place in (probe.start, probe.end)
        )
        line = (FOUND_WINDOW if probe.found else WINDOW) * max(end - start, 1)
        rest = max(self.window_cells - start - len(line), 0)
        spans: list[Span] = [
            ("▸ " if here else "  ", "pair"),
            right(str(count), 4, "strong" if here else "dim"),
            ("  ", ""),
            *((" " * start, ""), (line, role), (" " * rest, "")),
            ("  ", ""),
            *left([(visible_text(probe.piece), role)], self.piece_cells),
            ("  ", ""),
            (verdict, "gain" if probe.found else "dim"),
        ]
        return Row([(text, "dim") for text, _ in spans] if ahead else spans)


def probe_rows(
    panel: FramePanel[Any],
    painter: TokenPainter,
    word: EncodedWord,
    place: int,
    encoder: WordPieceEncoder,
    foot: str = "",
) -> Sequence[Row]:
    """Return a row for each probe, the one at `place` marked; then the result.

    The title of the panel says how far the walk has come. The foot has what is found, or `foot`.
    """
    width, probes = panel.room, len(word.probes)
    shown = shorten(visible_text(word.word), max(width // 3, 4))
    title = tr("how {text} encodes", text=shown)
    if not probes:
        panel.say(title, foot)
        return paragraph(_why_not_looked_up(word, encoder), width)
    at = tr("probe {n} of {last}", n=place, last=str(probes))
    panel.say(f"{title}   {at}", _found_so_far(word, place) or foot)
    panel.cursor = place
    table = ProbeTable(painter, word, width)
    panel.name_columns(table.header.spans)
    outcome = [Row([]), *outcome_rows(painter, word, width)] if place == probes else []
    start = Row([("  " if place else "▸ ", "pair"), (tr("nothing looked up yet"), "dim")])

    def row(index: int) -> Row:
        if index > probes:
            return outcome[index - probes - 1]
        return table.row(index, index == place, index > place) if index else start

    return RowsOnDemand(1 + probes + len(outcome), row)

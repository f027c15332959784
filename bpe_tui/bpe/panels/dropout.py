"""In how many ways does BPE-dropout cut this pretoken, and what was left out on the way?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Input

from bpe_tui.bpe.panels.encoding import Walk
from bpe_tui.views.panel import TokenPainter
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.lines import Drawn
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, Span, left, paragraph, right, wrapped
from bpe_tui.widgets.visible import shorten, visible_text
from engine.bpe.frame import Frame
from engine.core.errors import DropoutError
from engine.core.events import EncodeStep
from engine.encoding.encoders.dropout import Dropout, DropoutRound
from engine.encoding.incremental import EncodedPretoken

DRAWS = 8
FIRST = "0.1 0"
"""p and seed that the line begins with; Provilkov and others recommend p = 0.1."""
LONGEST_DRAWN = 120
"""Bytes of a pretoken up to which draws are made while somebody types."""
MARGIN = 11
LONGEST_SEED = 12


class DropoutRows(Walk):
    """Some draws of the pretoken's encoding, and the rounds of the one that is chosen.

    The places to walk through are the draws.
    """

    STAYS_AT_END = False

    asked: Drawn[str] = Drawn(FIRST)

    def __init__(self) -> None:
        super().__init__("", id="dropout-rows")
        self._draws: list[list[DropoutRound]] = []
        self._problem = ""

    def watch_piece(self, old: EncodedPretoken | None, new: EncodedPretoken | None) -> None:
        self.place = 0
        self.rebuild()

    def watch_place(self) -> None:
        self.rebuild()
        self.scroll_to_row(0)

    def watch_cursor(self) -> None:
        """A click on a draw chooses it."""
        super().watch_cursor()
        if 0 < self.cursor <= len(self._draws):
            self.place = self.cursor - 1

    def action_page(self, direction: int) -> None:
        """↑ ↓ go through the draws, so this goes through the rounds."""
        rows = direction * max(self.size.height - 1, 1)
        self.scroll_relative(y=rows, animate=False, immediate=True)

    @property
    def step_count(self) -> int:
        return max(len(self._draws) - 1, 0)

    def steps_of(self, frame: Frame, pretoken: bytes) -> None:
        self._draws, self._problem = [], ""
        if len(pretoken) > LONGEST_DRAWN:
            self._problem = (
                f"A pretoken of {plural(len(pretoken), 'byte')} is too long for drawing; "
                f"up to {LONGEST_DRAWN} it is."
            )
            return
        rules = frame.rules
        try:
            probability, seed = parse_dropout(self.asked)
            dropout = Dropout(rules.alphabet, rules.merge_of, probability, seed)
        except DropoutError as error:
            self._problem = str(error)
        else:
            self._draws = [list(dropout.rounds(pretoken, draw)) for draw in range(DRAWS)]

    def step_rows(self, frame: Frame, piece: EncodedPretoken, width: int) -> Sequence[Row]:
        if self._problem:
            return paragraph(visible_text(self._problem, spaces=False), width, "loss")
        painter = self.painter(frame)
        self.cursor = self.place + 1
        rows = [_strip(painter, "p = 0", frame.rules.tokens_of(piece.pretoken.bytes), width)]
        for draw, rounds in enumerate(self._draws):
            mark = "▸ " if draw == self.place else "  "
            rows.append(_strip(painter, f"{mark}draw {draw + 1}", rounds[-1].before, width))
        text = shorten(visible_text(piece.pretoken.text), max(width // 3, 4))
        rows += [Row([]), _head_row(self.place + 1, text)]
        for made in self._draws[self.place]:
            rows += _round_rows(painter, made, width)
        return rows


class DropoutPanel(Vertical):
    """A line for p and the seed, and the draws under it."""

    frame: reactive[Frame | None] = reactive(None)

    def __init__(self) -> None:
        super().__init__(id="dropout")
        self.border_title = Content("BPE-dropout: p and a seed")
        self.border_subtitle = Content("↵ and ← → through the draws   Esc back")

    def compose(self) -> ComposeResult:
        yield Field(FIRST, placeholder=f"p seed, such as {FIRST}", id="dropout-input", compact=True)
        yield DropoutRows().data_bind(frame=DropoutPanel.frame)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one(DropoutRows).asked = event.value


def parse_dropout(typed: str) -> tuple[float, int]:
    """The probability and the seed, 0 if there is none, of a line.

    >>> parse_dropout("0.1 7"), parse_dropout(" .5 ")
    ((0.1, 7), (0.5, 0))

    Raises:
        DropoutError: it is not one number and perhaps a whole one.
    """
    words = typed.split()
    if not 1 <= len(words) <= 2:
        raise DropoutError("Type the probability p, from 0 to 1, and a seed: 0.1 7.")
    seed = words[1] if len(words) == 2 else "0"
    if not (seed.isascii() and seed.isdigit()) or len(seed) > LONGEST_SEED:
        raise DropoutError(f"{shorten(seed, 20)} is no seed; give a whole number such as 7.")
    try:
        return float(words[0]), int(seed)
    except ValueError:
        raise DropoutError(
            f"{shorten(words[0], 20)} is no probability; give a number from 0 to 1"
        ) from None


def _head_row(draw: int, text: str) -> Row:
    """The draw that is told merge by merge, and the head of the column of ranks."""
    head = f"  draw {draw} of {text}, merge by merge"
    return Row([right("rank", MARGIN - 2, "dim"), (head, "dim")])


def _strip(painter: TokenPainter, name: str, tokens: Sequence[int], width: int) -> Row:
    """The tokens of one draw, and how many they are."""
    role = "pair" if name.startswith("▸") else "dim"
    return Row(
        [
            *left([(name, role)], MARGIN - 3),
            right(number(len(tokens)), 3, "strong"),
            ("  ", ""),
            *left(painter.tokens(tokens), max(width - MARGIN - 2, 8)),
        ]
    )


def _round_rows(painter: TokenPainter, made: DropoutRound, width: int) -> Iterator[Row]:
    """The merge of a round, and the candidates that were dropped in it."""
    yield (
        _merge_row(painter, made.merge, width)
        if made.merge
        else Row([(" " * MARGIN, ""), (_why_ended(made), "dim")])
    )
    if made.dropped:
        words: list[list[Span]] = [[("dropped: ", "dim")]]
        for position in made.dropped:
            pair = made.before[position], made.before[position + 1]
            words.append([*painter.pair(pair, between="┊"), ("   ", "")])
        for line in wrapped(words, max(width - MARGIN, 12)):
            yield Row([(" " * MARGIN, ""), *line])


def _merge_row(painter: TokenPainter, merge: EncodeStep, width: int) -> Row:
    pair_width = min(18, max(width // 4, 9))
    return Row(
        [
            right(number(merge.rank), MARGIN - 2, "strong"),
            ("  ", ""),
            *left(painter.pair(merge.pair, between=" + "), pair_width),
            ("  ", ""),
            *painter.strip(merge.after, merge.position, max(width - MARGIN - pair_width - 2, 8)),
        ]
    )


def _why_ended(made: DropoutRound) -> str:
    if not made.dropped:
        return "nothing left to merge"
    return "all are dropped: the end"

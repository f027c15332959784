"""BPE-dropout on the encoding screen: a line for p and a seed, and some draws of one pretoken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.reactive import reactive
from textual.widgets import Input

from bpe_tui.bpe.walks import MARGIN, Walk, pair_cells_of
from bpe_tui.views.panel import TokenPainter
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.lines import Drawn
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, Span, cursor_sign, left, paragraph, right, wrapped
from bpe_tui.widgets.visible import shorten, visible_text
from engine.bpe.frame import Frame
from engine.core.errors import DropoutError
from engine.encoding.dropout import Dropout, DropoutRound
from engine.encoding.event_order import EventAlphabet
from engine.encoding.incremental import EncodedPretoken

DRAWS = 8
FIRST = "0.1 0"
"""The first p and seed; Provilkov and others recommend p = 0.1."""
LONGEST_DRAWN = 120
"""Most bytes of a pretoken that is drawn again at each typed character."""
LONGEST_SEED = 12


class DropoutRows(Walk):
    """Some draws of the pretoken's encoding, and the rounds of the chosen one.

    The walk goes from draw to draw.
    """

    STAYS_AT_END = False

    asked: Drawn[str] = Drawn(FIRST)
    _draws: Sequence[Sequence[DropoutRound]] = ()
    _problem = ""

    def watch_piece(self, old: EncodedPretoken | None, new: EncodedPretoken | None) -> None:
        self.place = 0
        self.rebuild()

    def watch_place(self) -> None:
        self.rebuild()
        self.scroll_to_row(0)

    def watch_cursor(self) -> None:
        """Choose the draw that was clicked."""
        super().watch_cursor()
        if 0 < self.cursor <= len(self._draws):
            self.place = self.cursor - 1

    def action_page(self, direction: int) -> None:
        """Scroll through the rounds, since ↑ ↓ go through the draws."""
        rows = direction * max(self.size.height - 1, 1)
        self.scroll_relative(y=rows, animate=False, immediate=True)

    def find_steps(self, frame: Frame, pretoken: bytes) -> int:
        self._draws, self._problem = (), ""
        if len(pretoken) > LONGEST_DRAWN:
            self._problem = (
                f"A pretoken of {plural(len(pretoken), 'byte')} is too long for drawing; "
                f"up to {LONGEST_DRAWN} it is."
            )
            return 0
        rules = frame.rules
        if isinstance(rules.alphabet, EventAlphabet):
            self._problem = "Dropout leaves out merges by rank; here removals come between them."
            return 0
        try:
            probability, seed = parse_dropout(self.asked)
            dropout = Dropout(rules.alphabet, rules.merge_of, probability, seed)
        except DropoutError as error:
            self._problem = str(error)
        else:
            self._draws = [list(dropout.rounds(pretoken, draw)) for draw in range(DRAWS)]
        return max(len(self._draws) - 1, 0)

    def step_rows(self, frame: Frame, piece: EncodedPretoken, width: int) -> Sequence[Row]:
        if self._problem:
            return paragraph(visible_text(self._problem, spaces=False), width, "loss")
        painter = self.painter(frame)
        self.cursor = self.place + 1
        certain = frame.rules.tokens_of(piece.pretoken.bytes)
        rows = [_strip(painter, [("p = 0", "dim")], certain, width)]
        for draw, rounds in enumerate(self._draws):
            here = draw == self.place
            name = [cursor_sign(here), (f"draw {draw + 1}", "pair" if here else "dim")]
            rows.append(_strip(painter, name, rounds[-1].before, width))
        text = shorten(visible_text(piece.pretoken.text), max(width // 3, 4))
        head = f"  draw {self.place + 1} of {text}, merge by merge"
        rows += [Row([]), Row([right("merge", MARGIN - 2, "dim"), (head, "dim")])]
        for made in self._draws[self.place]:
            rows += _round_rows(painter, made, width)
        return rows


class DropoutPanel(Vertical):
    """A line for p and the seed, with the draws below."""

    BORDER_TITLE = "BPE-dropout: p and a seed"
    BORDER_SUBTITLE = "↵ and ← → through the draws   Esc back"

    frame: reactive[Frame | None] = reactive(None)

    def compose(self) -> ComposeResult:
        yield Field(FIRST, placeholder=f"p seed, such as {FIRST}", id="dropout-input", compact=True)
        yield DropoutRows(id="dropout-rows").data_bind(frame=DropoutPanel.frame)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one(DropoutRows).asked = event.value


def parse_dropout(typed: str) -> tuple[float, int]:
    """Read the probability and the seed from a line; the seed is 0 if there is none.

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


def _strip(painter: TokenPainter, name: Sequence[Span], tokens: Sequence[int], width: int) -> Row:
    """Return the tokens of one draw with its name and their number."""
    return Row(
        [
            *left(name, MARGIN - 3),
            right(number(len(tokens)), 3, "strong"),
            ("  ", ""),
            *left(painter.tokens(tokens), max(width - MARGIN - 2, 8)),
        ]
    )


def _round_rows(painter: TokenPainter, made: DropoutRound, width: int) -> Iterator[Row]:
    """Yield the merge of a round, then the candidates dropped in it."""
    if (merge := made.merge) is not None:
        pair_cells = pair_cells_of(width)
        tokens_cells = max(width - MARGIN - pair_cells - 2, 8)
        yield Row(
            [
                right(number(merge.rank + 1), MARGIN - 2, "strong"),
                ("  ", ""),
                *left(painter.sum(merge.pair), pair_cells),
                ("  ", ""),
                *painter.strip(merge.after, merge.position, tokens_cells),
            ]
        )
    else:
        why = "all are dropped: the end" if made.dropped else "nothing left to merge"
        yield Row([(" " * MARGIN, ""), (why, "dim")])
    if made.dropped:
        words: list[list[Span]] = [[("dropped: ", "dim")]]
        for position in made.dropped:
            pair = made.before[position], made.before[position + 1]
            words.append([*painter.pair(pair), ("   ", "")])
        for line in wrapped(words, max(width - MARGIN, 12)):
            yield Row([(" " * MARGIN, ""), *line])

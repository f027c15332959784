"""How does this pretoken encode, merge by merge, and what did each merge win against?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bpe_tui.views.panel import TokenPainter, ToStep
from bpe_tui.views.walk_screen import Walk
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, RowsOnDemand, Span, left, paragraph, right, wrapped
from bpe_tui.widgets.visible import shorten, visible_text
from engine.bpe.frame import Frame
from engine.encoding.incremental import EncodedPretoken
from engine.encoding.trace import TracedMerge, trace_pretoken
from engine.pipeline.to_tokenizer import ModelAlphabet

LOST_SHOWN = 24
MARGIN = 11
"""Cells before the merge in a row: a mark and the rank."""
RULES = {
    "WordPiece": "it takes the longest piece that fits, from the left, again and again",
    "Unigram": "of all ways to cut it into pieces it takes the most probable one",
    "WordLevel": "it looks the whole pretoken up, which is a token or unknown",
}
"""What models that do not merge do with a pretoken."""


class EncodeStepsPanel(Walk):
    """The merges of one pretoken in order, with ranks; `place` says how many are made.

    Below the last one made stand the candidates that lost to it.
    """

    def __init__(self) -> None:
        super().__init__("merges of the pretoken", id="encode-steps")
        self._merges: Sequence[TracedMerge] = ()

    @property
    def step_count(self) -> int:
        return len(self._merges)

    def steps_of(self, frame: Frame, pretoken: bytes) -> None:
        self._merges = trace_pretoken(frame.rules, pretoken)

    def step_rows(self, frame: Frame, piece: EncodedPretoken, width: int) -> Sequence[Row]:
        text = shorten(visible_text(piece.pretoken.text), max(width // 3, 4))
        alphabet = frame.rules.alphabet
        if isinstance(alphabet, ModelAlphabet):
            self.say(f"how {text} encodes   {alphabet.model.name}", "8 all stages   r regex")
            return self._at_once(frame, piece, alphabet.model.name, width)
        cached = " · seen before: from the cache" if self.seen else ""
        self.say(
            f"how {text} encodes   merge {self.place} of {self.step_count}{cached}",
            "w why not   c compare   r regex",
        )
        self.cursor = self.place
        painter = self.painter(frame)
        start = tuple(alphabet.spell(piece.pretoken.bytes))
        lost = list(self._lost_rows(painter, width))
        last_of_lost = self.place + len(lost)

        def row(index: int) -> Row:
            if self.place < index <= last_of_lost:
                return lost[index - self.place - 1]
            count = index if index <= self.place else index - len(lost)
            merge = self._merges[count - 1] if count else None
            here, ahead = count == self.place, count > self.place
            return _row(painter, merge, start, f"{alphabet.unit}s", width, here, ahead)

        return RowsOnDemand(len(self._merges) + 1 + len(lost), row)

    def _at_once(
        self, frame: Frame, piece: EncodedPretoken, model: str, width: int
    ) -> Sequence[Row]:
        """A model without merges: there are no steps, but a rule."""
        tokens = self.painter(frame).tokens(piece.ids)
        tokens_made = plural(len(piece.ids), "token")
        rule = f"{tokens_made}. {model} merges nothing: {RULES[model]}."
        return [Row(line) for line in wrapped([[span] for span in tokens], width)] + [
            Row([]),
            *paragraph(rule, width, "dim"),
        ]

    def _lost_rows(self, painter: TokenPainter, width: int) -> Iterator[Row]:
        """The candidates that lost to the last merge made, in as many rows as they need."""
        if not self.place:
            return
        merge = self._merges[self.place - 1]
        if not merge.lost:
            yield Row([(" " * MARGIN + "the only candidate", "dim")])
            return
        words: list[list[Span]] = [[("lost to it: ", "dim")]]
        for candidate in merge.lost[:LOST_SHOWN]:
            rank = f" {number(candidate.rank)}   "
            words.append([*painter.pair(candidate.pair, between="┊"), (rank, "dim")])
        if len(merge.lost) > LOST_SHOWN:
            words.append([(f"and {number(len(merge.lost) - LOST_SHOWN)} more", "dim")])
        for line in wrapped(words, max(width - MARGIN, 12)):
            yield Row([(" " * MARGIN, ""), *line])


def _row(
    painter: TokenPainter,
    merge: TracedMerge | None,
    start: tuple[int, ...],
    units: str,
    width: int,
    here: bool,
    ahead: bool,
) -> Row:
    step = merge.step if merge else None
    joined = painter.pair(step.pair, between=" + ") if step else [(units, "dim")]
    pair_width = min(18, max(width // 4, 9))
    spans = [
        ("▸ " if here else "  ", "pair"),
        right(number(step.rank) if step else "", 7, "strong" if here else "dim"),
        ("  ", ""),
        *left(joined, pair_width),
        ("  ", ""),
        *left(
            painter.tokens(step.after if step else start), max(width - MARGIN - pair_width - 2, 8)
        ),
    ]
    target = ToStep(step.rank + 1) if step else None
    return Row([(text, "dim") for text, _ in spans] if ahead else spans, target)

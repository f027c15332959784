"""The pretokens of a text, and the walk through the encoding of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from textual.reactive import reactive

from bpe_tui.bpe.narration import describe_lost, stretches
from bpe_tui.panels.corpus import flowed
from bpe_tui.panels.encoding_screen import THE_END, TextPretokensPanel, WalkedPanel
from bpe_tui.panels.longest_match import probe_rows
from bpe_tui.shell.panel import TokenPainter
from bpe_tui.shell.targets import ToStep
from bpe_tui.widgets.language import plural, tr, tr_sentence
from bpe_tui.widgets.lines import ShownInRows
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import (
    GAP,
    Column,
    NameSpans,
    Row,
    RowsOnDemand,
    Span,
    left,
    paragraph,
    right,
    with_below,
    wrapped,
)
from bpe_tui.widgets.visible import ELLIPSIS, quoted, shorten, visible_bytes, visible_text
from bpe_tui.widgets.visible import width as cell_width
from bpe_tui.words.narration import first_fitting
from engine.analysis.greedy import where_greedy_differs
from engine.bpe.frame import Frame
from engine.encoding.rules import TracedMerge, trace_pretoken
from engine.encoding.typed_text import EncodedPretoken
from engine.pipeline.as_tokenizer import ModelAlphabet
from engine.pipeline.models import WordPiece
from engine.text.patterns import STAGED, Alternative
from engine.wordpiece.tokenizer import EncodedWord

TOKENS_CELLS = len(" tokens")
NAME_CELLS = len("contraction")
"""Cells that the name of the alternative that matched has at least, if it needs them."""
MOST_MEASURED = 200
"""Number of pretokens, from the first on, that are measured for the column of names."""
TEXT_CELLS = 14
"""Cells of a pretoken that a wide regex beside it leaves."""


def quote_alternative(alternative: Alternative) -> str:
    """Return the name of an alternative and its regex in backquotes, which show its blanks."""
    return f"{tr(alternative.name)}  `{visible_text(alternative.regex, spaces=False)}`"


class PretokensPanel(TextPretokensPanel[Frame]):
    """The pretokens of `text`, one a row; the cursor chooses one."""

    text: ShownInRows[str] = ShownInRows("")

    _staged = False

    def rebuild(self) -> None:
        if self.frame is not None:
            self.set_reactive(PretokensPanel.pretokens, self.frame.encode(self.text))
        super().rebuild()

    def foot(self, frame: Frame) -> str:
        pattern = frame.rules.pattern
        self._staged = pattern.name == STAGED
        return pattern.summary if self._staged else ""

    def columns(self, frame: Frame, width: int) -> Sequence[Column]:
        measured = self.pretokens[:MOST_MEASURED]
        spare = width - TOKENS_CELLS - GAP
        labels = map(quote_alternative, frame.rules.pattern.alternatives)
        longest = max(map(cell_width, labels), default=NAME_CELLS)
        least = min(max(map(cell_width, map(self._matched_by, measured))), NAME_CELLS)
        shown = (visible_text(piece.pretoken.text) for piece in measured)
        text_cells = max(TEXT_CELLS, *map(cell_width, shown))
        name_width = min(longest, max(spare - text_cells, least))
        by = "" if self._staged else first_fitting(name_width, tr("matched by"), tr("by"))

        def name(piece: EncodedPretoken) -> list[Span]:
            if lost := describe_lost(stretches(frame, piece)):
                return [(" " * GAP, ""), (lost, "loss")]
            name, gap = self._matched_by(piece), " " * GAP
            short = "special" if piece.pretoken.special else name
            alternative = None if self._staged else piece.pretoken.alternative
            names = (name, short) if alternative is None else (quote_alternative(alternative), name)
            return [(gap, ""), (first_fitting(name_width, *names), "dim")]

        def content(piece: EncodedPretoken) -> list[Span]:
            role = "special" if piece.pretoken.special else ""
            return NameSpans(
                (visible_bytes(part), "stale" if is_lost else role)
                for part, is_lost in stretches(frame, piece)
            )

        return [
            Column("text", 0, content),
            Column("tokens", TOKENS_CELLS, lambda piece: [(number(len(piece.ids)), "dim")], True),
            Column(" " * GAP + by, name_width + GAP, name),
        ]

    def whole(self, row: Row) -> Sequence[Span]:
        """Return the pretoken and its alternative in full, if the row cuts one of them."""
        piece = self.selected
        if piece is None or not any(ELLIPSIS in text for text, _ in row.spans):
            return ()
        return [(visible_text(piece.pretoken.text), ""), (f"   {self._matched_by(piece)}", "")]

    def foot_at(self, row: Row) -> str:
        piece = self.selected
        if piece is None or piece.pretoken.alternative is None or self._staged:
            return self._foot
        return tr("matched by {part}", part=quote_alternative(piece.pretoken.alternative))

    def _matched_by(self, piece: EncodedPretoken) -> str:
        """Return the name of the pattern's alternative that matched a pretoken."""
        pretoken = piece.pretoken
        if pretoken.special:
            return tr("special token")
        if self._staged:
            return ""  # stages have no alternatives
        return tr(pretoken.alternative.name) if pretoken.alternative else tr("no alternative")


LONGEST = 500
"""Most bytes of a pretoken whose steps are shown; each step shows the whole pretoken."""
LOST_SHOWN = 24
MARGIN = 11
"""Cells before the merge in a row: a mark and the number of the merge."""
STAGES = "8 all stages"
RULES = {
    "Unigram": "of all ways to cut it into pieces it takes the most probable one",
    "WordLevel": "it looks the whole pretoken up, which is a token or unknown",
}
"""How each model without a walk encodes a pretoken."""


class EncodeStepsPanel(WalkedPanel[Frame]):
    """The merges of one pretoken in order, with ranks; `place` is the number of merges made.

    The candidates that lost follow below the last merge made. The steps of WordPiece are the parts
    of the pretoken that are looked up.
    """

    ID, TITLE = "encode-steps", "merges of the pretoken"
    LEAST_FOR_HEAD = 2
    KEEPS_CURSOR = True

    piece: reactive[EncodedPretoken | None] = reactive(None, repaint=False)
    _merges: Sequence[TracedMerge] = ()
    _word: EncodedWord | None = None
    """The pretoken with its probes if the model is WordPiece."""

    def watch_piece(self, old: EncodedPretoken | None, new: EncodedPretoken | None) -> None:
        if old is None or new is None or old.pretoken.text != new.pretoken.text:
            self.place = THE_END
        self.rebuild()

    def rows_of(self, frame: Frame, width: int) -> Sequence[Row]:
        piece, why_none = self.piece, ""
        if piece is None:
            why_none = tr("Type something; choose a pretoken with ↑ ↓.")
        elif piece.pretoken.special:
            why_none = tr("A special token: one id, never merged.")
        elif (length := len(piece.pretoken.bytes)) > LONGEST:
            template = (
                "A pretoken of {bytes} is too long to be followed step by step; up to "
                "{longest} it is."
            )
            why_none = tr(template, bytes=plural(length, "byte"), longest=LONGEST)
        was_at_end = self.place >= self.step_count
        pretoken = b"" if piece is None or why_none else piece.pretoken.bytes
        steps = self.step_count = self._find_steps(frame, pretoken)
        # A walk at its end stays there if another step of the run has more merges.
        self.place = steps if was_at_end else min(self.place, steps)
        if piece is None or why_none:
            # Title and head are still those of the previous pretoken.
            self.say(self.named)
            self.name_columns(())
            return paragraph(why_none, width, "dim")
        return self._step_rows(frame, piece, width)

    def rebuild(self) -> None:
        super().rebuild()
        self.scroll_to_row(self.place)

    def _find_steps(self, frame: Frame, pretoken: bytes) -> int:
        """Find the steps of a pretoken and return their number; an empty one has none."""
        alphabet, self._word = frame.rules.alphabet, None
        if isinstance(alphabet, ModelAlphabet) and pretoken:
            self._word = alphabet.longest_match(pretoken)
        if self._word is not None:
            return len(self._word.probes)
        self._merges = trace_pretoken(frame.rules, pretoken)
        return len(self._merges)

    def _step_rows(self, frame: Frame, piece: EncodedPretoken, width: int) -> Sequence[Row]:
        """Return the rows for a pretoken that has steps to show."""
        text = shorten(visible_text(piece.pretoken.text), width // 3)
        alphabet = frame.rules.alphabet
        if self._word is not None:
            assert isinstance(alphabet, ModelAlphabet)
            assert isinstance(alphabet.model, WordPiece)
            painter, encoder = self.painter(frame), alphabet.model.encoder
            return probe_rows(self, painter, self._word, self.place, encoder, STAGES)
        if isinstance(alphabet, ModelAlphabet):
            model, tokens_made = alphabet.model.name, plural(len(piece.ids), "token")
            self.say(tr("how {text} encodes   {model}", text=text, model=model), STAGES)
            words = [[span] for span in self.painter(frame).tokens(piece.ids)]
            template = "{tokens_made}. {model} merges nothing: {rules}."
            rule = tr(template, tokens_made=tokens_made, model=model, rules=tr(RULES[model]))
            lines = [Row(line) for line in wrapped(words, width)]
            return [*lines, Row([]), *paragraph(rule, width, "dim")]
        painter = self.painter(frame)
        made, last = number(self.place), number(self.step_count)
        where = "step {n} of {last}" if self.step_count else tr("no merge")
        title = tr("how {text} encodes", text=text)
        title += f"   {tr(where, n=made, last=last)}"
        self.say(title, tr("w why not"))
        self.cursor = self.place
        start = tuple(alphabet.spell(piece.pretoken.bytes))
        pair_cells = min(18, max(width // 4, 9))
        pair = left([(f"  {tr('pair')}", "")], pair_cells + 4)
        merge, then = tr("merge"), tr("tokens then")
        self.name_columns([right(merge, MARGIN - 2), *pair, (then, "")])
        below = [*_greedy_rows(frame, piece, width), *_twin_rows(frame, painter, piece, width)]

        def spans_at(count: int) -> list[Span]:
            step = self._merges[count - 1].step if count else None
            here, units = count == self.place, [(tr(f"{alphabet.unit}s"), "dim")]
            tokens, position = (step.after, step.position) if step else (start, 0)
            return [
                ("▸ " if here else "  ", "pair"),
                right(number(step.rank + 1) if step else "", 7, "strong" if here else "dim"),
                ("  ", ""),
                *left(painter.sum(step.pair) if step else units, pair_cells),
                ("  ", ""),
                *painter.strip(tokens, position, max(width - MARGIN - pair_cells - 2, 8)),
            ]

        marks = map(Row, with_below(spans_at(self.place))[1:])
        between = [*marks, *self._lost_rows(painter, width)]
        steps = len(self._merges) + 1 + len(between)

        def row(index: int) -> Row:
            if index >= steps:
                return below[index - steps]
            if 0 < index - self.place <= len(between):
                return between[index - self.place - 1]
            count = index if index <= self.place else index - len(between)
            spans = spans_at(count)
            if count > self.place:
                spans = [(text, "dim") for text, _ in spans]
            return Row(spans, ToStep(self._merges[count - 1].step.rank + 1) if count else None)

        return RowsOnDemand(steps + len(below), row)

    def scroll_to_row(self, index: int) -> None:
        """Bring a row into view, and after the last probe also the result."""
        is_over = self._word is not None and index == self.step_count
        super().scroll_to_row(self.row_count if is_over else index)

    def _lost_rows(self, painter: TokenPainter, width: int) -> Iterator[Row]:
        """Yield the candidates that lost to the last merge made, wrapped."""
        if not self.place:
            return
        merge = self._merges[self.place - 1]
        if not merge.lost:
            yield Row([(" " * MARGIN + tr("the only candidate"), "dim")])
            return
        words: list[list[Span]] = [[(tr("lost to it: "), "dim")]]
        for candidate in merge.lost[:LOST_SHOWN]:
            numbered = tr("merge {n}", n=candidate.rank + 1)
            words.append([*painter.pair(candidate.pair), (f" {numbered}   ", "dim")])
        if (more := len(merge.lost) - LOST_SHOWN) > 0:
            words.append([(tr("and {n} more", n=more), "dim")])
        for line in wrapped(words, width - MARGIN):
            yield Row([(" " * MARGIN, ""), *line])


def _greedy_rows(frame: Frame, piece: EncodedPretoken, width: int) -> list[Row]:
    """Say which token the greedy longest match takes if it differs from BPE's."""
    greedy = where_greedy_differs(frame, piece.pretoken.bytes)
    if greedy is None or frame.rules.is_special(piece.pretoken):
        return []
    return [Row([]), *paragraph(tr_sentence(greedy.sentence).describe(quoted), width, "tie")]


def _twin_rows(
    frame: Frame, painter: TokenPainter, piece: EncodedPretoken, width: int
) -> list[Row]:
    """Return the tokens of the same word with or without a space in front, if it is a pretoken."""
    word = piece.pretoken.text
    has_space = word.startswith(" ")
    twin = word[1:] if has_space else f" {word}"
    if not word.strip(" ").isalpha():
        return []
    found = frame.rules.pretokens(twin)  # not `frame.encode`, which caches the typed text
    if len(found) != 1 or found[0].text != twin:
        return []
    ids = frame.rules.ids_of(found[0])
    shared = (Counter(ids) & Counter(piece.ids)).total()
    comparison = tr(WITHOUT_SPACE if has_space else WITH_SPACE, tokens=plural(len(ids), "token"))
    comparison += tr(SHARED if shared else APART, n=shared)
    tokens = flowed([(painter.tokens(ids), width + 1)], width)
    return [Row([]), *paragraph(comparison, width, "dim"), *tokens]


WITH_SPACE = "With a space in front it is {tokens}"
WITHOUT_SPACE = "Without a space in front it is {tokens}"
SHARED = ", {n} of them the same as here:"
APART = ", none the same as here: to the merges these are two words, learnt apart."

"""The training screen of WordPiece: the corpus, the scores, the merge, a line to type in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bpe_tui.panels import training_panels
from bpe_tui.panels.corpus import MergingExcerptPanel
from bpe_tui.panels.player_screen import StepsScreen
from bpe_tui.session.session import Session
from bpe_tui.shell.model_view import ModelView
from bpe_tui.shell.panel import PRETOKEN_BORDER, TokenPainter, TokenPanel, needs_marks, sentence
from bpe_tui.shell.targets import ToPair, ToToken
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.numbers import number, short_number, signed
from bpe_tui.widgets.rows import (
    Column,
    Row,
    RowsOnDemand,
    RowTable,
    Span,
    SubjectSpan,
    left,
    paragraph,
    right,
)
from bpe_tui.widgets.visible import visible_bytes
from bpe_tui.wordpiece.model import WORDPIECE_TRAINING
from bpe_tui.wordpiece.narration import describe_pmi, narrate, why_no_other
from bpe_tui.words.narration import BETWEEN_PARTS, first_fitting
from engine.core.events import Pair
from engine.text.pretokenize import Pretoken, to_bytes, to_text
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.score import Score, ScoredPair, score_text
from engine.wordpiece.trainer import WordPieceStep
from engine.wordpiece.words import CONTINUES

HUGGING_FACE = "Hugging Face's trainer is BPE", "it merges by count"
"""A note: Hugging Face's trainer of the same name is different."""


class WordPiecePainter(TokenPainter):
    """Draws the pieces of one frame as they are written, with a faint `##`.

    `marks` puts «» around the new piece, for screens without colour.
    """

    frame: WordPieceFrame

    def spans(self, token_id: int) -> list[Span]:
        written, role = self.frame.any_token(token_id), self.role(token_id)
        is_fresh = token_id == self.fresh
        spans: list[Span] = []
        if written.startswith(to_bytes(CONTINUES)):  # never alone: no word begins with ##
            hashes = "fresh" if is_fresh else "hashes"
            spans.append(SubjectSpan.of(CONTINUES, hashes, token_id))
            written = written[len(CONTINUES) :]
        spans.append(SubjectSpan.of(visible_bytes(written), role, token_id))
        return [("«", role), *spans, ("»", role)] if self.marks and is_fresh else spans

    def words(self, pretoken: Pretoken) -> Iterator[list[Span]]:
        """Yield the words of a pretoken, each in its pieces and without the whitespace."""
        if pretoken.special:
            yield self.pretoken(pretoken)
            return
        for word in self.frame.words_of(pretoken.text):
            yield [*self.tokens(self.frame.tokens_of(word)), PRETOKEN_BORDER]


SCORE_CELLS = 10
"""Width of a score, in cells."""


class WordPieceCorpusPanel(MergingExcerptPanel[WordPieceFrame]):
    """The beginning of the corpus in words and pieces; the whitespace between words is lost."""

    PAINTER = WordPiecePainter

    def has_token(self, frame: WordPieceFrame, pretoken: bytes, token_id: int) -> bool:
        words = frame.words_of(to_text(pretoken))
        return any(token_id in frame.tokens_of(word) for word in words)


class WordPieceMergesPanel(training_panels.StepList):
    """The merges with their scores."""

    PAINTER = WordPiecePainter
    COUNTED = "score"

    def step_spans(self, frame: WordPieceFrame, step: int, cells: int) -> list[Span]:
        merge = frame.merge_at(step - 1)
        value = merge.score.value
        scores = (f" {score_text(value)}", f" {short_number(float(value))}", "")
        score = next(each for each in scores if not each or cells - len(each) >= LEAST_PAIR)
        return [*left(self.painter(frame).pair(merge.pair), cells - len(score)), (score, "")]


LEAST_PAIR = 7
"""Cells of a pair such as ##d+##y. A score that leaves fewer is shortened, or left out."""


class WordPiecePretokens(training_panels.ChangedPretokensPanel[WordPieceFrame]):
    """The pretokens that contain the merged pair, in their pieces before and after."""

    PAINTER = WordPiecePainter


class TypedWordPieces(training_panels.TypedTextPanel[WordPieceFrame], TokenPanel[WordPieceFrame]):
    """The pieces of a typed text, each over its id."""

    PAINTER = WordPiecePainter
    MARKS_NEXT = True
    WITH = "pieces"
    LONGEST = 2_000

    def rows_of_text(self, frame: WordPieceFrame, width: int) -> Sequence[Row]:
        words = (word.ids for word in frame.tokenizer.explain(self.text))
        return self.token_rows(self.painter(frame), words, width)

    def describe_size(self, frame: WordPieceFrame) -> str:
        tokens = plural(len(frame.tokenizer.encode(self.text)), "token")
        return f"{tokens} │ {tr('longest match')} │ {tr('step {n}', n=frame.step)}"


LEFT_OUT = "left out by --min-count {least}: {pairs}, the highest scores first"
SHOWN = 100
LEFT_OUT_SHOWN = 20
"""Most rows of pairs that the minimum leaves out, under the others."""
FRACTION = "ab / (a × b)"
MANYFOLD = 10
"""Least growth of a score that is given as a multiple instead of a percentage."""


class RankedPair(NamedTuple):
    """A pair with its place, from 1; 0 for a pair that has none."""

    place: int
    scored: ScoredPair


class ScoresPanel(TokenPanel[WordPieceFrame]):
    """The pairs, highest score first, each with the fraction that gives its score."""

    PAINTER = WordPiecePainter
    ID, TITLE, SHORT = "pairs", "scores", "scores"

    def rows_of(self, frame: WordPieceFrame, width: int) -> Sequence[Row]:
        n = number(len(frame.left_out))
        rarer = f" │ {tr('{n} left out', n=n)}" if len(frame.left_out) else ""
        title = f"{tr('scores')}  {plural(len(frame.scoreboard), 'pair')}{rarer}"
        self.say(title, BETWEEN_PARTS.join(map(tr, HUGGING_FACE)))
        pairs, left_out = frame.top_pairs(SHOWN), frame.top_left_out(LEFT_OUT_SHOWN)
        if not pairs and not left_out:
            return sentence(tr("No pair is left that occurs often enough."), width)
        table = ScoreTable(self.painter(frame), frame, width)
        below: list[Row] = []
        if left_out:
            pairs_left_out = plural(len(frame.left_out), "rarer pair")
            reason = tr(LEFT_OUT, least=str(frame.min_count), pairs=pairs_left_out)
            below = [Row([]), *sentence(reason, width)]
            below += [_dimmed(table.row(RankedPair(0, each))) for each in left_out]

        def row(place: int) -> Row:
            if place >= len(pairs):
                return below[place - len(pairs)]
            return table.row(RankedPair(place + 1, pairs[place]))

        return RowsOnDemand(len(pairs) + len(below), row, top=[table.header])


def _dimmed(row: Row) -> Row:
    """Return a row of a pair that may not merge."""
    return Row([(text, "dim") for text, _ in row.spans], row.target)


class ScoreTable:
    """The table of the scores of a frame, in `width` cells."""

    def __init__(self, painter: TokenPainter, frame: WordPieceFrame, width: int) -> None:
        self._frame = frame
        # Counts only fall, so a column with room for the highest count never moves.
        highest = number(frame.highest_count)
        fraction = f"{highest} / ({highest} × {highest})"
        columns = (
            Column("", 5, self._place, importance=7),
            Column("pair", 8, lambda ranked: painter.pair(ranked.scored.pair), False, 9, 1),
            Column(FRACTION, max(len(fraction), len(FRACTION)), self._fraction, True, 8),
            Column("score", SCORE_CELLS - 1, self._score, True, 6),
            Column("PMI", 5, self._pmi, True, 3),
            Column("change", 6, self._change, True, 5),
        )
        table = RowTable(columns, width)
        self.header = table.header()
        self._table, self._new = table, tr("new")

    def row(self, ranked: RankedPair) -> Row:
        """Return the row of a pair."""
        return self._table.row(ranked, ToPair(ranked.scored.pair))

    def _fraction(self, ranked: RankedPair) -> list[Span]:
        return [(str(ranked.scored.score), "")]

    def _score(self, ranked: RankedPair) -> list[Span]:
        return [(score_text(ranked.scored.score.value), self._role(ranked))]

    def _pmi(self, ranked: RankedPair) -> list[Span]:
        return [(f"{self._frame.pmi_of(ranked.scored.score):.2f}", "dim")]

    def _role(self, ranked: RankedPair) -> str:
        return "pair" if ranked.scored.pair == self._frame.next_pair else ""

    def _place(self, ranked: RankedPair) -> list[Span]:
        place, scored = ranked
        return [
            ("▸" if self._role(ranked) else " ", "pair"),
            right(str(place or "–"), 3, "tie" if scored.tied else "dim"),
            ("=" if scored.tied and place else " ", "tie"),
        ]

    def _change(self, ranked: RankedPair) -> list[Span]:
        """Return how the last merge changed the score: it rises when a part becomes rarer."""
        if not self._frame.step:
            return [("", "")]
        before = self._frame.at(self._frame.step - 1).score_of(ranked.scored.pair)
        return [format_change(before, ranked.scored.score) if before else (self._new, "gain")]


def format_change(before: Score, after: Score) -> Span:
    """Return a score's change: `+25%` or `× 34`."""
    share = after.value / before.value - 1
    if not share:
        return "", ""
    if share >= MANYFOLD - 1:
        return f"× {short_number(round(share + 1))}", "gain"
    percent, (least, role) = round(100 * share), ("+<1", "gain") if share > 0 else ("−<1", "loss")
    return f"{signed(percent) if percent else least}%", role


NOTE_CELLS = 6
HIGH = (
    "It is high if a and b occur together more often than by chance: "
    "pointwise mutual information (PMI) without the logarithm, which changes no order. "
    "→ makes the first merge."
)
FORMULAS = ("score(a, b) = count(ab) / (count(a) × count(b))", "count(ab) / (count(a) × count(b))")


class ScoreMergePanel(TokenPanel[WordPieceFrame]):
    """The merge: how its score is computed, ties, and BPE's choice."""

    PAINTER = WordPiecePainter
    ID = "merge"
    WIDEST = 64

    def rows_of(self, frame: WordPieceFrame, width: int) -> Sequence[Row]:
        merge = frame.merge
        if merge is None:
            self.say("merge")
            return _start_rows(frame, width)
        self.say(tr("merge {n}", n=frame.step), "↵ where a pair merges")
        painter = WordPiecePainter(frame, marks=needs_marks(self.app))
        above = [
            training_panels.merge_row(painter, merge),
            *paragraph(training_panels.describe_occurrences(merge, "word"), width),
            Row([]),
            *_arithmetic(frame, merge, width),
            Row([]),
            *(row for why in why_no_other(frame, merge) for row in paragraph(why, width)),
            Row([]),
            *paragraph(describe_pmi(frame.at(frame.step - 1), merge.score), width),
            Row([]),
        ]
        return _change_rows(painter, merge, width, above)


def _start_rows(frame: WordPieceFrame, width: int) -> list[Row]:
    return [
        *paragraph(narrate(frame)[0], width),
        Row([]),
        Row([(first_fitting(width, *FORMULAS), "strong")]),
        Row([]),
        *paragraph(tr(HIGH), width),
    ]


def _arithmetic(frame: WordPieceFrame, merge: WordPieceStep, width: int) -> Iterator[Row]:
    """Yield the score with names, then with numbers, then its value."""
    a, b = (visible_bytes(frame.any_token(piece)) for piece in merge.pair)
    score = merge.score
    named = first_fitting(
        width - 6,
        tr("= count({a} {b}) / (count({a}) × count({b}))", a=a, b=b),
        "= count(ab) / (count(a) × count(b))",
        "= ab / (a × b)",
    )
    yield Row([(tr("score "), "strong"), (named, "dim")])
    yield Row([(f"      = {score}", "")])
    product = f"{number(score.count)} / {number(score.left * score.right)} = "
    yield Row([(f"      = {product}", ""), (score_text(score.value), "pair")])


def _change_rows(
    painter: WordPiecePainter, merge: WordPieceStep, width: int, above: Sequence[Row]
) -> Sequence[Row]:
    """Return the rows above, then the changed counts of pieces and of pairs, before → after."""
    # No count exceeds the highest count of a piece at step 0, so the columns never move.
    highest = painter.frame.highest_count
    table = RowTable(training_panels.change_columns(highest, NOTE_CELLS), width, least=7)

    def row(pair: Pair, before: int, after: int) -> Row:
        spans, is_new = painter.pair(pair), merge.new_id in pair
        return table.row(training_panels.ChangedCount(spans, before, after, is_new), ToPair(pair))

    top = [*above, Row([(tr("counts of the parts and of the new piece"), "dim")])]
    for piece, before, after in merge.piece_changes:
        spans, is_new = painter.spans(piece), piece == merge.new_id
        change = training_panels.ChangedCount(spans, before, after, is_new)
        top.append(table.row(change, ToToken(piece)))
    top.append(Row([(tr("counts of pairs"), "dim")]))
    return training_panels.rows_of_changes(merge, row, top)


class WordPieceView(ModelView):
    """WordPiece as its screens show it, with the number of pieces in the corpus and in a word."""

    FRAME = WordPieceFrame

    def narrate(self, frame: WordPieceFrame) -> Sequence[str]:
        return narrate(frame)

    def facts(self, session: Session, *, roomy: bool) -> str:
        frame = self.frame_of(session)
        if frame is None:
            return ""
        count = f"{number(frame.token_count):>{len(number(frame.character_count))}}"
        per_word = tr("{n} pieces/word", n=f"{frame.pieces_per_word:5.2f}")
        return f"{count} {tr('pieces')}   {per_word}" if roomy else per_word


WORDPIECE_VIEW = WordPieceView()


class WordPieceTrainingScreen(StepsScreen):
    """The training screen: five panels and a line to type in."""

    NAME = WORDPIECE_TRAINING
    VIEW = WORDPIECE_VIEW
    PANELS = (
        WordPieceCorpusPanel,
        ScoresPanel,
        ScoreMergePanel,
        WordPiecePretokens,
        WordPieceMergesPanel,
    )
    FIRST = "merge"
    TYPED_TEXT = TypedWordPieces

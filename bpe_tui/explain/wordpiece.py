"""The explain screen of WordPiece: scores of pairs with their fractions."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bpe_tui.explain.merge_explanation import LessonPainter, MergeExplainer
from bpe_tui.widgets.language import plural, times, tr, tr_sentence, tr_spans
from bpe_tui.widgets.rows import Span
from bpe_tui.widgets.visible import visible_bytes
from bpe_tui.wordpiece.training_screen import WordPiecePainter
from bpe_tui.words.narration import first_fitting
from engine.core.events import Pair
from engine.text.pretokenize import to_text
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.score import score_text


class PlainWordPiecePainter(LessonPainter, WordPiecePainter):
    """Draws pieces as they are written, without the hues of merged ones."""


class WordPieceExplainer(MergeExplainer[WordPieceFrame]):
    """Explains merges of the pair with the highest score."""

    STATIONS = ("SCORE", "PICK", "REPLACE")
    PAINTER = PlainWordPiecePainter
    THING = "piece"
    NEW = "piece {n}"
    FRACTION = 18

    def none_left(self, frame: WordPieceFrame) -> str:
        if not len(frame.left_out):
            return super().none_left(frame)
        return tr(NONE_FREQUENT, times=times(frame.min_count))

    def facts(self, frame: WordPieceFrame) -> str:
        return tr("{n} pieces per word", n=f"{frame.pieces_per_word:.2f}")

    def top(self, frame: WordPieceFrame, limit: int) -> list[Pair]:
        return [scored.pair for scored in frame.top_pairs(limit)]

    def value(self, frame: WordPieceFrame, pair: Pair) -> float:
        score = frame.score_of(pair)
        return float(score.value) if score is not None else 0

    def value_text(self, frame: WordPieceFrame, pair: Pair) -> tuple[str, str]:
        score = frame.score_of(pair)
        return (score_text(score.value), str(score)) if score is not None else ("0", "")

    def cells(self, frame: WordPieceFrame) -> int:
        return len("6.04×10⁻⁴")

    def tied(self, frame: WordPieceFrame) -> Collection[Pair]:
        return frozenset(frame.tied)

    def words_of(self, frame: WordPieceFrame, pretoken: bytes) -> Sequence[bytes]:
        return frame.words_of(to_text(pretoken))

    def encoded(self, frame: WordPieceFrame, text: str) -> Sequence[Sequence[int]]:
        return [word.ids for word in frame.tokenizer.explain(text)]

    def why(
        self, before: WordPieceFrame, pair: Pair, is_ahead: bool, width: int
    ) -> tuple[list[Span], list[Span]]:
        score = before.score_of(pair)
        assert score is not None, "a pair that merges occurs"
        value = score_text(score.value)
        named = self.named(before, pair, is_ahead)
        others = len(self.tied(before)) - 1
        if others > 0:
            first = tr_spans(TIE, pair=named, others=plural(others, "other"), score=value)
            rival = next(one.pair for one in before.top_pairs(2) if one.pair != pair)
            why = tr_sentence(before.tie_reason(pair, rival)).describe(visible_bytes)
            rule = tr("Rule {rule}: {why}.", rule=before.tie_rule.name, why=why)
            return first, [(first_fitting(width, rule, tr("{why}.", why=why)), "tie")]
        ways = OF_FREQUENT if len(before.left_out) else HIGHEST
        values = {"fraction": str(score), "score": value, "n": str(before.min_count)}
        first = self.fitting(width, *(tr_spans(way, pair=named, **values) for way in ways))
        return first, self._frequent(before, pair, width)

    def _frequent(self, before: WordPieceFrame, pair: Pair, width: int) -> list[Span]:
        """Return the pair that BPE would have merged, and why it lost."""
        frequent = before.most_frequent
        if frequent is None or frequent.pair == pair:
            return tr_spans("It is the most frequent pair, too.", "dim")
        value, named = score_text(frequent.score.value), self.named(before, frequent.pair)
        ways = (tr_spans(way, "dim", pair=named, score=value) for way in FREQUENT)
        return self.fitting(width, *ways)


NONE_FREQUENT = "No pair is left that occurs {times} or more (--min-count)."
TIE = "A tie: {pair} and {others}, with the score {score}."
HIGHEST = "The highest score: {pair}, {fraction} = {score}.", "Highest score: {pair}, {score}."
OF_FREQUENT = (
    "The highest score of pairs that occur {n} times or more: {pair}, {fraction} = {score}.",
    "Highest score of those with {n}+: {pair}, {score}.",
    "Top of those with {n}+: {pair}, {score}.",
)
FREQUENT = (
    "The most frequent: {pair}, but only {score}, as both are common anyway.",
    "Most frequent: {pair}, but only {score}.",
)

"""The lesson view of WordPiece: scores of pairs with their fractions."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bpe_tui.views.merge_explanation import LessonPainter, MergeExplainer
from bpe_tui.views.narration import first_fitting, times
from bpe_tui.widgets.numbers import plural
from bpe_tui.widgets.rows import Span, spans_width
from bpe_tui.widgets.visible import visible_bytes
from bpe_tui.wordpiece.training_screen import WordPiecePainter
from engine.core.events import Pair
from engine.core.wording import describe
from engine.text.pretokenize import to_text
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.score import score_text


class PlainWordPiecePainter(LessonPainter, WordPiecePainter):
    """Draws pieces as they are written, without the hues of merged ones."""


class WordPieceExplainer(MergeExplainer[WordPieceFrame]):
    """Explains merges of the pair with the highest score."""

    STATIONS = ("SCORE", "PICK", "REPLACE")
    MADE = ("SCORED", "PICKED", "REPLACED")
    PAINTER = PlainWordPiecePainter
    THING = ("piece", "word")
    FIRST = "The pair of highest score will be."
    FRACTION = 18

    def at_start(self, frame: WordPieceFrame) -> str:
        return "The pairs of highest score are below."

    def none_left(self, frame: WordPieceFrame) -> str:
        if not len(frame.left_out):
            return super().none_left(frame)
        return f"No pair is left that occurs {times(frame.min_count)} or more (--min-count)."

    def facts(self, frame: WordPieceFrame) -> str:
        return f"{frame.pieces_per_word:.2f} pieces per word"

    def top(self, frame: WordPieceFrame, limit: int) -> list[Pair]:
        return [scored.pair for scored in frame.top_pairs(limit)]

    def value(self, frame: WordPieceFrame, pair: Pair) -> float:
        score = frame.score_of(pair)
        return float(score.value) if score is not None else 0

    def value_text(self, frame: WordPieceFrame, pair: Pair) -> tuple[str, str]:
        score = frame.score_of(pair)
        return (score_text(score.value), str(score)) if score is not None else ("0", "")

    def cells(self, frame: WordPieceFrame) -> int:
        return len("6.04·10⁻⁴")

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
        first = self.named(before, pair, "pair" if is_ahead else "strong")
        others = len(self.tied(before)) - 1
        if others > 0:
            has = "have" if is_ahead else "had"
            first.append((f" and {plural(others, 'other')} {has} the score {value}: a tie.", ""))
            rival = next(one.pair for one in before.top_pairs(2) if one.pair != pair)
            why = describe(before.why_first(pair, rival), visible_bytes)
            rule = f"Rule {before.tie_rule.name}: {why}."
            return first, [(first_fitting(width, rule, f"{why}."), "tie")]
        has, scores = ("has", "scores") if is_ahead else ("had", "scored")
        ends = [f" {has} the highest score: {score} = {value}.", f" {scores} highest: {value}."]
        if len(before.left_out):
            least = times(before.min_count)
            ends = [
                f" {has} the highest score of those that occur {least} or more: {score} = {value}.",
                f" {scores} highest of those that occur {least} or more: {value}.",
                f" {scores} highest of those with {before.min_count}+: {value}.",
            ]
        first.append((first_fitting(width - spans_width(first), *ends), ""))
        return first, self._frequent(before, pair, scores, width)

    def _frequent(self, before: WordPieceFrame, pair: Pair, scores: str, width: int) -> list[Span]:
        """Return the pair that BPE would have merged, and why it lost."""
        frequent = before.most_frequent
        if frequent is None or frequent.pair == pair:
            return [("It is the most frequent pair, too.", "dim")]
        value, named = score_text(frequent.score.value), self.named(before, frequent.pair)
        ways = (
            ("The most frequent pair, ", f", {scores} {value}: both are common anyway."),
            ("Most frequent: ", f", but only {value}."),
        )
        for start, end in ways:
            spans: list[Span] = [(start, "dim"), *named, (end, "dim")]
            if spans_width(spans) <= width:
                break
        return spans

"""The lesson view of BPE: counts of pairs, and why the top one merges."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bpe_tui.bpe.narration import why_first
from bpe_tui.views.merge_explanation import MergeExplainer
from bpe_tui.views.narration import first_fitting, times
from bpe_tui.widgets.numbers import number, plural, signed
from bpe_tui.widgets.rows import Span, spans_width
from engine.bpe.frame import Frame
from engine.core.events import Pair
from engine.recording.merge_record import PairStep


class BpeExplainer(MergeExplainer[Frame]):
    """Explains merges of the most frequent pair."""

    def facts(self, frame: Frame) -> str:
        return f"{frame.bytes_per_token:.2f} bytes per token" if frame.has_corpus else ""

    def top(self, frame: Frame, limit: int) -> list[Pair]:
        return [pair for pair, _ in frame.top_pairs(limit)]

    def value(self, frame: Frame, pair: Pair) -> float:
        return frame.count_of(pair)

    def picking_rule(self, frame: Frame) -> str:
        return FIRST_GIVEN if frame.given else super().picking_rule(frame)

    def value_text(self, frame: Frame, pair: Pair) -> tuple[str, str]:
        return number(frame.count_of(pair)), ""

    def none_left(self, frame: Frame) -> str:
        obstacle = frame.run.obstacle
        return super().none_left(frame) if obstacle is None else f"No merges to tell: {obstacle}."

    def change(self, before: float, now: float) -> str:
        return signed(round(now - before))

    def highest(self, frame: Frame) -> float:
        return max(frame.highest_count, 1)

    def cells(self, frame: Frame) -> int:
        return max(len(number(frame.highest_count)), 3)

    def tied(self, frame: Frame) -> Collection[Pair]:
        return frozenset(frame.queue.tied)

    def words_of(self, frame: Frame, pretoken: bytes) -> Sequence[bytes]:
        return (pretoken,)

    def encoded(self, frame: Frame, text: str) -> Sequence[Sequence[int]]:
        return [piece.ids for piece in frame.encode(text)]

    def why(
        self, before: Frame, pair: Pair, is_ahead: bool, width: int
    ) -> tuple[list[Span], list[Span]]:
        if not before.has_corpus:
            remark = "is merged next" if is_ahead else "was merged"
            return [*self.named(before, pair, "strong"), (f" {remark}.", "")], [(NO_COUNT, "dim")]
        tied, count = before.queue.tied, before.count_of(pair)
        occurs = "occurs" if is_ahead else "occurred"
        if pair not in tied:
            # No count chose the merge: a tokenizer's file or a fork did.
            how_often = f" {occurs} {times(count) if count else 'nowhere'}."
            named = self.named(before, pair, "pair" if is_ahead else "strong")
            remark = GIVEN if before.given else "It was not chosen by its count: this is a fork."
            return [*named, (how_often, "")], [(remark, "dim")]
        rivals = [rival for rival in tied if rival != pair]
        if rivals:
            return self._why_of_tied(before, pair, rivals, is_ahead, width)
        top = before.top_pairs(2)
        is_alone = len(top) < 2
        ends = () if is_alone else (", more often than any other pair.", ", the most often.")
        first: list[Span] = [
            *self.named(before, pair, "pair" if is_ahead else "strong"),
            (f" {occurs} {times(count)}", ""),
        ]
        first.append((first_fitting(width - spans_width(first), *ends, "."), ""))
        if is_alone:
            return first, [(f"No other pair {'is' if is_ahead else 'was'} left.", "dim")]
        second, its_count = top[1]
        fewer = f" with {number(its_count)}, {number(top[0][1] - its_count)} fewer."
        return first, [
            (f"Second {'is' if is_ahead else 'was'} ", "dim"),
            *self.named(before, second),
            (fewer, "dim"),
        ]

    def short_why(self, before: Frame, merge: PairStep) -> list[Span]:
        top = before.top_pairs(2)
        if not before.has_corpus or len(top) < 2 or tuple(before.queue.tied) != (merge.pair,):
            return []
        (_, highest), (second, count) = top
        fewer = f", {number(highest - count)} fewer."
        return [("The highest; second was ", ""), *self.named(before, second), (fewer, "")]

    def _why_of_tied(
        self, before: Frame, pair: Pair, rivals: Sequence[Pair], is_ahead: bool, width: int
    ) -> tuple[list[Span], list[Span]]:
        """Return why a tied pair wins: `s+t and e+s both occur 9 times: a tie.`"""
        occur, often = "occur" if is_ahead else "occurred", times(before.count_of(pair))
        first = [*self.named(before, pair, "pair" if is_ahead else "strong"), (" and ", "")]
        if len(rivals) == 1:
            first += self.named(before, rivals[0], "tie" if is_ahead else "")
            ends = f" both {occur} {often}: a tie.", f": a tie, {often}."
        else:
            others = plural(len(rivals), "other")
            ends = f"{others} {occur} {often} each: a tie.", f"{others}: a tie, {often}."
        first.append((first_fitting(width - spans_width(first), *ends), ""))
        # One rival is enough: the best.
        rival = next(one for one, _ in before.top_pairs(2) if one != pair)
        why = why_first(before, pair, rival)
        reason = f"{why[:1].upper()}{why[1:]}" if why.startswith("same") else why
        rule = f"Rule {before.tie_rule.name}: {why}."
        return first, [(first_fitting(width, rule, f"{reason}."), "tie")]


FIRST_GIVEN = "The tokenizer's file has the pairs in their order."
NO_COUNT = "No corpus is open: no count tells why."
GIVEN = "The tokenizer says so: no count chose it here."

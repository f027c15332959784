"""The explain screen of BPE: counts of pairs, and why the top one merges."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from bpe_tui.explain.merge_explanation import MergeExplainer
from bpe_tui.widgets.language import plural, times, tr, tr_sentence, tr_spans, visible_message
from bpe_tui.widgets.numbers import number, signed
from bpe_tui.widgets.rows import Span
from bpe_tui.words.narration import first_fitting, spelled
from engine.bpe.frame import Frame
from engine.bpe.pick import Pick
from engine.core.events import Pair


class BpeExplainer(MergeExplainer[Frame]):
    """Explains merges of the most frequent pair."""

    def facts(self, frame: Frame) -> str:
        compression = f"{frame.bytes_per_token:.2f}"
        return tr("{n} bytes per token", n=compression) if frame.has_corpus else ""

    def top(self, frame: Frame, limit: int) -> list[Pair]:
        # Equally frequent ones in the order in which they appeared, which does not tell the winner.
        number = frame.run.record.pairs.number_of
        top = sorted(frame.top_pairs(limit), key=lambda each: (-each[1], number(each[0]) or 0))
        return [pair for pair, _ in top]

    def value(self, frame: Frame, pair: Pair) -> float:
        return frame.count_of(pair)

    def no_pick(self, frame: Frame) -> str:
        return self.none_left(frame) if frame.run.obstacle else super().no_pick(frame)

    def value_text(self, frame: Frame, pair: Pair) -> tuple[str, str]:
        return number(frame.count_of(pair)), ""

    def none_left(self, frame: Frame) -> str:
        obstacle = frame.run.obstacle
        if obstacle is None:
            return super().none_left(frame)
        return tr("No merges to tell: {obstacle}.", obstacle=str(obstacle))

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
        first, second = self._why(before, pair, is_ahead, width)
        border = before.step + (not is_ahead)
        for place, start in enumerate(before.phase_starts, start=2):
            if start.step == border:
                label = visible_message(start.label)
                second = tr_spans(PHASE_BEGINS, "strong", n=number(place), label=label)
        return first, second

    def _why(
        self, before: Frame, pair: Pair, is_ahead: bool, width: int
    ) -> tuple[list[Span], list[Span]]:
        named = self.named(before, pair, is_ahead, width)
        if not before.has_corpus:
            strong = self.named(before, pair)
            template = "{pair} is merged next." if is_ahead else "{pair} was merged."
            return tr_spans(template, pair=strong), tr_spans(NO_COUNT, "dim")
        pick = before.pick
        assert pick is not None, "this is a merge"
        often = times(pick.count)
        if pick.is_prescribed:
            template = "{pair} occurs {times}." if is_ahead else "{pair} occurred {times}."
            if not pick.count:
                template = "{pair} occurs nowhere." if is_ahead else "{pair} occurred nowhere."
            return tr_spans(template, pair=named, times=often), tr_spans(pick.reason.value, "dim")
        if pick.rivals:
            return self._why_of_tied(before, pick, is_ahead, width)
        top = before.top_pairs(2)
        ways = ALONE_NEXT if is_ahead else ALONE_MADE
        if len(top) < 2:
            none = "No other pair is left." if is_ahead else "No other pair was left."
            return tr_spans(ways[-1], pair=named, times=often), tr_spans(none, "dim")
        first = self.fitting(width, *(tr_spans(way, pair=named, times=often) for way in ways))
        second, its_count = top[1]
        return first, tr_spans(
            "Second is {pair} with {count}, {n} fewer."
            if is_ahead
            else "Second was {pair} with {count}, {n} fewer.",
            "dim",
            pair=self.named(before, second, width=width),
            count=number(its_count),
            n=number(top[0][1] - its_count),
        )

    def _why_of_tied(
        self, before: Frame, pick: Pick, is_ahead: bool, width: int
    ) -> tuple[list[Span], list[Span]]:
        """Return why a tied pair wins: `s+t and e+s both occur 9 times: a tie.`"""
        pair, rivals = pick.pair, pick.rivals
        named = self.named(before, pair, is_ahead, width)
        often = times(pick.count)
        if len(rivals) == 1:
            ways = BOTH_NEXT if is_ahead else BOTH_MADE
            others = self.named(before, rivals[0], width=width)
        else:
            ways = SEVERAL_NEXT if is_ahead else SEVERAL_MADE
            others = [(plural(len(rivals), "other"), "")]
        first = self.fitting(
            width, *(tr_spans(way, pair=named, others=others, times=often) for way in ways)
        )
        # One rival is enough: the best.
        rival = next(one for one, _ in before.top_pairs(2) if one != pair)
        reason = tr_sentence(before.tie_reason(pair, rival))
        why = reason.describe(partial(spelled, before))
        shorter = f"{why[:1].upper()}{why[1:]}" if why.startswith("same") else why
        rule = tr("Rule {rule}: {why}.", rule=before.tie_rule.title, why=why)
        return first, [(first_fitting(width, rule, tr("{why}.", why=shorter)), "tie")]


ALONE_NEXT = (
    "{pair} occurs {times}, more often than any other pair.",
    "{pair} occurs {times}, the most often.",
    "{pair} occurs {times}.",
)
ALONE_MADE = (
    "{pair} occurred {times}, more often than any other pair.",
    "{pair} occurred {times}, the most often.",
    "{pair} occurred {times}.",
)
BOTH_NEXT = (
    "{pair} and {others} both occur {times}: a tie.",
    "{pair} and {others}: a tie, {times}.",
)
BOTH_MADE = (
    "{pair} and {others} both occurred {times}: a tie.",
    "{pair} and {others}: a tie, {times}.",
)
SEVERAL_NEXT = (
    "{pair} and {others} occur {times} each: a tie.",
    "{pair} and {others}: a tie, {times}.",
)
SEVERAL_MADE = (
    "{pair} and {others} occurred {times} each: a tie.",
    "{pair} and {others}: a tie, {times}.",
)
PHASE_BEGINS = "Phase {n} begins here: {label}."
NO_COUNT = "The tokenizer says so; no count tells why."

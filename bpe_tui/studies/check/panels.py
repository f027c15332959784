"""The panels of a check: the merges beside the rule's, and the cause of the first difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from bpe_tui.views.targets import ToStep
from bpe_tui.widgets.lines import RowList
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import Joined, Row, RowsOnDemand, Span, left, paragraph, right
from bpe_tui.widgets.visible import quoted, visible_bytes, visible_text
from engine.analysis.check.checking import Judged
from engine.analysis.check.report import Report
from engine.core.events import BytesPair

MERGE_CELLS, COUNT_CELLS = 9, 9
BY_RULE, DIFFERS = "✓", "✗"
NOTHING_LEFT = "no pair is left"


class CheckedMerges(Vertical):
    """The trainer's merges, each with what the rule takes there; the first difference stays above.

    The rule is asked at each merge in the state that the trainer's own merges before have led to:
    one slip makes one row that differs.
    """

    def __init__(self) -> None:
        super().__init__(id="checked")
        self._judged: Sequence[Judged] = ()
        self._first: int | None = None

    def compose(self) -> ComposeResult:
        self.border_title = Content("your merges, and what the rule takes there")
        self.border_subtitle = Content("n next difference · ↵ goes to the step")
        pinned = RowList("check-pinned")
        pinned.can_focus = False
        yield pinned
        yield RowList("check-rows")

    def show(self, judged: Sequence[Judged]) -> None:
        """Show these judgements, which may be more than before."""
        self._judged = judged
        if self._first is None:
            self._first = next((at for at, each in enumerate(judged) if not each.fits), None)
            if self._first is not None:
                self._go_to(self._first)
        self._paint()

    def forget(self) -> None:
        """Other merges are checked from now on."""
        self._judged, self._first = (), None
        self._list.show(())
        self._paint()

    def go(self, by: int) -> None:
        """To the next merge that differs, or the one before."""
        here, count = self._list.cursor, len(self._judged)
        places = range(here + 1, count) if by > 0 else range(here - 1, -1, -1)
        there = next((at for at in places if not self._judged[at].fits), None)
        if there is not None:
            self._go_to(there)

    def _go_to(self, place: int) -> None:
        """Put the cursor on a merge, with those before and after it in sight."""
        around = place + self._list.size.height // 2
        self._list.show(self._rows(), min(around, len(self._judged) - 1))
        self._list.show(self._rows(), place)

    def on_resize(self) -> None:
        self._paint()

    def _paint(self) -> None:
        pinned = self.query_one("#check-pinned", RowList)
        top = [self._header()]
        if self._first is not None:
            top.append(self._row(self._first))
        pinned.styles.height = len(top)
        pinned.show(top)
        self._list.show(self._rows(), self._list.cursor)

    @property
    def _list(self) -> RowList:
        return self.query_one("#check-rows", RowList)

    def _rows(self) -> Sequence[Row]:
        return RowsOnDemand(len(self._judged), self._row)

    @property
    def _half(self) -> int:
        """Cells of a pair with its count, of which there are two in a row."""
        return max((self._list.size.width - MERGE_CELLS - 4) // 2, COUNT_CELLS + 8)

    def _header(self) -> Row:
        half = self._half
        spans = [right("merge", MERGE_CELLS, "dim"), ("    ", "")]
        for name in ("yours", "the rule"):
            spans += left([(name, "dim")], half - COUNT_CELLS)
            spans.append(right("count ", COUNT_CELLS, "dim"))
        return Row(spans)

    def _row(self, place: int) -> Row:
        judged = self._judged[place]
        sign, role = (BY_RULE, "gain") if judged.fits else (DIFFERS, "loss")
        spans: list[Span] = [
            right(number(place + 1), MERGE_CELLS, "" if judged.fits else "strong"),
            (f"  {sign} ", role),
        ]
        claimed = judged.step.count
        yours = judged.count if claimed is None or judged.fits else claimed
        spans += self._pair(judged.step.pair, yours, "" if judged.fits else "strong")
        rule_role = "dim" if judged.fits else "strong"
        if judged.by_rule:  # the judge's next best is another where this one comes late
            spans += self._pair(judged.step.pair, judged.count, rule_role)
        elif judged.rule is None:
            spans += left([(NOTHING_LEFT, rule_role)], self._half)
        else:
            spans += self._pair(judged.rule, judged.rule_count, rule_role)
        return Row(spans, ToStep(place + 1))

    def _pair(self, pair: BytesPair, count: int, role: str) -> list[Span]:
        one, other = ([(visible_bytes(token), role)] for token in pair)
        spans = left(Joined(one, ("│", "border"), other), self._half - COUNT_CELLS)
        return [*spans, right(f"{number(count)} ", COUNT_CELLS, role)]


class WhyPanel(RowList):
    """The outcome in sentences: the difference, its cause, what else was found."""

    def __init__(self) -> None:
        super().__init__("why-differs")
        self._told: list[tuple[str, str]] = []
        self.border_title = Content("why?")

    def tell(self, told: Sequence[tuple[str, str]]) -> None:
        """Say these sentences, each with its role."""
        if list(told) != self._told:
            self._told = list(told)
            self._wrap()

    def on_resize(self) -> None:
        self._wrap()

    def _wrap(self) -> None:
        room = self.scrollable_content_region
        told = [paragraph(text, room.width - 1, role) for text, role in self._told]
        has_room = sum(map(len, told)) + len(told) - 1 <= room.height
        between = [Row([])] if has_room else []
        self.show([row for rows in told for row in (*rows, *between)])


def describe_report(report: Report) -> Iterator[tuple[str, str]]:
    """The sentences of a report, the likeliest cause the strongest."""
    cause = report.explanations[0].sentence if report.explanations else None
    for line in report.describe(quoted):
        is_cause = cause is not None and cause in line
        yield line, "strong" if is_cause or report.agrees else ""
        cause = None if is_cause else cause


def describe_refusal(error: Exception) -> tuple[str, str]:
    """Why files cannot be checked."""
    return visible_text(str(error), spaces=False), "loss"

"""Which words did this merge touch?"""

from __future__ import annotations

from collections.abc import Sequence

from bpe_tui.views.panel import FramePanel, MergeFrameT, sentence, why_uncounted
from bpe_tui.views.pieces import TokenPainter
from bpe_tui.views.targets import ToPretoken
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, RowsOnDemand, Span, left, right, spans_width
from engine.bpe.frame import Frame
from engine.recording.affected_pretokens import TouchedPretoken

SLICE_SECONDS = 0.006
"""How long at a time they are looked for: long ones have to be taken apart."""
SCREENFULS = 3
"""Of words that are looked for; frequent pairs stand in thousands."""


class TouchedPanel(FramePanel[MergeFrameT]):
    """The pretokens that hold the merged pair, most frequent first: before → after.

    A subclass draws them, and says what they are called.
    """

    THING = "pretoken"

    def __init__(self) -> None:
        super().__init__("words touched", id="words")

    def drawn(self, frame: MergeFrameT, ids: tuple[int, ...]) -> list[Span]:
        """The tokens of a pretoken."""
        raise NotImplementedError

    def why_none(self, frame: MergeFrameT) -> str:
        """Why a merge changed no pretoken."""
        return f"No {self.THING} of this corpus holds the pair."

    def rows_of(self, frame: MergeFrameT, width: int) -> Sequence[Row]:
        merge = frame.merge
        if merge is None:
            self.say("words touched")
            return sentence("No merge yet, no word touched.", width)
        self.say("words touched", plural(merge.pretokens, self.THING))
        if not merge.pretokens:
            return sentence(self.why_none(frame), width)
        limit = SCREENFULS * self.size.height
        touched, are_all = frame.touched_within(SLICE_SECONDS, limit)
        if not are_all:
            self.set_timer(SLICE_SECONDS, self.rebuild)
        count_width = len(number(touched[0].count)) if touched else 1
        missing = merge.pretokens - len(touched)
        which = "rarer" if len(touched) == limit else "too long to show" if are_all else "more …"
        rest = Row([(f"and {number(missing)} {which}", "dim")])
        return RowsOnDemand(
            len(touched) + bool(missing),
            lambda place: (
                self._row(frame, touched[place], count_width, width)
                if place < len(touched)
                else rest
            ),
        )

    def _row(self, frame: MergeFrameT, word: TouchedPretoken, count_width: int, width: int) -> Row:
        half = max((width - count_width - 5) // 2, 6)
        skipped = self._skipped(frame, word, half)
        ahead: list[Span] = [("…", "dim")] if skipped else []
        return Row(
            [
                right(number(word.count), count_width, "dim"),
                ("  ", ""),
                *left([*ahead, *self.drawn(frame, word.before[skipped:])], half),
                (" → ", "dim"),
                *left([*ahead, *self.drawn(frame, word.after[skipped:])], half),
            ],
            ToPretoken(word.pretoken),
        )

    def _skipped(self, frame: MergeFrameT, word: TouchedPretoken, cells: int) -> int:
        """How many tokens are left out at the start, so that the first change is in sight."""
        if spans_width(self.drawn(frame, word.before)) <= cells:
            return 0
        changed = zip(word.before, word.after, strict=False)
        first = next(place for place, (old, new) in enumerate(changed) if old != new)
        skipped = first
        while skipped:
            shown = spans_width(self.drawn(frame, word.before[skipped - 1 : first + 2]))
            if shown + 2 > cells:  # with a cell for the mark on either side
                break
            skipped -= 1
        return skipped


class WordsPanel(TouchedPanel[Frame]):
    """The pretokens of a merge of BPE's."""

    def drawn(self, frame: Frame, ids: tuple[int, ...]) -> list[Span]:
        return TokenPainter(frame, marks=self.app.no_color).tokens(ids)

    def why_none(self, frame: Frame) -> str:
        return super().why_none(frame) if frame.has_corpus else why_uncounted(frame)

"""A run and its fork side by side: the merges from the fork on, and what differs."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from bpe_tui.bpe.what_if_job import WhatIfJob, Wish
from bpe_tui.session import messages
from bpe_tui.session.config import RunConfig
from bpe_tui.views.pieces import TokenPainter
from bpe_tui.widgets.columns import left, right
from bpe_tui.widgets.lines import Lines, Row, Span
from bpe_tui.widgets.roles import ROLE_CLASSES
from bpe_tui.widgets.visible import number, plural, shorten, visible_bytes, visible_text
from engine.bpe.frame import Frame
from engine.bpe.record import MergeStep
from engine.bpe.what_if import Comparison
from engine.core.errors import BpeError
from engine.core.events import BytesPair

EXAMPLES = 12


class BranchRows(Lines):
    """Merge by merge, left as it was, right as it would be; `≠` where they differ."""

    def __init__(self, start: int) -> None:
        super().__init__(id="branch-rows")
        self._start = start
        self._frames: tuple[Frame, Frame] | None = None

    def show(self, frames: tuple[Frame, Frame], at: int) -> None:
        """Two frames whose merges are compared, and the merge to begin with."""
        self._frames = frames
        self.rebuild()
        self.cursor = max(min(at - self._start, self.row_count - 1), 0)
        self.scroll_to_row(self.cursor)

    @property
    def half(self) -> int:
        """Cells for the merge of one branch."""
        return max((self.size.width - 14) // 2, 8)

    @property
    def row_count(self) -> int:
        if self._frames is None:
            return 0
        return max(max(frame.recorded_steps for frame in self._frames) - self._start, 0)

    def row(self, index: int) -> Row:
        assert self._frames is not None
        rank = index + self._start
        merges = [
            frame.merge_at(rank) if rank < frame.recorded_steps else None for frame in self._frames
        ]
        same = _words(merges[0]) == _words(merges[1])
        spans: list[Span] = [right(number(rank + 1), 8, "dim"), ("  ", "")]
        for frame, merge, sign in zip(
            self._frames, merges, (" = " if same else " ≠ ", ""), strict=True
        ):
            spans += [*self._merge(frame, merge, self.half), (sign, "dim" if same else "tie")]
        return Row(spans)

    def _merge(self, frame: Frame, merge: MergeStep | None, cells: int) -> list[Span]:
        if merge is None:
            return left([("—", "dim")], cells)
        count_width = min(11, cells // 3)
        painter = TokenPainter(frame, marks=False)
        pair = left(painter.pair(merge.pair), cells - count_width)
        return [*pair, right(number(merge.count), count_width)]


def _words(merge: MergeStep | None) -> BytesPair | None:
    return (merge.left, merge.right) if merge else None


class Branches(ModalScreen[messages.WhatIfEnded | None]):
    """Has the fork trained and shows how far it is, then both branches.

    Gives back the fork if it is to be kept.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "drop"),
        Binding("enter", "keep", "keep", priority=True),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = set(ROLE_CLASSES)

    def __init__(self, frame: Frame, config: RunConfig, wish: Wish) -> None:
        super().__init__()
        self._frame, self._wish = frame, wish
        self._job = WhatIfJob(config, frame, wish, self.post_message)
        self._fork: messages.WhatIfEnded | None = None

    def compose(self) -> ComposeResult:
        with Vertical(id="branches", classes="window") as window:
            window.border_title = Content(f"what if: {shorten(self._wish.title, 60)}")
            window.border_subtitle = Content("Esc drops it")
            yield Static("Counting …", id="branches-told")
            yield Static(id="branches-head", classes="keys")
            yield BranchRows(self._wish.step)

    def on_mount(self) -> None:
        self.query_one(BranchRows).focus()
        self._job.start()

    def on_unmount(self) -> None:
        self._job.cancel()

    def _tell(self, text: str) -> None:
        self.query_one("#branches-told", Static).update(Content(text))

    def on_what_if_progress(self, news: messages.WhatIfProgress) -> None:
        merges = plural(news.merges, "merge")
        self._tell(f"Training: {merges} of {number(self._frame.recorded_steps)} …")

    def on_what_if_failed(self, news: messages.WhatIfFailed) -> None:
        if not isinstance(news.error, BpeError):
            raise news.error
        self._tell(visible_text(str(news.error), spaces=False))

    def on_what_if_ended(self, news: messages.WhatIfEnded) -> None:
        self._fork = news
        other, difference = news.timeline.frame, news.difference
        self._tell(told(difference, self._frame, other))
        first = self._wish.step if difference.first is None else difference.first
        self.query_one("#branches").border_subtitle = Content("↵ keeps the fork · Esc drops it")
        self.query_one(BranchRows).show((self._frame, other), first)
        self.call_after_refresh(self._show_head)

    def _show_head(self) -> None:
        half = self.query_one(BranchRows).half
        head = f"{'merge':>8}  {'as it was':<{half}}   in the fork"
        self.query_one("#branches-head", Static).update(Content(head))

    def on_lines_nothing_to_choose(self, event: Lines.NothingToChoose) -> None:
        event.stop()

    def action_keep(self) -> None:
        if self._fork is not None:
            self.dismiss(self._fork)


def told(difference: Comparison, was: Frame, other: Frame) -> str:
    """The difference of two runs in a few sentences."""
    if difference.first is None:
        return f"No difference: all {plural(was.recorded_steps, 'merge')} are the same."
    return (
        f"The first difference is merge {number(difference.first + 1)}. "
        f"{plural(difference.common, 'token')} in both vocabularies.\n"
        f"Only as it was ({number(len(difference.only_left))}): "
        f"{_examples(difference.only_left)}\n"
        f"Only in the fork ({number(len(difference.only_right))}): "
        f"{_examples(difference.only_right)}\n"
        f"At the end {was.at(was.recorded_steps).bytes_per_token:.3f} bytes/token as it was, "
        f"{other.at(other.recorded_steps).bytes_per_token:.3f} in the fork."
    )


def _examples(tokens: list[bytes]) -> str:
    shown = "  ".join(shorten(visible_bytes(token), 16) for token in tokens[:EXAMPLES])
    return (shown + ("  …" if len(tokens) > EXAMPLES else "")) or "none"

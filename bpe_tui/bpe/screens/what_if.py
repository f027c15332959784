"""The windows of a what-if: the choices at a step, then the run and its fork side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from bpe_tui.bpe.what_if_job import WhatIfJob, Wish
from bpe_tui.session import messages
from bpe_tui.session.config import LeftOut, RunConfig
from bpe_tui.views.panel import TokenPainter, pair_text
from bpe_tui.widgets.lines import Lines, RowList
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import ROLE_CLASSES, Row, RowsOnDemand, Span, left, right
from bpe_tui.widgets.visible import shorten, visible_bytes, visible_text
from engine.bpe.frame import Frame
from engine.bpe.record import MergeStep
from engine.bpe.ties import TIE_RULES
from engine.bpe.what_if import Change, Comparison
from engine.core.errors import BpeError
from engine.core.events import BytesPair, Pair
from engine.text.patterns import PATTERNS

EXAMPLES = 12


def branch_row(frames: tuple[Frame, Frame], rank: int, half: int) -> Row:
    """The merge of a rank, left as it was, right as in the fork; `≠` where they differ.

    Each has `half` cells.
    """
    merges = [frame.merge_at(rank) if rank < frame.recorded_steps else None for frame in frames]
    same = _words(merges[0]) == _words(merges[1])
    was, would_be = (
        _merge_spans(frame, merge, half) for frame, merge in zip(frames, merges, strict=True)
    )
    sign = (" = ", "dim") if same else (" ≠ ", "tie")
    return Row([right(number(rank + 1), 8, "dim"), ("  ", ""), *was, sign, *would_be])


def _merge_spans(frame: Frame, merge: MergeStep | None, cells: int) -> list[Span]:
    if merge is None:
        return left([("—", "dim")], cells)
    count_width = min(11, cells // 3)
    pair = left(TokenPainter(frame, marks=False).pair(merge.pair), cells - count_width)
    return [*pair, right(number(merge.count), count_width)]


def _words(merge: MergeStep | None) -> BytesPair | None:
    return (merge.left, merge.right) if merge else None


class Branches(ModalScreen[messages.WhatIfEnded | None]):
    """Trains the fork in the background, says how far it is, then shows both branches.

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
            yield Static("Counting …", id="branches-summary")
            yield Static(id="branches-head", classes="keys")
            yield RowList("branch-rows")

    def on_mount(self) -> None:
        self.query_one(RowList).focus()
        self._job.start()

    def on_unmount(self) -> None:
        self._job.cancel()

    def _tell(self, text: str) -> None:
        self.query_one("#branches-summary", Static).update(Content(text))

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
        self._tell(describe_difference(difference, self._frame, other))
        self.query_one("#branches").border_subtitle = Content("↵ keeps the fork · Esc drops it")
        start, frames = self._wish.step, (self._frame, other)
        count = max(max(frame.recorded_steps for frame in frames) - start, 0)
        first = 0 if difference.first is None else difference.first - start
        self.query_one(RowList).show(
            RowsOnDemand(count, lambda place: branch_row(frames, start + place, self._half)),
            cursor=max(min(first, count - 1), 0),
        )
        self.call_after_refresh(self._show_head)

    @property
    def _half(self) -> int:
        """Cells for the merge of one branch."""
        return max((self.query_one(RowList).size.width - 14) // 2, 8)

    def _show_head(self) -> None:
        head = f"{'merge':>8}  {'as it was':<{self._half}}   in the fork"
        self.query_one("#branches-head", Static).update(Content(head))

    def on_lines_nothing_to_choose(self, event: Lines.NothingToChoose) -> None:
        event.stop()

    def action_keep(self) -> None:
        if self._fork is not None:
            self.dismiss(self._fork)


def describe_difference(difference: Comparison, was: Frame, other: Frame) -> str:
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


def wishes(frame: Frame, config: RunConfig, chosen: Pair | None) -> Iterator[Wish]:
    """All that can be done otherwise at a step; `chosen` is the pair under the panel's cursor."""
    step = frame.step
    if frame.merge is not None:
        yield Wish(
            f"forbid merge {number(step)}, made here: {pair_text(frame, frame.merge.pair)}",
            step - 1,
            config,
            Change(forbid=frozenset({_bytes_of(frame, frame.merge.pair)})),
        )
    following = frame.next_pair
    if following is not None:
        yield Wish(
            f"forbid the next merge: {pair_text(frame, following)}",
            step,
            config,
            Change(forbid=frozenset({_bytes_of(frame, following)})),
        )
    if chosen is not None and chosen != following and frame.count_of(chosen):
        yield Wish(
            f"merge next, as chosen among the pairs: {pair_text(frame, chosen)}",
            step,
            config,
            Change(force=_bytes_of(frame, chosen)),
        )
    for rule in TIE_RULES:
        if rule != config.tie_rule:
            change = Change(tie_rule=rule)
            yield Wish(f"tie rule {rule}", step, replace(config, tie_rule=rule), change)
    for pattern in PATTERNS:
        if pattern != config.pattern:
            yield Wish(f"pattern {pattern}", step, replace(config, pattern=pattern))
    for token in config.special_tokens:
        left = tuple(other for other in config.special_tokens if other != token)
        title = f"without the special token {visible_text(token)}"
        yield Wish(title, step, replace(config, special_tokens=left))


def _bytes_of(frame: Frame, pair: Pair) -> BytesPair:
    return frame.any_token(pair[0]), frame.any_token(pair[1])


class WhatIf(ModalScreen[Wish | None]):
    """Asks what to do otherwise from a step on; gives back the wish, or `None`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "close"),
        Binding("tab", "app.focus_next", "list or line", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = set(ROLE_CLASSES)

    def __init__(
        self, frame: Frame, config: RunConfig, documents: int, chosen: Pair | None
    ) -> None:
        super().__init__()
        self._frame, self._config, self._documents = frame, config, documents
        self._wishes = list(wishes(frame, config, chosen))

    def compose(self) -> ComposeResult:
        with Vertical(id="what-if", classes="window") as window:
            window.border_title = Content(f"what if, from step {number(self._frame.step)} on")
            window.border_subtitle = Content("↵ trains the other way · Esc closes")
            yield RowList("wish-rows", [Row([(wish.title, "")], wish) for wish in self._wishes])
            yield Static(self._hint(), id="dialog-hint")
            yield Input(placeholder="document", id="document-input", compact=True)

    def _hint(self) -> Content:
        return Content(
            "Another pair: choose it among the pairs first. A document to leave out (Tab): its "
            f"number, 1 to {number(self._documents)}."
        )

    def on_mount(self) -> None:
        self.query_one(RowList).focus()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        assert isinstance(event.target, Wish)
        self.dismiss(event.target)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        typed = event.value.strip().replace(",", "")
        if typed.isascii() and typed.isdigit() and 1 <= int(typed[:12]) <= self._documents:
            title = f"without document {number(int(typed))}"
            gone = LeftOut(int(typed), self._config.special_tokens)
            fewer = replace(self._config, left_out=(*self._config.left_out, gone))
            self.dismiss(Wish(title, self._frame.step, fewer))
            return
        hint = self.query_one("#dialog-hint", Static)
        hint.update(Content(f"Give the number of a document, 1 to {number(self._documents)}."))
        hint.add_class("-refused")

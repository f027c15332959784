"""What if it went another way here: the choices, and what came of one, beside what was."""

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

from bpe_tui.bpe.what_if_job import Wish
from bpe_tui.session.config import LeftOut, RunConfig
from bpe_tui.views.pieces import pair_text
from bpe_tui.widgets.lines import Lines, Row
from bpe_tui.widgets.roles import ROLE_CLASSES
from bpe_tui.widgets.visible import number, visible_text
from engine.bpe.frame import Frame
from engine.bpe.ties import TIE_RULES
from engine.bpe.what_if import Change
from engine.core.events import BytesPair, Pair
from engine.text.patterns import PATTERNS


def wishes(frame: Frame, config: RunConfig, chosen: Pair | None) -> Iterator[Wish]:
    """All that can be chosen at a step; `chosen` is the row of the pairs panel."""
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


class WishRows(Lines):
    """The choices."""

    def __init__(self, wishes: list[Wish]) -> None:
        super().__init__(id="wish-rows")
        self._wishes = wishes

    @property
    def row_count(self) -> int:
        return len(self._wishes)

    def row(self, index: int) -> Row:
        wish = self._wishes[index]
        return Row([(wish.title, "")], wish)


class WhatIf(ModalScreen[Wish | None]):
    """Gives back what is wished, or `None`."""

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
            yield WishRows(self._wishes)
            yield Static(self._hint(), id="dialog-hint")
            yield Input(placeholder="document", id="document-input", compact=True)

    def _hint(self) -> Content:
        return Content(
            "Another pair: choose it among the pairs first. A document to leave out (Tab): its "
            f"number, 1 to {number(self._documents)}."
        )

    def on_mount(self) -> None:
        self.query_one(WishRows).focus()

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

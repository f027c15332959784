"""What a stage of the pipeline can be switched to; the screen behind follows at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from bpe_tui.studies.pipeline.stages import stage_name
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import Row, left
from bpe_tui.widgets.visible import visible_text
from bpe_tui.widgets.window import Window
from engine.core.errors import BpeError
from engine.pipeline.draft import Draft, StageKind
from engine.pipeline.stage import Stage

MARK_CELLS, NAME_CELLS, NARROW_NAME_CELLS = 3, 22, 16

Switch = Callable[[Draft], Draft]


class ChoiceRows(Lines):
    """None, what it was, and the choices; those that are taken are numbered in their order."""

    def __init__(self, kind: StageKind, draft: Draft) -> None:
        super().__init__(id="choice-rows")
        self._kind = kind
        self._listed: list[tuple[str, str, str, Switch]] = []
        self.show_draft(draft)

    @property
    def row_count(self) -> int:
        return len(self._listed)

    def row(self, index: int) -> Row:
        mark, name, told, switch = self._listed[index]
        room = self.scrollable_content_region.width
        names = NAME_CELLS if room >= 72 else NARROW_NAME_CELLS
        spans = [*left([(mark, "here")], MARK_CELLS)]
        spans += left([(name, "strong" if mark else "")], names)
        said = (visible_text(told, spaces=False), "dim")
        return Row(
            [*spans, (" ", ""), *left([said], max(room - MARK_CELLS - names - 1, 1))], switch
        )

    def show_draft(self, draft: Draft) -> None:
        self._listed = list(self._made(draft))
        self.styles.height = len(self._listed)
        self.rebuild()

    def _made(self, draft: Draft) -> Iterator[tuple[str, str, str, Switch]]:
        """The mark of each row, its name, what is told of it, and what Enter does."""
        kind, stages = self._kind, draft.stages(self._kind)
        original = " · ".join(map(stage_name, Draft(draft.original).stages(kind))) or "none"
        none: Switch = lambda draft: draft.with_stages(kind, ())  # noqa: E731
        back: Switch = lambda draft: draft.restored(kind)  # noqa: E731
        yield ("" if stages else "•", "none", "leave the stage out", none)
        yield ("" if draft.is_switched(kind) else "•", "as it was", original, back)
        listed = list(kind.choices(draft.original))
        for choice in listed:
            yield (
                _mark(choice.stage, stages),
                choice.name,
                choice.summary,
                _put(kind, choice.stage),
            )
        known = [choice.stage for choice in listed]
        for stage in stages:
            if stage not in known:
                yield (_mark(stage, stages), stage_name(stage), "", _put(kind, stage))


def _put(kind: StageKind, stage: Stage) -> Switch:
    return lambda draft: draft.toggled(kind, stage)


def _mark(stage: Stage, stages: tuple[Stage, ...]) -> str:
    """The place of a stage among those taken."""
    return str(stages.index(stage) + 1) if stage in stages else ""


class StageWindow(Window[None]):
    """Enter takes a choice or gives it up; Esc goes back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "back"),
        Binding("tab,shift+tab", "other", "field", show=False, priority=True),
    ]

    def __init__(self, kind: StageKind, draft: Draft, changed: Callable[[Draft], None]) -> None:
        super().__init__()
        self._kind, self._draft, self._changed = kind, draft, changed
        self._hint = kind.hint

    def compose(self) -> ComposeResult:
        with Vertical(classes="window", id="stage-window") as window:
            window.border_title = Content(f"the {self._kind.title}")
            window.border_subtitle = Content("Enter takes or gives up · Esc back")
            yield ChoiceRows(self._kind, self._draft)
            if self._hint:
                yield Field(
                    placeholder=f"or type (Tab): {self._hint}", id="stage-typed", compact=True
                )
            yield Static(Content(self._rule()), id="dialog-hint")

    def _rule(self) -> str:
        if self._kind.several:
            return "Several follow each other in the order in which they are taken."
        return "One or none."

    def on_mount(self) -> None:
        self.query_one(ChoiceRows).focus()

    def action_other(self) -> None:
        rows, fields = self.query_one(ChoiceRows), self.query("#stage-typed")
        self.set_focus(fields.first() if fields and self.focused is rows else rows)

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        switch: Switch = event.target  # type: ignore[assignment]
        self._switch(switch(self._draft))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        try:
            stage = self._kind.typed(event.value, self._draft.original)
        except BpeError as error:
            hint = self.query_one("#dialog-hint", Static)
            hint.update(Content(visible_text(str(error), spaces=False)))
            hint.add_class("-refused")
        else:
            self._switch(self._draft.toggled(self._kind, stage))

    def _switch(self, draft: Draft) -> None:
        self._draft = draft
        self.query_one(ChoiceRows).show_draft(draft)
        hint = self.query_one("#dialog-hint", Static)
        hint.update(Content(self._rule()))
        hint.remove_class("-refused")
        self._changed(draft)

"""Choose the model that the corpus is trained with."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from bpe_tui.session.config import RunConfig
from bpe_tui.session.model import Model
from bpe_tui.session.models import MODELS
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.numbers import plural
from bpe_tui.widgets.rows import ROLE_CLASSES, Row, left
from bpe_tui.widgets.visible import visible_text

TITLE_CELLS = 11


class ModelRows(Lines):
    """The models; the present one is marked."""

    def __init__(self, present: str) -> None:
        super().__init__(id="model-rows")
        self._models: list[Model] = list(MODELS.values())
        self._present = present
        self.cursor = list(MODELS).index(present)
        self.styles.height = len(self._models)

    @property
    def row_count(self) -> int:
        return len(self._models)

    def row(self, index: int) -> Row:
        model = self._models[index]
        here = model.name == self._present
        title = [(model.title, "strong" if here else "")]
        spans = [("● " if here else "○ ", "here"), *left(title, TITLE_CELLS)]
        return Row([*spans, (model.summary, "dim")], model.name)


class ChooseModel(ModalScreen[str | None]):
    """Gives back the name of a model, or `None`."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "close")]
    COMPONENT_CLASSES: ClassVar[set[str]] = set(ROLE_CLASSES)

    def __init__(self, config: RunConfig) -> None:
        super().__init__()
        self._config = config

    def compose(self) -> ComposeResult:
        with Vertical(id="choose-model", classes="window") as window:
            window.border_title = Content("choose a model")
            window.border_subtitle = Content("↑ ↓ · ↵ trains it · Esc closes")
            yield ModelRows(self._config.model)
            name = visible_text(self._config.name, spaces=False)
            said = (
                f"It is trained anew on {name}, to at most {plural(self._config.size, 'token')}. "
                "The run on the screen is dropped, with its breakpoints and its place."
            )
            yield Static(Content(said), id="dialog-hint")

    def on_mount(self) -> None:
        self.query_one(ModelRows).focus()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        self.dismiss(str(event.target))

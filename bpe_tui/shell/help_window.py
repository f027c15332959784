"""The help of a screen, in three parts: its keys, which Enter runs, the signs, and the words."""

from __future__ import annotations

from typing import ClassVar, NamedTuple, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content

from bpe_tui.session.declarations import GROUPS, Command
from bpe_tui.session.models import kind_and_model
from bpe_tui.shell.commands import LEGENDS, SIGNS, WORDS, commands_on
from bpe_tui.shell.panel import needs_marks
from bpe_tui.widgets.fields import Field, FieldOverRows
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.lines import FoundRows, Lines
from bpe_tui.widgets.rows import Row, Span, hanging_rows, left

NAME_CELLS = 14
"""Cells of the column of keys, signs and words."""
IN_A_PANEL = {
    "↑ ↓ k j": "Row by row; PageUp and PageDown by screenfuls; the wheel scrolls.",
    "Home End": "First, last row of the focused table; elsewhere the run's.",
    "Enter": "Where the row leads: a merge, a word. Zoom where it leads nowhere.",
    "Shift+→ ←": "Point at a token, the next one, the one before; Enter explains it.",
    "mouse": "Click a row to select it, again to open it; a token, or the + of a pair, to ask "
    "about it; drag the bar on top.",
}
"""Keys of panels, which no command has, and what they do."""


class HelpLine(NamedTuple):
    """A line of the help.

    Attributes:
        group: the heading above the lines of its group; "" for none.
        name: the key, the sign or the word that the sentence explains.
        command: what Enter runs; `None` if it does nothing.
    """

    group: str
    name: list[Span]
    sentence: str
    command: Command | None = None

    def has(self, sought: str) -> bool:
        """Whether its name, its sentence or the words of its command contain a text."""
        names = "".join(text for text, _ in self.name)
        words = "" if self.command is None else self.command.words
        text = f"{names} {self.sentence} {self.label} {words}"
        return sought.casefold() in text.casefold()

    @property
    def label(self) -> str:
        """The label of its command; "" without one."""
        return "" if self.command is None else tr(self.command.label)


def help_parts(screen: str, *, marks: bool = False) -> dict[str, list[HelpLine]]:
    """Return the parts of a screen's help by their names.

    Args:
        screen: the name of the screen.
        marks: whether signs are drawn as they are without colours.
    """
    keys = [
        HelpLine(tr(group), [(each.shown, "here")], tr(each.help), each)
        for group in GROUPS
        for each in commands_on(screen)
        if each.group == group
    ]
    of_panels = tr("In a panel")
    keys += [HelpLine(of_panels, [(tr(key), "here")], tr(IN_A_PANEL[key])) for key in IN_A_PANEL]
    kind, _ = kind_and_model(screen)
    signs = [SIGNS[name] for name in dict.fromkeys((*LEGENDS.get(kind, ()), *SIGNS))]
    return {
        "keys": keys,
        "signs": [
            HelpLine("", sign.look(marks=marks), f"{sign.title} {tr(sign.sentence)}")
            for sign in signs
        ],
        "words": [HelpLine("", [(tr(word), "strong")], tr(WORDS[word])) for word in WORDS],
    }


class Help(FieldOverRows[Command | None]):
    """The window of the help; it returns the command that is chosen. Typing finds lines.

    Args:
        screen: the name of the screen that it is about.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "close", priority=True),
        Binding("enter", "choose", "run", priority=True),
        Binding("tab,right", "part(1)", "next part", priority=True),
        Binding("shift+tab,left", "part(-1)", "part before", priority=True),
    ]

    def __init__(self, screen: str) -> None:
        super().__init__()
        self._screen, self._parts = screen, help_parts(screen, marks=needs_marks(self.app))
        self._part = "keys"

    def compose(self) -> ComposeResult:
        with Vertical(id="help", classes="window") as window:
            window.border_subtitle = Content(tr("Tab other part │ ↑ ↓ Enter does it │ Esc closes"))
            yield Field(placeholder=tr("type to find"), compact=True)
            yield FoundRows("found", self._rows)

    def on_mount(self) -> None:
        self._show_part(self._part)

    def _show_part(self, part: str) -> None:
        self._part = part
        kind, model = kind_and_model(self._screen)
        about = tr(kind) if model is None else f"{tr(kind)}, {model.title}"
        names = " │ ".join(f"[{tr(name)}]" if name == part else tr(name) for name in self._parts)
        self.query_one("#help").border_title = Content(f"{names}   {about}")
        self.query_one(FoundRows).find_again()

    def _rows(self, cells: int) -> list[Row]:
        """Return the lines of the part, or those of all parts that have what is typed."""
        sought = self.query_one(Field).value.strip()
        lines = self._parts[self._part]
        if sought:
            lines = [line for part in self._parts.values() for line in part if line.has(sought)]
            lines.sort(key=lambda line: not line.label.casefold().startswith(sought.casefold()))
        rows: list[Row] = []
        group = ""
        for line in lines:
            if line.group != group:
                rows += [*([Row([])] if rows else []), Row([(line.group, "strong")])]
                group = line.group
            name = [("  ", ""), *left(line.name, NAME_CELLS - 2)]
            rows += hanging_rows(name, line.sentence, cells, line.command)
        return rows or [Row([(tr("No key, sign or word has that."), "dim")])]

    def action_part(self, by: int) -> None:
        """Show the next part, or the one before."""
        names = list(self._parts)
        self._show_part(names[(names.index(self._part) + by) % len(names)])

    def on_input_changed(self, event: Field.Changed) -> None:
        """Find what is typed; a second ? closes the window."""
        if event.value == "?":
            self.dismiss(None)
        self.query_one(FoundRows).find_again()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        self.dismiss(cast("Command", event.target))

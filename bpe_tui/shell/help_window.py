"""The help of a screen, in three parts: its keys, which Enter runs, the signs, and the words.

What is typed is also found among the commands of other screens and models.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import chain
from operator import itemgetter
from typing import ClassVar, NamedTuple, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content

from bpe_tui.session.declarations import GROUPS
from bpe_tui.session.host import Host
from bpe_tui.session.models import kind_and_model
from bpe_tui.shell.commands import (
    LEGENDS,
    SIGNS,
    WORDS,
    PlacedCommand,
    commands_elsewhere,
    commands_on,
    key_of_screen,
)
from bpe_tui.shell.panel import needs_marks
from bpe_tui.shell.panel_screen import PanelScreen
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
        found: the command that Enter runs; `None` if it does nothing.
    """

    group: str
    name: list[Span]
    sentence: str
    found: PlacedCommand | None = None

    def rank(self, sought: str) -> int | None:
        """Return how well the line has all words of a text: 0 is best; `None` if it lacks one.

        First come lines whose label begins so, then those with words of the command that do, then
        those with any words that do.
        """
        names, known, help_line = "".join(text for text, _ in self.name), f" {self.label}", ""
        if self.found is not None:
            command = self.found.command
            known, help_line = f"{known} {command.label} {command.words}", command.help
        known, words = known.casefold(), sought.casefold().split()
        text = f"{names} {self.sentence} {self.group} {help_line} {known}".casefold()
        if not all(word in text for word in words):
            return None
        if self.label.casefold().startswith(sought.casefold()):
            return 0
        for rank, searched in enumerate((known, text), 1):
            if all(f" {word}" in searched for word in words):
                return rank
        return 3

    @property
    def label(self) -> str:
        """The label of its command; "" without one."""
        return "" if self.found is None else tr(self.found.command.label)


def help_parts(screen: str, *, marks: bool = False) -> dict[str, list[HelpLine]]:
    """Return the parts of a screen's help by their names.

    Args:
        screen: the name of the screen.
        marks: whether signs are drawn as they are without colours.
    """
    keys = [
        HelpLine(tr(group), [(each.shown, "here")], tr(each.help), PlacedCommand(each))
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


def lines_elsewhere(screen: PanelScreen) -> Iterator[HelpLine]:
    """Yield a line for each command that a screen lacks, under the place that has it."""
    for found in commands_elsewhere(screen.id or "", screen.model):
        if found.model is not None:
            place, key = found.model.title, "M"
        else:
            place, key = f"{key_of_screen(found.kind)} {tr(found.kind)}", found.command.shown
        yield HelpLine(place, [(key, "here")], tr(found.command.help), found)


class Help(FieldOverRows[PlacedCommand | None]):
    """The window of the help; it returns the command that is chosen. Typing finds lines.

    Args:
        screen: the screen that it is about.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+p", "dismiss(None)", "close", priority=True),
        Binding("enter", "choose", "run", priority=True),
        Binding("tab,right", "part(1)", "next part", priority=True),
        Binding("shift+tab,left", "part(-1)", "part before", priority=True),
    ]

    def __init__(self, screen: PanelScreen) -> None:
        super().__init__()
        self._about, self._part = screen, "keys"
        self._parts = help_parts(screen.id or "", marks=needs_marks(self.app))

    @cached_property
    def _elsewhere(self) -> list[HelpLine]:
        """The lines of commands elsewhere; to look for their screens takes long."""
        return list(lines_elsewhere(self._about))

    def compose(self) -> ComposeResult:
        with Vertical(id="help", classes="window") as window:
            window.border_subtitle = Content(tr("Tab other part │ ↑ ↓ Enter does it │ Esc closes"))
            yield Field(
                placeholder=tr("words, such as ties, emoji, compression, minbpe"), compact=True
            )
            yield FoundRows("found", self._rows)

    def on_mount(self) -> None:
        self._show_part(self._part)

    def _show_part(self, part: str) -> None:
        self._part = part
        kind, model = kind_and_model(self._about.id or "")
        about = tr(kind) if model is None else f"{tr(kind)}, {model.title}"
        names = " │ ".join(f"[{tr(name)}]" if name == part else tr(name) for name in self._parts)
        self.query_one("#help").border_title = Content(f"{names}   {about}")
        self.query_one(FoundRows).find_again()

    def _rows(self, cells: int) -> list[Row]:
        """Return the lines of the part, or all lines that have the typed words."""
        sought = self.query_one(Field).value.strip()
        lines = self._parts[self._part]
        if sought:
            keys, *others = self._parts.values()
            every = (*keys, *self._elsewhere, *chain.from_iterable(others))
            ranked = [(rank, line) for line in every if (rank := line.rank(sought)) is not None]
            lines = [line for _, line in sorted(ranked, key=itemgetter(0))]
        rows: list[Row] = []
        group = ""
        for line in lines:
            if line.group != group:
                rows += [*([Row([])] if rows else []), Row([(line.group, "strong")])]
                group = line.group
            name = [("  ", ""), *left(line.name, NAME_CELLS - 2)]
            rows += hanging_rows(name, line.sentence, cells, line.found)
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
        self.dismiss(cast("PlacedCommand", event.target))


async def run_command(screen: PanelScreen, found: PlacedCommand | None) -> None:
    """Run a command, if one was chosen, as its key does, on the screen that has it."""
    if found is None:
        return
    if found.model is not None:
        await screen.run_action("app.model")
    elif found.kind:
        host = cast("Host", screen.app)
        host.action_show(found.kind)
        there = screen.app.get_screen(host.session.model.screen(found.kind))
        assert isinstance(there, PanelScreen)
        there.call_later(there.run_action, found.command.action)  # after the screen has changed
    else:
        await screen.run_action(found.command.action)

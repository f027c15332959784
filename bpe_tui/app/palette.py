"""The palette: it finds commands by words, also those of other screens and models."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input

from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.declarations import ANY, EVERYWHERE, Command, Model
from bpe_tui.session.host import Host
from bpe_tui.session.models import kind_and_model
from bpe_tui.shell.commands import commands_on, key_of_screen, kinds_with, other_models_with
from bpe_tui.shell.panel_screen import PanelScreen
from bpe_tui.widgets.fields import Field, FieldOverRows
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.lines import FoundRows, Lines
from bpe_tui.widgets.rows import Row, hanging_rows, left

MOST_WITHOUT = 2
"""Most kinds of screens without a command that is still said to be everywhere."""


@dataclass(frozen=True)
class FoundCommand:
    """A command, and the kind of screen or the model that has it, if it is not here."""

    command: Command
    kind: str = ""
    model: Model | None = None

    def where(self, screen: str) -> tuple[str, str]:
        """Return the key that does the same, and the screen or the model that has it.

        Args:
            screen: the screen in front.
        """
        if self.model is not None:
            return "M", self.model.title
        kind = self.kind or kind_and_model(screen)[0]
        is_everywhere = len({*EVERYWHERE} - {*self.command.screens}) <= MOST_WITHOUT
        if is_everywhere or kind not in EVERYWHERE:
            return self.command.shown, tr("everywhere") if is_everywhere else tr("here")
        return self.command.shown, f"{key_of_screen(kind)} {tr(kind)}"

    def score(self, query: str) -> float:
        """Return how well it answers; 0 if a word of the query is not in the command's words."""
        command, words = self.command, query.lower().split()
        label = command.label.lower()
        known = f"{label} {tr(command.label)} {command.words.lower()}"
        text = f"{known} {command.help} {tr(command.help)} {self.kind}".lower()
        if not words or not all(word in text for word in words):
            return 0
        is_named = any(label.startswith(word) for word in words)
        is_known = all(f" {word}" in f" {known}" for word in words)
        starts = all(f" {word}" in f" {text}" for word in words)
        stays = not self.kind and not command.action.startswith("app.show(")
        name = max(2 * is_named, 1.75 * is_known)
        return 1 + name + starts + 0.5 * stays - 0.8 * (self.model is not None)


def all_commands(screen: str, model: Model | None) -> Iterator[FoundCommand]:
    """Yield every command once: of the screen, of other screens, of other models."""
    here = commands_on(screen)
    yield from map(FoundCommand, here)
    known = {(command.action, command.label) for command in here}
    for command in COMMANDS if model is not None else ():
        assert model is not None
        if (command.action, command.label) in known:
            continue
        if kinds := kinds_with(command, model):
            known.add((command.action, command.label))
            yield FoundCommand(command, kinds[0])
        elif others := other_models_with(command, model):
            known.add((command.action, command.label))
            yield FoundCommand(command, model=others[0])


def answers(query: str, commands: Sequence[FoundCommand]) -> list[FoundCommand]:
    """Return the commands that have all words of the query, the best first."""
    scored = [(each.score(query), each) for each in commands]
    scored.sort(key=lambda each: -each[0])
    return [each for score, each in scored if score]


MOST_CORRECTED, LONGEST_CORRECTED = 8, 24
"""Most words and longest word of a query that are corrected: a pasted text takes seconds."""


def corrected(query: str, commands: Sequence[FoundCommand]) -> str:
    """Return the query with the words of the commands that its own words are closest to."""
    from difflib import get_close_matches  # few queries are misspelt

    words = query.lower().split()
    if len(words) > MOST_CORRECTED or any(len(word) > LONGEST_CORRECTED for word in words):
        return query
    texts = (f"{each.command.words} {each.command.help}".lower() for each in commands)
    known = {word for text in texts for word in re.findall(r"\w+", text)}
    close = ((get_close_matches(word, known), word) for word in words)
    return " ".join(found[0] if found else word for found, word in close)


MOST_OF_A_SCREEN = 4
"""Most kinds of screens on which a command is still one of theirs, not of all."""


def useful_first(screen: PanelScreen) -> list[Command]:
    """Return the commands of a screen, those that say most about it first.

    First come those of the focused panel, then the screen's own, those on the fewest screens first,
    then others in the footer. Last come refused commands, and second keys of the same command.
    """
    panel = screen.panels.focused()
    seen: set[str] = set()

    def place(command: Command) -> tuple[int, int]:
        is_again = command.action in seen
        seen.add(command.action)
        if is_again or cast("Host", screen.app).refusal_of(command.action):
            return 4, 0
        if panel in command.footer:
            return 0, 0
        if len(command.screens) <= MOST_OF_A_SCREEN:
            return 1, len(command.screens)
        return (2 if ANY in command.footer else 3), 0

    return sorted(commands_on(screen.id or ""), key=place)


KEY_CELLS, PLACE_CELLS = 10, 14
"""Cells of the column of keys, and of the column of screens."""


class Palette(FieldOverRows[FoundCommand | None]):
    """The window that finds commands by words, and returns one of them.

    Args:
        below: the screen in front of which it opens.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+p", "dismiss(None)", "close"),
        Binding("enter", "choose", "run", priority=True),
    ]

    def __init__(self, below: PanelScreen) -> None:
        super().__init__()
        self._below = below

    def compose(self) -> ComposeResult:
        with Vertical(id="palette", classes="window") as window:
            window.border_title = Content(tr("find a command"))
            window.border_subtitle = Content(tr("↑ ↓ Enter │ Esc closes"))
            yield Field(
                placeholder=tr("words, such as ties, emoji, compression, minbpe"), compact=True
            )
            yield FoundRows("found", self._rows)

    @cached_property
    def _everywhere(self) -> list[FoundCommand]:
        """All commands, of other screens too; to look for their screens takes long."""
        return list(all_commands(self._below.id or "", self._below.model))

    def found(self) -> list[FoundCommand]:
        """Return the commands that have all typed words, the best first; without words all here."""
        query = self.query_one(Input).value
        if not query.strip():
            return list(map(FoundCommand, useful_first(self._below)))
        return answers(query, self._everywhere) or answers(
            corrected(query, self._everywhere), self._everywhere
        )

    def _rows(self, cells: int) -> list[Row]:
        rows = [row for each in self.found() for row in self._rows_of(each, cells)]
        return rows or [Row([(tr("No command has these words."), "dim")])]

    def _rows_of(self, found: FoundCommand, cells: int) -> Iterator[Row]:
        key, place = found.where(self._below.id or "")
        head = [*left([(key, "here")], KEY_CELLS), *left([(place, "dim")], PLACE_CELLS)]
        return hanging_rows(head, tr(found.command.help), cells, found)

    def on_input_changed(self) -> None:
        self.query_one(FoundRows).find_again()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        self.dismiss(cast("FoundCommand", event.target))


async def run_command(screen: PanelScreen, found: FoundCommand | None) -> None:
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

"""The start page: what there is to open, for who has named nothing.

Columns of choices stand side by side; where there is little room, one below the other.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from bpe_tui.session.commands.command import START
from bpe_tui.session.config import Config
from bpe_tui.session.host import Host
from bpe_tui.session.recent_files import Given, as_typed, recent
from bpe_tui.session.samples import samples
from bpe_tui.styles import sheet
from bpe_tui.views.panel_screen import PanelScreen
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import Row, Span, left
from bpe_tui.widgets.visible import visible_text
from engine.core.errors import BpeError

TITLE = "See how a text becomes tokens, one merge at a time."
TIP = "↑ ↓ choose, ↵ opens. In a shell, bpe-tui FILE opens a file."
RECENT_SHOWN = 6
NAME_CELLS = 26


@dataclass(frozen=True)
class AnyFile:
    """Whatever somebody finds in the window that opens files."""


@dataclass(frozen=True)
class Choice:
    """Something to open: what it is called, what it is, what opens it."""

    name: str
    note: str
    opens: Config | Given | AnyFile


@dataclass(frozen=True)
class Group:
    """Choices under a heading."""

    heading: str
    choices: Sequence[Choice]


def file_groups() -> list[Group]:
    """Samples, what was opened of late, a file of one's own."""
    of_late = [Choice(_names(given), _folder(given), given) for given in recent()[:RECENT_SHOWN]]
    groups = [
        Group("Samples", [Choice(each.name, each.shows, config) for each, config in samples()]),
        Group("Opened of late", of_late),
        Group("Your own", [Choice("Open a file …", "a text or a tokenizer", AnyFile())]),
    ]
    return [group for group in groups if group.choices]


def _names(given: Given) -> str:
    names = " and ".join(os.path.basename(name) or name for name in given)
    return visible_text(names, spaces=False)


def _folder(given: Given) -> str:
    where = os.path.dirname(as_typed(given[:1]))
    return visible_text(f"in {where}" if where else "", spaces=False)


class Choices(Lines):
    """Groups of choices, one below the other; the cursor passes over what is none."""

    def __init__(self, groups: Sequence[Group], id: str) -> None:
        super().__init__(id=id)
        self._shown: list[str | Choice] = []
        for group in groups:
            self._shown += ["", group.heading, *group.choices]
        del self._shown[:1]
        self.set_reactive(Lines.cursor, 1)

    @property
    def row_count(self) -> int:
        return len(self._shown)

    def row(self, index: int) -> Row:
        shown = self._shown[index]
        if isinstance(shown, str):
            return Row([(shown, "strong")])
        here = index == self.cursor
        sign: Span = ("❯ " if here else "  ", "here")
        room = max(self.size.width - 2, NAME_CELLS)
        name = left([(shown.name, "strong" if here else "")], NAME_CELLS)
        return Row([sign, *name, *left([(f"  {shown.note}", "dim")], room - NAME_CELLS)], shown)

    def action_move(self, by: int) -> None:
        step = 1 if by > 0 else -1
        place = max(0, min(self.cursor + by, self.row_count - 1))
        while 0 <= place < self.row_count and isinstance(self._shown[place], str):
            place += step
        if 0 <= place < self.row_count:
            self.cursor = place
        self.scroll_to_row(self.cursor if self.cursor > 1 else 0)


class StartPage(PanelScreen):
    """Opens what is chosen; it is seen again if that is given up before it is there."""

    NAME = START
    CSS_PATH = sheet("start.tcss")
    PANEL_ORDER = ("files",)

    def compose_body(self) -> ComposeResult:
        yield Static(Content("bpe-tui"), id="title")
        yield Static(Content(TITLE), id="told")
        with Horizontal(id="columns"):
            yield Choices(file_groups(), "files")
        yield Static(Content(TIP), id="tip")

    def on_mount(self) -> None:
        self.show_panel(self.PANEL_ORDER[0])

    @property
    def is_ready(self) -> bool:
        """Nothing is open: the keys that work while something is read work here."""
        return False

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        host = cast("Host", self.app)
        assert isinstance(event.target, Choice)
        opens = event.target.opens
        if isinstance(opens, AnyFile):
            host.action_open()
            return
        from bpe_tui.dialogs.open_other import chosen_config  # slow: formats of tokenizers

        try:
            host.open(chosen_config(opens) if isinstance(opens, tuple) else opens)
        except BpeError as error:
            self._refuse(str(error))

    def on_lines_nothing_to_choose(self, event: Lines.NothingToChoose) -> None:
        event.stop()

    def _refuse(self, why: str) -> None:
        tip = self.query_one("#tip", Static)
        tip.update(Content(visible_text(why, spaces=False)))
        tip.add_class("-refused")

"""The start page: what there is to open, for who has named nothing.

Lessons stand beside files; where there is little room, one list begins with the next lesson.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from bpe_tui.session.config import Config, RunConfig, Viewpoint
from bpe_tui.session.declarations import LESSON, START, Command
from bpe_tui.session.host import Host
from bpe_tui.session.lessons import (
    BuiltInLesson,
    LessonProgress,
    all_progress,
    builtin_lessons,
    key_of,
    next_lesson,
    samples,
)
from bpe_tui.session.state import GivenNames, as_typed, recent
from bpe_tui.styles import sheet
from bpe_tui.views.panel_screen import PanelScreen
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import Row, Span, left, spans_width
from bpe_tui.widgets.visible import visible_text
from engine.core.errors import BpeError

TITLE = "See how a text becomes tokens, one merge at a time."
TIP = "↑ ↓ choose, ↵ opens. In a shell, bpe-tui FILE opens a file, bpe-tui learn 3 a lesson."
RECENT_SHOWN = 6
NAME_CELLS = 26
LEAST_NOTE = 14
"""Cells for what a file is; with less it is left out."""


class MoreToOpen(Enum):
    """What opens a window with more to choose from."""

    ANY_FILE = "any file"
    ALL_LESSONS = "all lessons"


@dataclass(frozen=True)
class Offer:
    """Something to open.

    Attributes:
        name, note: what it is called, and what it is.
        opens: what opens it; a path is that of a lesson.
        place: the number of a lesson, and whether it is done.
    """

    name: str
    note: str
    opens: Config | GivenNames | Path | MoreToOpen
    place: Sequence[Span] = ()


@dataclass(frozen=True)
class OfferGroup:
    """Choices under a heading."""

    heading: str
    choices: Sequence[Offer]


def lesson_group() -> OfferGroup:
    """All lessons, with what is done."""
    progress = all_progress()
    return OfferGroup("Lessons", [_of_lesson(lesson, progress) for lesson in builtin_lessons()])


def _of_lesson(lesson: BuiltInLesson, progress: Mapping[str, LessonProgress]) -> Offer:
    mark = progress.get(key_of(lesson.path), LessonProgress()).mark
    place = [(f"{lesson.number:>2} ", "dim"), (f"{mark or ' '} ", "gain")]
    return Offer(visible_text(lesson.title, spaces=False), "", lesson.path, place)


def begin_group() -> OfferGroup:
    """Where there is little room: the next lesson, all of them, a file."""
    lesson, all_of_them = next_lesson(), len(builtin_lessons())
    title = visible_text(lesson.title, spaces=False)
    return OfferGroup(
        "Begin",
        [
            Offer(f"Next lesson: {lesson.number} {title}", "", lesson.path),
            Offer(f"All {all_of_them} lessons …", "", MoreToOpen.ALL_LESSONS),
            *_OWN.choices,
        ],
    )


_OWN = OfferGroup(
    "Your own", [Offer("Open a file …", "a text or a tokenizer", MoreToOpen.ANY_FILE)]
)


def file_groups() -> list[OfferGroup]:
    """Samples, and what was opened recently."""
    given_last = recent()[:RECENT_SHOWN]
    named = Counter(map(_names, given_last))
    of_late = [
        Offer(_names(given, with_folder=named[_names(given)] > 1), _folder(given), given)
        for given in given_last
    ]
    groups = [
        OfferGroup("Samples", [Offer(each.name, each.shows, config) for each, config in samples()]),
        OfferGroup("Opened recently", of_late),
    ]
    return [group for group in groups if group.choices]


def _names(given: GivenNames, with_folder: bool = False) -> str:
    """What files are called; with the folder if others are called so, too: `samples/a.txt`."""
    parts = 2 if with_folder else 1
    names = " and ".join(os.sep.join(name.split(os.sep)[-parts:]) or name for name in given)
    return visible_text(names, spaces=False)


def _folder(given: GivenNames) -> str:
    where = os.path.dirname(as_typed(given[:1]))
    return visible_text(f"in {where}" if where else "", spaces=False)


class OfferList(Lines):
    """Groups of choices, one below the other; the cursor passes over what is none."""

    def __init__(self, groups: Sequence[OfferGroup], id: str) -> None:
        super().__init__(id=id)
        self._shown: list[str | Offer] = []
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
        here = index == self.cursor and self.has_focus
        sign: Span = ("❯ " if here else "  ", "here")
        room = max(self.size.width - 2 - spans_width(shown.place), NAME_CELLS)
        has_note = shown.note and room - NAME_CELLS >= LEAST_NOTE
        cells = NAME_CELLS if has_note else room
        name = left([(shown.name, "strong" if here else "")], cells)
        note = left([(f"  {shown.note}", "dim")], room - cells)
        return Row([sign, *shown.place, *name, *note], shown)

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
    PANEL_ORDER = ("lessons", "files", "all")
    """The last has the place of the others where there is little room."""

    _numbered = False
    """Whether the last key was the number of a lesson, which a second digit may go on."""

    def compose_body(self) -> ComposeResult:
        yield Static(Content("bpe-tui"), id="title")
        yield Static(Content(TITLE), id="told")
        with Horizontal(id="columns"):
            yield OfferList([lesson_group()], "lessons")
            yield OfferList([*file_groups(), _OWN], "files")
            yield OfferList([begin_group(), *file_groups()], "all")
        yield Static(Content(TIP), id="tip")

    def on_mount(self) -> None:
        lessons = self.query_one("#lessons", OfferList)
        lessons.cursor = next_lesson().number  # below the heading
        self._focus_what_is_there()

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._focus_what_is_there)

    def _focus_what_is_there(self) -> None:
        if self.focused is None or not self.focused.display:
            self.show_panel(self.tab_order[0])
        self.show_keys()

    @property
    def tab_order(self) -> tuple[str, ...]:
        return tuple(name for name in self.PANEL_ORDER if self.query_one(f"#{name}").display)

    @property
    def is_ready(self) -> bool:
        """Nothing is open: the keys that work while something is read work here."""
        return False

    def _is_for_now(self, command: Command) -> bool:
        is_of_columns = command.action.startswith("screen.next_panel(")
        return super()._is_for_now(command) and (not is_of_columns or len(self.tab_order) > 1)

    def on_key(self, event: events.Key) -> None:
        """The number of a lesson goes to it: `7`, or `1` and `2` for the twelfth."""
        lessons = self.query_one("#lessons", OfferList)
        if event.key not in "0123456789" or not lessons.display:
            return
        said = f"{lessons.cursor}{event.key}" if self._numbered else event.key
        numbers = (int(number) for number in (said, event.key))
        number = next((each for each in numbers if 0 < each < lessons.row_count), None)
        self._numbered = number is not None
        if number is not None:
            event.stop()
            lessons.cursor = number  # below the heading
            self.show_panel("lessons")

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        host = cast("Host", self.app)
        assert isinstance(event.target, Offer)
        opens = event.target.opens
        if opens is MoreToOpen.ANY_FILE:
            host.action_open()
        elif opens is MoreToOpen.ALL_LESSONS:
            host.guide.choose()
        elif isinstance(opens, Path):
            host.guide.open(opens)
        else:
            self._open(opens)

    def _open(self, opens: Config | GivenNames) -> None:
        """Open a file; a sample goes to the lesson view, which shows how it is done."""
        from bpe_tui.dialogs.open_other import chosen_config  # slow: formats of tokenizers

        try:
            config = chosen_config(opens) if isinstance(opens, tuple) else opens
            if isinstance(opens, RunConfig):
                config = replace(opens, viewpoint=Viewpoint(view=LESSON))
            cast("Host", self.app).open(config)
        except BpeError as error:
            self._refuse(str(error))

    def on_lines_nothing_to_choose(self, event: Lines.NothingToChoose) -> None:
        event.stop()

    def _refuse(self, why: str) -> None:
        tip = self.query_one("#tip", Static)
        tip.update(Content(visible_text(why, spaces=False)))
        tip.add_class("-refused")

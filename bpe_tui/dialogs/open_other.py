"""Open another file, lately opened, by its path or by a walk; or train another model.

A list of our own rather than `textual-fspicker`: that one draws file names as they are, control
characters included, fails on files it may not look at, and offers no directories to open, which
some tokenizers are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from bpe_tui.session.config import (
    Claimed,
    Config,
    RunConfig,
    TokenizerConfig,
    tokenizer_over,
    why_not_checkable,
)
from bpe_tui.session.declarations import Model
from bpe_tui.session.models import MODELS
from bpe_tui.session.opening import config_for
from bpe_tui.session.state import GivenNames, as_reading, as_typed, parse_typed, recent
from bpe_tui.views.narration import first_fitting
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.numbers import plural, size
from bpe_tui.widgets.rows import Row, left, right, spans_width
from bpe_tui.widgets.visible import shorten, visible_text
from bpe_tui.widgets.window import Window
from engine.core.errors import BpeError
from engine.formats import is_tokenizer, open_tokenizer
from engine.text.corpus import PLAIN

# What is in a directory, to choose from.

LOOKED_AT = 5_000
"""Entries of a directory at the most; who has more types a part of the name."""


@dataclass(frozen=True)
class DirectoryEntry:
    """A file or a directory. `size` is a file's, in bytes; `None` of a directory."""

    path: str
    name: str
    size: int | None


def places_in(directory: str, beginning: str = "") -> list[DirectoryEntry]:
    """Directories, then plain files, by name; hidden ones only if their dot is typed.

    Raises:
        OSError: it is none, or nobody may look.
    """
    with os.scandir(directory) as entries:
        found = [
            place
            for entry in islice(entries, LOOKED_AT)
            if entry.name.startswith(beginning or "")
            and entry.name.startswith(".") <= beginning.startswith(".")
            and (place := _place(entry)) is not None
        ]
    return sorted(found, key=lambda place: (place.size is not None, place.name.lower()))


def _place(entry: os.DirEntry[str]) -> DirectoryEntry | None:
    """`None` for a device, a pipe, a link to nowhere."""
    try:
        if entry.is_dir():
            return DirectoryEntry(entry.path, entry.name, None)
        return (
            DirectoryEntry(entry.path, entry.name, entry.stat().st_size)
            if entry.is_file()
            else None
        )
    except OSError:
        return None


# What the window offers that opens something else: recent things and what is in a directory.

RECENT_SHOWN = 6
NAME_CELLS = 24
STEPS_SUFFIX = ".jsonl"
SIZE_CELLS = 9
ALL_OF_IT = ".  all files in it, as one corpus"


@dataclass(frozen=True)
class RowChoice:
    """A row: what it opens, or the directory that it leads into."""

    given: GivenNames = ()
    directory: str | None = None


ListedRow = tuple[str, str, RowChoice | None]
"""A row's text, what stands at its right, and what it leads to; `None`: it is but a heading."""


class PlaceRows(Lines):
    """The choices; the field above has the focus, and `▸` tells where the cursor is."""

    can_focus = False

    def __init__(self) -> None:
        super().__init__(id="place-rows")
        self._listed: list[ListedRow] = []

    def show(self, rows: list[ListedRow]) -> None:
        """Show other rows; the cursor goes to the first that leads anywhere."""
        self._listed = rows
        self.rebuild()
        self.cursor = next((place for place, row in enumerate(rows) if row[2] is not None), 0)
        self.scroll_to_row(0)

    @property
    def chosen(self) -> RowChoice | None:
        return self._listed[self.cursor][2] if self._listed else None

    @property
    def row_count(self) -> int:
        return len(self._listed)

    def row(self, index: int) -> Row:
        text, aside, choice = self._listed[index]
        here = index == self.cursor and choice is not None
        role = "dim" if choice is None else "strong" if here else ""
        room = max(self.size.width - SIZE_CELLS - 4, 8)
        spans = [("▸ " if here else "  ", "here"), *left([(text, role)], room)]
        return Row([*spans, right(aside, SIZE_CELLS, "dim")], choice)


def recent_rows(entries: Sequence[GivenNames]) -> list[ListedRow]:
    """What was opened recently, under a heading."""
    if not entries:
        return []
    rows: list[ListedRow] = [("recent", "", None)]
    for given in entries[:RECENT_SHOWN]:
        rows.append((_short(given), "", RowChoice(given)))
    return [*rows, ("", "", None)]


def _short(given: GivenNames) -> str:
    """The names first: where they lie matters less, and is cut off first."""
    names = " and ".join(os.path.basename(name) or name for name in given)
    where = os.path.dirname(as_typed(given[:1]))
    return visible_text(f"{names}  in {where}" if where else names, spaces=False)


def directory_rows(directory: str, beginning: str, *, walked: bool) -> list[ListedRow]:
    """What is in a directory and begins so, under its name; or why it cannot be listed.

    Of one that somebody has walked to, it and the one above can be chosen, too.
    """
    rows: list[ListedRow] = [(visible_text(as_typed((directory,)), spaces=False), "", None)]
    if walked and os.path.dirname(directory) != directory:
        rows.append(("..", "", RowChoice(directory=os.path.dirname(directory))))
    if walked:
        rows.append((ALL_OF_IT, "", RowChoice((directory,))))
    try:
        return [*rows, *map(_place_row, places_in(directory, beginning))]
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        return [*rows, (visible_text(str(why), spaces=False), "", None)]


def _place_row(place: DirectoryEntry) -> ListedRow:
    name = visible_text(place.name, spaces=False)
    if place.size is None:
        return f"{name}/", "", RowChoice(directory=place.path)
    return name, size(place.size), RowChoice((place.path,))


class ChosenFile(Enum):
    """What is to become of what is chosen, beside what is open now."""

    TOGETHER = "together with {}"
    ALONE = "alone"
    CHECK = "check its merges on {}"


class OpenOther(Window[Config | None]):
    """Gives back what to open, or `None`.

    Args:
        config: what is open now, and could stay.
        use: what is to become of what is chosen, unless somebody says otherwise.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "close"),
        Binding("up", "move(-1)", "up", priority=True, show=False),
        Binding("down", "move(1)", "down", priority=True, show=False),
        Binding("pageup", "move(-10)", "up", priority=True, show=False),
        Binding("pagedown", "move(10)", "down", priority=True, show=False),
        Binding("tab", "complete", "complete", priority=True, show=False),
        Binding("ctrl+k", "keep", "keep", priority=True, show=False),
    ]

    def __init__(self, config: Config | None, use: ChosenFile = ChosenFile.TOGETHER) -> None:
        super().__init__()
        self._config = config
        self._use = use
        self._recent = recent()
        self._directory = os.getcwd()

    def compose(self) -> ComposeResult:
        with Vertical(id="open-other", classes="window") as window:
            window.border_title = Content("open a tokenizer or a corpus")
            window.border_subtitle = Content("↑ ↓ · Tab completes · ↵ opens · Esc closes")
            placeholder = "a path, *.txt, https://…, a.jsonl --field text, vocab and merges"
            yield Field(placeholder=placeholder, id="dialog-input", compact=True)
            yield PlaceRows()
            yield Static(id="open-keep")
            yield Static(Content(""), id="dialog-hint")

    def on_mount(self) -> None:
        self.query_one(Input).focus()
        self._show_keep()
        self._show_rows()

    # -- what to choose from

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._say("")
        self._show_rows()

    def _show_rows(self) -> None:
        """Recent things and the directory walked to; once something is typed, what begins so."""
        typed = os.path.expanduser(self.query_one(Input).value)
        directory, beginning = os.path.split(typed)
        if typed:
            rows = directory_rows(directory or os.curdir, beginning, walked=False)
        else:
            rows = directory_rows(self._directory, "", walked=True)
            rows = [*recent_rows(self._recent), *rows]
        self.query_one(PlaceRows).show(rows)

    def action_move(self, by: int) -> None:
        self.query_one(PlaceRows).action_move(by)

    def action_complete(self) -> None:
        """Put the row under the cursor into the field."""
        choice = self.query_one(PlaceRows).chosen
        if choice is None:
            return
        given = as_typed(choice.given) if choice.directory is None else choice.directory + os.sep
        given = given.removeprefix(os.curdir + os.sep)
        if visible_text(given, spaces=False) != given:
            self._say("This name has characters that a field cannot hold; choose it with Enter.")
            return
        field = self.query_one(Input)
        field.value = given
        field.cursor_position = len(given)

    # -- what else stays open

    def action_keep(self) -> None:
        uses = self._uses
        self._use = uses[(uses.index(self._use) + 1) % len(uses)]
        self._show_keep()

    @property
    def _uses(self) -> list[ChosenFile]:
        """What can become of it."""
        if self._config is None or self._kept is None:
            return [self._use]
        checkable = why_not_checkable(self._config) is None
        return list(ChosenFile) if checkable else [ChosenFile.TOGETHER, ChosenFile.ALONE]

    @property
    def _kept(self) -> str | None:
        """What is open now and can stay beside what is chosen, in a word."""
        config = self._config
        if config is None or (isinstance(config, RunConfig) and config.from_input):
            return None
        return config.name

    def _show_keep(self) -> None:
        line = self.query_one("#open-keep", Static)
        line.display = self._kept is not None
        name = shorten(visible_text(self._kept or "", spaces=False), NAME_CELLS)
        uses = (each.value.format(name) for each in self._uses)
        chosen = self._use.value.format(name)
        said = " · ".join(f"[{use}]" if use == chosen else use for use in uses)
        line.update(Content(f"Ctrl+K  {said}"))

    # -- choosing

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        assert isinstance(event.target, RowChoice)
        self._choose(event.target)

    def on_lines_nothing_to_choose(self, event: Lines.NothingToChoose) -> None:
        event.stop()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter opens what is typed; where that is nothing whole, the row under the cursor."""
        event.stop()
        typed = event.value.strip()
        choice = self.query_one(PlaceRows).chosen
        path = os.path.expanduser(typed)
        if typed and os.path.isdir(path):
            self._choose(RowChoice(directory=os.path.abspath(path)))
        elif typed and (os.path.exists(path) or choice is None):
            self._choose(RowChoice(parse_typed(typed)))
        elif choice is not None:
            self._choose(choice)

    def _choose(self, choice: RowChoice) -> None:
        directory, open_now = choice.directory, self._config
        if directory is not None and not _holds_tokenizer(directory):
            self._directory = directory
            self.query_one(Input).value = ""
            self._show_rows()
            return
        given = choice.given or (directory or "",)
        if self._use is ChosenFile.CHECK and isinstance(open_now, RunConfig):
            self.dismiss(replace(open_now, claimed=Claimed(given, are_steps=_are_steps(given))))
            return
        try:
            config = chosen_config(given)
        except BpeError as error:
            self._say(visible_text(str(error), spaces=False), refused=True)
            return
        beside = open_now if self._use is ChosenFile.TOGETHER else None
        self.dismiss(config if beside is None else joined(config, beside))

    def _say(self, text: str, refused: bool = False) -> None:
        hint = self.query_one("#dialog-hint", Static)
        hint.update(Content(text))
        hint.set_class(refused, "-refused")


def _are_steps(given: GivenNames) -> bool:
    """Whether it is called like a file of steps, in lines of JSON."""
    return len(given) == 1 and given[0].endswith(STEPS_SUFFIX)


def _holds_tokenizer(directory: str) -> bool:
    try:
        return is_tokenizer(directory)
    except BpeError:
        return False


def chosen_config(given: GivenNames) -> Config:
    """What to open.

    Raises:
        BpeError: nothing is there that could be opened.
    """
    if len(given) == 1:
        name, reading = as_reading(given[0])
        config = config_for(RunConfig(name, reading=reading))
        if isinstance(config, RunConfig):
            config.open_corpus()
            return config
    else:
        config = TokenizerConfig(given)
    if not is_tokenizer(*config.paths):
        open_tokenizer(*config.paths)  # says what is wrong
    return config


def joined(chosen: Config, now: Config) -> Config:
    """What was chosen, together with what is open now: a tokenizer over a corpus."""
    if isinstance(chosen, RunConfig):
        return tokenizer_over(now, chosen) if isinstance(now, TokenizerConfig) else chosen
    if now.from_input:
        return replace(chosen, corpus=None, reading=PLAIN)
    return replace(chosen, corpus=now.corpus, reading=now.reading)


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
        room = self.size.width - spans_width(spans)
        clause = re.split("[,;]", model.summary)[0]
        return Row([*spans, (first_fitting(room, model.summary, clause), "dim")], model.name)


class ChooseModel(Window[str | None]):
    """Gives back the name of a model, or `None`."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "close")]

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

"""Windows to open another file, recent, typed or found in a directory; and to choose a model.

`textual-fspicker` would not do: it draws file names with their control characters, fails on
unreadable files, and offers no directories to open, which some tokenizers are.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from bpe_tui.session import samples
from bpe_tui.session.config import (
    Claimed,
    Config,
    RunConfig,
    TokenizerConfig,
    Viewpoint,
    why_not_checkable,
)
from bpe_tui.session.declarations import Model, TrainerChoice
from bpe_tui.session.models import MODELS, trainer_of, with_trainer
from bpe_tui.session.opening import config_for, split_tokenizers
from bpe_tui.session.state import GivenNames, as_reading, as_typed, parse_typed, recent
from bpe_tui.widgets.fields import Field, FieldOverRows
from bpe_tui.widgets.language import plural, tr, visible_message
from bpe_tui.widgets.lines import FoundRows, Lines
from bpe_tui.widgets.numbers import size
from bpe_tui.widgets.rows import Row, left, right, spans_width
from bpe_tui.widgets.visible import shorten, visible_text
from bpe_tui.widgets.window import Window
from bpe_tui.words.narration import first_fitting, name_of
from engine.core.errors import BpeError, TokenizerFileError
from engine.formats import is_tokenizer, open_tokenizer

# The rows of the window: recent files, and the entries of a directory

LOOKED_AT = 5_000
"""Most entries of a directory that are listed; for the others, type a part of the name."""
RECENT_SHOWN = 6
NAME_CELLS = 24
STEPS_SUFFIX = ".jsonl"
SIZE_CELLS = 9
ALL_OF_IT = ".  all files in it, as one corpus"
TOKENIZER_HERE = ".  the tokenizer in it"


@dataclass(frozen=True)
class RowChoice:
    """The target of a row: the files that it opens, or the directory that it lists."""

    given: GivenNames = ()
    directory: str | None = None


ListedRow = tuple[str, str, RowChoice | None]
"""A row's text, the text at its right, and its target; `None` for a heading."""


def _row_of(listed: ListedRow, cells: int) -> Row:
    text, aside, choice = listed
    size_cells = SIZE_CELLS if aside else 0
    role = "dim" if choice is None else ""
    spans = left([("  ", ""), (text, role)], max(cells - size_cells, 10))
    return Row([*spans, right(aside, size_cells, "dim")], choice)


def recent_rows(entries: Sequence[GivenNames]) -> list[ListedRow]:
    """Return the recently opened files, and the folder of samples, under a heading."""
    rows: list[ListedRow] = [(tr("recent"), "", None)] if entries else []
    for given in entries[:RECENT_SHOWN]:
        names = tr(" and ").join(os.path.basename(name) or name for name in given)
        where = os.path.dirname(as_typed(given[:1]))  # it matters less, and is cut off first
        text = names if not where else tr("{names}  in {where}", names=names, where=where)
        text = visible_text(text, spaces=False)
        rows.append((text, "", RowChoice(given)))
    samples_there = RowChoice(directory=str(samples.directory()))
    return [*rows, (tr("samples/  that come with bpe-tui"), "", samples_there), ("", "", None)]


def _holds_tokenizer(directory: str) -> bool:
    with contextlib.suppress(BpeError):
        return is_tokenizer(directory)
    return False


def directory_rows(directory: str, beginning: str, *, walked: bool) -> list[ListedRow]:
    """Return the entries of a directory with a `beginning`, or why it cannot be listed.

    The entry with exactly this name comes first, then directories, then plain files, by name;
    hidden ones only if their dot is typed. A directory that is typed whole leads to itself. If
    the user has walked to it, the directory itself and its parent are offered, too.
    """
    is_whole = not (walked or beginning) and os.path.isdir(directory)
    itself = RowChoice(directory=os.path.abspath(directory)) if is_whole else None
    rows: list[ListedRow] = [(visible_text(as_typed((directory,)), spaces=False), "", itself)]
    if walked and os.path.dirname(directory) != directory:
        rows.append(("..", "", RowChoice(directory=os.path.dirname(directory))))
    if walked:
        holds = tr(TOKENIZER_HERE if _holds_tokenizer(directory) else ALL_OF_IT)
        rows.append((holds, "", RowChoice((directory,))))
    found: list[tuple[os.DirEntry[str], int | None]] = []  # with the size of a file
    try:
        with os.scandir(directory) as entries:
            for entry in islice(entries, LOOKED_AT):
                is_hidden = entry.name.startswith(".") and not beginning.startswith(".")
                if is_hidden or not entry.name.startswith(beginning):
                    continue
                with contextlib.suppress(OSError):  # devices, pipes, dangling links are left out
                    if entry.is_dir():
                        found.append((entry, None))
                    elif entry.is_file():
                        found.append((entry, entry.stat().st_size))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        return [*rows, (visible_text(str(why), spaces=False), "", None)]
    exact = os.path.join(directory, beginning)
    if beginning and os.path.lexists(exact) and beginning not in (e.name for e, _ in found):
        # A dot, a pipe, a link to nothing, or an entry after the last that is looked at.
        is_directory = os.path.isdir(exact)
        choice = (
            RowChoice(directory=os.path.abspath(exact)) if is_directory else RowChoice((exact,))
        )
        rows.append((visible_text(beginning, spaces=False), "", choice))

    def place(entry: tuple[os.DirEntry[str], int | None]) -> tuple[bool, bool, str]:
        name = entry[0].name
        return name != beginning, entry[1] is not None, name.lower()

    for entry, amount in sorted(found, key=place):
        name = visible_text(entry.name, spaces=False)
        if amount is None:
            rows.append((f"{name}/", "", RowChoice(directory=entry.path)))
        else:
            rows.append((name, size(amount), RowChoice((entry.path,))))
    return rows


class ChosenFile(Enum):
    """How to use the chosen file beside the open one."""

    TOGETHER = "together with {}"
    ALONE = "alone"
    COMPARE = "side by side with {}"
    CHECK = "check its merges on {}"


OPENS, OPENS_SECOND = "open a tokenizer or a corpus", "a second tokenizer, side by side"
WITH_TEXT = "a tokenizer over {}, a text alone"
"""The meaning of `TOGETHER` beside a corpus."""


class ToCompare(NamedTuple):
    """The files of a tokenizer, to be compared with the open one."""

    paths: GivenNames


Chosen = Config | ToCompare | None
"""The config to open, what to compare, or `None` for neither."""


class OpenOther(FieldOverRows[Chosen]):
    """The window to open another file.

    Args:
        config: the open config, which can be combined with the chosen file.
        use: how to use the chosen file at first.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "close"),
        Binding("tab", "complete", "complete", priority=True, show=False),
        Binding("ctrl+k", "keep", "keep", priority=True, show=False),
    ]

    def __init__(self, config: Config | None, use: ChosenFile = ChosenFile.TOGETHER) -> None:
        super().__init__()
        self._config, self._use = config, use
        self._recent, self._directory = recent(), os.getcwd()
        self._uses, self._kept = [use], ""
        self._listed: list[ListedRow] = []
        if config is not None and not (isinstance(config, RunConfig) and config.from_input):
            self._uses = [ChosenFile.TOGETHER, ChosenFile.ALONE]
            if isinstance(config, RunConfig):  # beside a tokenizer, together is side by side
                self._uses.append(ChosenFile.COMPARE)
            if why_not_checkable(config) is None:
                self._uses.append(ChosenFile.CHECK)
            self._kept = shorten(visible_text(config.name, spaces=False), NAME_CELLS)

    def compose(self) -> ComposeResult:
        with Vertical(id="open-other", classes="window") as window:
            title = OPENS_SECOND if self._use is ChosenFile.COMPARE else OPENS
            window.border_title = Content(tr(title))
            window.border_subtitle = Content(tr("↑ ↓ │ Tab completes │ ↵ opens │ Esc closes"))
            placeholder = tr("a path, *.txt, a.jsonl --field text, vocab and merges")
            yield Field(placeholder=placeholder, id="dialog-input", compact=True)
            yield FoundRows("place-rows", self._rows)
            yield Static(id="open-keep")
            yield Static(Content(""), id="dialog-hint")

    def on_mount(self) -> None:
        self._show_uses()
        self._show_rows()

    # -- the rows

    def _rows(self, cells: int) -> list[Row]:
        return [_row_of(each, cells) for each in self._listed]

    def on_input_changed(self) -> None:
        self._say("")
        self._show_rows()

    def _show_rows(self) -> None:
        """List recent files and the present directory, or the files that begin as typed."""
        typed = os.path.expanduser(_without_blanks(self.query_one(Input).value))
        directory, beginning = os.path.split(typed)
        if typed:
            rows = directory_rows(directory or os.curdir, beginning, walked=False)
        else:
            rows = directory_rows(self._directory, "", walked=True)
            rows = [*recent_rows(self._recent), *rows]
        self._listed = rows
        self.query_one(FoundRows).find_again()

    def action_complete(self) -> None:
        """Put the row under the cursor into the field."""
        choice = self.found_rows.target
        if not isinstance(choice, RowChoice):
            return
        given = as_typed(choice.given) if choice.directory is None else choice.directory + os.sep
        given = given.removeprefix(os.curdir + os.sep)
        if visible_text(given, spaces=False) != given:
            self._say("This name has characters that a field cannot hold; choose it with Enter.")
            return
        field = self.query_one(Input)
        field.value = given
        field.cursor_position = len(given)

    # -- the use of the chosen file

    def action_keep(self) -> None:
        self._use = self._uses[(self._uses.index(self._use) + 1) % len(self._uses)]
        self._show_uses()

    def _show_uses(self) -> None:
        line = self.query_one("#open-keep", Static)
        line.display = bool(self._kept)
        shown = []
        for use in self._uses:
            over_text = use is ChosenFile.TOGETHER and isinstance(self._config, RunConfig)
            text = tr(WITH_TEXT if over_text else use.value).format(self._kept)
            shown.append(f"[{text}]" if use is self._use else text)
        line.update(Content(tr("Ctrl+K  {shown}", shown=" │ ".join(shown))))

    # -- choosing

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        assert isinstance(event.target, RowChoice)
        self._choose(event.target)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Open the row under the cursor, or what is typed if no file begins so."""
        event.stop()
        choice = self.found_rows.target
        if isinstance(choice, RowChoice):
            self._choose(choice)
        elif event.value:
            self._choose(RowChoice(parse_typed(_without_blanks(event.value))))

    def _choose(self, choice: RowChoice) -> None:
        directory, open_now = choice.directory, self._config
        if directory is not None and not _holds_tokenizer(directory):
            self._directory = directory
            self.query_one(Input).value = ""
            self._show_rows()
            return
        given = choice.given or (directory or "",)
        if self._use is ChosenFile.CHECK and isinstance(open_now, RunConfig):
            are_steps = len(given) == 1 and given[0].endswith(STEPS_SUFFIX)
            self.dismiss(replace(open_now, claimed=Claimed(given, are_steps=are_steps)))
            return
        beside = open_now if self._use is ChosenFile.TOGETHER else None
        try:
            if self._use is ChosenFile.COMPARE:
                self.dismiss(chosen_second(given))
            else:
                self.dismiss(
                    chosen_config(given) if beside is None else chosen_beside(given, beside)
                )
        except BpeError as error:
            self._say(visible_message(error), refused=True)

    def _say(self, text: str, refused: bool = False) -> None:
        hint = self.query_one("#dialog-hint", Static)
        hint.update(Content(text))
        hint.set_class(refused, "-refused")


def _without_blanks(typed: str) -> str:
    """Return what is typed without blanks at its ends, unless it is blanks only."""
    return typed.strip() or typed


def chosen_config(given: GivenNames) -> Config:
    """Return the config that opens the chosen files.

    Raises:
        BpeError: the files cannot be opened.
    """
    paths, second = split_tokenizers(given)
    config: Config = TokenizerConfig(paths, beside=second)
    if len(given) == 1:
        name, reading = as_reading(given[0])
        config = config_for(RunConfig(name, reading=reading))
    if isinstance(config, RunConfig):
        config.open_corpus()
    elif not is_tokenizer(*config.paths):
        open_tokenizer(*config.paths)  # raises the error
    return config


def chosen_second(given: GivenNames) -> ToCompare:
    """Return the chosen files as a tokenizer to compare with.

    Raises:
        BpeError: they are none.
    """
    config = chosen_config(given)
    if not isinstance(config, TokenizerConfig):
        raise TokenizerFileError(f"{as_typed(given)}: is no tokenizer")
    return ToCompare(config.paths)


def chosen_beside(given: GivenNames, beside: Config) -> Config | ToCompare:
    """Return what the chosen files and the open config are together.

    A tokenizer goes over a corpus, and is compared with another tokenizer. A corpus opens alone
    beside another one.

    Raises:
        BpeError: the files cannot be opened.
    """
    config = chosen_config(given)
    if isinstance(config, TokenizerConfig):
        if isinstance(beside, TokenizerConfig) and not config.beside:
            return ToCompare(config.paths)
        if isinstance(beside, TokenizerConfig) or beside.from_input:  # it cannot be read again
            return config
        return replace(config, corpus=beside.corpus, reading=beside.reading)
    if isinstance(beside, TokenizerConfig):
        return replace(beside, corpus=config.corpus, reading=config.reading, otherwise=None)
    return config


TITLE_CELLS = len("Unigram, textbook  ")


class ModelRows(Lines):
    """The models, each with its trainers if these learn by different rules.

    A mark is at the present one.
    """

    def __init__(self, present: RunConfig) -> None:
        super().__init__(id="model-rows")
        self._models: list[tuple[Model, TrainerChoice | None]] = [
            (model, trainer) for model in MODELS.values() for trainer in model.trainers or (None,)
        ]
        self._present = self._models.index((MODELS[present.model], trainer_of(present)))
        self.styles.height = self.row_count
        self.cursor = self._present

    @property
    def row_count(self) -> int:
        return len(self._models)

    def row(self, index: int) -> Row:
        model, trainer = self._models[index]
        shown, here = trainer or model, index == self._present
        title = [(tr(shown.title), "strong" if here else "")]
        spans = [("● " if here else "○ ", "here"), *left(title, TITLE_CELLS)]
        room = self.size.width - spans_width(spans)
        whole = tr(shown.summary)
        summary = (first_fitting(room, whole, re.split("[,;，；]", whole)[0]), "dim")
        return Row([*spans, summary], (model.name, trainer))


class ChooseModel(Window[RunConfig | None]):
    """The window to choose a model; returns the config that trains it, or `None` for no other."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "close")]

    def __init__(self, config: RunConfig) -> None:
        super().__init__()
        self._config = config

    def compose(self) -> ComposeResult:
        with Vertical(id="choose-model", classes="window") as window:
            window.border_title = Content(tr("choose a model"))
            window.border_subtitle = Content(tr("↑ ↓ │ ↵ trains another │ Esc closes"))
            yield ModelRows(self._config)
            name = name_of(self._config)
            asked = self._config.vocab_size
            present = trainer_of(self._config)
            in_grams = present is not None and present.units
            if asked is None or in_grams:
                to_size = tr("its usual size")
            else:
                to_size = tr("at most {tokens}", tokens=plural(asked, "token"))
            template = (
                "Another is trained on {name}, to {to_size}. The run on the screen is kept: "
                "I leads back to it."
            )
            yield Static(Content(tr(template, name=name, to_size=to_size)), id="dialog-hint")

    def on_mount(self) -> None:
        self.query_one(ModelRows).focus()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        assert isinstance(event.target, tuple)
        model, trainer = event.target
        is_other = (model, trainer) != (self._config.model, trainer_of(self._config))
        config = with_trainer(self._config, model, trainer)
        self.dismiss(replace(config, claimed=None, viewpoint=Viewpoint()) if is_other else None)

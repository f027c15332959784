"""The start page, which offers lessons and files if the command line names nothing.

The lists of lessons and files are side by side; a small screen shows one of them.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from bpe_tui.session import lessons, samples
from bpe_tui.session.config import Config
from bpe_tui.session.declarations import START
from bpe_tui.session.host import Host
from bpe_tui.session.languages import following_language, own_name
from bpe_tui.session.state import GivenNames, as_typed, recent
from bpe_tui.shell.panel_screen import PanelScreen
from bpe_tui.styles import sheet
from bpe_tui.widgets.language import spoken, tr, visible_message
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import Row, Span, cursor_sign, left, spans_width
from bpe_tui.widgets.visible import visible_text
from engine.core.errors import BpeError

TITLE = "See how a text becomes tokens, one merge at a time."
TIP = "↑ ↓ choose, ↵ opens. In a shell: bpe-tui FILE, or bpe-tui learn 3."
RECENT_SHOWN = 6
NAME_CELLS = 24
FEWEST_BESIDE = 7
"""Rows above and below the lists on a low screen."""
MORE_IF_SLIM = 2
"""More rows beside the lists if only one is shown: their names, and the second one of the tip."""
LEAST_NOTE = 14
"""Least width of the note about a file, in cells; with less room it is left out."""


@dataclass(frozen=True)
class Offer:
    """Something to open.

    Attributes:
        name, note: its name, and a description in a few words.
        opens: the config, the names or the lesson's path that it opens; `None` for any file.
        sign: the number of a lesson, and its progress.
    """

    name: str
    note: str
    opens: Config | GivenNames | Path | None
    sign: Sequence[Span] = ()


ANY_FILE = Offer("Open a file …", "a text or a tokenizer", None)


def lesson_offers() -> list[Offer | str]:
    """Return an offer for each lesson, with its progress, and a heading among them."""
    progress = lessons.all_progress()
    offers: list[Offer | str] = []
    for lesson in lessons.builtin_lessons(spoken()):
        if lesson.number == lessons.FIRST_OF_MORE:
            offers.append("More lessons")
        known = progress.get(lessons.progress_key(lesson.path), lessons.LessonProgress())
        sign = [(f"{lesson.number:>2} ", "dim"), (f"{known.mark or ' '} ", "gain")]
        title = visible_text(lesson.title, spaces=False)
        title += tr(", mastered") if known.mastered else ""
        offers.append(Offer(title, "", lesson.path, sign))
    return offers


def file_offers() -> list[Offer | str]:
    """Return the samples, the recently opened files, and any other, under their headings."""
    given_last = recent()[:RECENT_SHOWN]
    named = Counter(map(_names, given_last))
    latest = []
    for given in given_last:
        where = os.path.dirname(as_typed(given[:1]))
        note = visible_text(tr("in {where}", where=where) if where else "", spaces=False)
        latest.append(Offer(_names(given, with_folder=named[_names(given)] > 1), note, given))
    of_samples = [Offer(sample.name, sample.shows, config) for sample, config in samples.samples()]
    opened: list[Offer | str] = ["", "Opened recently", *latest] if latest else []
    return ["Samples", *of_samples, *opened, "", "Your own", ANY_FILE]


def _names(given: GivenNames, with_folder: bool = False) -> str:
    """Return file names, with their folder if others have the same name: `samples/a.txt`."""
    parts = 2 if with_folder else 1
    names = tr(" and ").join(os.sep.join(name.split(os.sep)[-parts:]) or name for name in given)
    return visible_text(names, spaces=False)


class OfferList(Lines):
    """Offers under their headings, which the cursor skips."""

    PASSES_TEXT = True

    def __init__(self, shown: Sequence[Offer | str], id: str) -> None:
        super().__init__(id=id)
        self._shown = shown
        self.set_reactive(Lines.cursor, 1)

    @property
    def row_count(self) -> int:
        return len(self._shown)

    def row(self, index: int) -> Row:
        shown = self._shown[index]
        if isinstance(shown, str):
            return Row([(tr(shown), "strong")])
        here = index == self.cursor and self.has_focus
        cells = self.scrollable_content_region.width - 2  # beside the cursor's sign
        room = max(cells - spans_width(shown.sign), NAME_CELLS)
        has_note = shown.note and room - NAME_CELLS >= LEAST_NOTE
        cells = NAME_CELLS if has_note else room
        name = left([(tr(shown.name), "strong" if here else "")], cells)
        note = left([(f"  {tr(shown.note)}", "dim")], room - cells)
        return Row([cursor_sign(here), *shown.sign, *name, *note], shown)

    def go_to(self, lesson: Path) -> None:
        """Put the cursor on the offer of a lesson, if there is one."""
        for row, shown in enumerate(self._shown):
            if isinstance(shown, Offer) and shown.opens == lesson:
                self.cursor = row

    def action_move(self, by: int) -> None:
        super().action_move(by)
        if self.cursor == 1:
            self.scroll_to_row(0)  # the heading


class StartPage(PanelScreen):
    """The start page; it is shown again if the user stops the opening of a file."""

    NAME = START
    CSS_PATH = sheet("start.tcss")
    PANEL_ORDER = SLOT = ("lessons", "files")
    TAKES_TURNS = True
    HIDDEN: ClassVar[Mapping[str, str]] = {"lessons": "lessons", "files": "files"}

    is_ready = False
    """Always False: here only the keys work that work while a corpus is read."""
    _typed: lessons.BuiltInLesson | None = None
    """The lesson whose number was typed last, which another digit may continue."""

    def compose_body(self) -> ComposeResult:
        yield Static(Content(f"bpe-tui   l {own_name(following_language())}"), id="title")
        yield Static(Content(tr(TITLE)), id="tagline")
        yield Static(id="panel-names")
        with Horizontal(id="columns"):
            yield OfferList(["Lessons", *lesson_offers()], "lessons")
            yield OfferList(file_offers(), "files")
        yield Static(Content(tr(TIP)), id="tip")

    def on_mount(self) -> None:
        self.query_one("#lessons", OfferList).go_to(lessons.next_lesson().path)
        self.show_panel("lessons")
        self._fit()  # before anything is painted

    def on_resize(self) -> None:
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        """Show the title if the lists leave room for it."""
        rows = max(each.row_count for each in self.query(OfferList))
        rows += MORE_IF_SLIM * self.has_class("-slim")
        self.set_class(self.size.height < rows + FEWEST_BESIDE, "-tight")

    def action_forward(self, by: int) -> None:
        self.action_next_panel(by)

    def on_key(self, event: events.Key) -> None:
        """Go to a lesson by its number: `7`, or `1` and `2` for the twelfth."""
        rows = self.query_one("#lessons", OfferList)
        self._typed = lessons.lesson_typed(self._typed, event.key) if rows.display else None
        if self._typed is not None:
            event.stop()
            rows.go_to(self._typed.path)
            self.show_panel("lessons")

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        host = cast("Host", self.app)
        assert isinstance(event.target, Offer)
        opens = event.target.opens
        if opens is None:
            host.action_open()
        elif isinstance(opens, Path):
            host.guide.open(opens)
        else:
            from bpe_tui.dialogs.open_other import chosen_config  # slow: formats of tokenizers

            try:
                config = chosen_config(opens) if isinstance(opens, tuple) else opens
                host.open(config)
            except BpeError as error:
                tip = self.query_one("#tip", Static)
                tip.update(Content(visible_message(error)))
                tip.add_class("-refused")

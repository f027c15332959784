"""The text of a scene beside the live screen, above it, or over it, depending on the room."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, cast

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Static

from bpe_tui.views.panel_screen import LEAST_WIDTH, PanelScreen
from bpe_tui.widgets.controls import FooterKey, KeyBar
from bpe_tui.widgets.lines import RowList
from bpe_tui.widgets.rows import Row, Span, wrapped
from bpe_tui.widgets.visible import shorten, visible_text
from engine.learning.lesson import Lesson, Paragraph, Scene

LEAST_CELLS, MOST_CELLS = 36, 60
"""Least and largest width of the text beside the screen."""
SHARE = 0.36
"""The text's share of the terminal's width."""
LIVE_ROWS = 22
"""Rows that the screen needs below the text."""
LEAST_ROWS, MOST_ROWS = 10, 16
"""Least and largest height of the text above the screen."""

ROLES = {"": "", "strong": "strong", "emphasis": "strong", "code": "here"}
"""Style of a text → its role."""


ATOMS = r"\s+|[⺀-鿿豈-﫿＀-￯][，。、：；！？）」』”’]*|[^\s⺀-鿿豈-﫿＀-￯]+"
"""Pattern of blanks, a Chinese character with the signs that cannot begin a line, or a word.

It takes 4 ms to compile, and the first frame has no lesson.
"""


class LessonText(RowList):
    """The text of a scene."""

    can_focus = False
    scene: Scene | None = None

    def rebuild(self) -> None:
        if self.scene is not None and self.size.width:
            self._rows = list(rows_of(self.scene, self.size.width - 1))
        super().rebuild()


def panes_of(screen: Screen[Any]) -> list[LessonPane]:
    """Return the open panes of a screen: one if a lesson is open, else none."""
    return [pane for pane in screen.query(LessonPane) if not pane.is_closed]


class LessonPane(Vertical):
    """A scene's text and its keys.

    Attributes:
        covers: whether the text covers the screen, as there is no room for both.
        is_closed: whether it is being removed, which takes a moment.
    """

    def __init__(self, lesson: Lesson, place: int, asks: bool) -> None:
        super().__init__(classes="lesson-pane")
        self._lesson, self._place, self._asks = lesson, place, asks
        self.covers = False
        self.is_closed = False

    def compose(self) -> ComposeResult:
        yield Static(id="lesson-title")
        yield Static(id="scene-title")
        yield LessonText("scene-text")
        yield KeyBar()

    def on_mount(self) -> None:
        self.watch(self.screen, "focused", self._show_keys)
        self._show_scene()

    @property
    def _panels(self) -> PanelScreen:
        return cast("PanelScreen", self.screen)

    def show(self, lesson: Lesson, place: int, asks: bool) -> None:
        """Show a scene of a lesson; `asks` says whether it has questions left."""
        is_new = (lesson, place) != (self._lesson, self._place)
        self._lesson, self._place, self._asks = lesson, place, asks
        if self.query(LessonText):  # else `on_mount` will do it
            self.display = True
            self._show_scene(is_new)

    def _show_scene(self, is_new: bool = True) -> None:
        if is_new:
            text = self.query_one(LessonText)
            text.scene = self._lesson.scenes[self._place]
            text.rebuild()
            text.scroll_to(y=0, animate=False)
        self.fit()
        self._show_keys()

    def fit(self) -> None:
        """Take the text's share of a terminal of this size."""
        full = self.app.size
        beside = max(LEAST_CELLS, min(round(full.width * SHARE), MOST_CELLS))
        rows = min(full.height - LIVE_ROWS, MOST_ROWS)
        is_beside = full.width - beside >= LEAST_WIDTH
        self.covers = not is_beside and rows < LEAST_ROWS
        taken = Size(beside, 0) if is_beside else Size(0, 0 if self.covers else rows)
        self.styles.split = "left" if is_beside else "top"
        self.styles.width = taken.width or "100%"
        self.styles.height = (full.height if self.covers else taken.height) or "100%"
        self._panels.give_room(taken)
        self._panels.set_class(self.covers and self.display, "-covered")
        self.set_class(is_beside, "-beside")
        # The titles depend on the width.
        scenes = self._lesson.scenes
        width = (self.styles.width.cells or self.app.size.width) - 3 if self.styles.width else 30
        of = f"{self._place + 1} of {len(scenes)}"
        title = visible_text(self._lesson.title, spaces=False)
        between = "  " if len(title) + len(of) + 2 <= width else "\n"
        heading = f"{shorten(title, width)}{between}{of}"
        self.query_one("#lesson-title", Static).update(Content(heading))
        scene = visible_text(scenes[self._place].title, spaces=False)
        self.query_one("#scene-title", Static).update(Content(scene))

    def fold(self) -> None:
        """Hide a text that covers the screen."""
        self.display = False
        self._panels.set_class(False, "-covered")

    def close(self) -> None:
        """Remove the text."""
        self.is_closed = True
        self._panels.set_class(False, "-covered")
        self._panels.give_room(Size(0, 0))
        self.remove()

    def scroll_on(self) -> bool:
        """Scroll to the rest of the text; return whether there was more."""
        text = self.query_one(LessonText)
        if not self.display or text.scroll_offset.y >= text.max_scroll_y:
            return False
        text.scroll_page_down(animate=False)
        return True

    def _show_keys(self) -> None:
        typing = "Ctrl+" if self._panels.is_typing else ""
        back = "screen" if self.covers else "scene"
        keys = [
            FooterKey(f"{typing}B", "back", "app.scene(-1)"),
            FooterKey("⌫", back, "app.scene(0)"),
            FooterKey(f"{typing}N", "asks" if self._asks else "next", "app.scene(1)"),
            FooterKey("L", "list", "app.lessons"),
        ]
        self.query_one(KeyBar).keys = [key for key in keys if not typing or key.shown[0] == "C"]


# -- the text in lines


def rows_of(scene: Scene, cells: int) -> Iterator[Row]:
    """Yield the text of a scene in lines of at most `cells` cells."""
    for before, paragraph in pairwise((None, *scene.paragraphs)):
        assert paragraph is not None
        if before is not None and not (before.mark and paragraph.mark):
            yield Row([])
        if paragraph.is_code:
            for text in paragraph.text.split("\n"):
                yield Row([("  ", ""), (visible_text(text, spaces=False), "here")])
            continue
        mark = f"{paragraph.mark} " if paragraph.mark else ""
        for place, line in enumerate(wrapped(_words(paragraph), cells - len(mark))):
            yield Row([(mark if place == 0 else " " * len(mark), "dim"), *line])


def _words(paragraph: Paragraph) -> list[list[Span]]:
    """Return the unbreakable words of a paragraph, each with the blanks after it."""
    words: list[list[Span]] = [[]]
    ends = False
    for text, style in paragraph.words:
        for atom in re.findall(ATOMS, text):
            is_blank = atom.isspace()
            if not is_blank and (ends or atom[0] > "⺀"):
                words.append([])
            shown = " " if is_blank else visible_text(atom, spaces=False)
            words[-1].append((shown, ROLES[style]))
            ends = is_blank or atom[0] > "⺀"
    return [word for word in words if word]

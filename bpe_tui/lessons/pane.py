"""The text of a scene beside the live screen, above it, or over it, depending on the room."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, cast

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.widgets import Static

from bpe_tui.shell.panel_screen import IN_LESSON, PanelScreen
from bpe_tui.shell.screen_room import COMPACT_BELOW, LEAST_WIDTH
from bpe_tui.widgets.controls import FooterKey, KeyBar
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.lines import RowList
from bpe_tui.widgets.rows import Row, Span, words_in, wrapped
from bpe_tui.widgets.visible import shorten, visible_prose, visible_text, width
from engine.learning.lesson import Lesson, Paragraph, Scene

LEAST_CELLS, MOST_CELLS = 36, 60
"""Least and largest width of the text beside the screen."""
SHARE = 0.36
"""The text's share of the terminal's width."""
COMPACT_ROWS = 16
"""Rows that the compact screen needs below the text."""
LEAST_LINES = 4
"""Least number of lines of text above the screen."""
BARS = 2
"""Rows of the title and the keys, if the text is above the screen."""

LONGEST_UNBROKEN = 16
"""Cells of the longest code, such as a word or a key, that stays in one line."""
INDENT = "  "
"""The indent of each paragraph of a dense text but the first."""

ROLES = {"": "", "strong": "strong", "emphasis": "strong", "code": "here"}
"""Style of a text → its role."""
CLOSING = "，。：；、！？）」”"
"""Chinese signs that cannot begin a line."""


class LessonText(RowList):
    """The text of a scene; a dense one has no blank lines between paragraphs."""

    can_focus = False
    scene: Scene | None = None
    is_dense = False

    def rebuild(self) -> None:
        if self.scene is not None and self.size.width:
            self._rows = list(rows_of(self.scene, self.size.width - 1, self.is_dense))
        super().rebuild()

    def on_resize(self) -> None:
        super().on_resize()
        if isinstance(self.parent, LessonPane):  # it has none once the screen is gone
            self.parent.show_keys()  # there may be more text, or none, below


def panes_of(screen: Screen[Any]) -> list[LessonPane]:
    """Return the open panes of a screen: one if a lesson is open, else none."""
    return [pane for pane in screen.query(LessonPane) if not pane.is_closed]


def live_region(screen: PanelScreen) -> Region:
    """Return a screen's part of the terminal; all of it if the text covers it."""
    for pane in panes_of(screen):
        pane.fit()  # the terminal may have a new size, which only a window in front knows
    return Region(*screen.room.taken, *(screen.app.size - screen.room.taken))


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
        self._has_keys = True

    def compose(self) -> ComposeResult:
        yield Static(id="lesson-title")
        yield Static(id="scene-title")
        yield LessonText("scene-text")
        yield KeyBar()

    def on_mount(self) -> None:
        self.watch(self.screen, "focused", self.show_keys)
        self.screen.add_class(IN_LESSON)
        self._show_scene()

    @property
    def _panels(self) -> PanelScreen:
        return cast("PanelScreen", self.screen)

    def show(self, lesson: Lesson, place: int, asks: bool) -> None:
        """Show a scene of a lesson; `asks` says whether it has questions left."""
        is_new = (lesson, place) != (self._lesson, self._place)
        self._lesson, self._place, self._asks = lesson, place, asks
        self._has_keys = True
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
        self.show_keys()
        # Once its height is known: a screen that comes to the front does not tell it.
        self.call_after_refresh(self.query_one(LessonText).on_resize)

    def fit(self) -> None:
        """Take the text's share of a terminal of this size."""
        full = self.app.size
        beside = max(LEAST_CELLS, min(round(full.width * SHARE), MOST_CELLS))
        is_beside = full.width - beside >= LEAST_WIDTH
        scene, text = self._lesson.scenes[self._place], self.query_one(LessonText)
        spaced, dense = (
            sum(1 for _ in rows_of(scene, full.width - 3, is_dense)) for is_dense in (False, True)
        )
        has_all = spaced + BARS + COMPACT_BELOW <= full.height
        lines = spaced if has_all else min(dense, full.height - COMPACT_ROWS - BARS)
        self.covers = not is_beside and full.height - COMPACT_ROWS - BARS < LEAST_LINES
        is_above = not is_beside and not self.covers
        taken = Size(beside if is_beside else 0, lines + BARS if is_above else 0)
        self.styles.split = "left" if is_beside else "top"
        self.styles.width = taken.width or "100%"
        self.styles.height = (full.height if self.covers else taken.height) or "100%"
        if text.is_dense != (is_above and not has_all):
            text.is_dense = not text.is_dense
            text.rebuild()
        self._panels.room.give(taken)
        self._panels.set_class(self.covers and self.display, "-covered")
        self.set_class(is_beside, "-beside")
        self.set_class(is_above, "-above")
        self._show_titles((taken.width or full.width) - 3, is_above)

    def _show_titles(self, cells: int, in_one_line: bool) -> None:
        """Show the titles of the lesson and the scene, in one line or one below the other."""
        place, last = str(self._place + 1), str(len(self._lesson.scenes))
        of = tr("{n} of {last}", n=place, last=last)
        scene = visible_text(self._lesson.scenes[self._place].title, spaces=False)
        title = visible_text(self._lesson.title, spaces=False)
        beside = scene if in_one_line else ""
        heading = heading_of(title, of, beside, cells)
        self.query_one("#lesson-title", Static).update(Content(heading))
        self.query_one("#scene-title", Static).update(Content(scene))

    def give_keys_away(self) -> None:
        """Show no keys until a scene is shown again: a window has them."""
        self._has_keys = False
        if self.query(KeyBar):
            self.show_keys()

    def fold(self) -> None:
        """Hide a text that covers the screen."""
        self._panels.room.uncover()

    def close(self) -> None:
        """Remove the text."""
        self.is_closed = True
        self._panels.remove_class("-covered", IN_LESSON)
        self._panels.room.give(Size(0, 0))
        self._panels.show_alone(None)
        self.remove()

    @property
    def has_more(self) -> bool:
        """Whether the text goes on below."""
        text = self.query_one(LessonText)
        return self.display and text.scroll_offset.y < text.max_scroll_y

    def scroll_on(self) -> bool:
        """Scroll to the rest of the text; return whether there was more."""
        if not self.has_more:
            return False
        self.query_one(LessonText).scroll_page_down(animate=False)
        self.call_after_refresh(self.show_keys)
        return True

    def show_keys(self) -> None:
        """Show the keys that do something here."""
        if not self._has_keys:
            self.query_one(KeyBar).keys = ()
            return
        typing = tr("Ctrl+") if self._panels.is_typing else ""
        back = "screen" if self.covers else "scene"
        onward = "more" if self.has_more else "asks" if self._asks else "next"
        keys = [
            FooterKey(shown, tr(label), action)
            for shown, label, action in (
                (f"{typing}B", "back", "app.scene(-1)"),
                ("⌫", back, "app.jump_back"),
                (f"{typing}N", onward, "app.scene(1)"),
                ("L", "list", "app.lessons"),
            )
        ]
        self.query_one(KeyBar).keys = [key for key in keys if not typing or key.shown[0] == "C"]


def heading_of(title: str, of: str, scene: str, cells: int) -> str:
    """Return the line before the title of a scene beside it; without one, the lines above it.

    >>> [heading_of("Title", "1 of 3", scene, cells) for scene, cells in (("Scene", 20), ("", 13))]
    ['Title  1 of 3  ', 'Title  1 of 3']
    >>> [heading_of("Title", "1 of 3", scene, cells) for scene, cells in (("Scene", 19), ("", 12))]
    ['1 of 3  ', 'Title\\n1 of 3']
    """
    heading = f"{title}  {of}"
    if scene:
        return f"{heading if width(heading) + 2 + width(scene) <= cells else of}  "
    return heading if width(heading) <= cells else f"{shorten(title, cells)}\n{of}"


# -- the text in lines


def rows_of(scene: Scene, cells: int, is_dense: bool = False) -> Iterator[Row]:
    """Yield the text of a scene in lines of at most `cells` cells.

    Args:
        is_dense: whether paragraphs have an indent in place of a blank line between them.
    """
    for before, paragraph in pairwise((None, *scene.paragraphs)):
        assert paragraph is not None
        if before is not None and not is_dense and not (before.mark and paragraph.mark):
            yield Row([])
        if paragraph.is_code:
            for text in paragraph.text.split("\n"):
                yield Row([("  ", ""), (visible_prose(text), "here")])
            continue
        mark = f"{paragraph.mark} " if paragraph.mark else ""
        words = _words(paragraph)
        if is_dense and before is not None and not mark:
            words.insert(0, [(INDENT, "")])
        for place, line in enumerate(wrapped(words, cells - len(mark))):
            yield Row([(mark if place == 0 else " " * len(mark), "dim"), *line])


def _words(paragraph: Paragraph) -> list[list[Span]]:
    """Return the unbreakable words of a paragraph, each with the blanks after it."""
    words: list[list[Span]] = [[]]
    ends = False
    for text, style in paragraph.words:
        is_name = style == "code" and width(text) <= LONGEST_UNBROKEN
        for word in [text] if is_name else words_in(text):
            if word[0] not in CLOSING and (ends or word[0] > "⺀"):
                words.append([])
            words[-1].append((visible_prose(word), ROLES[style]))
            ends = word[-1] == " " or word[-1] > "⺀"
    return [word for word in words if word]

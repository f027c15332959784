"""`Window`: a screen over another screen, which stays visible, tinted."""

from __future__ import annotations

from asyncio import get_running_loop
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from operator import is_
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from rich.segment import Segment
from rich.style import Style
from textual.await_complete import AwaitComplete
from textual.await_remove import AwaitRemove
from textual.color import Color
from textual.events import Event, Mount, ScreenResume
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, Screen, ScreenResultType
from textual.strip import Strip
from textual.visual import Visual
from textual.widget import Widget

from bpe_tui.styles.restyling import restyle
from bpe_tui.widgets.painted_lines import PaintedLines, blank_lines, keep_lines

STYLES = 1 << 12
"""Number of tinted styles to remember; a screen has a few dozen."""


class TintedLine(NamedTuple):
    """A line of a screen as a colour tints it.

    Attributes:
        parts: the line as its widgets painted it; they give the same strips until they change.
        colour: the colour.
        strip: the whole line, tinted.
    """

    parts: list[Strip]
    colour: Color
    strip: Strip

    @classmethod
    def of(cls, parts: list[Strip], colour: Color) -> TintedLine:
        segments = [Segment(text, _tinted(style, colour)) for text, style, _ in chain(*parts)]
        return cls(parts, colour, Strip(segments, sum(part.cell_length for part in parts)))

    def shows(self, parts: list[Strip], colour: Color) -> bool:
        """Whether it is these parts, not only equal ones, in this colour."""
        is_as_long = len(parts) == len(self.parts)
        return is_as_long and colour == self.colour and all(map(is_, parts, self.parts))


_LINES: WeakKeyDictionary[Screen[Any], dict[int, TintedLine]] = WeakKeyDictionary()
"""The tinted lines of each screen that was behind a window, for the next window."""


@dataclass(eq=False)
class Tinted(Visual):
    """The tinted screen behind a window. Textual would tint every text at every opening."""

    behind: BackgroundScreen

    def render_strips(
        self, width: int, height: int | None, style: object, options: object
    ) -> list[Strip]:
        screen, colour = self.behind.screen, self.behind.color
        compositor, known = screen._compositor, _LINES.setdefault(screen, {})
        # Not `render_strips`, which joins the parts of a line to a new strip each time.
        for y, line in enumerate(compositor._render_chops(compositor.size.region, lambda y: True)):
            parts = [part for part in line.values() if part]
            if y not in known or not known[y].shows(parts, colour):
                known[y] = TintedLine.of(parts, colour)
        return [known[y].strip for y in range(compositor.size.height)]

    def get_optimal_width(self, rules: object, container_width: int) -> int:
        return self.behind.screen.app.size.width

    def get_height(self, rules: object, width: int) -> int:
        return self.behind.screen.app.size.height


@lru_cache(STYLES)
def _tinted(style: Style | None, color: Color) -> Style | None:
    [segment] = BackgroundScreen.process_segments([Segment(" ", style)], color)
    return segment.style


ROUNDS = 12
"""Rounds of the event loop before a painting: a message takes two from its sender to its effect."""
MOST_POSTPONED = 4
"""Most layouts in a row that are not painted; a screen that never settles shows every fifth."""


class PaintedOnce(Screen[ScreenResultType]):
    """A screen that is painted once all messages of a key have had their effect.

    A key leads to several messages, and new sizes lead to new rows, which may lead to another
    layout. Textual would paint the whole screen after each of these, a sixtieth of a second apart.

    Its widgets get their styles when they are made, and new ones only if these may have changed:
    for another theme when it comes to the front, and for a class of the screen.
    """

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    """The widget with the focus; only it and the one before change their looks."""

    _styled_for: str | None = None
    """The theme of the widgets' styles; only a new theme changes them while it is hidden."""
    _styled_with: frozenset[str] = frozenset()
    """The screen's classes when the widgets' styles were computed."""
    _is_waiting = False
    """Whether a painting is due in some rounds."""
    _is_settled = False
    """Whether the screen may be painted now."""
    _postponed = 0
    """Number of layouts in a row that have not been painted."""

    async def on_event(self, event: Event) -> None:
        """Handle an event as Textual does, but compute styles only if they may have changed."""
        if isinstance(event, ScreenResume):
            event.refresh_styles = self._styled_for != self.app.theme
            self._styled_for = self.app.theme
        elif isinstance(event, Mount):
            self._styled_for = self.app.theme
        if isinstance(event, ScreenResume | Mount):
            self._styled_with = self.classes
        if isinstance(event, Mount):
            keep_lines(self.walk_children())
        await super().on_event(event)

    def update_node_styles(self, animate: bool = True) -> None:
        """Compute the styles of the widgets that a changed class is about; else of all."""
        changed = self.classes ^ self._styled_with
        self._styled_with = self.classes
        if changed:
            restyle(self, changed)
        else:
            super().update_node_styles(animate)

    def render_lines(self, crop: Region) -> list[Strip]:
        return blank_lines(self, crop)

    def _screen_resized(self, size: Size) -> None:
        """Lay the screen out, unless it is behind a window and laid out for this size already.

        Textual lays out the screen behind each window that opens.
        """
        if self is self.app.screen or self.outer_size != size:
            super()._screen_resized(size)

    def _compositor_refresh(self) -> None:
        if self._is_settled or self is not self.app.screen:  # one behind a window is not painted
            super()._compositor_refresh()
        elif not self._is_waiting:  # the compositor keeps what is to be painted
            self._is_waiting = True
            self._wait(ROUNDS)

    def _wait(self, rounds: int) -> None:
        if rounds:
            get_running_loop().call_soon(self._wait, rounds - 1)
            return
        if not self.app.screen_stack:  # the application has ended meanwhile
            return
        try:
            self._paint()
        except Exception as error:  # as Textual's timer has it: the loop would lose it
            self.app._handle_exception(error)

    @property
    def has_content(self) -> bool:
        """Whether there is something to paint; without it the terminal stays as it is."""
        return True

    def _paint(self) -> None:
        """Paint, unless a new layout is due: then make it, and wait again."""
        self._is_waiting = False
        if not self.has_content:
            return
        is_due = self._layout_required or self._scroll_required
        self._is_settled = not is_due or self._postponed >= MOST_POSTPONED
        self._postponed = 0 if self._is_settled else self._postponed + 1
        try:
            self._on_timer_update()
            self._compositor_refresh()
        finally:
            self._is_settled = False


class OverScreen(PaintedOnce[ScreenResultType]):
    """A screen over another screen, which stays visible, tinted."""

    auto_links = False  # the screen behind has no links to follow

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._styles_cache = PaintedLines()  # the lines behind are filtered already

    @property
    def is_on_top(self) -> bool:
        """Whether no screen covers this one, and it has not been closed."""
        return self.app.screen_stack[-1:] == [self]

    @property
    def is_closed(self) -> bool:
        """Whether it is not among the screens any more."""
        return self not in self.app.screen_stack

    def _screen_resized(self, size: Size) -> None:
        """Lay the window out, unless that is done: Textual does it twice for one that opens."""
        if self._compositor.size != size or self._layout_required:
            super()._screen_resized(size)

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close the window with a result; do nothing if it is closed already.

        Keys typed fast may reach a window behind the one that closes it, and so may the end of its
        work. Textual would close the screen on top, whatever that is.
        """
        return super().dismiss(result) if self.is_on_top else AwaitComplete()

    def remove(self) -> AwaitRemove:
        """Remove the window without a new layout of the screen behind, which has not changed."""
        return self.app._prune(self)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the screen behind as the lines under the window."""
        return Widget.render_lines(self, crop)

    def render(self) -> Any:  # Textual accepts a `Visual` too, but its types do not say so
        behind = super().render()
        return Tinted(behind) if isinstance(behind, BackgroundScreen) else behind


# Textual takes bindings and styles from the first base.
class Window(ModalScreen[ScreenResultType], OverScreen[ScreenResultType]):
    """A window that returns a result."""

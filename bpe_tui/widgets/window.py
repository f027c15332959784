"""`Window`: a screen over another screen, which stays visible, tinted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rich.segment import Segment
from rich.style import Style
from textual.await_complete import AwaitComplete
from textual.await_remove import AwaitRemove
from textual.color import Color
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, Screen, ScreenResultType
from textual.strip import Strip
from textual.visual import Visual

from bpe_tui.widgets.textual_private import SettledScreen, painted_lines

STYLES = 1 << 12
"""Most styles that are remembered tinted; a screen has a few dozen."""


@dataclass(eq=False)
class Tinted(Visual):
    """The tinted screen behind a window. Textual would tint each text, not each style once."""

    screen: Screen[Any]
    colour: Color

    def render_strips(
        self, width: int, height: int | None, style: object, options: object
    ) -> list[Strip]:
        return [
            Strip(Segment(text, _tinted(style, self.colour)) for text, style, _ in line)
            for line in painted_lines(self.screen)
        ]

    def get_optimal_width(self, rules: object, container_width: int) -> int:
        return self.screen.app.size.width

    def get_height(self, rules: object, width: int) -> int:
        return self.screen.app.size.height


@lru_cache(STYLES)
def _tinted(style: Style | None, colour: Color) -> Style | None:
    [segment] = BackgroundScreen.process_segments([Segment(" ", style)], colour)
    return segment.style


# Textual takes bindings and styles from the first base.
class Window(ModalScreen[ScreenResultType], SettledScreen[ScreenResultType]):
    """A screen over another screen, which stays visible, tinted; it returns a result."""

    auto_links = False  # the screen behind has no links to follow

    @property
    def is_on_top(self) -> bool:
        """Whether no screen covers this one, and it has not been closed."""
        return self.app.screen_stack[-1:] == [self]

    @property
    def is_closed(self) -> bool:
        """Whether it is not among the screens any more."""
        return self not in self.app.screen_stack

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close the window with a result; do nothing if it is closed already.

        Keys typed fast may reach a window behind the one that closes it, and so may the end of its
        work. Textual would close the screen on top, whatever that is.
        """
        return super().dismiss(result) if self.is_on_top else AwaitComplete()

    def remove(self) -> AwaitRemove:
        """Remove the window without a new layout of the screen behind, which has not changed."""
        return self.remove_alone()

    def render(self) -> Any:  # Textual accepts a `Visual` too, but its types do not say so
        behind: Any = super().render()
        is_tinted = isinstance(behind, BackgroundScreen)
        return Tinted(behind.screen, behind.color) if is_tinted else behind

"""`Window`: a screen over another screen, which stays visible, tinted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rich.segment import Segment
from rich.style import Style
from textual.await_complete import AwaitComplete
from textual.color import Color
from textual.geometry import Size
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, Screen, ScreenResultType
from textual.strip import Strip
from textual.visual import Visual

STYLES = 1 << 12
"""Number of tinted styles to remember; a screen has a few dozen."""


@dataclass(eq=False)
class Tinted(Visual):
    """The tinted screen behind a window. Each style is tinted once; Textual tints every text."""

    behind: BackgroundScreen

    def render_strips(
        self, width: int, height: int | None, style: object, options: object
    ) -> list[Strip]:
        return [
            Strip(
                [Segment(text, _tinted(style, self.behind.color)) for text, style, _ in strip],
                strip.cell_length,
            )
            for strip in self.behind.screen._compositor.render_strips()
        ]

    def get_optimal_width(self, rules: object, container_width: int) -> int:
        return self.behind.screen.app.size.width

    def get_height(self, rules: object, width: int) -> int:
        return self.behind.screen.app.size.height


@lru_cache(STYLES)
def _tinted(style: Style | None, color: Color) -> Style | None:
    [segment] = BackgroundScreen.process_segments([Segment(" ", style)], color)
    return segment.style


MOST_LAYOUTS = 3
"""Most layouts in a row that are not painted; a screen that never settles shows every fourth."""


class PaintedOnce(Screen[ScreenResultType]):
    """A screen that is painted once its widgets have made their rows for their new sizes.

    New rows may change the sizes that widgets need, and so lead to another layout, a sixtieth of a
    second later. Textual would paint the whole screen after each layout.
    """

    _is_laid_out = False
    """Whether widgets may have new sizes since the last check for changes."""
    _layouts = 0
    """Number of layouts in a row that have not been painted."""

    def _on_timer_update(self) -> None:
        self._is_laid_out = False
        super()._on_timer_update()

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        self._is_laid_out = bool(self._layout_widgets) or not scroll
        super()._refresh_layout(size, scroll)

    def _compositor_refresh(self) -> None:
        if self._is_laid_out and self._layouts < MOST_LAYOUTS:
            self._layouts += 1
            self.call_later(self._check_again)  # the compositor keeps what is to be painted
        else:
            self._layouts = 0
            super()._compositor_refresh()

    def _check_again(self) -> None:
        self._dirty_widgets.add(self)
        self.check_idle()


class OverScreen(PaintedOnce[ScreenResultType]):
    """A screen over another screen, which stays visible, tinted."""

    auto_links = False  # the screen behind has no links to follow

    @property
    def is_on_top(self) -> bool:
        """Whether no screen covers this one, and it has not been closed."""
        return self.app.screen_stack[-1:] == [self]

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close the window with a result; do nothing if it is closed already.

        Keys typed fast may reach a window behind the one that closes it, and so may the end of its
        work. Textual would close the screen on top, whatever that is.
        """
        return super().dismiss(result) if self.is_on_top else AwaitComplete()

    def render(self) -> Any:  # Textual accepts a `Visual` too, but its types do not say so
        behind = super().render()
        return Tinted(behind) if isinstance(behind, BackgroundScreen) else behind


# Textual takes bindings and styles from the first base.
class Window(ModalScreen[ScreenResultType], OverScreen[ScreenResultType]):
    """A window that returns a result."""

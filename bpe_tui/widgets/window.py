"""`Window`: a screen over another one, which stays in sight, tinted."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.geometry import Size
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, Screen, ScreenResultType
from textual.strip import Strip
from textual.visual import Visual

STYLES = 1 << 12
"""Tinted styles that are remembered: a screen has some dozens."""


class Tinted(Visual):
    """The screen behind a window. Textual tints each of a thousand texts; here each style, once."""

    def __init__(self, behind: BackgroundScreen) -> None:
        self._screen, self._color = behind.screen, behind.color

    def render_strips(
        self, width: int, height: int | None, style: object, options: object
    ) -> list[Strip]:
        return [
            Strip(
                [Segment(text, _tinted(style, self._color)) for text, style, _ in strip],
                strip.cell_length,
            )
            for strip in self._screen._compositor.render_strips()
        ]

    def get_optimal_width(self, rules: object, container_width: int) -> int:
        return self._screen.size.width

    def get_height(self, rules: object, width: int) -> int:
        return self._screen.size.height


@lru_cache(STYLES)
def _tinted(style: Style | None, color: Color) -> Style | None:
    [segment] = BackgroundScreen.process_segments([Segment(" ", style)], color)
    return segment.style


MOST_LAYOUTS = 3
"""So many in a row are not painted; who watches a screen that is never settled sees each fourth."""


class PaintedOnce(Screen[ScreenResultType]):
    """A screen is painted when its widgets have made their rows for the sizes that they were given.

    Rows may change what room their widgets need, and so the next layout; it comes a sixtieth of a
    second later. Textual paints all of the screen after each.
    """

    _is_laid_out = False
    """Whether widgets may have been given other sizes since the last look at what has changed."""
    _layouts = 0
    """How many layouts in a row have not been painted."""

    def _on_timer_update(self) -> None:
        self._is_laid_out = False
        super()._on_timer_update()

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        self._is_laid_out = bool(self._layout_widgets) or not scroll
        super()._refresh_layout(size, scroll)

    def _compositor_refresh(self) -> None:
        if self._is_laid_out and self._layouts < MOST_LAYOUTS:
            self._layouts += 1
            self.call_later(self._look_again)  # what is to be painted stays noted in the compositor
        else:
            self._layouts = 0
            super()._compositor_refresh()

    def _look_again(self) -> None:
        self._dirty_widgets.add(self)
        self.check_idle()


class OverScreen(PaintedOnce[ScreenResultType]):
    """A screen over another one, which stays in sight, tinted."""

    auto_links = False  # in what is behind there is nothing to follow

    def render(self) -> Any:  # Textual takes a `Visual` as well, but does not say so of screens
        behind = super().render()
        return Tinted(behind) if isinstance(behind, BackgroundScreen) else behind


# Textual takes bindings, styles and the like from the first of the bases.
class Window(ModalScreen[ScreenResultType], OverScreen[ScreenResultType]):
    """A window, which hands back a result."""

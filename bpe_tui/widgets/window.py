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


class PaintedOnce(Screen[ScreenResultType]):
    """A screen that comes to the front is painted once, when its widgets know their sizes.

    Textual paints it as soon as it is laid out, then again for the rows that widgets make for their
    sizes, and for what was asked for meanwhile. All this comes within a sixtieth of a second.
    """

    _is_painted_later = False

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        is_first = size is not None
        self._is_painted_later = is_first or self._repaint_required
        super()._refresh_layout(size, scroll)
        self._is_painted_later = False
        if is_first:
            self.refresh()

    def _compositor_refresh(self) -> None:
        # What is to be painted stays noted in the compositor.
        if not self._is_painted_later:
            super()._compositor_refresh()


class OverScreen(PaintedOnce[ScreenResultType]):
    """A screen over another one, which stays in sight, tinted."""

    auto_links = False  # in what is behind there is nothing to follow

    def render(self) -> Any:  # Textual takes a `Visual` as well, but does not say so of screens
        behind = super().render()
        return Tinted(behind) if isinstance(behind, BackgroundScreen) else behind


# Textual takes bindings, styles and the like from the first of the bases.
class Window(ModalScreen[ScreenResultType], OverScreen[ScreenResultType]):
    """A window, which hands back a result."""

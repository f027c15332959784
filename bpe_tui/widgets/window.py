"""`Window`: a screen over another one, which stays in sight, dimmed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from rich.console import RenderableType
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, ScreenResultType

STYLES = 1 << 12
"""Dimmed styles that are remembered: a screen has some dozens."""


class Dimmed(BackgroundScreen):
    """What is behind a window. Textual dims each of a thousand texts; here each style, once."""

    @classmethod
    def process_segments(cls, segments: Iterable[Segment], color: Color) -> Iterable[Segment]:
        for segment in segments:
            text, style, control = segment
            yield segment if control else Segment(text, _dimmed(style, color))


@lru_cache(STYLES)
def _dimmed(style: Style | None, color: Color) -> Style | None:
    [segment] = BackgroundScreen.process_segments([Segment(" ", style)], color)
    return segment.style


def dimmed_quickly(behind: RenderableType) -> RenderableType:
    """What a screen renders where there is nothing of its own."""
    return Dimmed(behind.screen, behind.color) if type(behind) is BackgroundScreen else behind


class Window(ModalScreen[ScreenResultType]):
    """A window, which hands back a result."""

    def render(self) -> RenderableType:
        return dimmed_quickly(super().render())

"""From the role of a span to how it is painted in the theme of now."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.widget import Widget

from bpe_tui.styles import LOOKS
from bpe_tui.widgets.rows import Span


def role_style(widget: Widget, role: str) -> Style:
    """What a role, one of `LOOKS`, adds to the style that its text has without it."""
    look, colours = LOOKS[role], widget.app.theme_variables
    return _style(
        colours[look.ink] if look.ink else None,
        colours[look.back] if look.back else None,
        look.bold,
        look.strike,
    )


@cache
def _style(ink: str | None, back: str | None, bold: bool, strike: bool) -> Style:
    return Style(
        color=None if ink is None else Color.parse(ink).rich_color,
        bgcolor=None if back is None else Color.parse(back).rich_color,
        bold=bold or None,
        strike=strike or None,
    )


def painted(widget: Widget, spans: Iterable[Span], base: Style | None = None) -> list[Segment]:
    """The spans as a widget paints them, over its own style or another one."""
    base = widget.rich_style if base is None else base
    return [
        Segment(text, base + role_style(widget, role) if role else base) for text, role in spans
    ]

"""A screen as it is drawn: as plain text, and as an SVG picture.

Textual draws pictures of the screen in front only; here it is one that may lie under a window, so
its compositor is asked, as Textual's own `export_screenshot` does.
"""

from __future__ import annotations

from io import StringIO

from rich.console import Console
from rich.segment import Segment, Segments
from textual.screen import Screen


def screen_text(screen: Screen[object]) -> str:
    """The characters on a screen, line by line, without the blanks at their ends."""
    lines = (strip.text.rstrip() for strip in screen._compositor.render_strips())
    return "".join(f"{line}\n" for line in lines)


def screen_svg(screen: Screen[object], title: str) -> str:
    """The screen as an SVG picture of a terminal window."""
    console = Console(
        width=screen.size.width,
        file=StringIO(),
        force_terminal=True,
        color_system="truecolor",
        record=True,
        legacy_windows=False,
    )
    for strip in screen._compositor.render_strips():
        console.print(Segments([*strip, Segment.line()]), end="")
    return console.export_svg(title=title)

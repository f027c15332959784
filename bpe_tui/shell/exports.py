"""A screen as a text and as a picture."""

from __future__ import annotations

import re
from io import StringIO
from typing import Any

from rich.console import Console
from rich.segment import Segment, Segments
from textual.screen import Screen

from bpe_tui.shell.panel_screen import PanelScreen
from bpe_tui.widgets.textual_private import painted_lines


def screen_text(screen: Screen[Any]) -> str:
    """Return the text on a screen, without the blanks at the ends of lines."""
    lines = (strip.text.rstrip() for strip in painted_lines(screen))
    return "".join(f"{line}\n" for line in lines)


def exported_text(screen: PanelScreen) -> str:
    """Return the text on a screen, with `┊` between tokens: a text has no grounds."""
    app = screen.notifier
    asked, app.shows_edges = app.shows_edges, True
    screen.draw_again()
    text = screen_text(screen)
    app.shows_edges = asked
    screen.draw_again()
    return text


def screen_svg(screen: Screen[Any], title: str) -> str:
    """Draw a screen as an SVG picture of a terminal window."""
    console = Console(
        width=screen.outer_size.width,
        file=StringIO(),
        force_terminal=True,
        color_system="truecolor",
        record=True,
        legacy_windows=False,
    )
    for strip in painted_lines(screen):
        console.print(Segments([*strip, Segment.line()]), end="")
    return _FONT_FACE.sub("", console.export_svg(title=title))


_FONT_FACE = re.compile(r"@font-face \{[^}]*\}\s*")
"""Rich's template loads a font from a network; a picture should need no network."""

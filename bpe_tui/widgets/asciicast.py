"""Screens as a recording that asciinema and agg play: asciicast, version 2.

A file is lines of JSON: a header, then what is written to the terminal, each with its time. The
format: https://docs.asciinema.org/manual/asciicast/v2/
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from rich.color import ColorSystem
from textual.strip import Strip

from bpe_tui.widgets.visible import visible_text

CLEAR = "\x1b[?25l\x1b[2J"
"""Hides the cursor and empties the screen."""


def header(width: int, height: int, title: str) -> str:
    """The first line. It has no date: the same steps always make the same file.

    >>> print(header(80, 24, "low"), end="")
    {"version": 2, "width": 80, "height": 24, "title": "low", "env": {"TERM": "xterm-256color"}}
    """
    said = {
        "version": 2,
        "width": width,
        "height": height,
        "title": visible_text(title, spaces=False),
        "env": {"TERM": "xterm-256color"},
    }
    return f"{json.dumps(said)}\n"


def event(seconds: float, output: str) -> str:
    """A line that says what is written, so many seconds after the beginning.

    >>> print(event(1.5, "hello"), end="")
    [1.5, "o", "hello"]
    """
    return f"{json.dumps([round(seconds, 6), 'o', output], ensure_ascii=False)}\n"


def drawn(screen: Sequence[Strip], before: Sequence[Strip] = ()) -> str:
    """What turns the screen `before` into `screen`: each line that is another, as a whole."""
    changed = [
        f"\x1b[{row};1H{_line(strip)}"
        for row, strip in enumerate(screen, 1)
        if row > len(before) or strip != before[row - 1]
    ]
    return "".join(changed if before else [CLEAR, *changed])


def _line(strip: Strip) -> str:
    """A line of a screen with its colours."""
    parts = []
    for text, style, _ in strip.simplify():
        # Whatever the screen was made of, no control character goes on to a terminal.
        shown = text if text.isprintable() else visible_text(text, spaces=False)
        parts.append(style.render(shown, color_system=ColorSystem.TRUECOLOR) if style else shown)
    return "".join(parts)

"""The kinds of exports, one declaration each; `dialogs/export` has the window.

A model lists the exports of its trainings with `exports_of`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import StringIO
from typing import Any

from rich.console import Console
from rich.segment import Segment, Segments
from textual.screen import Screen

from bpe_tui.widgets.textual_private import painted_lines


@dataclass(frozen=True)
class ExportSource:
    """The source of an export: a screen, the frame that it shows, the first and last step."""

    screen: Screen[object]
    frame: Any
    first: int
    last: int


@dataclass(frozen=True)
class ExportKind:
    """A kind of exported file.

    Attributes:
        parts_of: makes the text in parts, so that a long export can pause.
        asks_for_steps: whether the window asks for the steps.
    """

    label: str
    name: str
    suffix: str
    parts_of: Callable[[ExportSource], Iterator[str]]
    asks_for_steps: bool = False


def screen_text(screen: Screen[object]) -> str:
    """Return the text on a screen, without the blanks at the ends of lines."""
    lines = (strip.text.rstrip() for strip in painted_lines(screen))
    return "".join(f"{line}\n" for line in lines)


def screen_svg(screen: Screen[object], title: str) -> str:
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


OF_SCREENS = (
    ExportKind(
        "the screen, a picture",
        "screen",
        ".svg",
        lambda source: iter([screen_svg(source.screen, f"bpe-tui, step {source.frame.step:,}")]),
    ),
    ExportKind(
        "the screen, as text", "screen", ".txt", lambda source: iter([screen_text(source.screen)])
    ),
)
"""Exports that every screen has."""

_FONT_FACE = re.compile(r"@font-face \{[^}]*\}\s*")
"""Rich's template loads a font from a network; a picture should need no network."""

StepsReport = Callable[[Any, int, int], Iterator[str]]
"""Makes a report of steps: takes a frame of the run, the first and the last step (from 1)."""


def exports_of(markdown: StepsReport, json_lines: StepsReport) -> tuple[ExportKind, ...]:
    """Return the kinds of exports of a model's training or replay.

    Args:
        markdown: reports steps for people.
        json_lines: reports steps for programs.
    """
    return (
        *OF_SCREENS,
        ExportKind(
            "steps as Markdown",
            "steps",
            ".md",
            lambda exported: markdown(exported.frame, exported.first, exported.last),
            asks_for_steps=True,
        ),
        ExportKind(
            "steps as lines of JSON",
            "steps",
            ".jsonl",
            lambda exported: json_lines(exported.frame, exported.first, exported.last),
            asks_for_steps=True,
        ),
    )

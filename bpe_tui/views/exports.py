"""What can be exported, one declaration each; the window that asks for it is `dialogs/export`.

A model says with `exports_of` what there is of its trainings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from typing import Any

from rich.console import Console
from rich.segment import Segment, Segments
from textual.screen import Screen
from textual.strip import Strip

from bpe_tui.views.charts import ChartKind
from bpe_tui.widgets.figure import Drawing, page


@dataclass(frozen=True)
class ExportSource:
    """What there is to export: a screen, the model's frame that it shows, the steps asked for."""

    screen: Screen[object]
    frame: Any
    first: int
    last: int


@dataclass(frozen=True)
class ExportKind:
    """One kind of file. `parts_of` makes its text part by part, so that a long one can wait.

    Of a recording the application makes the parts: it goes through the steps on a screen.
    """

    label: str
    name: str
    suffix: str
    parts_of: Callable[[ExportSource], Iterator[str]]
    asks_for_steps: bool = False
    is_recording: bool = False


def painted_lines(screen: Screen[object]) -> list[Strip]:
    """The lines of a screen as they are painted_lines.

    Textual draws only the screen in front. This one may lie under a window, so its compositor is
    asked, as Textual's own `export_screenshot` does: there is no public way to it.
    """
    return screen._compositor.render_strips()


def screen_text(screen: Screen[object]) -> str:
    """The characters on a screen, line by line, without the blanks at their ends."""
    lines = (strip.text.rstrip() for strip in painted_lines(screen))
    return "".join(f"{line}\n" for line in lines)


def screen_svg(screen: Screen[object], title: str) -> str:
    """The screen as an SVG picture of a terminal window."""
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


def _picture(exported: ExportSource) -> Iterator[str]:
    yield screen_svg(exported.screen, f"bpe-tui, step {exported.frame.step:,}")


def _text(exported: ExportSource) -> Iterator[str]:
    yield screen_text(exported.screen)


OF_SCREENS = (
    ExportKind("the screen, a picture", "screen", ".svg", _picture),
    ExportKind("the screen, as text", "screen", ".txt", _text),
)
"""What any screen can be exported as."""

_FONT_FACE = re.compile(r"@font-face \{[^}]*\}\s*")
"""Rich's template names a font on a network; whoever opens a picture should ask nobody for it."""

StepsReport = Callable[[Any, int, int], Iterator[str]]
"""Steps from … to (from 1) of a frame's run, part by part."""


def exports_of(
    markdown: StepsReport, json_lines: StepsReport, charts: Iterable[ChartKind]
) -> tuple[ExportKind, ...]:
    """All that can be exported of a model's training or replay.

    Args:
        markdown: the steps for people to read elsewhere.
        json_lines: the steps for programs.
        charts: the model's; they are drawn on one page.
    """

    def made(report: StepsReport) -> Callable[[ExportSource], Iterator[str]]:
        return lambda exported: report(exported.frame, exported.first, exported.last)

    return (
        *OF_SCREENS,
        ExportKind("steps as Markdown", "steps", ".md", made(markdown), asks_for_steps=True),
        ExportKind(
            "steps as lines of JSON", "steps", ".jsonl", made(json_lines), asks_for_steps=True
        ),
        ExportKind(
            "steps as a recording",
            "recording",
            ".cast",
            lambda _: iter(()),
            asks_for_steps=True,
            is_recording=True,
        ),
        ExportKind(
            "the charts, drawn", "charts", ".svg", lambda exported: _drawn(charts, exported.frame)
        ),
    )


def _drawn(charts: Iterable[ChartKind], frame: Any) -> Iterator[str]:
    """The charts that there is something to draw of, on one page."""
    yield page(
        [
            Drawing(kind.question, kind.answer(frame), figure, frame.step * kind.over_steps or None)
            for kind in charts
            if (figure := kind.figure(frame)) is not None
        ]
    )

"""What can be exported, one declaration each; the window that asks for it is `screens/export`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from textual.screen import Screen

from bpe_tui.panels.charts import CHARTS
from bpe_tui.pictures import screen_svg, screen_text
from bpe_tui.widgets.figure_svg import Drawing, page
from engine.frame import Frame
from engine.report import json_lines, markdown


@dataclass(frozen=True)
class Exported:
    """What there is to export: a screen, the frame it shows, the steps asked for."""

    screen: Screen[object]
    frame: Frame
    first: int
    last: int


@dataclass(frozen=True)
class ExportKind:
    """One kind of file. `parts_of` makes its text part by part, so that a long one can wait."""

    label: str
    name: str
    suffix: str
    parts_of: Callable[[Exported], Iterator[str]]
    asks_for_steps: bool = False


def _picture(exported: Exported) -> Iterator[str]:
    yield screen_svg(exported.screen, f"bpe-tui, step {exported.frame.step:,}")


def _text(exported: Exported) -> Iterator[str]:
    yield screen_text(exported.screen)


def _markdown(exported: Exported) -> Iterator[str]:
    return markdown(exported.frame, exported.first, exported.last)


def _json_lines(exported: Exported) -> Iterator[str]:
    return json_lines(exported.frame, exported.first, exported.last)


def _charts(exported: Exported) -> Iterator[str]:
    frame = exported.frame
    yield page(
        [
            Drawing(kind.question, kind.answer(frame), figure, frame.step * kind.over_steps or None)
            for kind in CHARTS
            if (figure := kind.figure_of(frame)) is not None
        ]
    )


EXPORTS = (
    ExportKind("the screen, a picture", "screen", ".svg", _picture),
    ExportKind("the screen, as text", "screen", ".txt", _text),
    ExportKind("steps as Markdown", "steps", ".md", _markdown, asks_for_steps=True),
    ExportKind("steps as lines of JSON", "steps", ".jsonl", _json_lines, asks_for_steps=True),
    ExportKind("the charts, drawn", "charts", ".svg", _charts),
)

"""What can be exported, one declaration each; the window that asks for it is `dialogs/export`.

What the models share is here; each says in its own module what there is of its trainings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from textual.screen import Screen

from bpe_tui.views.charts import ChartKind
from bpe_tui.widgets.figure_svg import Drawing, page
from bpe_tui.widgets.screenshots import screen_svg, screen_text


@dataclass(frozen=True)
class Exported:
    """What there is to export: a screen, the model's frame that it shows, the steps asked for."""

    screen: Screen[object]
    frame: Any
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


OF_SCREENS = (
    ExportKind("the screen, a picture", "screen", ".svg", _picture),
    ExportKind("the screen, as text", "screen", ".txt", _text),
)
"""What any screen can be exported as."""

Report = Callable[[Any, int, int], Iterator[str]]
"""Steps from … to (from 1) of a frame's run, part by part."""


def of_steps(markdown: Report, json_lines: Report) -> tuple[ExportKind, ...]:
    """The steps of a model for people and for programs to read elsewhere."""

    def made(report: Report) -> Callable[[Exported], Iterator[str]]:
        return lambda exported: report(exported.frame, exported.first, exported.last)

    return (
        ExportKind("steps as Markdown", "steps", ".md", made(markdown), asks_for_steps=True),
        ExportKind(
            "steps as lines of JSON", "steps", ".jsonl", made(json_lines), asks_for_steps=True
        ),
    )


def of_charts(kinds: Iterable[ChartKind]) -> ExportKind:
    """The charts of a model on one page."""

    def drawn(exported: Exported) -> Iterator[str]:
        frame = exported.frame
        yield page(
            [
                Drawing(
                    kind.question, kind.answer(frame), figure, frame.step * kind.over_steps or None
                )
                for kind in kinds
                if (figure := kind.figure(frame)) is not None
            ]
        )

    return ExportKind("the charts, drawn", "charts", ".svg", drawn)

"""Figures as an SVG drawing: lines and letters that stay sharp at any size, dark on white."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from bpe_tui.widgets.figure import Figure, spans
from bpe_tui.widgets.numbers import short_number

WIDTH, HEIGHT = 480, 310
"""Of one figure with its axes and titles."""
LEFT, RIGHT, ABOVE, BELOW = 60, 15, 50, 55
INNER_WIDTH, INNER_HEIGHT = WIDTH - LEFT - RIGHT, HEIGHT - ABOVE - BELOW
COLUMNS = 2
FINENESS = 4
"""A curve goes up in so many parts of a unit."""
TICKS = 6
INK, PALE, CURVE, CURSOR = "#1c2024", "#5b646d", "#0b5cad", "#b83a00"


@dataclass(frozen=True)
class Drawing:
    """A figure with what stands above and below it; `at` is the x of a cursor."""

    title: str
    foot: str
    figure: Figure
    at: float | None = None


def page(drawings: Sequence[Drawing]) -> str:
    """An SVG document with the drawings side by side, two in a row."""
    rows = -(-len(drawings) // COLUMNS)
    width, height = COLUMNS * WIDTH, rows * HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for place, drawing in enumerate(drawings):
        x, y = place % COLUMNS * WIDTH + LEFT, place // COLUMNS * HEIGHT + ABOVE
        parts += [f'<g transform="translate({x} {y})">', *_draw(drawing), "</g>"]
    return "\n".join([*parts, "</svg>", ""])


def _draw(drawing: Drawing) -> Iterator[str]:
    figure = drawing.figure
    yield _text(0, -26, drawing.title, INK, 'font-weight="bold" font-size="14"')
    yield from _x_axis(figure)
    yield from _y_axis(figure)
    yield from _svg_bars(figure) if figure.bars else _svg_curve(figure)
    if drawing.at is not None:
        x = INNER_WIDTH * min(max(figure.x_scale.place(drawing.at), 0), 1)
        yield _line(x, 0, x, INNER_HEIGHT, CURSOR)
    yield _text(0, INNER_HEIGHT + 44, drawing.foot, PALE)


def _x_axis(figure: Figure) -> Iterator[str]:
    yield _line(0, INNER_HEIGHT, INNER_WIDTH, INNER_HEIGHT, PALE)
    for tick in figure.x_ticks(TICKS):
        x = INNER_WIDTH * figure.x_scale.place(tick)
        yield _line(x, INNER_HEIGHT, x, INNER_HEIGHT + 4, PALE)
        yield _text(x, INNER_HEIGHT + 18, short_number(tick), PALE, 'text-anchor="middle"')
    right = INNER_WIDTH, INNER_HEIGHT + 32
    yield _text(*right, figure.x_label, PALE, 'text-anchor="end"')


def _y_axis(figure: Figure) -> Iterator[str]:
    yield _line(0, 0, 0, INNER_HEIGHT, PALE)
    yield _text(-LEFT + 6, -10, figure.y_label, PALE, 'font-size="10"')
    for tick in figure.y_scale.ticks(TICKS):
        y = INNER_HEIGHT * (1 - figure.y_scale.place(tick))
        yield _line(-4, y, 0, y, PALE)
        yield _text(-8, y + 4, short_number(tick), PALE, 'text-anchor="end"')


def _svg_curve(figure: Figure) -> Iterator[str]:
    """Through the lowest and the highest value at each unit across: few points, however many x."""
    lowest, highest = spans(figure, INNER_WIDTH + 1, INNER_HEIGHT * FINENESS + 1)
    across = np.repeat(np.arange(INNER_WIDTH + 1), 2)
    up = np.stack([lowest, highest], axis=1).ravel() / FINENESS
    points = " ".join(f"{x},{INNER_HEIGHT - y:g}" for x, y in zip(across, up, strict=True))
    yield f'<polyline points="{points}" fill="none" stroke="{CURVE}" stroke-width="1.5"/>'


def _svg_bars(figure: Figure) -> Iterator[str]:
    width = INNER_WIDTH / len(figure.ys)
    for place, height in enumerate(INNER_HEIGHT * figure.y_scale.places(figure.ys)):
        yield (
            f'<rect x="{width * place + 1:.2f}" y="{INNER_HEIGHT - height:.2f}" '
            f'width="{max(width - 2, 1):.2f}" height="{height:.2f}" fill="{CURVE}"/>'
        )


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{colour}"/>'


def _text(x: float, y: float, text: str, colour: str, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" fill="{colour}" {more}>{escape(text)}</text>'

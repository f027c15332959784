"""Painting at less cost: the sides of a border computed once, blank lines made once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from rich.segment import Segment
from rich.style import Style as RichStyle
from textual._border import get_box
from textual._styles_cache import StylesCache
from textual.color import Color
from textual.css.styles import StylesBase
from textual.dom import DOMNode
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget


class Sides(NamedTuple):
    """The sides of a border, beside the lines between its top and its bottom.

    Attributes:
        left: the segments before a line: one, or none without a border.
        right: those behind it.
    """

    left: tuple[Segment, ...]
    right: tuple[Segment, ...]


class PaintedLines(StylesCache):
    """Textual's cache of painted lines, with the sides of the border computed once a painting.

    Textual computes their colours and segments for each line. That takes as long as the text.
    """

    _sides: Sides | None = None
    """The sides during a painting; `None` if Textual has more to add to a line than these."""
    _last: tuple[Region, list[Strip]] | None = None
    """The part of the widget that was painted last, and its lines; `None` once some are dirty."""

    def set_dirty(self, *regions: Region) -> None:
        self._last = None
        super().set_dirty(*regions)

    def clear(self) -> None:
        self._last = None
        super().clear()

    def render_widget(self, widget: Widget, crop: Region) -> list[Strip]:
        """Return the lines of a part of a widget; if none is dirty, those of the last painting."""
        if self._last is not None and self._last[0] == crop:
            return self._last[1]
        self._sides = sides_of(widget)
        lines = super().render_widget(widget, crop)
        self._last = crop, lines
        return lines

    def render_line(
        self,
        styles: StylesBase,
        y: int,
        size: Any,
        content_size: Any,
        padding: Any,
        base_background: Color,
        background: Color,
        render_content_line: Callable[[int], Strip],
        *others: Any,
    ) -> Strip:
        line = y - styles.gutter.top
        if self._sides is not None and 0 <= line < content_size.height:
            text = render_content_line(line)
            if text.cell_length == content_size.width:
                left, right = self._sides
                return Strip([*left, *text, *right], size.width) if left or right else text
        return super().render_line(
            styles,
            y,
            size,
            content_size,
            padding,
            base_background,
            background,
            render_content_line,
            *others,
        )


def keep_lines(widgets: Iterable[DOMNode]) -> None:
    """Let widgets keep their lines from painting to painting, those of Textual's classes too."""
    for widget in widgets:
        if isinstance(widget, Widget) and type(widget._styles_cache) is StylesCache:
            widget._styles_cache = PaintedLines()


class PaintedWidget(Widget):
    """A widget of many lines. Its size and its style are looked up once a painting.

    Both depend on all ancestors, and Textual computes them for each line.
    """

    _painted_style: RichStyle | None = None
    """The style under all lines, while they are painted."""
    _painted_size: Size | None = None
    """The size, meanwhile."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._styles_cache = PaintedLines()

    def render_lines(self, crop: Region) -> list[Strip]:
        self._painted_style, self._painted_size = super().rich_style, super().size
        try:
            return super().render_lines(crop)
        finally:
            self._painted_style = self._painted_size = None

    @property
    def rich_style(self) -> RichStyle:
        return super().rich_style if self._painted_style is None else self._painted_style

    @property
    def size(self) -> Size:
        return super().size if self._painted_size is None else self._painted_size


def sides_of(widget: Widget) -> Sides | None:
    """Return the sides of a widget's border; `None` if a line gets more than these."""
    styles, opacity = widget.styles, widget.opacity
    (_, (right, right_colour), _, (left, left_colour)), outline = styles.border, styles.outline
    is_plain = not (any(edge for edge, _ in outline) or styles.tint.a or styles.has_rule("hatch"))
    if not is_plain or any(styles.padding) or not opacity == styles.text_opacity == 1.0:
        return None
    beneath, background = widget.background_colors
    inner, outer = StylesCache().get_inner_outer(beneath, background)

    def box(edge: Any, colour: Color) -> Any:
        return get_box(edge, inner, outer, Style(foreground=beneath + colour))[1]

    return Sides(
        (box(left, left_colour)[0],) if left else (),
        (box(right, right_colour)[2],) if right else (),
    )


def blank_lines(widget: Widget, crop: Region) -> list[Strip]:
    """Return the lines of a widget that only has a background: one line, many times.

    Textual would make each line, and cut each where it is covered.
    """
    _, background = widget.background_colors
    line = Strip.blank(crop.width, Style(background=background).rich_style)
    for each in widget.get_line_filters():
        line = line.apply_filter(each, background)
    return [line] * crop.height

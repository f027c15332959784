# ruff: noqa: F401
"""Names inside `bpe_tui/widgets` that tests need: they know the room, not its modules."""

from __future__ import annotations

from bpe_tui.widgets.chart import (
    BELOW,
    GUTTER,
    Chart,
    Curve,
    CurvesChart,
    canvas_of,
    curves_of,
    x_axis,
)
from bpe_tui.widgets.controls import FootLine, KeyBar, Marks, Scrubber, Switches, TabLine
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.figure import Figure, Scale, cells_of, round_step, scale_for, spans
from bpe_tui.widgets.lines import Lines, RowList
from bpe_tui.widgets.numbers import (
    BODY,
    HALF,
    bar,
    number,
    percent,
    rate,
    scale_of,
    short_number,
    signed,
    size,
    trace,
    with_power,
)
from bpe_tui.widgets.painted_lines import PaintedLines
from bpe_tui.widgets.rows import (
    BORDERS,
    NameSpans,
    PairSpans,
    Row,
    RowColumn,
    RowTable,
    Span,
    in_sight,
    left,
    paragraph,
    spans_width,
    subject_cells,
    subjects_at,
    wrapped_text,
)
from bpe_tui.widgets.text_field import LONG_LINE, TextField, rewrapped
from bpe_tui.widgets.virtual_table import Column, Header, arranged
from bpe_tui.widgets.visible import (
    ending,
    shorten,
    signs,
    still_visible,
    typed_text,
    visible_bytes,
    visible_text,
    width,
)
from bpe_tui.widgets.window import Tinted

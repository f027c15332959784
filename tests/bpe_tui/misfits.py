"""What does not fit on the screen in front: rows that are cut, empty parts, a misplaced head."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.app import App
from textual.widget import Widget
from textual.widgets import Static

from bpe_tui.shell.session_screen import SessionScreen
from bpe_tui.widgets.controls import PartsLine
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import Span, spans_width
from bpe_tui.widgets.textual_private import painted_lines
from bpe_tui.widgets.virtual_table import Header

ABOUT_ANY_TEXT = ("narration",)
"""Lines about a text of any length, which end in `…` where it is too long."""


def misfits(app: App[int]) -> list[str]:
    """Return what is cut, empty or out of place on the screen in front."""
    screen = app.screen
    found = []
    for widget, (region, clip) in screen._compositor.visible_widgets.items():
        if widget is not screen and region.intersection(clip):
            if not screen.region.contains_region(region.intersection(clip)):
                found.append(f"{widget} is partly outside: {region}")
            found += [f"{widget}: {problem}" for problem in _problems(widget)]
    *body, _ = (strip.text for strip in painted_lines(screen))
    if not any(map(str.isalnum, "".join(body[2:]))):
        found.append("the body is empty")
    if isinstance(screen, SessionScreen) and screen.SHOWS_STEP:
        step = screen.step_of(screen.session)
        if step and "".join(body[:2]).count(step) > 1:
            found.append(f"twice on top: {step}")
    return found


def _problems(widget: Widget) -> Iterator[str]:
    room = widget.content_region.width
    if isinstance(widget, Lines):
        room = widget.scrollable_content_region.width
        top = widget.scroll_offset.y
        rows = [widget.row(at).spans for at in range(top, widget.row_count)[: widget.size.height]]
        yield from _too_wide(room, widget.head, *rows)
        if not any(text.strip() for row in rows for text, _ in row):
            yield "empty"
    elif isinstance(widget, PartsLine):
        yield from _too_wide(room, [span for _, spans in widget.parts() for span in spans])
    elif isinstance(widget, Header):
        table = next(each for each in widget.ancestors if each.query(Lines))
        if table.query(Lines).first().content_region.x != widget.content_region.x:
            yield "the head is not over its columns"
    elif isinstance(widget, Static) and widget.id not in ABOUT_ANY_TEXT:
        text = str(widget.content)
        unbroken = text.split("\n") if widget.styles.text_wrap == "nowrap" else text.split()
        yield from _too_wide(room, *([(part, "")] for part in unbroken))


def _too_wide(room: int, *rows: Sequence[Span]) -> Iterator[str]:
    for row in rows:
        if spans_width(row) > room:
            yield f"{spans_width(row)} cells in {room}: {''.join(text for text, _ in row)!r}"

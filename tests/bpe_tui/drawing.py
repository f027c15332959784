"""Drawing the rows of widgets without a screen, for the sheets of `sheets/`.

A sheet has a title after `--`, then rows as the stories of `story.py` tell them: `«st»` is a token
just made, `‹s›` one that joins next, `┊` is between two tokens. A row that is above in the sheet,
or in another one that it goes on from, is not told again: `… 3` is three of them. A bar of
nine cells is `▄×9`. After a row are its roles in braces where they are not those of the row before,
and its target after `→` where that is of another kind, or says what the row does not.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import is_dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from story import SIGNS, WIDTHS
from textual.geometry import Region, Size
from textual.widget import Widget

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe import heap_panel, merge_panel
from bpe_tui.panels import training_panels
from bpe_tui.panels.charts import ChartPanel
from bpe_tui.shell import slices
from bpe_tui.shell.panel import FramePanel
from bpe_tui.styles import CHIPS
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import CHIPS_MEET, Row, Span
from bpe_tui.widgets.visible import visible_bytes

SHEETS = Path(__file__).parent / "sheets"
MOST, HEIGHT = 11, 9
"""Most rows of a panel that are kept, and the height of panels, in cells."""
SIGNS_OF = SIGNS | {"current": "[]", "fresh-joining": SIGNS["fresh"]}
"""Role of a token → the signs around it."""
BORDERS, BARS = re.compile(r"[\s+┊│⇄\[\]]*"), re.compile(r"([▄┄█])\1{3,}")
SAID_AFTER = re.compile(r"(  \{[^{}]*\})?(  → .*?)?(  … \d+)?$", re.MULTILINE)
NUMBER, FOOT = re.compile(r"\d+"), re.compile(r"^-- (\w+)[^\n]*?( ── [^\n]*)$", re.MULTILINE)


def signed(span: Span) -> str:
    """Return the text of a span, with the signs for its role."""
    text, role = span
    around = SIGNS_OF.get(role, "")
    if span == CHIPS_MEET:
        return "┊"
    return f"{around[:1]}{text}{around[1:]}" if text.strip("«»‹› ") == text != "" else text


def roles_of(row: Row) -> str:
    """Return the roles of a row from left to right; `-` is ordinary text."""
    spans = [span for span in row.spans if not BORDERS.fullmatch(span[0])]
    roles = ("token" if role in CHIPS else role or "-" for _, role in spans)
    said = " ".join(role for role, _ in groupby(roles))
    return "" if said == "-" else said


def target_of(row: Row) -> str:
    """Return the kind of a row's target; if the row does not say the rest, all of the target."""
    if not is_dataclass(row.target):
        return "" if row.target is None else str(row.target)
    text = re.sub("[«»‹›┊,]", "", "".join(text for text, _ in row.spans))
    said = {getattr(span, "subject", None) for span in row.spans} | {*NUMBER.findall(text)}
    for value in vars(row.target).values():
        for part in value if isinstance(value, tuple) else (value,):
            shown = visible_bytes(part) if isinstance(part, bytes) else str(part)
            is_in_text = not isinstance(part, int) and re.sub("[«»‹› ]", "", shown) in text
            if part not in said and shown not in said and not is_in_text:
                return str(row.target)
    return type(row.target).__name__


def key_of(line: str) -> str:
    return WIDTHS.sub(" ", line).strip()


class Drawing:
    """Lines with the rows of a session."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, app: BpeTuiApp) -> None:
        self.app = app
        self.lines: list[str] = []
        self._told = {("", "", "")}
        self._elsewhere = set[str]()
        self.patch = monkeypatch.setattr
        self.painted: set[Lines] = set()
        self.patch(Lines, "rebuild", lambda panel: self.painted.add(panel))

    def go_on_from(self, *sheets: str) -> None:
        """Take the rows of other sheets as told."""
        for sheet in sheets:
            kept = SAID_AFTER.sub("", (SHEETS / f"{sheet}.txt").read_text("utf-8"))
            feet = FOOT.findall(kept)
            self._elsewhere |= {*map(key_of, (*kept.splitlines(), *map("".join, feet)))}

    def add(self, name: str, title: str, rows: Iterable[Row]) -> None:
        """Add the news in rows, if there are any; a heading without a title is one of them."""
        heading, *news = self._news(f"-- {name} {title}".rstrip(), list(rows)[:MOST])
        if news or (not self._is_told(f"-- {name}") and not title):
            self.lines += [heading, *news]

    def add_changes(self, name: str, title: str, rows: Iterable[Row]) -> None:
        """Add a title and the news in rows."""
        self.lines += self._news(f"-- {name} {title}".rstrip(), rows)

    def _is_told(self, line: str, roles: str = "", target: str = "") -> bool:
        """Whether a line is above, or in another sheet; from now on it is."""
        key = key_of(line)
        is_told = key in self._elsewhere or (key, roles, target) in self._told
        self._told.add((key, roles, target))
        return is_told

    def _news(self, heading: str, rows: Iterable[Row]) -> list[str]:
        """Return a heading and the rows that are not told yet, each with the number of others."""
        lines, others, before = [heading], [0], ("", "")
        for row in rows:
            text = "".join(map(signed, row.spans)).rstrip()
            text = BARS.sub(lambda bar: f"{bar[1]}×{len(bar[0])}", text)
            roles, target = now = roles_of(row), target_of(row)
            if self._is_told(text, *now):
                others[-1] += 1
            else:
                text += f"  {{{roles}}}" if roles != before[0] else ""
                lines.append(text + (f"  → {target}" if target and target != before[1] else ""))
                others.append(0)
            before = now
        return [f"{line}  … {n}" if n else line for line, n in zip(lines, others, strict=True)]

    def resize(self, width: int, height: int) -> None:
        self.patch(Widget, "size", Size(width, height))
        self.patch(Widget, "outer_size", Size(width + 4, height + 2))
        self.patch(Widget, "scrollable_content_region", Region(0, 0, width, height))
        self.patch(FramePanel, "room", width)

    def add_panel(
        self, panel: FramePanel[Any], frame: Any, width: int, height: int = HEIGHT
    ) -> None:
        """Add the borders, the head and the rows of a panel."""
        self.resize(width, height)
        assert not panel.row_count  # nothing is drawn without a frame
        panel.set_reactive(FramePanel.frame, frame)
        panel.rebuild()
        assert panel in self.painted
        rows = (panel.row(place) for place in range(min(panel.row_count, MOST)))
        heading = f"{type(panel).__name__} {panel._shown_title or panel.named}"
        foot = f" ── {panel._shown_foot}"
        is_told = self._is_told(type(panel).__name__ + foot)
        self.add(heading + ("" if is_told else foot), "", [Row(panel.head), *rows])

    def add_chart(self, chart: ChartPanel, frame: Any, width: int) -> None:
        """Add the borders and the lines of a chart."""
        self.resize(width, 5)
        chart.set_reactive(ChartPanel.frame, frame)
        chart.on_resize()
        lines = [Row(list(chart.line(y))) for y in range(5)]
        self.add(f"{chart.id}: {chart.border_title} ── {chart.border_subtitle}", "", lines)


def drawings(monkeypatch: pytest.MonkeyPatch) -> Iterator[Drawing]:
    """Take what panels ask of a screen."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    for module in (heap_panel, merge_panel, training_panels):  # they search in slices of time
        monkeypatch.setattr(module, "SLICE_SECONDS", 60)
    monkeypatch.setattr(slices, "do_after", lambda *given: None)
    monkeypatch.setattr(BpeTuiApp, "is_headless", True)
    app = BpeTuiApp(None)
    with app._context():
        yield Drawing(monkeypatch, app)

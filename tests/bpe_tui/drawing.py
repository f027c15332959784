"""Drawing the rows of widgets without a screen, for the sheets of `sheets/`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from string import ascii_letters, digits
from typing import Any

import pytest
from textual.geometry import Region, Size
from textual.widget import Widget

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe import heap_panel, linked_view, merge_panel
from bpe_tui.views import slices, training_panels
from bpe_tui.views.charts import ChartPanel
from bpe_tui.views.panel import FramePanel
from bpe_tui.views.wording import Wording
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import Row
from bpe_tui.widgets.visible import width as cells

LETTERS = ascii_letters + digits
MOST, HEIGHT = 14, 9
"""Most rows of a panel that are kept, and the height of panels, in cells."""


class Drawing:
    """Lines with the rows of a session."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, app: BpeTuiApp) -> None:
        self.app = app
        self.lines: list[str] = []
        self._letters = {"": " "}
        self._before: dict[str, list[str]] = {}
        self.patch = monkeypatch.setattr
        self.painted: set[Lines] = set()
        self.patch(Lines, "rebuild", lambda panel: self.painted.add(panel))

    def add(self, name: str, title: str, rows: Iterable[Row]) -> None:
        lines = [line for row in list(rows)[:MOST] for line in self._lines_of(row)]
        if self._before.get(name) != lines:
            self.lines += [f"-- {name} {title}".rstrip(), *lines]
        self._before[name] = lines

    def add_changes(self, name: str, title: str, rows: Sequence[Row]) -> None:
        """Add the rows of `name` that are not as they were, each with its place."""
        now = ["\n   ".join(self._lines_of(row)) for row in rows]
        before = dict(enumerate(self._before.get(name, ())))
        changed = dict(enumerate(now)).items() - before.items()
        self.lines += [f"-- {name} {title}", *(f"{at:>2} {row}" for at, row in sorted(changed))]
        self._before[name] = now

    def _lines_of(self, row: Row) -> Iterator[str]:
        marks = ""
        for text, role in row.spans:
            letter = self._letters.setdefault(role, LETTERS[len(self._letters) - 1])
            marks += letter * cells(text)
        yield "".join(text for text, _ in row.spans).rstrip()
        target = "" if row.target is None else f"  → {row.target}"
        if marks.strip() or target:
            yield f"{marks.rstrip()}{target}"

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
        borders = f"{panel._shown_title or panel.named} ── {panel._shown_foot}"
        self.add(f"{type(panel).__name__} {borders}", "", [Row(panel.head), *rows])

    def add_chart(self, chart: ChartPanel, frame: Any, width: int) -> None:
        """Add the borders and the lines of a chart."""
        self.resize(width, 5)
        chart.set_reactive(ChartPanel.frame, frame)
        chart.on_resize()
        lines = [Row(list(chart.line(y))) for y in range(5)]
        self.add(f"{chart.id}: {chart.border_title} ── {chart.border_subtitle}", "", lines)

    def all_lines(self) -> list[str]:
        legend = (f"{letter} {role}" for role, letter in self._letters.items() if role)
        return [*self.lines, "", *legend]


class RolesDrawing(Drawing):
    """The roles in the rows of each panel, each with the first texts that have it."""

    TEXTS = 4

    def __init__(self, monkeypatch: pytest.MonkeyPatch, app: BpeTuiApp) -> None:
        super().__init__(monkeypatch, app)
        self._first: dict[str, dict[str, list[str]]] = {}

    def add(self, name: str, title: str, rows: Iterable[Row]) -> None:
        panel = self._first.setdefault(name.partition(" ")[0].strip(":"), {})
        for text, role in (span for row in rows for span in row.spans):
            texts = panel.setdefault(re.sub(r"-\d$", "", role), [])  # all hues of tokens are one
            if text.strip() not in ("", *texts) and len(texts) < self.TEXTS:
                texts.append(text.strip())

    def add_chart(self, chart: ChartPanel, frame: Any, width: int) -> None:
        """Leave charts out: their lines have three roles, and no words."""

    def all_lines(self) -> list[str]:
        return [
            f"{name}: {role}  {'  '.join(texts)}"
            for name, roles in self._first.items()
            for role, texts in sorted(roles.items())
            if role and texts
        ]


def drawings(monkeypatch: pytest.MonkeyPatch, kind: type[Drawing] = Drawing) -> Iterator[Drawing]:
    """Take what panels ask of a screen."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(FramePanel, "take_words", lambda self: None)
    monkeypatch.setattr(Wording, "of", lambda widget: Wording())
    for module in (heap_panel, merge_panel, training_panels):  # they search in slices of time
        monkeypatch.setattr(module, "SLICE_SECONDS", 60)
    monkeypatch.setattr(linked_view, "SECONDS", 60)
    monkeypatch.setattr(slices, "do_after", lambda *given: None)
    monkeypatch.setattr(BpeTuiApp, "is_headless", True)
    app = BpeTuiApp(None)
    with app._context():
        yield kind(monkeypatch, app)

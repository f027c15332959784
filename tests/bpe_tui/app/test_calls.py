"""Calls, and what each changes of a list, a window or the application.

A file of `calls/` names what is opened, then has calls after `>`: keys to press, a size, a cell to
click on, or Python. Under it are its answer, if it has one, and all that has changed since.
After a change that is meant, write them again and read what has changed:
`BPE_TUI_SNAPSHOTS=draw pytest -n 0 tests/bpe_tui/app/test_calls.py`.
"""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from opening import SAMPLE, opened_as, recorded_once, session_of, until
from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.content import Content
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widgets import Input, Static

from bpe_tui.app import navigation, palette, recorder, session_app, step_page
from bpe_tui.app.app import BpeTuiApp
from bpe_tui.dialogs import export, open_other, why
from bpe_tui.session import jobs, models, state
from bpe_tui.session.config import Claimed, RunConfig, TokenizerConfig, Viewpoint
from bpe_tui.session.declarations import Command
from bpe_tui.session.session import ForkedFrom, Session
from bpe_tui.session.threads import Cancelled
from bpe_tui.styles import DARK, LIGHT, role_style
from bpe_tui.views import corpus, explanation, narration, targets, training_panels
from bpe_tui.views.dialog import Dialog
from bpe_tui.views.screen_panels import Spot
from bpe_tui.widgets import figure, numbers, virtual_table, visible
from bpe_tui.widgets import rows as rows_module
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.lines import FoundRows, Lines, RowList
from bpe_tui.widgets.rows import Row, SubjectSpan
from engine import StopReason, Tokenizer
from engine.core.errors import BpeError
from engine.core.events import CountProgress, WorkProgress
from engine.formats import open_tokenizer
from engine.recording.training import CountedCorpus
from engine.text.corpus import Reading

CALLS = Path(__file__).parent / "calls"
HANDOUT, SHIP, SWAPPED = (
    str(SAMPLE.with_name(name)) for name in ("handout.txt", "ship.txt", "swapped.json")
)
RUN = RunConfig(HANDOUT, vocab_size=300, pattern="whitespace")
PASSING = "answers", "shows"
"""Names of what the last call has led to."""
NAMES = {
    each.__name__.rpartition(".")[2]: each
    for each in (
        *(session_app, export, open_other, jobs, models, state, targets, os),
        *(rows_module, corpus, explanation, narration, training_panels, virtual_table),
        *(numbers, visible, figure, palette, step_page, recorder, navigation, np, re),
        *(Segment, Strip, Style, Command, SimpleNamespace, WorkProgress, CountedCorpus, Spot),
        *(Claimed, RunConfig, TokenizerConfig, Viewpoint, Reading, Session, ForkedFrom),
        *(Chart, Row, Content, Input, Path, StopReason, Tokenizer, BpeError, CountProgress),
        *(replace, recorded_once, session_of, open_tokenizer),
    )
}
"""Names that calls use."""
Looks = Callable[[], dict[str, object]]
"""Returns what the calls may change, by name."""


class Listed(App[None]):
    """A list of forty rows with two tokens each, in ten lines; or rows that a field finds."""

    CSS = """
        Lines { overflow: hidden auto; scrollbar-size-vertical: 1; }
        #found { height: 3; overflow-y: scroll; }
    """

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.theme = DARK.name
        self.answers: list[Any] = []
        self.texts = ["one", "two", "!three"] * 3
        self.rows = RowList("rows", ROWS) if kind == "rows" else FoundRows("found", self.rows_of)

    def compose(self) -> ComposeResult:
        yield self.rows

    def rows_of(self, cells: int) -> list[Row]:
        self.answers.append(f"{cells} cells")
        return [Row([(text, "")], text if "!" in text else None) for text in self.texts]

    def on_lines_asked(self, event: Lines.Asked) -> None:
        self.answers.append(event.subjects)

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        self.answers.append(event.target)

    def on_lines_nothing_to_choose(self) -> None:
        self.answers.append("nothing")

    def on_lines_moved(self) -> None:
        self.answers.append("moved")

    def looks(self) -> dict[str, object]:
        rows, cursor = self.rows, role_style(self.rows, "cursor").bgcolor
        lines = [rows.render_line(y) for y in range(rows.size.height)]
        turned = [each.text for line in lines for each in line if each.style and each.style.reverse]
        answers, self.answers = self.answers, []
        return {
            "cursor": rows.cursor,
            "points at": turned,
            "lit": [
                y for y, line in enumerate(lines) if {s.style.bgcolor for s in line} == {cursor}
            ],
            "top": rows.scroll_offset.y,
            "bar": rows.show_vertical_scrollbar and rows.vertical_scrollbar.position,
            "rows": rows.virtual_size.height,
            "first": lines[0].text.rstrip(),
            "answers": answers,
        }

    def change(self, count: int) -> str:
        """Change the number of rows; return the lines and the cells of the bar that are painted."""
        rows, bar = self.rows, self.rows.vertical_scrollbar
        before = list(rows._in_sight), bar_looks(rows)
        for each in (rows, bar):
            each._dirty_regions.clear()
        rows._rows = (ROWS * 50)[:count]
        has_bar = count > 10 or rows.styles.overflow_y == "scroll"
        keeps_bar = has_bar and rows.show_vertical_scrollbar
        rows.rebuild()
        painted = []
        for each, was, now in zip(
            (rows, bar), before, (rows._in_sight, bar_looks(rows)), strict=True
        ):
            changed = {y for y, (old, new) in enumerate(zip(was, now, strict=True)) if old != new}
            cells = {region.y: region for region in each._dirty_regions if region.height == 1}
            assert {region.width for region in cells.values()} <= {each.size.width}
            assert cells.keys() == changed or not keeps_bar
            painted.append("".join(map(str, sorted(changed))))
        return f"lines {painted[0]} of the list, {painted[1]} of the bar"


ROWS = [
    Row([SubjectSpan.of(f"a{at}", "", at), (" ", ""), SubjectSpan.of(f"b{at}", "", -at)])
    for at in range(1, 41)
]


def bar_looks(rows: Lines) -> list[list[Segment]]:
    """Return the cells of the scroll bar, as Textual draws them."""
    bar, console = rows.vertical_scrollbar, rows.app.console
    options = console.options.update(width=1, height=bar.size.height)
    return console.render_lines(bar.render(), options)


class Idle(jobs.OpeningJob):
    """A job that posts nothing."""

    def start(self) -> None:
        """Do nothing."""


def states(session: Session) -> dict[str, object]:
    names = ("playing", "following", "awaiting", "found_none", "at_end", "needs_time")
    return {
        "step": session.shown and session.shown.step,
        "is": " ".join(name for name in names if getattr(session, name)),
        "halt": session.halt,
        "due": session.due,
        "counted": (session.documents, session.bytes_read, session.reading, session.working),
        "speed": session.speed,
        "open": (session.config.name, session.forked_from and session.forked_from.otherwise),
        "ended": session.stop_reason,
        "examined": session.breakpoints.examined,
    }


def looks_of(app: BpeTuiApp) -> dict[str, object]:
    session = app.session
    moving = [n for n in ("playing", "following", "awaiting") if getattr(session, n)]
    reading = app.screen.query("#reading-what")
    found: dict[str, object] = {
        "screen": app.screen.id or type(app.screen).__name__,
        "step": session.shown and session.shown.step,
        "text": session.text[:20],
        "moving": moving,
        "speed": session.speed,
        "says": app.notices.now,
        "note": app.notices.note,
        "back": app.navigation.way_back,
        "reading": str(reading.first(Static).render()) if reading else "",
        "open": (session.config.name, session.config.vocab_size, session.config.model)
        if isinstance(session.config, RunConfig)
        else session.config.name,
        "leaves": f"with {app.return_code}" if app._leaves else "",
    }
    if isinstance(app.screen, Dialog | open_other.ChooseModel):
        line = app.screen.query_one("#dialog-hint", Static)
        found |= {"hint": str(line.render()), "is refused": line.has_class("-refused")}
    if isinstance(app.screen, why.WhyWindow):
        rows, chart = app.screen.query_one(why.AnswerRows), app.screen.query_one(Chart)
        found |= {
            "title": app.screen.query_one("#why").border_title,
            "height": (rows.row_count, rows.size.height, rows.scroll_offset.y, rows.cursor),
            "enter": str(app.screen.query_one("#why-keys", Static).render()),
            "curve": [*map(int, (*chart.figure.xs, *chart.figure.ys))] if chart.display else None,
        }
    return found


@asynccontextmanager
async def opened_by(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[dict[str, Any], Looks, Pilot[Any] | None]]:
    """Open a list or the application; yield the names that calls use, and what they change."""
    names: dict[str, Any] = {"HANDOUT": HANDOUT, "SHIP": SHIP, "SWAPPED": SWAPPED, "RUN": RUN}
    names |= {**NAMES, "Idle": Idle, "ROWS": ROWS, "patch": monkeypatch.setattr}
    names |= {"np": np, "DARK": DARK, "LIGHT": LIGHT, "said": rows_module.plain_text}
    if what == "python":
        yield names, dict, None
    elif what in ("rows", "found"):
        app = Listed(what)
        async with app.run_test(size=(20, 10)) as pilot:
            app.rows.focus()
            await pilot.pause()
            yield names | {"app": app, "rows": app.rows, "change": app.change}, app.looks, pilot
    elif what == "session":
        config, news = replace(RUN, viewpoint=Viewpoint(3, breakpoints=("step 7",))), list[Any]()
        job, session = jobs.OpeningJob(config, news.append), Session(config)
        job.go_on()  # there is no screen to wait for
        job.work()
        started = next(each for each in news if isinstance(each, jobs.TrainingStarted))
        yield names | {"session": session, "started": started}, lambda: states(session), None
    else:
        monkeypatch.setattr("bpe_tui.app.app._prepare", lambda *given: None)
        async with opened_as(RUN, (100, 24)) as (full, pilot):
            full.clear_notices()
            clock = SimpleNamespace(now=1000.0)
            monkeypatch.setattr(session_app, "monotonic", lambda: clock.now)
            assert full._clock is not None
            full._clock.pause()
            full._ticked = full._pressed = clock.now
            changed, shown = full.changed, list[str]()

            def note_and_show() -> None:
                shown.append("again")
                changed()

            def looks() -> dict[str, object]:
                found = {"shows": len(shown)}
                shown.clear()
                return looks_of(full) | found

            monkeypatch.setattr(full, "changed", note_and_show)
            names |= {"app": full, "clock": clock, "session": full.session}
            yield names, looks, pilot


async def call(line: str, names: dict[str, Any], pilot: Pilot[Any] | None) -> str:
    """Press keys, give the terminal a size, click on a list, or run Python; return the answer."""
    answer = None
    match line.split():
        case _ if pilot is None:
            answer = run(line, names)
        case ["press", *keys]:
            await pilot.press(*keys)
        case ["tick", seconds]:
            names["clock"].now += float(seconds)
            names["app"]._tick()
        case ["size", width, height]:
            await pilot.resize_terminal(int(width), int(height))
        case ["click", x, y]:
            await pilot.click(names["rows"], offset=(int(x), int(y)))
        case _:
            answer = run(line, names)
    if pilot is not None:
        await pilot.pause()
        await pilot.pause()
        app = pilot.app
        if isinstance(app, BpeTuiApp) and not (app.session.recording or app._leaves):
            # What is read is shown after a while, so that a short reading does not flash.
            waits = (app.screen.id or "").endswith("training")
            await until(pilot, lambda: not waits or app.screen.query("#reading-what"))
    is_told = answer is not None and "await" not in repr(answer).lower()
    return f"{answer}\n" if is_told else ""


def run(line: str, names: dict[str, Any]) -> object:
    """Run a line of Python; return its value, or the error that it raises."""
    try:
        return eval(line, names)
    except SyntaxError:  # a statement
        exec(line, names)
        return None
    except (BpeError, Cancelled) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.unix  # as the paths are
@pytest.mark.parametrize("name", sorted(path.stem for path in CALLS.glob("*.txt")))
async def test_each_call_changes_what_is_kept(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (CALLS / f"{name}.txt").read_text("utf-8")
    head = re.split("^(?=>)", text, flags=re.MULTILINE)[0]
    written, known = head, dict[str, object]()
    async with opened_by(head.splitlines()[-1], monkeypatch) as (names, looks, pilot):
        for line in re.findall("^> (.*)", text, flags=re.MULTILINE):
            written += f"> {line}\n{await call(line, names, pilot)}"
            now = looks()
            for each, value in now.items():
                if known.get(each) != value and (each in known or value):
                    written += f"  {each}: {value}\n"
            known = {each: value for each, value in now.items() if each not in PASSING}
    for folder, known_as in ((SAMPLE.parent, "samples"), (Path.cwd(), "here"), (Path.home(), "~")):
        written = written.replace(f"{folder}/", f"{known_as}/")
    if os.environ.get("BPE_TUI_SNAPSHOTS") == "draw":
        (CALLS / f"{name}.txt").write_text(written, "utf-8")
    assert text == written

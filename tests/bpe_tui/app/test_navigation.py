"""Backspace leads back to the exact place that a jump left: screen, step, panel, rows."""

from unittest.mock import patch

import pytest
from opening import opened, opened_as, step, until
from program import HANDOUT
from textual.pilot import Pilot
from textual.widgets import TextArea

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.app.navigation import JumpStart
from bpe_tui.dialogs.why import WhyWindow
from bpe_tui.session.config import RunConfig
from bpe_tui.session.models import MODELS
from bpe_tui.shell import targets
from bpe_tui.shell.screen_panels import Spot
from bpe_tui.shell.session_screen import SessionScreen
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.controls import KeyBar, Scrubber, TabLine
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import subject_cells, subjects_at


def place(app: BpeTuiApp) -> JumpStart:
    here = app.navigation.here()
    assert here is not None
    return here


async def back(app: BpeTuiApp, pilot: Pilot[int], before: JumpStart) -> None:
    await pilot.press("backspace")
    for _ in range(50):  # the cursors return once the rows are made
        await pilot.pause()
        here = app.navigation.here()
        if here is not None and not here.differs_from(before):
            return
    raise AssertionError((before, here))


def keys_shown(app: BpeTuiApp) -> list[str]:
    return [key.label for key in app.screen.query_one(KeyBar).keys]


def rows_that_lead(rows: Lines) -> list[int]:
    """Return two rows with targets: the last ones, since the first may lead nowhere else."""
    return [at for at in range(rows.row_count) if rows.row(at).target is not None][-2:]


RUNS = {
    model: RunConfig(HANDOUT, vocab_size=300, model=model, pattern="whitespace") for model in MODELS
}
RUNS["textbook"] = RunConfig(
    HANDOUT, vocab_size=30, model="unigram", trainer="textbook", units="characters", pattern="none"
)
LEAD = {
    "bpe": {"training pairs", "training merges", "training pretokens", "vocabulary tree"},
    "wordpiece": {"training merges", "training pretokens", "vocabulary tree"},
    "unigram": {"training token-rows", "training step", "training steps"},
    "textbook": {"training token-rows", "training step"},
}
"""Run → tables that lead elsewhere, among others."""


async def closed(app: BpeTuiApp, pilot: Pilot[int]) -> None:
    """Wait for windows to close; press Esc if a row of theirs has not closed them."""
    for _ in range(60):
        await pilot.pause(0.01)
        if not app.screen.is_modal:
            await pilot.pause()
            return
    await pilot.press("escape")
    await closed(app, pilot)


async def try_rows(
    app: BpeTuiApp, pilot: Pilot[int], screen: SessionScreen, rows: Lines
) -> set[str]:
    """Press Enter on rows of a table, and in the window it opens; Esc must lead back each time.

    Returns:
        The names of the tables and windows that led elsewhere.
    """
    led = set()
    for row in rows_that_lead(rows):
        screen.set_focus(rows)
        rows.put_cursor(row, 0)
        await pilot.pause()
        before = place(app)
        await pilot.press("enter")
        name = str(rows.id)
        if app.screen.is_modal:
            name = type(app.screen).__name__
            lists = [each for each in app.screen.query(Lines) if rows_that_lead(each)]
            if not lists:
                await back(app, pilot, before)
                continue
            lists[0].put_cursor(rows_that_lead(lists[0])[-1], 0)
            lists[0].action_choose()
            await closed(app, pilot)
        if place(app).differs_from(before):
            led.add(name)
            await back(app, pilot, before)
    return led


@pytest.mark.nightly  # a walk over all panels of all models
@pytest.mark.parametrize("run", RUNS)
async def test_backspace_undoes_enter_in_every_panel_of_every_model(run: str) -> None:
    led: set[str] = set()
    async with opened_as(RUNS[run], (160, 50)) as (app, pilot):
        for kind in ("training", "encoding", "vocabulary", "charts", "inspection", "pipeline"):
            app.action_show(kind)
            app.seek(2)
            await pilot.pause()
            screen = app.screen
            assert isinstance(screen, SessionScreen)
            for panel in screen.PANEL_ORDER:
                screen.show_panel(panel)
                await pilot.pause()
                widget = screen.query_one(f"#{panel}")
                lists = [widget] if isinstance(widget, Lines) else [*widget.query(Lines)]
                for rows in lists:
                    for _ in range(4 if rows.id == "pairs" and run == "bpe" else 1):
                        if rows.display and rows.can_focus:
                            names = await try_rows(app, pilot, screen, rows)
                            led |= {f"{kind} {name}" for name in names}
                        if rows.id == "pairs":
                            await pilot.press("v")
    assert led >= {"inspection odd", "inspection longest", *LEAD[run]}


LEADS: list[tuple[object, str, int, str, str]] = [
    (targets.ToStep(3), "training", 3, "", "step 2"),
    (targets.ToPair((119, 258)), "training", 5, "", "step 2"),
    (targets.ToPair((0, 1)), "training", 2, "This pair does not merge; w explains why.", ""),
    (targets.ToToken(258), "vocabulary", 2, "", "1 train"),
    (targets.ToToken(262), "vocabulary", 6, "", "1 train"),
    (targets.ToPretoken(b"low"), "encoding", 2, "", "1 train"),
    (targets.ToChange((101, 115)), "LedgerWindow", 2, "", ""),
    (targets.ToQuestion((101, 115)), "WhyWindow", 2, "", ""),
    (targets.ToOpening(), "OpenOther", 2, "", ""),
    (targets.ToStep(2), "training", 2, "", ""),
]
"""Target, the screen and the step that it leads to from step 2, the message, the way back."""


async def test_each_target_leads_to_its_screen_and_step_and_backspace_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened_as(RUNS["bpe"]) as (app, pilot):
        app.seek(2)
        before, text = place(app), app.session.text
        for target, screen, at, told, way_back in LEADS:
            app.notices.now = ""
            is_window = screen[0].isupper()
            app.session.following = is_window
            app.navigation.go_to_target(target)
            await pilot.pause()
            assert (app.screen.id or type(app.screen).__name__, step(app)) == (screen, at)
            assert (app.notices.now, app.navigation.way_back) == (told, way_back)
            assert (app.session.text == text) == (screen != "encoding")
            assert not app.session.following  # the window holds what moves
            await pilot.press("escape" if is_window else "backspace")
            await until(pilot, lambda: place(app) == before)
            assert app.session.text == text
        app.action_show("encoding")
        await pilot.pause()
        app.navigation.open_encoding("newest", look=True)
        await pilot.pause()
        assert app.screen.query_one(TextArea).text == "newest"
        app.action_show("training")
        for jump in (0, 1):
            app.action_end(jump == 0)
            await until(pilot, lambda: keys_shown(app)[1].startswith("back to"))
        await pilot.press("backspace")
        app.navigation.forget()
        await until(pilot, lambda: keys_shown(app)[1] == "play")
        for say, told in (
            (app.navigation.go_back, "No way back: the jumps before were in another run"),
            (app.navigation.go_back, "Nothing to go back to"),
        ):
            say()
            assert app.notices.now.startswith(told)
        monkeypatch.setattr(app, "refusal_of", lambda _: "No text can be encoded.")
        app.navigation.open_encoding("low")
        assert (app.notices.now, app.screen.id) == ("No text can be encoded.", "training")


@pytest.mark.slow
async def test_a_piece_is_shown_in_the_vocabulary() -> None:
    async with opened_as(RUNS["unigram"]) as (app, pilot):
        app.navigation.go_to_target(targets.ToPiece(7))
        await until(pilot, lambda: app.screen.id == "unigram-vocabulary")
        n = targets.ToPretoken(b"n")
        await until(pilot, lambda: app.screen.query_one("#token-rows", Lines).target == n)


def test_a_place_is_named_by_what_differs_from_the_present_one() -> None:
    here = JumpStart("training", 2, Spot("pairs", None, (1,), (0,)), None)
    for other, name in (
        (here._replace(screen="unigram-vocabulary", step=3), "3 vocab"),
        (here._replace(screen="comparison"), "comparison"),
        (here._replace(step=3000), "step 3,000"),
        (here._replace(spot=here.spot._replace(rows=(2,))), "another row"),
        (here._replace(spot=here.spot._replace(panel="merges")), "another row"),
    ):
        assert (other.differs_from(here), other.name_from(here)) == (True, name)
    for same in (here._replace(typed="a"), here._replace(spot=here.spot._replace(tops=(1,)))):
        assert not same.differs_from(here)


async def test_a_click_on_a_token_asks_about_it_and_one_on_a_chart_seeks() -> None:
    async with opened_as(RUNS["bpe"]) as (app, pilot):
        app.seek(2)
        await pilot.pause()
        corpus = app.screen.query_one("#corpus", Lines)
        left, top = corpus.content_offset
        spans = corpus.row(0).spans
        for cell in subject_cells(spans)[:2]:
            for x in (cell, cell - 1) if cell else (0,):  # a token, the border before it
                await pilot.click(corpus, offset=(left + x, top))
                await until(pilot, lambda: isinstance(app.screen, WhyWindow))
                assert app.screen._asked.ids == subjects_at(spans, x)  # type: ignore[attr-defined]
                await pilot.press("escape")
                await until(pilot, lambda: not app.screen.is_modal)
        app.action_show("charts")
        await pilot.pause()
        chart = app.screen.query_one("#counts", Chart)
        for x, is_drag, there in ((5.6, True, (6, "")), (8.4, False, (8, "step 6"))):
            chart.post_message(Chart.Sought(x, is_drag))
            await until(pilot, lambda: (step(app), app.navigation.way_back) == there)  # noqa: B023


@pytest.mark.slow
async def test_a_drag_of_the_slider_is_one_jump() -> None:
    async with opened() as (app, pilot):
        before, slider = place(app), app.screen.query_one(Scrubber)
        last = slider.size.width - 1
        await pilot.mouse_down(slider, offset=(last // 2, 0))
        assert step(app) == pytest.approx(443 / 2, abs=8)
        await pilot.hover(slider, offset=(last, 0))
        await pilot.mouse_up(slider, offset=(last, 0))
        await pilot.hover(slider, offset=(0, 0))
        assert step(app) == 443
        await back(app, pilot, before)


async def test_escape_at_rest_leaves_the_panel_and_nothing_else() -> None:
    async with opened() as (app, pilot):
        await pilot.press("end", "v")
        screen = app.screen
        assert isinstance(screen, SessionScreen)
        for panel, told in (("corpus", ""), ("corpus", "Nothing to leave here; q quits.")):
            await pilot.press("escape")
            assert (app.screen.id, step(app), screen.panels.focused()) == ("training", 443, panel)
            assert app.notices.now == told
        app.session.speed = 1  # a slow machine does not play it to its end meanwhile
        await pilot.press("home", "space")
        await until(pilot, lambda: app.session.playing)
        await pilot.press("escape")  # it stops what plays first
        assert (app.session.playing, app.screen.id) == (False, "training")
        await pilot.press("end", "0", "home", "P")
        for key, there in (
            ("escape", ("explain", 0)),  # the prediction
            ("escape", ("explain", 0)),
            ("backspace", ("explain", 443)),
            ("backspace", ("training", 443)),
        ):
            await pilot.press(key)
            await until(pilot, lambda: (app.screen.id, step(app)) == there)  # noqa: B023


async def test_a_screen_that_the_model_lacks_is_dim_and_says_why() -> None:
    async with opened_as(RUNS["wordpiece"], (100, 30)) as (app, pilot):
        line = app.screen.query_one(TabLine)
        assert [tab.name for tab in line.tabs if not tab.is_open] == ["race", "check"]
        for name, why in (("race", "is between BPE's trainers"), ("check", "with BPE's rule")):
            await pilot.click(TabLine, offset=(line.render_line(0).text.index(name), 0))
            await until(pilot, lambda: why in app.notices.now)  # noqa: B023


async def test_one_click_selects_a_row_and_a_second_one_goes_where_it_leads() -> None:
    async with opened_as(RUNS["bpe"]) as (app, pilot):
        app.seek(2)
        await pilot.pause()
        for panel, row in (("pairs", 0), ("merges", 4)):
            rows = app.screen.query_one(f"#{panel}", Lines)
            rows.put_cursor(0, 0)
            at = (rows.content_offset.x + 2, rows.content_offset.y + rows.head_height + row)
            before = step(app)
            await pilot.click(rows, offset=at)
            assert (panel, rows.cursor, step(app)) == (panel, row, before)
            rows.put_cursor(1, 0)
            await pilot.click(rows, offset=at)  # another row was selected meanwhile
            await pilot.press("tab")
            await pilot.click(rows, offset=at)  # another panel had the focus
            assert (panel, rows.cursor, step(app)) == (panel, row, before)
            chosen = list[object]()
            with patch.object(type(app.screen), "follow", lambda _, target: chosen.append(target)):  # noqa: B023
                await pilot.click(rows, offset=at)
            assert chosen == [rows.row(row).target]

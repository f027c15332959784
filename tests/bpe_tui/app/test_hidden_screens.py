"""Hidden screens hold no old run, and the next one is made ahead."""

import asyncio
import gc
import sys
import weakref
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from generated import first_quick
from opening import ended, opened, opened_as, until
from program import HANDOUT
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot
from textual.widgets import Static
from unigram_texts import settled

import bpe_tui
import engine
from bpe_tui.app.app import BpeTuiApp
from bpe_tui.app.session_app import mount_ahead
from bpe_tui.explain.screen import ExplainScreen
from bpe_tui.session.config import RunConfig, Viewpoint
from bpe_tui.session.opening_command import command_that_opens
from bpe_tui.session.session import Session
from bpe_tui.shell.session_screen import SessionScreen
from bpe_tui.styles import LIGHT
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import plain_text

SCREENS = "02345781"
"""The keys of all screens that each model has, the training screen last."""
MOST_FILES = 46
"""Most files of ours that a step on the training screen passes."""
ROOTS = tuple(str(Path(str(package.__file__)).parent) for package in (bpe_tui, engine))


async def _visit(app: BpeTuiApp, pilot: Pilot[int], keys: str) -> None:
    for key in keys:
        before = app.screen
        await pilot.press(key)
        await until(pilot, lambda before=before: app.screen is not before)


async def test_only_the_screen_in_front_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened() as (app, pilot):
        await _visit(app, pilot, "201")
        told = []
        for screen in (app.get_screen(name) for name in ("explain", "encoding", "training")):
            assert isinstance(screen, SessionScreen)

            def show(session: Session, screen: Any = screen) -> None:
                told.append(screen.id)

            monkeypatch.setattr(screen, "show_session", show)
        await pilot.press("right")
        assert set(told) == {"training"}


@pytest.mark.slow
async def test_a_step_passes_few_files() -> None:
    async with opened() as (app, pilot):
        await _visit(app, pilot, "201")
        # The pretokens of the steps are encoded before.
        await pilot.press("home", *["right"] * 7, *["left"] * 6, "right")
        passed: set[str] = set()
        steps = []

        def note(frame: FrameType, event: str, argument: object) -> None:
            if event == "call" and frame.f_code.co_filename.startswith(ROOTS):
                passed.add(frame.f_code.co_filename)

        for _ in range(3):
            passed.clear()
            sys.setprofile(note)
            try:
                await pilot.press("right")
            finally:
                sys.setprofile(None)
            steps.append(sorted(passed))
        fewest = min(steps, key=len)  # without what a timer does just then
        assert len(fewest) <= MOST_FILES, fewest


@pytest.mark.slow
async def test_a_first_visit_parses_no_sheet_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(vocab_size=300) as (app, pilot):
        app.action_light()  # new variables forget what was parsed
        sheets: list[object] = []
        monkeypatch.setattr(Stylesheet, "__init__", lambda sheet, **_: sheets.append(sheet))
        await pilot.press("3")
        assert app.screen.styles.background.hex.lower() == LIGHT.background
        assert not sheets


@pytest.mark.parametrize(
    ("model", "keys"),
    first_quick([("wordpiece", "231"), ("bpe", f"69{SCREENS}"), ("unigram", SCREENS)]),
)
async def test_nothing_holds_the_run_before(model: str, keys: str) -> None:
    app = BpeTuiApp(RunConfig(HANDOUT, vocab_size=300, model=model))
    app.makes_ahead = False
    async with app.run_test(size=(120, 40)) as pilot:
        await ended(app, pilot)
        await _visit(app, pilot, keys)
        assert app.session.recording is not None
        before = weakref.ref(app.session.recording.run)
        app.open(RunConfig(HANDOUT, vocab_size=290, model=model))
        await ended(app, pilot)
        await pilot.press("right")
        gc.unfreeze()
        await until(pilot, lambda: (gc.collect(), before() is None)[1])


async def test_a_screen_that_is_made_again_has_its_table_sorted_as_before() -> None:
    async with opened(HANDOUT, vocab_size=270) as (app, pilot):
        await pilot.press("3", "c", "C")
        before: Any = app.screen
        order = before.table.rows.sorting, before.table.rows.descending
        assert order != ("id", False)
        await pilot.press("1")
        app.forget_run()
        await until(pilot, lambda: not before.is_running)
        await pilot.press("3")
        await until(pilot, lambda: app.screen.id == "vocabulary" and app.screen.is_mounted)
        again: Any = app.screen
        assert again is not before
        assert (again.table.rows.sorting, again.table.rows.descending) == order


async def test_a_screen_can_be_opened_while_the_one_before_of_its_name_is_removed() -> None:
    async with opened(HANDOUT, vocab_size=270) as (app, pilot):
        await pilot.press("2", "1")
        before = app.get_screen("encoding")
        app.forget_run()
        turns = 0
        while before.is_running:
            assert app.is_screen_installed("encoding")
            await asyncio.sleep(0)
            turns += 1
        for at in range(turns):
            await pilot.press("2", "1")
            before = app.get_screen("encoding")
            app.forget_run()
            for _ in range(at):
                await asyncio.sleep(0)
            mount_ahead(app, "encoding")
            await pilot.press("2")
            await until(pilot, lambda: app.screen.id == "encoding" and app.screen.is_mounted)


CASES = [
    (step, rules, view)
    for step, rules in ((4, ("first-seen", "smallest-ids")), (0, ("lexicographic", "first-seen")))
    for view in ("training", "explain")
]
"""A step, and two tie rules that agree on the handout up to it, but not on the next merge."""


def shown(app: BpeTuiApp) -> dict[str, list[str]]:
    """Return the title, rows and roles of each panel in sight, and the sentence about the step."""
    panels = {
        str(panel.id): [
            str(panel.border_title),
            *(
                f"{plain_text(row.spans)} {[role for _, role in row.spans]}"
                for row in map(panel.row, range(panel.row_count))
            ),
        ]
        for panel in app.screen.query(Lines)
        if panel.display
    }
    said = {"said": [str(each.render()) for each in app.screen.query("#narration").results(Static)]}
    return panels | said


async def drawn(
    rule: str, view: str, step: int, *keys: str, hides: bool
) -> list[dict[str, list[str]]]:
    """Return what a screen shows at a step, then after each key."""
    viewpoint = Viewpoint(step, view, "the newest", hide_next=hides)
    config = RunConfig(HANDOUT, 275, tie_rule=rule, pattern="whitespace", viewpoint=viewpoint)
    async with opened_as(config) as (app, pilot):
        found = [await still(app, pilot)]
        for key in keys:
            await pilot.press(key)
            found.append(await still(app, pilot))
        return found


async def still(app: BpeTuiApp, pilot: Pilot[int]) -> dict[str, list[str]]:
    """Return what is shown once nothing changes any more."""
    if isinstance(app.screen, ExplainScreen):
        app.screen.clock.finish()
    await settled(pilot)
    before = None
    while before != (now := shown(app)):
        before = now
        await pilot.pause(0.01)
    return now


@pytest.mark.parametrize(("step", "rules", "view"), first_quick(CASES))
async def test_screens_whose_next_merges_differ_look_alike_while_these_are_hidden(
    step: int, rules: tuple[str, str], view: str
) -> None:
    one, other = [await drawn(rule, view, step, "H", hides=True) for rule in rules]
    assert one[0] == other[0]
    assert one[1] != other[1], "H shows it"


@pytest.mark.slow
async def test_the_key_hides_over_steps_and_the_command_says_so() -> None:
    [hidden] = await drawn("first-seen", "training", 4, hides=True)
    assert hidden == (await drawn("first-seen", "training", 3, "H", "right", hides=False))[-1]
    *_, hinted = await drawn("first-seen", "explain", 4, "P", "H", hides=False)
    assert any("Hint: " in row for row in hinted["pick"]), "a question is asked"
    config = RunConfig("/a.txt")
    command = command_that_opens(config, config.viewpoint._replace(hide_next=True))
    assert command == "bpe-tui open /a.txt --hide-next"


@pytest.mark.slow
async def test_another_model_hides_nothing() -> None:
    config = RunConfig(HANDOUT, model="wordpiece", viewpoint=Viewpoint(hide_next=True))
    async with opened_as(config) as (app, pilot):
        assert not app.hides_next
        await pilot.press("H")
        assert (
            app.notices.now == "Only BPE's merges to come are hidden; M trains BPE on this corpus."
        )

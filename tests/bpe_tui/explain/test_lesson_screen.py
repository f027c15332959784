"""The explain screen on the screen: keys, painted lines, the remembered preference."""

import pytest
from edges import edged
from opening import SAMPLE, burst, frame_of, opened, opened_as, step, until
from textual.geometry import Region
from textual.pilot import Pilot

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.explain import beats
from bpe_tui.explain.explanation import Beat, StepMoment
from bpe_tui.explain.screen import ExplainScreen
from bpe_tui.explain.section import STATIONS, ExplainSection
from bpe_tui.panels.corpus import CorpusPlace
from bpe_tui.session.config import RunConfig
from bpe_tui.shell import slices
from bpe_tui.shell.panel import pair_text
from bpe_tui.styles import LIGHT

GIVE_WAY = ("your-text", "corpus")


def screen(app: BpeTuiApp) -> ExplainScreen:
    assert isinstance(app.screen, ExplainScreen)
    return app.screen


def section(app: BpeTuiApp, name: str) -> list[str]:
    it = app.screen.query_one(f"#{name}", ExplainSection)
    return [edged(it.row(index).spans) for index in range(it.height)]


def beat(app: BpeTuiApp) -> Beat:
    moment = screen(app).clock.moment
    assert moment is not None
    return moment.beat


async def held(app: BpeTuiApp, pilot: Pilot[int], *keys: str) -> Beat:
    await pilot.press(*keys)
    return beat(app)


async def test_keys_start_hold_and_take_back_beats(monkeypatch: pytest.MonkeyPatch) -> None:
    for slow in (Beat.PICK, Beat.LIGHT):  # a busy machine is slower than a beat
        monkeypatch.setitem(beats.SECONDS, slow, 60)
    monkeypatch.setattr(beats, "ALL_BEATS", 60)
    async with opened() as (app, pilot):
        await pilot.press("0", "right")
        assert (beat(app), step(app)) == (Beat.PICK, 1)
        await pilot.press("right")  # too soon for beats: at once
        assert (beat(app), step(app)) == (Beat.REST, 2)
        assert await held(app, pilot, "full_stop") is Beat.PICK
        reason, app.session.stop_reason = app.session.stop_reason, None  # as while it trains
        app.changed()
        await until(pilot, lambda: "step 2 of 443…" in heading(app))
        app.session.stop_reason = reason
        await pilot.press("question_mark")
        assert await held(app, pilot, "escape", "full_stop") is Beat.LIGHT
        assert "Here it is: " in section(app, "replace")[0]
        assert any("+" in row for row in section(app, "corpus"))
        assert (await held(app, pilot, "left"), step(app)) == (Beat.REST, 2)
        await pilot.press("full_stop", "right")  # shows the rest
        assert beat(app) is Beat.LIGHT
        screen(app).clock._go_on()  # as at the end of the beat
        await until(pilot, lambda: beat(app) is Beat.REST)
        assert step(app) == 3
        await pilot.press("full_stop", "1", "0")  # after the return the result is shown
        assert (beat(app), step(app)) == (Beat.REST, 4)
        await pilot.press("end")
        assert "the end" in str(screen(app).query_one("#heading").render())


def heading(app: BpeTuiApp) -> str:
    return str(screen(app).query_one("#heading").render())


async def test_count_and_pick_are_about_the_same_merge_and_no_name_has_a_digit() -> None:
    async with opened(size=(100, 30)) as (app, pilot):
        await pilot.press("0")
        it = screen(app)
        last = frame_of(app).recorded_steps
        for step in (0, 1, 2, 39, last - 1):
            app.seek(step)
            it.clock.finish()
            count, pick, replace = (it.sections[name] for name in STATIONS)
            merge, following = frame_of(app).merge_at(step), f"merge {step + 1:,}"
            assert (count.caption, pick.caption) == (following, following)
            assert replace.caption == (f"merge {step:,}" if step else "")
            named = pair_text(frame_of(app), merge.pair)
            assert named in section(app, "pick")[0]
            assert not any(map(str.isdigit, f"{count.label}{pick.label}{replace.label}"))
        app.seek(last)
        it.clock.finish()
        assert it.sections["pick"].caption == f"merge {last:,}", "none follows"


async def test_each_beat_lights_its_part_and_the_corpus_stays_where_the_step_is() -> None:
    async with opened(size=(100, 30)) as (app, pilot):
        await pilot.press("0", "g", *"400", "enter")
        it = screen(app)

        def lit() -> str:
            parts = (it.sections[name].row(0).spans[2] for name in STATIONS)
            return " ".join(text for text, role in parts if role == "pair")

        assert [(round(at, 2), lit()) for at in it.retell(1.0, 2)] == [
            (0.0, "PICK"),
            (0.25, "REPLACE"),
            (0.57, "REPLACE"),
            (1.0, "COUNT"),
        ]
        frame, tops, counts = frame_of(app), set(), []
        for share, station in ((0.1, "REPLACE"), (0.6, "COUNT"), (0.95, "COUNT")):
            it.show(StepMoment(frame.at(399), frame, Beat.JOIN, share))
            assert lit() == station
            tops.add(it.top)
            counts.append(section(app, "count"))
        assert tops == {CorpusPlace(49, 0)}
        assert counts[1] != counts[2]  # the bars move
        for app.session.playing, place in ((True, 0), (False, 49)):  # it scrolls for no played step
            it.top = CorpusPlace(0, 0)
            it.show(StepMoment(frame.at(399), frame, Beat.REST))
            assert it.top.line == place
        await pilot.press("home")
        assert list(it.retell(1.0, 2)) == []  # there is no step before


@pytest.mark.slow
async def test_a_recording_of_a_prune_knows_the_costs_that_the_screen_computes_at_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(slices, "REST_SECONDS", 600)
    monkeypatch.setattr("opening._RUNS", {})  # the run of another test knows the costs
    ship = str(SAMPLE.with_name("ship.txt"))
    config = RunConfig(ship, pattern="whitespace", vocab_size=60, model="unigram")
    async with opened_as(config, (100, 30)) as (app, pilot):
        await pilot.press("0", "right", "right")
        it = screen(app)
        assert "Weighing the pieces that stay …" in section(app, "count")[4]
        it.work_out(it.frame_of(app.session))
        rows = [row[19:28].strip() for row in section(app, "count")[:7]]
        assert rows == ["t,", "ee", "ta", "p,", "ut", "e.", "shut"]
        await pilot.press(*["right"] * 4)
        next(it.retell(1.0, 2))  # the prune of step 6: four pieces go, three others stay
        fates = [row.split()[-1] for row in section(app, "count")[:7]]
        assert fates == ["goes"] * 4 + ["stays"] * 3


@pytest.mark.slow
async def test_the_users_text_is_above_the_field_and_nothing_moves() -> None:
    async with opened(size=(80, 24)) as (app, pilot):
        await pilot.press("0")
        assert "…" not in "".join(section(app, "your-text"))  # a sentence of the corpus, in 2 rows
        await pilot.press("g", *"36", "enter", "e", "ctrl+u", *"the goat")
        places = [each.region for each in app.screen.query(ExplainSection)]
        text = screen(app).sections["your-text"].region
        assert screen(app).field.region == Region(19, text.bottom - 1, 59, 1)
        assert section(app, "your-text")[1].startswith("     6 tokens")
        await pilot.resize_terminal(90, 30)
        await until(pilot, lambda: screen(app).field.region.size == (69, 1))
        text = screen(app).sections["your-text"].region
        assert screen(app).field.region.offset == (19, text.bottom - 1)
        await pilot.resize_terminal(80, 24)
        burst(app, "escape", "right")  # out of the field at once
        await until(pilot, lambda: step(app) == 37)
        assert [each.region for each in app.screen.query(ExplainSection)] == places
        found = {}
        for size in ((60, 19), (60, 18), (60, 16), (60, 15), (60, 21), (60, 20)):
            app.notices.note = "This takes two rows. " * 4 if size[1] > 19 else ""
            app.screen.show_notices()  # type: ignore[attr-defined]
            await pilot.resize_terminal(*size)
            await pilot.pause()
            await pilot.pause()
            found[size[1]] = [screen(app).sections[name].display for name in GIVE_WAY]
        assert found == {
            19: [True, True],
            18: [False, True],
            16: [False, True],
            15: [False, False],
            21: [True, True],
            20: [False, True],
        }


@pytest.mark.slow  # it opens the application twice
async def test_the_colours_chosen_last_come_back_and_the_first_screen_stays() -> None:
    async with opened() as (app, pilot):
        await pilot.press("0", "ctrl+t")
    async with opened() as (app, pilot):
        assert (app.screen.id, app.theme) == ("training", LIGHT.name)

"""Forks, breakpoints and more merges by keys, and the pseudocode that advances with a key."""

from dataclasses import replace
from itertools import takewhile
from pathlib import Path

import pytest
from generated import first_quick
from opening import SAMPLE, ended, frame_of, opened, opened_as, recorded_once, step, until
from screen_text import row_texts
from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Input, Static

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe import what_if
from bpe_tui.bpe.heap_panel import PairsPanel
from bpe_tui.bpe.training_screen import PseudocodePanel, TrainingScreen
from bpe_tui.bpe.what_if import Branches, PlanRows, WhatIfJob, diff_rows, fork_plans
from bpe_tui.session.config import RunConfig, TokenizerConfig
from bpe_tui.session.jobs import WhatIfEnded, WhatIfFailed, WhatIfProgress
from bpe_tui.session.threads import Cancelled
from bpe_tui.widgets.controls import Scrubber
from bpe_tui.widgets.lines import RowList
from bpe_tui.widgets.rows import spans_width
from engine import BpeError, Timeline, Tokenizer, Trainer, train_bpe
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers import TRAINERS, algorithm_for
from engine.bpe.trainers.pseudocode import Move, parts_of_step
from engine.bpe.what_if import AlignedMerge

CODE, HANDOUT = SAMPLE.parent / "code.txt", SAMPLE.parent / "handout.txt"


def merges(app: BpeTuiApp) -> list[tuple[bytes, bytes]]:
    assert app.session.timeline is not None
    record = app.session.timeline.record
    return [(record[k].left, record[k].right) for k in range(len(record))]


def text_shown(app: BpeTuiApp) -> str:
    return str(app.screen.query_one("#branches-summary", Static).render())


async def fork_after_choosing(app: BpeTuiApp, pilot: Pilot[int], title: str) -> None:
    """Choose the entry that begins with these words, and wait until the fork is trained."""
    await pilot.press("i")
    rows = app.screen.query_one("#wish-rows", RowList)
    rows.cursor = next(
        place for place in range(rows.row_count) if rows.row(place).spans[0][0].startswith(title)
    )
    await pilot.press("enter")
    await compared(app, pilot)


async def compared(app: BpeTuiApp, pilot: Pilot[int]) -> None:
    assert isinstance(app.screen, Branches)
    await until(pilot, lambda: "…" not in text_shown(app)[-2:])


async def test_a_fork_that_is_kept_has_the_merges_before_it_and_goes_on_without_a_heap() -> None:
    async with opened(vocab_size=400) as (app, pilot):
        app.seek(20)
        before = merges(app)
        await fork_after_choosing(app, pilot, "forbid the next merge")
        await pilot.press("enter")
        assert step(app) == 21
        assert merges(app)[:20] == before[:20]
        assert before[20] not in merges(app)
        await pilot.press("v", "full_stop", "n", "space")
        assert app.is_running


async def test_the_meanings_of_all_changes_are_in_one_column_at_each_size() -> None:
    async with opened(HANDOUT, size=(120, 40), vocab_size=270) as (app, pilot):
        await pilot.press("right", "i")
        rows = app.screen.query_one("#wish-rows", PlanRows)
        for size in ((120, 40), (100, 30), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            titles = (
                takewhile(lambda span: span[1] != "dim", rows.row(place).spans)
                for place in range(rows.row_count)
            )
            starts = {spans_width(list(title)) for title in titles}
            assert len(starts) == 1, (size, starts)


async def test_a_pair_is_offered_while_the_cursor_is_among_the_pairs_and_no_other_time() -> None:
    async with opened(HANDOUT, vocab_size=270) as (app, pilot):
        pairs = app.screen.query_one(PairsPanel)
        for panel, offered in (("corpus", 0), ("pairs", 1)):
            assert isinstance(app.screen, TrainingScreen)
            app.screen.show_panel(panel)
            pairs.cursor = 3
            await pilot.press("i")
            titles = row_texts(app.screen.query_one("#wish-rows", RowList))
            found = [title for title in titles if title.startswith("merge the pair at the cursor")]
            assert (panel, len(found)) == (panel, offered)
            await pilot.press("escape")


@pytest.mark.parametrize("keys", ["5 b i", "g 5 enter 4 b backspace backspace i"])
async def test_what_if_and_the_way_back_need_no_screen_that_is_to_be_made_again(keys: str) -> None:
    async with opened(HANDOUT, vocab_size=270) as (app, pilot):
        await pilot.press(*keys.split())  # b has the hidden screens made again
        await until(pilot, lambda: isinstance(app.screen, what_if.WhatIf))


async def test_a_fork_in_training_shows_its_change_the_merges_so_far_and_those_of_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    jobs: list[WhatIfJob] = []
    monkeypatch.setattr(WhatIfJob, "start", lambda job: jobs.append(job))
    async with opened(vocab_size=300) as (app, pilot):
        app.seek(3)
        await pilot.press("i", "down", "enter")
        assert text_shown(app).splitlines() == [
            "The pair may not merge from there on, the next best does.",
            "First merges 1 to 3 are repeated; later ones are learnt again.",
            "The fork begins …",
        ]
        app.screen.post_message(WhatIfProgress(20, 3))
        await until(pilot, lambda: "Training" in text_shown(app))
        differs = "Training: 20 of 43 merges, merge 4 is the first that differs  ▄▄▄▄▄▄▄▄▄▄▄ …"
        assert text_shown(app).splitlines()[-1] == differs
        app.screen.post_message(WhatIfProgress(3, 3))
        await until(pilot, lambda: "3 of 43 merges, all the same so far  " in text_shown(app))
        app.screen.post_message(WhatIfFailed(BpeError("the file is gone")))
        await until(pilot, lambda: "gone" in text_shown(app))
        assert not app.screen.query_one("#branch-rows", RowList).row_count
        await pilot.press("escape")
        assert [job.is_cancelled for job in jobs] == [True]


def test_a_fork_reports_its_merges_and_how_many_are_those_of_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(what_if, "NEWS_SECONDS", -1)
    trainer, posted = Trainer({b"low": 5, b"lower": 2}, 260), list[Message]()
    timeline = Timeline(trainer.counts, trainer.steps(), record=trainer.record)
    config, frame = RunConfig("low", vocab_size=260), timeline.seek(2)
    plans, of_the_run = fork_plans(frame, config, None), ([1, 1, 1, 1], [1, 2, 2, 2])
    for plan, shared in zip(plans, of_the_run, strict=False):
        posted.clear()
        WhatIfJob(config, frame, plan, posted.append).work()
        news = [each for each in posted if isinstance(each, WhatIfProgress)]
        assert [(each.merges, each.shared) for each in news] == [*enumerate(shared, 1)]
    for size in (260, 257):  # cancelled before its second merge, and after its only one
        one = next(fork_plans(timeline.seek(0), RunConfig("low", vocab_size=size), None))
        posted.clear()
        job = WhatIfJob(config, frame, one, lambda news: (posted.append(news), job.cancel()))  # noqa: B023
        with pytest.raises(Cancelled):
            job.work()
        assert [type(each) for each in posted] == [WhatIfProgress]
    monkeypatch.setattr(what_if, "NEWS_SECONDS", 9)
    posted.clear()
    WhatIfJob(config, frame, plan, posted.append).work()
    assert [type(each) for each in posted] == [WhatIfProgress, WhatIfEnded]
    assert posted[-1].timeline.run.is_complete  # type: ignore[attr-defined]


def test_of_more_than_three_merges_that_are_the_same_two_are_shown() -> None:
    merges = ([AlignedMerge(place, place) for place in range(count)] for count in (3, 4))
    shown = [[row.more for row in diff_rows(each)] for each in merges]
    assert shown == [["", "", ""], ["", "", "2 more are the same"]]


@pytest.mark.slow
async def test_tie_rules_and_patterns_can_be_changed_and_a_kept_one_is_that_of_the_run() -> None:
    async with opened(vocab_size=330) as (app, pilot):
        for title in ("tie rule first-seen", "pattern whitespace"):
            await fork_after_choosing(app, pilot, title)
            assert "difference" in text_shown(app)
            await pilot.press("escape")
        await fork_after_choosing(app, pilot, "pattern whitespace")
        await pilot.press("enter")
        assert "whitespace" in str(app.screen.query_one("#heading", Static).render())


@pytest.mark.slow
async def test_a_corpus_deleted_meanwhile_is_reported_in_the_window(tmp_path: Path) -> None:
    corpus = tmp_path / "gone.txt"
    corpus.write_text("low lower lowest " * 9)
    async with opened(corpus, vocab_size=270) as (app, pilot):
        corpus.unlink()
        await fork_after_choosing(app, pilot, "pattern whitespace")
        assert "no such file" in text_shown(app)
        await pilot.press("enter", "escape")
        assert isinstance(app.screen, TrainingScreen)


async def added(app: BpeTuiApp, pilot: Pilot[int], *lines: str) -> None:
    await pilot.press("t", "b")
    for line in lines:
        app.screen.query_one(Input).value = line
        await pilot.press("enter")
    await pilot.press("escape")


def lengths(app: BpeTuiApp, least: int) -> list[int]:
    assert app.session.timeline is not None
    record = app.session.timeline.record
    return [k + 1 for k in range(len(record)) if len(record[k].token) >= least]


async def test_playing_stops_at_a_breakpoint_and_goes_on_from_there() -> None:
    async with opened() as (app, pilot):
        await added(app, pilot, "step 30", "step 60")
        await pilot.press(*["plus"] * 7, "space")
        await until(pilot, lambda: not app.session.playing)
        assert (step(app), app.session.playing) == (30, False)
        await pilot.press("space")
        await until(pilot, lambda: not app.session.playing)
        assert (step(app), app.session.playing) == (60, False)


@pytest.mark.slow
async def test_n_runs_from_stop_to_stop_or_stays_and_says_that_a_breakpoint_never_occurs() -> None:
    async with opened() as (app, pilot):
        await pilot.press("n")
        border = app.screen.query_one("#merge")
        assert "n next tie" in str(border.border_subtitle)
        frame = frame_of(app)
        assert len(frame.at(frame.step - 1).queue.tied) > 1  # without a breakpoint, to a tie
        await added(app, pilot, "len>=99")
        assert "n next breakpoint" in str(border.border_subtitle)
        await pilot.press("right", "n")
        await until(pilot, lambda: app.notices.everything)
        assert app.notices.everything == ["No later merge makes it: len>=99"]
        assert step(app) == frame.step + 1
        app.seek(0)
        await added(app, pilot, "len>=6")
        expected = lengths(app, 6)
        await pilot.press("n")
        assert step(app) == expected[0]
        shown_text = str(app.screen.query_one("#narration", Static).render())
        assert shown_text.startswith("Stopped at len>=6.")
        await pilot.press("n")
        assert step(app) == expected[1]
        await pilot.press("left")
        assert "Stopped" not in str(app.screen.query_one("#narration", Static).render())


@pytest.mark.slow
async def test_more_merges_are_learnt_behind_a_border_and_saved(tmp_path: Path) -> None:
    vocab, merges = train_bpe(HANDOUT, 400, ["<|endoftext|>"])
    Tokenizer(vocab, merges, ["<|endoftext|>"]).save(tmp_path / "own.json", "huggingface")
    own = len(merges)
    config = TokenizerConfig((str(tmp_path / "own.json"),), str(CODE), continued=30)
    async with opened_as(config) as (app, pilot):
        app.action_show("training")
        await pilot.press("i")
        assert "only a training from a text has forks" in app.notices.now
        await ended(app, pilot)
        app.seek(own)
        frame = frame_of(app)
        assert (frame.step, frame.recorded_steps) == (own, own + 30)
        assert frame.phase_start is not None
        assert app.refusal_of("app.predict") is None

        app.action_show("training")
        await pilot.press("left")
        await until(pilot, lambda: "┃" in app.screen.query_one(Scrubber).render_line(0).text)
        app.seek(own + 20)
        here = app.session.frame
        assert here is not None
        assert len(here.tokenizer().merges) == own + 20
        config = replace(app.session.config, viewpoint=app.viewpoint)
    again = BpeTuiApp(config, recorded_once)
    async with again.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: again.session.frame and again.session.frame.step == own + 20)
        now = again.session.frame
        assert now is not None
        assert [now.merge_at(n).pair for n in range(own + 30)] == [
            frame.merge_at(n).pair for n in range(own + 30)
        ]


ABLE = [name for name in TRAINERS if algorithm_for(name, TIE_RULES["lexicographic"]).name == name]
"""All trainers that can run; `native` needs the compiled kernel."""


def at_work(app: BpeTuiApp) -> list[str]:
    """Return the marked lines, unwrapped."""
    panel = app.screen.query_one(PseudocodePanel)
    rows = [panel.row(place) for place in range(panel.row_count)]
    found: list[str] = []
    for row in rows:
        if row.spans and row.spans[0][0] == "▸ ":
            found.append(row.spans[1][0])
        elif row.spans and row.spans[0][0] == "    " and row.spans[1][1] == "pair":
            found[-1] += f" {row.spans[1][0].strip()}"
    return found


@pytest.mark.parametrize("name", first_quick([name for name in ABLE if name != "heap"]))
async def test_every_part_is_lit_once_in_a_step(name: str) -> None:
    async with opened(vocab_size=270, trainer=name) as (app, pilot):
        parts = parts_of_step(TRAINERS[name].pseudocode)
        await pilot.press("right", "p")
        while app.screen.query_one(PseudocodePanel).algorithm is not TRAINERS[name]:
            await pilot.press("p")
        for part in parts:
            lines = [line.text for line in TRAINERS[name].pseudocode if part in line.during]
            assert (step(app), at_work(app)) == (1, lines)
            await pilot.press("full_stop")
        assert step(app) == 2
        assert frame_of(app).moves_done == 0


def test_every_move_of_the_heap_has_a_line() -> None:
    assert set(parts_of_step(TRAINERS["heap"].pseudocode)) == set(Move)


@pytest.mark.slow
async def test_a_trainer_that_is_asked_for_is_shown_first() -> None:
    async with opened(vocab_size=300, trainer="naive") as (app, pilot):
        await pilot.press("right", "p")
        assert app.screen.query_one(PseudocodePanel).algorithm is TRAINERS["naive"]

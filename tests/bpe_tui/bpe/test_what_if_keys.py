"""Forks by keys: choose, compare, drop or keep."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

import pytest
from opening import opened, step, until
from program import HANDOUT
from screen_text import row_texts
from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Static

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe import what_if
from bpe_tui.bpe.heap_panel import PairsPanel
from bpe_tui.bpe.training_screen import TrainingScreen
from bpe_tui.bpe.what_if import Branches, PlanRows, WhatIfJob, diff_rows, fork_plans
from bpe_tui.session.config import RunConfig
from bpe_tui.session.jobs import WhatIfEnded, WhatIfFailed, WhatIfProgress
from bpe_tui.session.threads import Cancelled
from bpe_tui.widgets.lines import RowList
from bpe_tui.widgets.rows import spans_width
from engine import BpeError, Timeline, Trainer
from engine.bpe.what_if import AlignedMerge


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
    await ended(app, pilot)


async def ended(app: BpeTuiApp, pilot: Pilot[int]) -> None:
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
    async with opened(Path(HANDOUT), size=(120, 40), vocab_size=270) as (app, pilot):
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
    async with opened(Path(HANDOUT), vocab_size=270) as (app, pilot):
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

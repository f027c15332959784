"""Forks by keys: choose, compare, drop or keep."""

from __future__ import annotations

from pathlib import Path

import pytest
from opening import each_size, opened, opened_as, step, until
from textual.pilot import Pilot
from textual.widgets import Static

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe.heap_panel import PairsPanel
from bpe_tui.bpe.merge_panel import MergePanel
from bpe_tui.bpe.training_screen import TrainingScreen
from bpe_tui.bpe.what_if import Branches, WhatIfJob
from bpe_tui.session.config import RunConfig
from bpe_tui.session.jobs import WhatIfFailed, WhatIfProgress
from bpe_tui.widgets.lines import Lines, RowList
from engine import BpeError


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


@pytest.mark.slow  # a walk over sizes
async def test_each_change_is_explained_beside_its_title_and_cut_with_a_sign() -> None:
    async with opened(vocab_size=300) as (app, pilot):
        await pilot.press("right", "i")
        async for _ in each_size(pilot, [(80, 24), (60, 20)]):
            await pilot.pause()
            rows = app.screen.query_one("#wish-rows", RowList)
            said = [row_text(rows, place) for place in range(rows.row_count)]
            (rule,) = (each for each in said if each.startswith("tie rule smallest-ids"))
            assert "the smaller (left " in rule
            assert {len(each) for each in said} == {rows.scrollable_content_region.width}
            if app.size.width == 60:  # the window is wide enough for all else
                assert any("…" in each for each in said)
                rows.cursor = said.index(next(each for each in said if "cl100k" in each))
                await pilot.pause()
                meaning = str(app.screen.query_one("#wish-meaning", Static).render())
                assert meaning.startswith("GPT-4: any case of contraction, numbers by three")


async def ended(app: BpeTuiApp, pilot: Pilot[int]) -> None:
    assert isinstance(app.screen, Branches)
    await until(pilot, lambda: "…" not in text_shown(app)[-2:])


async def test_a_forbidden_merge_is_compared_dropped_or_kept_as_the_timeline() -> None:
    async with opened(vocab_size=400) as (app, pilot):
        app.seek(20)
        before = merges(app)
        await fork_after_choosing(app, pilot, "forbid merge 20")
        assert text_shown(app).startswith("Net: ")
        assert "The first difference is merge 20;" in text_shown(app)
        rows = app.screen.query_one("#branch-rows", RowList)
        assert row_text(rows, 0).split()[:2] == ["−", "20"]
        assert "→ 20" in row_text(rows, 1)  # the next best has moved up
        assert any("more only moved" in row_text(rows, place) for place in range(rows.row_count))
        await pilot.press("escape")
        assert isinstance(app.screen, TrainingScreen)
        assert merges(app) == before
        assert step(app) == 20
        app.seek(20)
        before = merges(app)
        await fork_after_choosing(app, pilot, "forbid the next merge")
        await pilot.press("enter")
        assert step(app) == 21
        assert merges(app)[:20] == before[:20]
        assert before[20] not in merges(app)
        await pilot.press("v", "full_stop", "n", "space")  # all goes on without a heap
        await pilot.pause(0.2)
        assert app.is_running


async def test_a_fork_in_training_shows_its_change_the_merges_so_far_and_those_of_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(WhatIfJob, "start", lambda job: None)
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
        assert "20 of 43 merges, merge 4 is the first that differs" in text_shown(app)
        app.screen.post_message(WhatIfFailed(BpeError("the file is gone")))
        await until(pilot, lambda: "gone" in text_shown(app))
        assert not app.screen.query_one("#branch-rows", RowList).row_count


@pytest.mark.slow
async def test_tie_rules_and_patterns_can_be_changed_and_a_kept_one_is_that_of_the_run() -> None:
    async with opened(vocab_size=330) as (app, pilot):
        for title in ("tie rule first-seen", "pattern whitespace"):
            await fork_after_choosing(app, pilot, title)
            assert "difference" in text_shown(app)
            await pilot.press("escape")
        await fork_after_choosing(app, pilot, "pattern whitespace")
        await pilot.press("enter")
        await pilot.pause()
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


@pytest.mark.slow
async def test_the_way_back_of_a_fork_ends_with_it_and_escape_says_so() -> None:
    async with opened(vocab_size=300) as (app, pilot):
        app.seek(20)
        await fork_after_choosing(app, pilot, "forbid the next merge")
        await pilot.press("enter")  # keep it
        await pilot.press("end", "I")
        await pilot.pause()
        assert app.session.forked_from is None
        there = step(app)
        await pilot.press("escape")
        assert app.notices.now.startswith("No way back: the jumps before were in another run")
        assert step(app) == there


HANDOUT = Path(__file__).parents[3] / "samples" / "handout.txt"


def panel_text(app: BpeTuiApp, panel: type[Lines]) -> str:
    shown = app.screen.query_one(panel)
    rows = (shown.row(place) for place in range(shown.row_count))
    shown_text = " ".join("".join(text for text, _ in row.spans) for row in rows)
    return " ".join(shown_text.split())  # as it would be without the end of any line


def line(app: BpeTuiApp, name: str) -> str:
    return str(app.screen.query_one(name, Static).render())


@pytest.mark.slow
async def test_a_fork_shows_its_forbidden_pair_and_its_origin() -> None:
    async with opened_as(RunConfig(str(HANDOUT), pattern="whitespace")) as (app, pilot):
        app.seek(1)
        await fork_after_choosing(app, pilot, "forbid the next merge: e+st")
        await pilot.press("enter")
        await pilot.pause()
        assert step(app) == 2
        assert "Forbidden in this fork: e+st 9 times" in panel_text(app, MergePanel)
        assert "Forbidden: e and st, 9 times." in line(app, "#narration")
        assert line(app, "#heading").startswith("fork of handout.txt at step 1: e+st forbidden")
        await pilot.press("left")
        assert "no other pair had as many" not in panel_text(app, MergePanel)
        await pilot.press("I")
        assert line(app, "#heading").startswith("handout.txt")
        assert step(app) == 1
        assert (b"e", b"st") in merges(app)
        await pilot.press("I")  # there is nowhere to go back to
        assert step(app) == 1


@pytest.mark.slow
async def test_a_repeated_or_forced_merge_of_a_fork_is_not_called_the_highest_count() -> None:
    async with opened_as(RunConfig(str(HANDOUT), pattern="whitespace")) as (app, pilot):
        app.seek(1)
        await pilot.pause()
        pairs = app.screen.query_one(PairsPanel)
        pairs.cursor = next(
            place for place in range(pairs.row_count) if " w+i " in row_text(pairs, place)
        )
        await fork_after_choosing(app, pilot, "merge next, as chosen")
        await pilot.press("enter")
        await pilot.pause()
        assert "chosen by hand" in panel_text(app, MergePanel)
        assert "by hand" in line(app, "#narration")
        app.seek(1)
        await fork_after_choosing(app, pilot, "tie rule first-seen")
        await pilot.press("enter")
        app.seek(1)
        await pilot.pause()
        assert "The run that was forked merges it here" in panel_text(app, MergePanel)


@pytest.mark.slow
async def test_the_comparison_begins_at_the_first_difference_and_a_pair_can_be_forced() -> None:
    async with opened(vocab_size=400) as (app, pilot):
        await fork_after_choosing(app, pilot, "tie rule first-seen")
        rows = app.screen.query_one("#branch-rows", RowList)
        number = text_shown(app).split("merge ")[1].split(";")[0]
        assert line(app, "#branches-head").strip() == f"merges 1 to {int(number) - 1} are the same"
        assert number in row_text(rows, 0).split()
        await pilot.press("escape")
        app.seek(20)
        await pilot.pause()
        panel = app.screen.query_one(PairsPanel)
        panel.cursor = next(
            place
            for place in range(2, 20)
            if not any("stale" in text or "next" in text for text, _ in panel.row(place).spans)
        )
        pair = panel.row(panel.cursor).target.pair  # type: ignore[union-attr]
        assert app.session.frame is not None
        wanted = tuple(app.session.frame.token(part) for part in pair)
        await fork_after_choosing(app, pilot, "merge next")
        await pilot.press("enter")
        assert merges(app)[20] == wanted


@pytest.mark.slow
async def test_the_race_of_a_fork_shows_its_number_of_merges() -> None:
    async with opened_as(RunConfig(str(HANDOUT), pattern="whitespace")) as (app, pilot):
        app.seek(1)
        await fork_after_choosing(app, pilot, "forbid the next merge: e+st")
        await pilot.press("enter", "6")
        await until(pilot, lambda: "the same 12 merges" in line(app, "#narration"))
        assert "The fork has 13 merges" in line(app, "#narration")


def row_text(panel: Lines, place: int) -> str:
    return "".join(text for text, _ in panel.row(place).spans)

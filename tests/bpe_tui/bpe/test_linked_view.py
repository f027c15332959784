"""The view of the trainer `linked`: places touched, neighbours, lists, and bigrams."""

from __future__ import annotations

from pathlib import Path

import pytest
from opening import each_size, opened, opened_as, until

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe.heap_panel import PairsPanel
from bpe_tui.bpe.transcript import BpeTranscript
from bpe_tui.session.config import RunConfig
from engine import StopReason, Timeline, Trainer, count_pretokens

SAMPLE = Path(__file__).parents[3] / "samples" / "we_and_they.txt"
OPTIONS = RunConfig(str(SAMPLE), pattern="whitespace", units="characters", trainer="linked")


def panel(app: BpeTuiApp) -> PairsPanel:
    return app.screen.query_one(PairsPanel)


def lines(app: BpeTuiApp) -> list[str]:
    rows = (panel(app).row(index) for index in range(panel(app).row_count))
    return ["".join(text for text, _ in row.spans).rstrip() for row in rows]


async def test_with_this_trainer_the_view_is_there_from_the_start_and_follows_each_step() -> None:
    async with opened_as(OPTIONS) as (app, pilot):
        await pilot.press("1")
        await until(pilot, lambda: app.screen.query(PairsPanel))
        assert panel(app).view == "linked"
        at_start = lines(app)
        assert at_start[:2] == [
            "Step 0: every character is a node of its list.",
            "1: [我]⇄[们]⇄[的]⇄[花]⇄[园]⇄[在]⇄[河]⇄[边]⇄[。]",
        ]
        assert any(
            line.split()[:7] == ["▸", "best", "我+们", "10", "1:1", "4:1", "6:4"]
            for line in at_start
        )
        await pilot.press("right")
        await until(pilot, lambda: "10 of 120 places touched" in lines(app)[0])
        after = lines(app)
        assert [line.split() for line in after[1:3]] == [
            ["out", "们+的", "−3", "in", "我们+的", "+3"],
            ["们+在", "−2", "我们+在", "+2"],
        ]
        assert "1: [我们]✗们⇄[的]⇄[花]⇄[园]⇄[在]⇄[河]⇄[边]⇄[。]" in after
        roles = {
            role: text
            for index in range(panel(app).row_count)
            for text, role in panel(app).row(index).spans
        }
        assert {"best", "active", "inactive"} <= set(roles)
        assert roles["loss"] == "✗们"
        await pilot.press("left")
        assert lines(app) == at_start
        await pilot.press("end", "z")
        await pilot.pause()
        assert any("places touched" in line for line in lines(app))


@pytest.mark.slow  # a walk over sizes
async def test_of_another_trainer_the_view_says_so_and_rows_are_bounded_at_every_size() -> None:
    async with opened() as (app, pilot):
        await pilot.press("g", "plus", *"200", "enter", "left", "v", "v", "v")
        assert lines(app)[0].startswith("As --trainer linked sees it; native ran.")
        frame = app.session.frame
        assert frame is not None
        assert frame.linked is not None
        async for _ in each_size(pilot):
            await until(pilot, lambda: not any("counting" in line for line in lines(app)))
            shown = lines(app)
            states = [sign for sign in "▸●○" if any(line.startswith(sign) for line in shown)]
            assert states == ["▸", "●", "○"]
            assert len(shown) <= max(panel(app).size.height, 20)
            assert f"{frame.linked.active:,} active" in str(panel(app).border_title)


def test_the_transcript_has_the_same_facts() -> None:
    counts = count_pretokens(SAMPLE, pattern="whitespace")
    trainer = Trainer(counts, 100, algorithm="linked", units="characters")
    timeline = Timeline(trainer.counts, trainer.steps(), record=trainer.record)
    transcript = BpeTranscript(timeline, StopReason.SIZE_REACHED)
    assert "Step 0: every character is a node of its list." in transcript.answer("linked 1")
    list(transcript.answer("next"))
    assert list(transcript.answer("linked 1")) == [
        "Merge 1, 我 and 们: 10 of 120 places touched.",
        "Out: 们 and 的, 3; in: 我们 and 的, 3.",
        "And 11 neighbours more.",
        "List of pretoken 1: [我们]✗们⇄[的]⇄[花]⇄[园]⇄[在]⇄[河]⇄[边]⇄[。]",
        "Best: 他 and 们, 9 times, at 3:1, 5:1, 6:8, ….",
        "Active: 73 bigrams.",
        "Active: 花 and 园, 4 times, at 1:4, 3:4, 4:4, ….",
        "Inactive: none, as up to 1,000 are all active.",
    ]
    assert list(transcript.answer("linked x")) == ["Say how many bigrams to list, like linked 10."]


def test_nothing_to_merge_and_no_corpus_have_sentences() -> None:
    for counts, said in (({b"a": 3, b"b": 1}, "No pair is left"), ({}, "No corpus is open")):
        trainer = Trainer(counts, 300)
        timeline = Timeline(trainer.counts, trainer.steps(), record=trainer.record)
        timeline.complete()
        answer = list(BpeTranscript(timeline, StopReason.NO_PAIR_LEFT).answer("linked"))
        assert answer[-1].startswith(said)


def test_a_text_without_spaces_is_counted_but_not_drawn() -> None:
    trainer = Trainer({b"ab" * 20_000: 1}, 258)
    timeline = Timeline(trainer.counts, trainer.steps(), record=trainer.record)
    transcript = BpeTranscript(timeline, StopReason.SIZE_REACHED)
    list(transcript.answer("next"))
    assert list(transcript.answer("linked")) == [
        "Merge 1, a and b: 1 pretoken touched.",
        "Out: b and a, 19,999; in: ab and ab, 19,999.",
        "A pretoken of more than 32,768 bytes is not drawn.",
        "Best: ab and ab, 19,999 times.",
        "Active: none besides the best one.",
        "Inactive: none, as up to 1,000 are all active.",
    ]

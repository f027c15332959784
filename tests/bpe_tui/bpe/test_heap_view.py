"""The heap as a table, an array and a tree; its moves; ties."""

from __future__ import annotations

import pytest
from opening import opened, step, until

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe import heap_panel
from bpe_tui.bpe.heap_panel import PairsPanel
from bpe_tui.bpe.merge_panel import MergePanel
from bpe_tui.views.heap_table import EntryTable, TableRoom
from bpe_tui.views.panel import TokenPainter
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.numbers import number
from engine import Timeline, Trainer


def text_of(panel: Lines) -> str:
    rows = (panel.row(index) for index in range(panel.row_count))
    return "\n".join("".join(text for text, _ in row.spans) for row in rows)


def pairs(app: BpeTuiApp) -> PairsPanel:
    return app.screen.query_one(PairsPanel)


async def test_views_follow_each_other_and_show_the_same_entry_at_the_same_index() -> None:
    async with opened() as (app, pilot):
        seen = []
        for _ in range(4):
            await pilot.press("v")
            seen.append(pairs(app).view)
        assert seen == ["array", "tree", "linked", "table"]
        assert app.focused is pairs(app)
        await pilot.press("g", "plus", *"100", "enter", "v")
        assert app.session.frame is not None
        entry = app.session.frame.queue.array(8)[7]
        await pilot.press("v")
        row = next(pairs(app).row(i) for i in range(20) if "7 " in pairs(app).row(i).spans[1][0])
        assert row.target.pair == entry.pair  # type: ignore[union-attr]


async def test_a_far_step_is_replayed_in_slices_and_then_shows_its_next_pair(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(heap_panel, "SLICE_SECONDS", 0.0005)
    async with opened(vocab_size=690) as (app, pilot):  # a run that no other test has replayed
        await until(pilot, lambda: "Replaying" not in text_of(pairs(app)))
        app.seek(len(app.session.recording or ()))
        assert "Replaying the heap" in text_of(pairs(app))
        await until(pilot, lambda: "Replaying" not in text_of(pairs(app)))
        frame = app.session.frame
        assert frame is not None
        assert text_of(pairs(app)).count("\n") >= len(frame.queue.entries(200)) - 1


async def test_t_goes_from_tie_to_tie_and_the_merge_shows_other_rules_choices() -> None:
    async with opened() as (app, pilot):
        await pilot.press("n")
        assert app.session.timeline is not None
        tied = [
            s.index + 1
            for s in map(app.session.timeline.record.__getitem__, range(200))
            if len(s.tied) > 1
        ]
        assert step(app) == tied[0]
        await pilot.press("n", "n", "t", "T")
        assert step(app) == tied[1]
        text = text_of(app.screen.query_one(MergePanel))
        assert "ther rule" in text
        await pilot.press("home", "t", "T")
        assert step(app) == 0


@pytest.mark.parametrize("width", [37, 45, 52, 57, 63, 85])
def test_the_words_about_a_stale_entry_are_the_same_at_every_width(width: int) -> None:
    counts = {b" the": 2237, b"ash": 939, b"he": 2000, b"th": 300}
    timeline = Timeline(counts, Trainer(counts, 258, []).steps())
    timeline.complete()
    frame = timeline.frame.at(1)
    table = EntryTable(frame, TokenPainter(frame, marks=False), width)
    entries = frame.queue.entries(20)
    texts = {
        place: "".join(
            "".join(text for text, _ in table.row((place + 1, entries[place]), None, second).spans)
            for of, second in table.lines(entries)
            if of == place
        )
        for place in range(len(entries))
    }
    header = "".join(text for text, _ in table.header().spans)
    stale = [place for place, entry in enumerate(entries) if entry.stale]
    assert stale
    for place in stale:
        claimed = number(entries[place].recorded)
        assert "stale: he took 2,237" in texts[place]
        assert texts[place].index(claimed) + len(claimed) == header.index("recorded") + 8
        assert ("┄" in texts[place]) == (width > 60)


@pytest.mark.parametrize("width", [37, 45, 52, 63, 85])
def test_the_parts_of_a_stale_count_add_up_at_every_width(width: int) -> None:
    counts = {b"xthe": 30, b"the": 9, b"tha": 20, b"xha": 15, b"hez": 40, b"hay": 40}
    timeline = Timeline(counts, Trainer(counts, 258, []).steps())
    timeline.complete()
    frame = timeline.frame.at(2)
    table = EntryTable(frame, TokenPainter(frame, marks=False), width)
    entry = next(one for one in frame.queue.entries(20) if one.pair == (ord("t"), ord("h")))
    assert [loss.taken for loss in frame.queue.losses(entry)] == [39, 20]
    rows = (table.row((1, entry), None, second) for _, second in table.lines([entry]))
    text = "".join(text for row in rows for text, _ in row.spans)
    words = ("he took 39, 1 other 20", "he 39, 1 other 20")
    assert any(text.rstrip().endswith(way) for way in words)


@pytest.mark.slow
async def test_the_foot_names_the_merge_of_the_row_and_enter_goes_there() -> None:
    async with opened(vocab_size=1100) as (app, pilot):
        await pilot.press("right", "v", "v", "v", "v")
        panel = pairs(app)
        assert app.session.frame is not None
        place, at = next(
            (place, found)
            for place in range(1, 200)
            if (found := app.session.frame.step_of(panel.row(place).target.pair))  # type: ignore[union-attr]
        )
        await pilot.press(*["down"] * place)
        assert str(panel.border_subtitle).startswith(f"Enter its merge ({at}) │ w why │ v array")
        await pilot.press("enter")
        assert step(app) == at
        assert panel.cursor == place
        await pilot.press("v")
        panel.put_cursor(panel.row_count - 1, 0)
        await pilot.press("enter")
        assert "leads nowhere" in app.notices.now
        assert app.screen.zoomed is None  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", [36, 51, 56, 63, 80, 118, 158])
@pytest.mark.parametrize("digits", [1, 5, 9])
@pytest.mark.parametrize("has_heap", [False, True])
def test_the_columns_of_the_heap_fill_the_width(width: int, digits: int, has_heap: bool) -> None:
    room = TableRoom.within(width, digits, has_heap)
    place = 5
    gap = 2 if room.bar else 0
    used = room.pair + room.recorded + room.true + room.bar + gap + room.remark
    assert place + used == width
    assert room.remark >= len(" pushed")
    assert room.pair >= 3

"""The heap as a table, an array and a tree; its moves; the pair that merges next is in sight."""

import re
from collections import Counter
from itertools import product

import pytest
from opening import SAMPLE, frame_of, opened, until
from screen_text import shown

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe import heap_panel
from bpe_tui.bpe.heap_panel import PairsPanel
from bpe_tui.bpe.training_screen import ChangedPretokens
from bpe_tui.panels.heap_table import EntryTable, LinePart, TableLine, TableRoom, highest_shown
from bpe_tui.shell.panel import FramePanel, TokenPainter
from bpe_tui.shell.targets import ToChange, ToPair, ToStep
from bpe_tui.widgets.rows import Row
from bpe_tui.widgets.visible import visible_bytes, width
from engine import Timeline, Trainer
from engine.bpe.what_if import ForkChange, fork


def pairs(app: BpeTuiApp) -> PairsPanel:
    return app.screen.query_one(PairsPanel)


@pytest.mark.slow
async def test_a_far_step_is_replayed_in_slices_and_the_cursor_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(heap_panel, "SLICE_SECONDS", 0.0005)
    async with opened(vocab_size=690) as (app, pilot):  # a run that no other test has replayed
        await until(pilot, lambda: "Replaying" not in shown(pairs(app)))
        pairs(app).put_cursor(3, 0)
        app.seek(len(app.session.recording or ()))
        assert "Replaying the heap" in shown(pairs(app))
        await until(pilot, lambda: "Replaying" not in shown(pairs(app)))
        assert pairs(app).cursor == 3
        assert shown(pairs(app)).count("\n") >= len(frame_of(app).queue.entries(200)) - 1


def test_the_longest_bar_of_a_fork_takes_half_of_the_room_at_each_step() -> None:
    counts = {b"abcdefgh": 1000, b"xy": 90, b"zu": 7}
    run = Timeline(counts, Trainer(counts, 300).steps())
    forked = fork(run.frame, ForkChange(forbid=frozenset({(b"x", b"y")})), 300)
    other = Timeline(counts, forked.steps(), record=forked.record)
    other.complete()
    cells = 80
    for step in range(len(other)):
        frame = other.seek(step)
        table = EntryTable(frame, TokenPainter(frame, marks=False), cells)
        best = TableLine(0, LinePart.OWN)
        row = "".join(text for text, _ in table.row(frame.queue.entries(1), best).spans)
        assert row.count("▄") * 2 >= TableRoom.within(cells, 5, True).bar - 1, (step, row)


def test_notes_about_stale_entries_have_one_wording_and_column_and_skipped_ones_a_line() -> None:
    counts = dict(Counter(re.findall(rb" ?\w+|\W", SAMPLE.read_bytes()[:6000])))
    run, seen = Timeline(counts, Trainer(counts, 380).steps()), set()
    run.complete()
    for step, cells in product(range(4, 120, 12), (30, 54, 66)):
        frame = run.seek(step)
        entries = frame.queue.entries(16)
        table = EntryTable(frame, TokenPainter(frame, marks=False), cells)
        room = TableRoom.within(cells, len(str(highest_shown(frame))), True)
        for line in table.lines(entries):
            row = "".join(text for text, _ in table.row(entries, line).spans)
            entry, above = entries[line.place], entries[: line.place]
            assert len(row.rstrip()) <= cells
            seen.add(line.part)
            pair = "".join(text for text, _ in TokenPainter(frame, marks=False).pair(entry.pair))
            if line.part is LinePart.OWN and width(pair) <= room.pair:
                assert pair in row, "it is cut only where it has no room"
            if line.part is LinePart.SKIPPED:
                assert entry.pair == frame.next_pair
                assert all(each.stale for each in above)
                assert re.match(rf"  ┄ {len(above)} (popped as )?stale", row)
            elif line.part is LinePart.WHY or (entry.stale and not room.wraps):
                words = row[5:] if room.wraps else row[cells - room.remark + 2 :]
                found = re.fullmatch(r"\S.* took (\d+)(?: of (\d+))?\s*", words)
                assert found, (cells, row)
                lost = entry.recorded - entry.count
                assert int(found[2] or lost) == lost >= int(found[1]) > 0
    assert seen == set(LinePart)


UNICODE = SAMPLE.parent / "unicode.txt"


def bare(text: str) -> str:
    """Return a text without the brackets of bytes, which chips lack."""
    return text.replace("<", "").replace(">", "")


def text_of(row: Row) -> str:
    return bare("".join(text for text, _ in row.spans))


def pair_of(app: BpeTuiApp, row: Row) -> tuple[bytes, bytes] | None:
    frame = app.session.merges.frame  # type: ignore[union-attr]
    match row.target:
        case ToPair(pair) | ToChange(pair):
            left, right = pair
        case ToStep(step):
            left, right = frame.merge_at(step - 1).pair
        case _:
            return None
    return frame.any_token(left), frame.any_token(right)


@pytest.mark.slow
async def test_the_foot_shows_a_pair_that_its_row_cuts() -> None:
    async with opened(UNICODE, size=(60, 20), vocab_size=1500) as (app, pilot):
        await pilot.press("end", "m")
        panel = app.screen.query_one("#merges", FramePanel)
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        pairs = (pair_of(app, panel.row(index)) for index in range(panel.row_count))
        names = [bare("+".join(map(visible_bytes, pair))) for pair in pairs if pair is not None]
        panel.cursor, whole = next(
            (place, name)
            for place, name in enumerate(names)
            if name not in text_of(panel.row(place))
        )
        await pilot.pause()
        assert bare(str(panel.border_subtitle)) == whole
        await pilot.press("tab")
        assert bare(str(panel.border_subtitle)) != whole


@pytest.mark.slow
async def test_the_next_pair_is_in_sight_behind_stale_entries_unless_rows_are_in_use() -> None:
    async with opened(size=(80, 24)) as (app, pilot):
        panel = app.screen.query_one(PairsPanel)

        async def seen_at(step: int) -> tuple[int, float]:
            """Return the row of the next pair, and the first row in sight."""
            app.seek(step)
            await pilot.pause()
            rows = [panel.row(place).target for place in range(panel.row_count)]
            return rows.index(ToPair(frame_of(app).next_pair)), panel.scroll_offset.y  # type: ignore[arg-type]

        # A line before the pair counts what is skipped; the entry after the pair is in sight, too.
        found = [await seen_at(step) for step in (290, 291, 293, 294)]
        assert found == [(13, 10), (5, 2), (3, 0), (7, 4)]
        panel.focus()
        panel.cursor = 9
        await pilot.pause()
        assert await seen_at(290) == (13, 4)
        panel.cursor = 0
        assert (await seen_at(291), await seen_at(290)) == ((5, 2), (13, 10))
        await pilot.click(panel, offset=(3, 2))
        panel.cursor = 0
        assert await seen_at(291) == (5, 10)
        await pilot.press("tab")
        assert await seen_at(294) == (7, 4)


async def test_before_the_first_merge_the_pretokens_are_those_it_will_change() -> None:
    async with opened() as (app, pilot):
        panel = app.screen.query_one(ChangedPretokens)
        found = "pretokens  137"
        await until(pilot, lambda: str(panel.border_title).endswith(found))  # all of them
        assert str(panel.border_subtitle) == "of merge 1"
        first = [text_of(panel.row(place)).partition("→")[0] for place in range(3)]
        await pilot.press("right")
        await until(pilot, lambda: str(panel.border_subtitle) == "changed by merge 1")
        await until(pilot, lambda: str(panel.border_title).endswith("pretokens  137"))
        assert first == [text_of(panel.row(place)).partition("→")[0] for place in range(3)]

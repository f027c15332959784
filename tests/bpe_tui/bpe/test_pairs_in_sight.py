"""The foot completes a cut row; the pair that merges next is in sight behind stale entries."""

from __future__ import annotations

import pytest
from opening import SAMPLE, frame_of, opened, until

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe.heap_panel import PairsPanel
from bpe_tui.bpe.training_screen import ChangedPretokens
from bpe_tui.shell.panel import FramePanel
from bpe_tui.shell.targets import ToChange, ToPair, ToStep
from bpe_tui.widgets.rows import Row
from bpe_tui.widgets.visible import visible_bytes

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

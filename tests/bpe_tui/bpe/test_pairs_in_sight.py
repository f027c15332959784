"""The foot completes a cut row; the pair that merges next is in sight behind stale entries."""

from __future__ import annotations

import pytest
from opening import SAMPLE, opened, until

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe.heap_panel import PairsPanel
from bpe_tui.bpe.training_screen import ChangedPretokens
from bpe_tui.views.panel import FramePanel
from bpe_tui.views.targets import ToChange, ToPair, ToStep
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


@pytest.mark.slow  # twenty steps
async def test_the_pair_that_merges_next_is_in_sight_behind_stale_entries() -> None:
    async with opened(size=(80, 24)) as (app, pilot):
        session, panel = app.session, app.screen.query_one(PairsPanel)
        below = 0
        await pilot.press("g", *"300", "enter")
        for _ in range(20):
            await pilot.press("right")
            frame = session.frame
            assert frame is not None
            rows = [panel.row(place).target for place in range(panel.row_count)]
            place = rows.index(ToPair(frame.next_pair))  # type: ignore[arg-type]
            below += place >= panel.size.height - 1  # so many rows there are below the head
            assert panel.scroll_offset.y <= place < panel.scroll_offset.y + panel.size.height - 1
        assert below, "no step of these tries it"


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

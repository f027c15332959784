"""Both tokens of a pair are readable in every table at every size; the foot completes cut rows."""

from __future__ import annotations

import pytest
from opening import SAMPLE, opened, until
from textual.pilot import Pilot

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe.heap_panel import PairsPanel
from bpe_tui.bpe.training_screen import ChangedPretokens
from bpe_tui.views.panel import FramePanel
from bpe_tui.views.targets import ToChange, ToPair, ToStep
from bpe_tui.widgets.rows import Row
from bpe_tui.widgets.visible import signs, visible_bytes

UNICODE = SAMPLE.parent / "unicode.txt"
SIZES = ((120, 40), (100, 30), (80, 24), (60, 20))


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


def assert_readable(app: BpeTuiApp, panel: FramePanel) -> None:  # type: ignore[type-arg]
    """Check that each visible row about a pair shows part of both tokens."""
    top = panel.scroll_offset.y
    for index in range(top, min(top + panel.size.height, panel.row_count)):
        row = panel.row(index)
        pair = pair_of(app, row)
        if pair is None or text_of(row).lstrip().startswith("stale:"):  # a second row of a pair
            continue
        first, _, second = text_of(row).replace("##", "").replace(" + ", "+").partition("+")
        for token, side in zip(pair, (first, second), strict=True):
            shown = [bare(sign) for sign in signs(visible_bytes(token).removeprefix("##"))]
            assert shown[0] in side or shown[-1] in side, (panel.id, text_of(row))


async def see_all(app: BpeTuiApp, pilot: Pilot[int], panels: tuple[str, ...]) -> None:
    await pilot.press("g", *"400", "enter")
    for size in SIZES:
        await pilot.resize_terminal(*size)
        for panel in panels:
            app.screen.show_panel(panel)  # type: ignore[attr-defined]
            await pilot.pause()
            assert_readable(app, app.screen.query_one(f"#{panel}", FramePanel))


@pytest.mark.slow
@pytest.mark.parametrize("model", ["bpe", "wordpiece"])
async def test_both_tokens_of_a_pair_are_readable_late_in_a_run(model: str) -> None:
    async with opened(model=model, vocab_size=700) as (app, pilot):
        await see_all(app, pilot, ("pairs", "merge", "merges"))


@pytest.mark.slow
async def test_both_tokens_of_a_pair_are_readable_in_bytes() -> None:
    async with opened(UNICODE, vocab_size=900) as (app, pilot):
        await see_all(app, pilot, ("pairs", "merge", "merges"))
        assert app.screen.query_one("#merge").size.width < 60


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

"""From a change of the merge to its pretokens, and to the lines that contain them."""

from __future__ import annotations

from opening import frame_of, opened
from screen_text import row_text
from textual.pilot import Pilot

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe.merge_panel import MergePanel
from bpe_tui.bpe.training_screen import CorpusPanel
from bpe_tui.bpe.windows import LedgerWindow
from bpe_tui.views.targets import ToChange
from bpe_tui.widgets.lines import RowList


def changes(app: BpeTuiApp) -> list[int]:
    """Return the places of the changes among the rows of the merge panel."""
    panel = app.screen.query_one(MergePanel)
    rows = range(panel.row_count)
    return [place for place in rows if isinstance(panel.row(place).target, ToChange)]


async def opened_change(app: BpeTuiApp, pilot: Pilot[int]) -> None:
    """Go to step 30 and press Enter on the second change of its merge."""
    app.seek(30)
    await pilot.pause()
    app.screen.show_panel("merge")  # type: ignore[attr-defined]
    app.screen.query_one(MergePanel).cursor = changes(app)[1]
    await pilot.press("enter")
    await pilot.pause(0.1)


async def test_a_change_has_its_number_of_pretokens_and_enter_leads_to_them_and_their_lines() -> (
    None
):
    async with opened() as (app, pilot):
        app.seek(30)
        await pilot.pause()
        frame = frame_of(app)
        assert frame.merge is not None
        panel = app.screen.query_one(MergePanel)
        assert f" {frame.merge.pretokens} " in row_text(panel, changes(app)[0])
        await opened_change(app, pilot)
        assert isinstance(app.screen, LedgerWindow)
        rows = app.screen.query_one("#ledger-rows", RowList)
        shown = [" ".join(row_text(rows, place).split()) for place in range(2)]
        assert shown == ["248 ·one → ·one −248", "9 ·ones → ·ones −9"]
        assert {len(row_text(rows, place)) for place in range(2)} == {rows.size.width - 2}
        pretoken = rows.row(1).target.affected.pretoken  # type: ignore[union-attr]
        await pilot.press("down", "enter")
        lines = frame_of(app).excerpt.lines_with(pretoken)
        assert rows.row_count == len(lines)
        await pilot.press("enter")
        corpus = app.screen.query_one(CorpusPanel)
        assert app.focused is corpus
        assert str(corpus.border_subtitle).startswith(f"lines {lines[0] + 1}–")

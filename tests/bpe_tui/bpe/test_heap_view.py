"""The heap as a table, an array and a tree; its moves; ties."""

from __future__ import annotations

import pytest
from opening import frame_of, opened, step, until
from screen_text import shown

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe import heap_panel
from bpe_tui.bpe.heap_panel import PairsPanel
from bpe_tui.bpe.merge_panel import MergePanel


def pairs(app: BpeTuiApp) -> PairsPanel:
    return app.screen.query_one(PairsPanel)


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
        frame = frame_of(app)
        assert shown(pairs(app)).count("\n") >= len(frame.queue.entries(200)) - 1


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
        text = shown(app.screen.query_one(MergePanel))
        assert "ther rule" in text
        await pilot.press("home", "t", "T")
        assert step(app) == 0


@pytest.mark.slow
async def test_the_foot_names_the_merge_of_the_row_and_enter_goes_there() -> None:
    async with opened(vocab_size=1100) as (app, pilot):
        await pilot.press("right", "v", "v", "v", "v")
        panel = pairs(app)
        place, at = next(
            (place, found)
            for place in range(1, 200)
            if (found := frame_of(app).step_of(panel.row(place).target.pair))  # type: ignore[union-attr]
        )
        await pilot.press(*["down"] * place)
        assert str(panel.border_subtitle).startswith(f"Enter its merge ({at}) │ w why │ v array")
        await pilot.press("enter")
        assert step(app) == at
        await until(pilot, lambda: panel.cursor == place)  # when the heap has been replayed
        await pilot.press("v")
        panel.put_cursor(panel.row_count - 1, 0)
        await pilot.press("enter")
        assert "leads nowhere" in app.notices.now
        assert app.screen.zoomed is None  # type: ignore[attr-defined]

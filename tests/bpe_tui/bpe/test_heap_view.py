"""The heap as a table, an array and a tree; its moves; ties."""

from __future__ import annotations

import pytest
from opening import frame_of, opened, until
from screen_text import shown

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe import heap_panel
from bpe_tui.bpe.heap_panel import PairsPanel


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
        assert shown(pairs(app)).count("\n") >= len(frame_of(app).queue.entries(200)) - 1

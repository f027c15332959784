"""The pseudocode advances with the key `.`, in step with the merges."""

from __future__ import annotations

import pytest
from generated import first_quick
from opening import frame_of, opened, step

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe.training_screen import PseudocodePanel
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers import TRAINERS, algorithm_for
from engine.bpe.trainers.pseudocode import Move, parts_of_step

ABLE = [name for name in TRAINERS if algorithm_for(name, TIE_RULES["lexicographic"]).name == name]
"""All trainers that can run; `native` needs the compiled kernel."""


def at_work(app: BpeTuiApp) -> list[str]:
    """Return the marked lines, unwrapped."""
    panel = app.screen.query_one(PseudocodePanel)
    rows = [panel.row(place) for place in range(panel.row_count)]
    found: list[str] = []
    for row in rows:
        if row.spans and row.spans[0][0] == "▸ ":
            found.append(row.spans[1][0])
        elif row.spans and row.spans[0][0] == "    " and row.spans[1][1] == "pair":
            found[-1] += f" {row.spans[1][0].strip()}"
    return found


@pytest.mark.parametrize("name", first_quick([name for name in ABLE if name != "heap"]))
async def test_every_part_is_lit_once_in_a_step(name: str) -> None:
    async with opened(vocab_size=270, trainer=name) as (app, pilot):
        parts = parts_of_step(TRAINERS[name].pseudocode)
        await pilot.press("right", "p")
        while app.screen.query_one(PseudocodePanel).algorithm is not TRAINERS[name]:
            await pilot.press("p")
        for part in parts:
            lines = [line.text for line in TRAINERS[name].pseudocode if part in line.during]
            assert (step(app), at_work(app)) == (1, lines)
            await pilot.press("full_stop")
        assert step(app) == 2
        assert frame_of(app).moves_done == 0


def test_every_move_of_the_heap_has_a_line() -> None:
    assert set(parts_of_step(TRAINERS["heap"].pseudocode)) == set(Move)


@pytest.mark.slow
async def test_a_trainer_that_is_asked_for_is_shown_first() -> None:
    async with opened(vocab_size=300, trainer="naive") as (app, pilot):
        await pilot.press("right", "p")
        assert app.screen.query_one(PseudocodePanel).algorithm is TRAINERS["naive"]

"""BPE-dropout on the encoding screen: several draws, and the rounds of one of them."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opening import until
from screen_text import encoding, shown
from textual.widgets import Input

from bpe_tui.bpe.dropout import DRAWS, DropoutRows, parse_dropout
from engine import DropoutError
from engine.encoding.dropout import Dropout


async def test_a_key_shows_draws_beside_the_encoding_without_dropout() -> None:
    async with encoding("happiness") as (app, screen, pilot):
        await pilot.press("%")
        assert screen.slot == "dropout"
        rows = screen.query_one(DropoutRows)
        screen.query_one("#dropout-input", Input).value = "0.5 3"
        frame = app.session.frame
        assert frame is not None
        dropout = Dropout(frame.rules.alphabet, frame.rules.merge_of, 0.5, 3)
        counts = [len(dropout.encode(b"happiness", draw)) for draw in range(DRAWS)]

        def shows_all_draws() -> bool:
            lines = shown(rows).splitlines()
            return len(lines) > DRAWS and all(
                f"draw {draw + 1}" in lines[draw + 1] and f" {count} " in lines[draw + 1]
                for draw, count in enumerate(counts)
            )

        await until(pilot, shows_all_draws)


@pytest.mark.slow
async def test_the_arrows_go_from_draw_to_draw_and_show_what_was_dropped() -> None:
    async with encoding("happiness") as (_, screen, pilot):
        await pilot.press("%")
        screen.query_one("#dropout-input", Input).value = "0.7 1"
        await pilot.press("enter", "right", "right")
        rows = screen.query_one(DropoutRows)
        assert rows.place == 2
        assert "draw 3 of happiness, merge by merge" in shown(rows)
        assert "dropped: " in shown(rows)
        await pilot.press("escape")
        assert screen.slot == "encode-steps"


@pytest.mark.slow
async def test_a_click_chooses_a_draw() -> None:
    async with encoding("happiness") as (_, screen, pilot):
        await pilot.press("%")
        await pilot.pause()
        await pilot.click("#dropout-rows", offset=(5, 4))
        assert screen.query_one(DropoutRows).place == 3


@pytest.mark.slow
async def test_an_invalid_line_is_answered_in_the_panel() -> None:
    async with encoding("happiness") as (_, screen, pilot):
        await pilot.press("%")
        for typed, shown_text in (
            ("1.5", "1.5 is no probability"),
            ("much", "much is no probability"),
            ("0.1 x", "x is no seed"),
            ("", "Type the probability p"),
        ):
            screen.query_one("#dropout-input", Input).value = typed
            await pilot.pause()
            assert shown_text in shown(screen.query_one(DropoutRows))


@pytest.mark.slow
async def test_a_long_pretoken_is_rejected_with_a_sentence() -> None:
    async with encoding("a" * 200) as (_, screen, pilot):
        await pilot.press("%")
        await pilot.pause()
        assert "200 bytes is too long for drawing" in shown(screen.query_one(DropoutRows))


@given(st.text(max_size=20))
def test_any_line_is_parsed_or_rejected(typed: str) -> None:
    with suppress(DropoutError):
        _, seed = parse_dropout(typed)
        assert seed >= 0

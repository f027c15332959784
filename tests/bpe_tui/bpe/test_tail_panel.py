"""The tail on the encoding screen: what may change, examples, a completion typed."""

from __future__ import annotations

import pytest
from opening import until
from screen_text import encoding, shown

from bpe_tui.bpe.tail import EXAMPLES as TAIL_EXAMPLES
from bpe_tui.bpe.tail import TailPanel
from engine import find_tail


async def test_a_key_shows_the_completions_and_enter_types_one() -> None:
    async with encoding("so low") as (app, screen, pilot):
        await pilot.press("t")
        panel = screen.query_one(TailPanel)
        await until(pilot, lambda: "completion" in str(panel.border_title))
        frame = app.session.frame
        assert frame is not None
        tail = find_tail(frame.tokenizer(), "so low")
        rows = shown(panel).splitlines()
        assert len(rows) == len(TAIL_EXAMPLES) + 1 + len(tail.completions)
        column = "".join(text for text, _ in panel.head).index("if this follows")
        assert all(
            row[column - 1].isspace() and not row[column].isspace() for row in rows if row[column:]
        )
        best = tail.completions[0]
        assert best.added
        assert rows[3].split()[0] == str(best.changed)
        assert rows[3].endswith(best.added.decode())
        await pilot.press("down", "down", "down", "enter")
        await until(pilot, lambda: screen.text == "so low" + best.added.decode())
        await pilot.press("escape")
        assert screen.panels.slot == "encode-steps"


@pytest.mark.slow
async def test_the_examples_are_typed_and_an_unchanging_end_is_named() -> None:
    async with encoding("<|endoftext|>") as (_, screen, pilot):
        await pilot.press("t")
        panel = screen.query_one(TailPanel)
        await until(pilot, lambda: "Nothing can change" in shown(panel))
        for text, keys in zip(TAIL_EXAMPLES, ("enter", "down"), strict=True):
            await pilot.press(*([keys] if keys == "enter" else [keys, "enter"]))
            await until(pilot, lambda text=text: screen.text == text)
            await until(pilot, lambda: "now" in shown(panel))


@pytest.mark.slow
async def test_too_long_an_end_is_one_sentence() -> None:
    async with encoding("x" * 1200) as (_, screen, pilot):
        await pilot.press("t")
        await until(pilot, lambda: "a pretoken of 1,200" in shown(screen.query_one(TailPanel)))


@pytest.mark.slow
async def test_special_tokens_as_text_have_a_tail() -> None:
    async with encoding("<|endoftext|>") as (_, screen, pilot):
        await pilot.press("t", "ctrl+s")
        await until(pilot, lambda: "now" in shown(screen.query_one(TailPanel)))

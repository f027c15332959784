"""The comparison screen: aligned strips, from difference to difference, numbers beside them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from opening import until
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Static

from bpe_tui.app.base import SingleScreenApp
from bpe_tui.studies.comparison import (
    ComparedTokenizer,
    ComparisonScreen,
    NumbersPanel,
    StripsPanel,
    broken,
    drawn_parts,
    segments_of,
)
from engine import Tokenizer
from engine.analysis.text_comparison import TextComparison

BYTES = {byte: bytes([byte]) for byte in range(256)}
ONE = Tokenizer(BYTES | {256: b"ab"}, [(b"a", b"b")])
BASE = Tokenizer(BYTES, [])
OTHER = Tokenizer(BYTES | {256: b"bc"}, [(b"b", b"c")])


async def settle(app: App[int], pilot: Pilot[int]) -> None:
    """Wait until all comparisons are done."""
    for _ in range(300):
        await pilot.pause(0.02)
        numbers = app.screen.query_one(NumbersPanel)
        if numbers.comparison is not None and numbers.vocabularies is not None:
            break
    await pilot.pause()


@asynccontextmanager
async def comparing(
    data: bytes, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[SingleScreenApp, Pilot[int]]]:
    compared = ComparedTokenizer("one", lambda: ONE), ComparedTokenizer("other", lambda: OTHER)
    app = SingleScreenApp(lambda: ComparisonScreen(compared, data))
    async with app.run_test(size=size) as pilot:
        await settle(app, pilot)
        yield app, pilot


def lines(app: App[int], panel: str) -> list[str]:
    shown = app.screen.query_one(f"#{panel}", StripsPanel if panel == "strips" else NumbersPanel)
    return ["".join(t for t, _ in shown.row(n).spans).rstrip() for n in range(shown.row_count)]


def test_the_parts_of_a_cut_character_have_a_cell_for_each_byte_or_are_drawn_apart() -> None:
    parts = [b"a", "é".encode(), b"\xe6\x88", b"\x91", b"\xe2\x80", b"\xae"]
    whole = [("a", 1, 1), ("é", 1, 1), ("我", 2, 2), ("", 1, 0)]
    assert list(drawn_parts(parts, 7)) == [*whole, ("‹202E›", 2, 2), ("", 4, 0)]
    assert list(drawn_parts(parts, 3)) == [*whole, ("…", 1, 1), ("…", 1, 1)]


@pytest.mark.parametrize(("room", "lines"), [(9, ["abcd", "e⏎", "f"]), (8, ["abc", "de⏎", "f"])])
def test_segments_break_at_the_width_and_after_newlines(room: int, lines: list[str]) -> None:
    found = broken(segments_of(TextComparison([BASE, BASE], b"abcde\nf"), 0, 7, 9), room)
    assert ["".join(segment.text for segment in line) for line in found] == lines


async def test_marks_are_where_both_cut_and_the_strips_end_with_the_number_of_tokens() -> None:
    async with comparing(b"ab bc") as (app, pilot):
        assert lines(app, "strips") == ["one    ab·bc  4", "other  ab·bc  4", "       ▲ ▲▲"]
        await pilot.press("enter")
        assert app.screen.query_one(StripsPanel).current == 1


def laid_out(app: App[int]) -> bytes:
    """Return the part of the text that has strips."""
    shown = (line for line in lines(app, "strips") if line.startswith("one "))
    texts = (re.sub(r"  [\d,]+$", "", line[7:]) for line in shown)
    return "".join(texts).replace("·", " ").encode()


async def test_far_differences_are_laid_out_when_they_are_reached() -> None:
    async with comparing(b"abc " + b"x " * 20_000 + b"abc") as (app, pilot):
        strips = app.screen.query_one(StripsPanel)
        assert laid_out(app) == b"abc " + b"x " * 3070
        await pilot.press("n")
        assert "at byte 40,004" in str(strips.border_subtitle)
        assert laid_out(app) == b"x " * 1024 + b"abc"
        # Both strips of the difference, and the marks below them, are in sight.
        assert "▲" in lines(app, "strips")[strips.cursor + 2]
        assert 0 <= strips.cursor - strips.scroll_offset.y <= strips.size.height - 3
        await pilot.press("p")
        assert (strips.cursor, strips.scroll_offset.y) == (0, 0)
        for text, size in ((b"x " * 4096, 8192), (b"x " * 4097, 6144)):  # of 8 KiB, and longer
            strips.comparison = TextComparison([ONE, OTHER], text)
            assert laid_out(app) == text[:size]


async def test_another_text_can_be_typed() -> None:
    async with comparing(b"x") as (app, pilot):
        strips = app.screen.query_one(StripsPanel)
        assert strips.border_subtitle == "all cut these 1 byte alike"
        heading, screen = app.screen.query_one("#heading", Static), app.screen
        assert isinstance(screen, ComparisonScreen)
        screen.on_mount()
        assert heading.content == "Opening one │ other …"
        await settle(app, pilot)
        await pilot.press("e", "ctrl+u", *"abc")
        await until(pilot, lambda: "difference 1 of 1" in str(strips.border_subtitle))
        for _ in range(2):  # the second finds no way back from the command's own screen
            await pilot.press("escape")
            assert not app.screen.query_one("#other-text").has_focus_within

"""Tables name their columns; the head stays above the rows and hides no row."""

from __future__ import annotations

import pytest
from generated import first_quick
from opening import each_size, opened

from bpe_tui.bpe.walks import PretokensPanel
from bpe_tui.views.narration import fitting_facts
from bpe_tui.views.panel import FramePanel
from bpe_tui.widgets.lines import Lines


def test_of_facts_without_room_the_first_is_left_and_the_last_go_first() -> None:
    facts = [(2, "seven"), (1, "two"), (3, "nine")]
    lines = {fitting_facts(facts, room) for room in range(30)}
    assert lines == {"seven", "two │ seven", "two │ seven │ nine"}


TEXT = "The old goat's kite, 1234567 times!"


def lines_of(panel: Lines) -> list[str]:
    return [panel.render_line(y).text.rstrip() for y in range(panel.size.height)]


@pytest.mark.slow  # a walk over sizes
async def test_the_table_of_pretokens_names_its_columns() -> None:
    async with opened() as (app, pilot):
        app.navigation.open_encoding(TEXT)
        await pilot.pause()
        async for _ in each_size(pilot, [(120, 40), (80, 24)]):
            panel = app.screen.query_one("#pretokens", Lines)
            head = lines_of(panel)[0].split()
            assert head in (["text", "tokens", "matched", "by"], ["text", "tokens", "by"])
            app.screen.show_panel("pretokens")  # type: ignore[attr-defined]
            for _ in range(9):
                await pilot.press("down")
                assert any(line.startswith("❯") for line in lines_of(panel)[1:])
            assert lines_of(panel)[0].split() == head
            for _ in range(9):
                await pilot.press("up")
            assert lines_of(panel)[1].startswith("❯ The")
            assert await pilot.click(panel, offset=(3, 1))
            assert panel.cursor == 0  # the head is not a row
            assert await pilot.click(panel, offset=(3, 3))
            assert panel.cursor == 1


async def test_a_pretoken_shows_the_alternative_that_matched_it() -> None:
    async with opened() as (app, pilot):
        app.navigation.open_encoding(f"{TEXT} The old", look=True)
        await pilot.pause()
        panel = app.screen.query_one("#pretokens", PretokensPanel)
        numbers = next(line for line in lines_of(panel) if "1234567" in line)
        assert numbers.rstrip().endswith(r"numbers  ` ?\p{N}+`")
        await pilot.press("down")
        foot = str(panel.border_subtitle)
        assert foot.startswith(r"matched by letters  ` ?\p{L}+`"), foot
        app.session.type("")  # before the panel's message about its cursor arrives
        app.changed()
        await pilot.pause()
        assert not app.notices.note


@pytest.mark.slow
async def test_a_short_pretoken_is_shown_in_full_beside_the_name_of_its_alternative() -> None:
    async with opened(size=(80, 24)) as (app, pilot):
        app.navigation.open_encoding("a little running yesterday", look=True)
        await pilot.pause()
        panel = app.screen.query_one("#pretokens", PretokensPanel)
        shown = [line.replace("❯", " ").split() for line in lines_of(panel)[1:5]]
        assert [row[0] for row in shown] == ["a", "·little", "·running", "·yesterday"]
        assert all(row[2].startswith("letters") for row in shown)


@pytest.mark.parametrize(
    ("model", "steps", "named"),
    first_quick(
        [
            ("bpe", "merges", ["pair", "count"]),
            ("wordpiece", "merges", ["pair", "score"]),
            ("unigram", "steps", ["pieces", "loss"]),
        ]
    ),
)
async def test_lists_of_the_training_screen_name_their_columns(
    model: str, steps: str, named: list[str]
) -> None:
    async with opened(model=model, vocab_size=300) as (app, pilot):
        await pilot.press("right", "end")
        await pilot.pause()
        there = app.screen.query_one(f"#{steps}", FramePanel)
        assert lines_of(there)[0].split() == named
        assert any(line.startswith("▸") for line in lines_of(there)[1:])
        if model != "unigram":
            words = app.screen.query_one("#pretokens", FramePanel)
            assert lines_of(words)[0].split() == ["count", "before", "after"]

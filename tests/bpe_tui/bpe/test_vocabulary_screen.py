"""The vocabulary screen and the bytes and tokens of one, driven by keys."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from itertools import chain, count, repeat
from pathlib import Path

import pytest
from opening import opened, step, until
from screen_text import row_text, row_texts
from textual.pilot import Pilot
from textual.widgets import Input

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.panels import token_table
from bpe_tui.panels.token_table import TokenRows, VocabularyPanel
from bpe_tui.panels.vocabulary_screen import VocabularyScreen
from bpe_tui.shell.targets import ToToken
from bpe_tui.widgets.visible import visible_bytes


@asynccontextmanager
async def vocabulary(
    size: tuple[int, int] = (120, 40), corpus: Path | None = None
) -> AsyncIterator[tuple[BpeTuiApp, Pilot[int], TokenRows]]:
    """Open the vocabulary screen at the last step."""
    async with opened(**({"corpus": corpus} if corpus else {}), size=size) as (app, pilot):
        await pilot.press("end", "3")
        yield app, pilot, app.screen.query_one(TokenRows)


def title(app: BpeTuiApp) -> str:
    return str(app.screen.query_one(VocabularyPanel).border_title)


async def test_the_table_has_every_token_of_the_step() -> None:
    async with vocabulary() as (app, pilot, rows):
        assert rows.row_count == 700
        assert rows.token == 699  # it opens on the newest
        # By hand: of the first merge, h + e, 75 tokens are left, and 9 merges use it.
        assert row_text(rows, 257).split() == ["257", "he", "2", "1", "75", "h", "+", "e", "9"]
        assert row_text(rows, 256).split() == ["256", "<|endoftext|>", "13", *"––0"]
        assert str(app.screen.query_one(VocabularyPanel).border_subtitle).startswith("↵ to its")
        assert row_text(rows, 32).split() == ["32", "·", "1", "–", "179", "50"]
        await pilot.press("c")
        assert (row_text(rows, 0).split()[1], rows.cursor, rows.scroll_offset.y) == ("⇥", 0, 0)
        await pilot.press("less_than_sign")
        assert rows.row_count == 257
        assert title(app) == "vocabulary  257 of 257 tokens"


async def test_typing_filters_the_tokens() -> None:
    async with vocabulary() as (app, pilot, rows):
        await pilot.press("slash", "t")
        assert (rows.cursor, rows.scroll_offset.y) == (0, 0)  # it was at the end
        await pilot.press(*"he")
        tokens = [rows.vocabulary.token(rows.vocabulary.id_of(row)) for row in rows._order]
        assert tokens == [t for t in rows.vocabulary.table.tokens if b"the" in t]
        assert title(app) == f"vocabulary  {len(tokens)} of 700 tokens"
        await pilot.press("home", "circumflex_accent", "enter")
        tokens = [rows.vocabulary.token(rows.vocabulary.id_of(row)) for row in rows._order]
        assert {token[:3] for token in tokens} == {b"the"}
        assert rows.has_focus


@pytest.mark.slow
async def test_a_long_search_goes_on_slice_by_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_table, "perf_counter", partial(next, count()))
    monkeypatch.setattr(token_table, "SLICE_SECONDS", 2)  # each slice has time for one batch
    async with vocabulary() as (app, pilot, rows):
        await pilot.press("slash", *"the")
        found = [t for t in rows.vocabulary.table.tokens if b"the" in t]
        await until(pilot, lambda: title(app) == f"vocabulary  {len(found)} of 700 tokens")


async def test_rows_that_come_late_leave_the_list_at_its_cursor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def late() -> None:
        """Leave no time for the next slice."""
        times = chain((0.0,), repeat(9.0))
        monkeypatch.setattr(token_table, "perf_counter", partial(next, times))

    async with opened() as (app, pilot):
        await pilot.press("end")
        late()
        await pilot.press("3")
        screen, rows = app.screen, app.screen.query_one(TokenRows)
        assert isinstance(screen, VocabularyScreen)
        assert (rows.cursor, rows.scroll_offset.y) == (699, 700 - rows.size.height)
        places = []
        for before in (late, lambda: None):
            rows.put_cursor(600, 590)
            for _ in range(2):  # the filter hides the row, and shows it again
                before()
                screen.action_filter("partial")
                await pilot.pause()
                places.append((rows.cursor, rows.scroll_offset.y))
        assert places[:2] == places[2:]


@pytest.mark.slow  # it trains 3,000 tokens
async def test_where_all_are_encoded_a_filter_says_so() -> None:
    async with opened(size=(120, 40), vocab_size=3179) as (app, pilot):
        await pilot.press("end", "3", "F", "d")
        rows = app.screen.query_one(TokenRows)
        await until(pilot, lambda: row_texts(rows)[0].startswith("None"))
        assert row_texts(rows) == ["None: encoding can give every one of the 3,179 tokens."]


@pytest.mark.slow
async def test_the_newest_token_is_selected_until_one_is_chosen_and_enter_leads_to_its_merge() -> (
    None
):
    async with vocabulary() as (app, pilot, rows):
        assert rows.scroll_offset.y > 0  # it is in sight
        app.seek(100)
        await pilot.pause()
        assert rows.token == 356
        await pilot.press("c")  # another order: its first row is meant
        assert rows.cursor == 0
        app.seek(443)
        await pilot.pause()
        app.navigation.go_to_target(ToToken(300))
        await pilot.pause()
        await pilot.press("enter")
        assert app.screen.id == "training"
        assert step(app) == 300 - 257 + 1
        await pilot.press("backspace")
        assert isinstance(app.screen, VocabularyScreen)
        assert (step(app), rows.token) == (443, 300)
        top = rows.scroll_offset.y
        await pilot.click(rows, offset=(3, 2))  # it chooses the token, the next click opens it
        assert (app.screen.id, rows.cursor) == ("vocabulary", top + 2)
        made_at = rows.token - 257 + 1
        await pilot.click(rows, offset=(3, 2))
        await pilot.pause()
        assert (app.screen.id, step(app)) == ("training", made_at)


async def test_a_search_without_tokens_names_the_merge_that_brings_one() -> None:
    async with opened() as (app, pilot):
        await pilot.press("3", "slash", *"the")
        rows = app.screen.query_one(TokenRows)
        # By brute force: the first merge whose token has the letters.
        assert app.session.timeline is not None
        record = app.session.timeline.record
        made = [record[k].left + record[k].right for k in range(len(record))]
        first = next(place for place, token in enumerate(made, 1) if b"the" in token)
        told = f"{visible_bytes(made[first - 1])} comes at merge {first}: ↵ goes there"
        await until(pilot, lambda: row_text(rows, 0) == told)
        await pilot.press("escape", "w")
        await until(pilot, lambda: app.screen.is_modal)
        assert app.screen.query_one(Input).value == "the"
        await pilot.press("escape", "slash", "end", "enter")
        await until(pilot, lambda: (app.screen.id, step(app)) == ("training", first))
        await pilot.press("backspace")
        await until(pilot, lambda: (app.screen.id, step(app)) == ("vocabulary", 0))
        await pilot.press("slash", *"zzzz")  # no step brings it
        await until(pilot, lambda: rows.row_count == 1 and rows.coming is None)
        assert row_text(rows, 0).startswith("No token of step 0 has zzzz")

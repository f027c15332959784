"""The application driven by keys, without a terminal."""

from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from opening import SAMPLE, each_size, frame_of, opened, opened_as, step, until
from screen_text import unwrapped
from textual._compositor import Compositor
from textual.events import ScreenResume
from textual.geometry import Size
from textual.widgets import Static, TextArea

from bpe_tui.app.session_app import mount_ahead
from bpe_tui.bpe.training_screen import EncodedText, TrainingScreen
from bpe_tui.bpe.walks import EncodeStepsPanel
from bpe_tui.panels.encoding_screen import FIRST_STEP, LAST_STEP, WalkScreen
from bpe_tui.session.config import RunConfig, Viewpoint
from bpe_tui.session.state import preferences
from bpe_tui.shell.commands import commands_on
from bpe_tui.styles import LIGHT
from bpe_tui.widgets.controls import KeyBar
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.window import Window

MOVES = (
    (["right"], 1),
    (["l", "l", "h"], 1),
    (["right", "left", "left"], 0),
    (["g", "plus", "1", "0", "0", "enter"], 100),
    (["end", "g", "minus", "1", "0", "0", "enter"], 343),
    (["greater_than_sign", "less_than_sign"], 0),
    (["g", "5", "0", "percent_sign", "enter"], 222),
    (["g", "escape"], 0),
    (["end", "m", "up", "up", "enter"], 441),
)
"""Keys → the step that they lead to from the first."""


async def test_keys_move_the_cursor() -> None:
    async with opened() as (app, pilot):
        for keys, where in MOVES:
            app.seek(0)
            await pilot.press(*keys)
            assert (keys, step(app)) == (keys, where)


async def test_a_step_paints_what_it_changes_and_not_the_whole_screen() -> None:
    async with opened() as (app, pilot):
        with patch.object(Compositor, "render_full_update") as painted_all:
            await pilot.press("right", "right", "left")
        assert not painted_all.called
        assert step(app) == 1


@pytest.mark.slow
async def test_a_run_plays_until_a_window_opens() -> None:
    async with opened() as (app, pilot):
        step_shown = app.screen.query_one("#transport-step", Static)
        for window in ("s", "i", "x", "M", "o", "w", "t", "L"):
            await pilot.press("space")
            assert str(step_shown.render()).startswith("▶")
            await pilot.press(window)
            await until(pilot, lambda: isinstance(app.screen, Window))
            assert str(step_shown.render()).startswith("‖")
            await pilot.press("escape")


async def test_the_typed_text_is_encoded_with_the_merges_of_the_step_and_walked_through() -> None:
    async with opened() as (app, pilot):
        await pilot.press("e", "ctrl+u", *"the")
        encoded = app.screen.query_one(EncodedText)
        assert [span[0] for span in encoded.row(0).spans if span[0] not in "┊│"] != ["the"]
        await pilot.press("escape", "end")
        ids = [i for piece in frame_of(app).encode("the") for i in piece.ids]
        assert encoded.row(1).spans[0][0].strip() == str(ids[0])
        await pilot.press("end", "e", "ctrl+u", *"there", "enter")
        await pilot.press("escape")
        screen = app.screen
        assert isinstance(screen, WalkScreen)
        assert screen.panels.focused() == "pretokens"
        steps = app.screen.query_one(EncodeStepsPanel)
        assert steps.place == steps.step_count > 0
        await pilot.press("right")
        assert app.notices.now == LAST_STEP
        await pilot.press(*["left"] * 20)
        assert (steps.place, app.notices.now) == (0, FIRST_STEP)
        await pilot.press("right")
        assert steps.place == 1
        for by, there in ((-1, 0), (9, steps.step_count), (-1, 1)):
            steps.action_move(by)
            assert steps.place == there
        screen.action_play()
        screen._play_on()
        assert (steps.place, screen._playing) == (steps.step_count, False)  # nothing is left
        screen.action_play()
        assert (steps.place, screen._playing) == (0, True)  # from the start
        screen._play_on()
        assert (steps.place, screen._playing) == (1, True)
        screen.action_walk(-1)
        assert (steps.place, screen._playing) == (0, False)
        screen.action_play()
        screen.action_play()
        assert not screen._playing
        await pilot.press("1")
        app.session.type(text := "the low\nest")
        app.changed()
        await pilot.pause()
        typed = app.screen.query_one("#encode")
        assert str(typed.border_title).endswith("│ its first line; 2 shows all of the text")
        assert str(typed.border_subtitle) == "4 tokens │ 7 bytes │ step 443"
        app.action_show("encoding")
        await until(pilot, lambda: [each.text for each in app.screen.query(TextArea)] == [text])


@pytest.mark.slow
async def test_a_run_that_opens_at_a_step_has_its_merge_in_the_middle_of_the_list() -> None:
    config = RunConfig(str(SAMPLE), vocab_size=700, viewpoint=Viewpoint(view="training", step=300))
    async with opened_as(config) as (app, pilot):
        merges = app.screen.query_one("#merges", Lines)
        assert merges.vertical_scrollbar.position == merges.scroll_y > 250
        for key in ("W", "m"):  # a scroll that is due comes with the next key
            await pilot.press(key)
            rows_above = 299 - merges.scroll_offset.y
            assert rows_above == (merges.size.height - merges.head_height) // 2


async def test_an_entry_of_the_help_does_what_its_key_does() -> None:
    async with opened(size=(80, 24)) as (app, pilot):
        await pilot.press("g")
        app.action_help()  # asked for before the window came in front
        await pilot.press("escape", "question_mark")
        help_window: Any = app.screen
        text = unwrapped(app.screen.query_one("#found", Lines))
        assert all(each.help in text for each in commands_on("training"))
        await pilot.press("tab")
        assert "Just merged. Yellow" in unwrapped(app.screen.query_one("#found", Lines))
        await pilot.press("right")
        assert "corpus The text that is learnt from" in unwrapped(help_window.query_one(Lines))
        await pilot.press("right", *"zoom", "enter")  # typing finds in all parts
        await until(pilot, lambda: app.screen.id == "training")
        await until(pilot, lambda: app.screen.zoomed == "corpus")  # type: ignore[attr-defined]
        await pilot.press("question_mark")
        await until(pilot, lambda: app.screen.is_modal)
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, TrainingScreen))


@pytest.mark.slow
async def test_a_menu_runs_what_a_letter_or_enter_chooses() -> None:
    async with opened() as (app, pilot):
        for keys in (["t", "t"], ["t", "enter"], ["n"]):
            app.seek(0)
            await pilot.press(*keys)
            await until(pilot, lambda: step(app) > 0)
            assert app.session.merges is not None
            assert len(app.session.merges.frame.merge.tied) > 1
        await pilot.press("t")
        menu: Any = app.screen
        assert [len(menu._rows(cells)) for cells in (0, 32, 33)] == [12, 12, 10]
        await pilot.press("escape")
        assert isinstance(app.screen, TrainingScreen)
        app.seek(443)
        await pilot.press("t", "t")
        await until(pilot, lambda: app.notices.now == "No merge after this one was tied.")


@pytest.mark.slow
async def test_ctrl_t_changes_between_light_and_dark_also_on_a_screen_made_ahead() -> None:
    async with opened() as (app, pilot):
        mount_ahead(app, "vocabulary")
        ahead = app.get_screen("vocabulary")  # it is laid out, and shows nothing
        await until(pilot, lambda: [bar.size.width for bar in ahead.query(KeyBar)] == [120])
        assert app.stylesheet.has_source(str(ahead.css_path[-1]))
        assert ahead.frame is None  # type: ignore[attr-defined]
        app.action_light()
        assert preferences().is_light
        await ahead.on_event(ScreenResume())
        await pilot.press("3")
        assert app.screen.styles.background.hex.lower() == LIGHT.background


async def test_a_hostile_corpus_is_shown_and_never_obeyed(tmp_path: Path) -> None:
    corpus = tmp_path / "[@click=app.quit]x[].txt"
    corpus.write_bytes(b"\x1b]52;c;ZXZpbA==\x07 [@click=app.quit]x[/] \xe2\x80\xae\xff\x00 " * 50)
    async with opened(corpus, vocab_size=300) as (app, pilot):
        await pilot.press("right", "right")
        drawn = app.export_screenshot()
        assert "\x1b" not in drawn
        assert "␛" in drawn


@pytest.mark.slow  # a pretoken of a megabyte
async def test_a_megabyte_in_one_line_opens_and_steps(tmp_path: Path) -> None:
    corpus = tmp_path / "line.txt"
    corpus.write_bytes(b"abcdefgh" * (1 << 17))
    async with opened(corpus, vocab_size=270) as (app, pilot):
        await pilot.press("end", "left", "z")
        assert step(app) > 0


async def test_a_click_on_a_key_does_what_the_key_does() -> None:
    async with opened() as (app, pilot):
        bar = app.screen.query_one(KeyBar)
        following, play = bar.fitting(bar.size.width)[:2]
        assert (following.label, play.label) == ("next", "play")
        app.screen.room.taken = Size(0, 0)  # Textual's pilot clicks only inside `size`
        app.session.speed = 1  # a slow machine does not play it to its end meanwhile
        await pilot.click(bar, offset=(2, 0))
        assert step(app) == 1
        await pilot.click(bar, offset=(following.width + 2, 0))
        assert app.session.playing


@pytest.mark.slow
async def test_tab_goes_through_what_is_in_sight_and_replaces_nothing() -> None:
    async with opened() as (app, pilot):
        screen = app.screen
        assert isinstance(screen, TrainingScreen)

        def in_sight() -> list[str]:
            return [name for name in screen.PANEL_ORDER if screen.query_one(f"#{name}").display]

        async for _ in each_size(pilot, [(120, 40), (80, 24), (60, 20)]):
            before, seen = in_sight(), set()
            for _ in range(len(screen.PANEL_ORDER) + 1):
                await pilot.press("tab")
                seen.add(screen.panels.focused())
            assert in_sight() == before
            assert seen == set(before)
        await pilot.press("v")  # what has no room has a key, and Esc puts the first back
        assert screen.query_one("#pairs").display
        await pilot.press("escape")
        assert screen.query_one("#merge").display


@pytest.mark.slow
async def test_one_escape_from_a_field_restores_the_focus() -> None:
    async with opened() as (app, pilot):
        await pilot.press("m", "e", "3", "escape")
        assert app.screen.id == "training"
        assert app.focused is app.screen.query_one("#merges")
        await pilot.press("2", "tab", "w", "o", "escape")
        assert app.screen.query_one("#encode-steps").display
        assert app.focused is app.screen.query_one("#encode-steps")


async def test_a_screen_that_is_made_as_the_application_closes_does_no_harm() -> None:
    async with opened(vocab_size=300) as (app, _):
        for name in ("inspection", "charts", "race"):
            mount_ahead(app, name)
        app.exit()
    assert app.return_code == 0

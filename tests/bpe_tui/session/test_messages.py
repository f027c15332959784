"""Messages: in a line of their own, and in a window of all messages."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from opening import opened, until
from textual.widgets import Static

from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.declarations import COMPARISON, EVERYWHERE, START
from bpe_tui.session.models import MODELS
from bpe_tui.shell.commands import commands_on, explain_dead_key, key_of_screen, kinds_with
from bpe_tui.shell.panel_screen import NotePanel
from bpe_tui.widgets.controls import FootLine

PACKAGE = Path(__file__).parents[3] / "bpe_tui"
HANDOUT = PACKAGE.parent / "samples" / "handout.txt"


async def test_the_very_first_training_names_the_way_to_the_lesson_view(own_state: Path) -> None:
    (own_state / "bpe-tui" / "preferences.json").unlink()
    async with opened(vocab_size=300) as (app, pilot):
        assert app.notices.now == "0 tells each step beat by beat, L has lessons, ? lists all keys."
        await pilot.press("right")
    async with opened(vocab_size=300) as (app, pilot):
        assert app.notices.now == ""


async def test_an_important_message_stays_until_closed_a_long_one_is_not_cut_all_are_kept() -> None:
    async with opened(vocab_size=300) as (app, pilot):
        for text in ("one", "two", "one"):
            app.tell(text)
        app.notify("[b]three[/b]")  # as Textual itself would say it
        await pilot.press("e", "ctrl+l")  # from inside a field, too
        told = str(app.screen.query_one("#messages Static", Static).render())
        assert told.split("\n\n") == ["[b]three[/b]", "one", "two"]  # the newest first
        await pilot.press("escape", "escape")
        assert app.screen.id == "training"
        app.tell("[b]Yours[/b]", stays=True)
        await pilot.press("right", "2")
        await until(pilot, lambda: app.screen.id == "encoding")
        note = app.screen.query_one("#note", NotePanel)
        assert str(note.render()) == "[b]Yours[/b]"  # it is no markup
        await until(pilot, lambda: note.region.height)
        app.tell("It is long. " * 30, stays=True)
        await pilot.resize_terminal(60, 20)
        await until(pilot, lambda: note.region.height == 2)  # the panels keep the rest
        await pilot.press("escape")
        assert not note.display
        assert "[b]Yours[/b]" in app.notices.everything
        app.tell(said := " ".join(f"word{number}" for number in range(20)))
        await pilot.pause()
        line = app.screen.query_one(FootLine)
        assert line.region.height == 3
        assert " ".join(line.render_line(y).text.strip() for y in range(3)) == said
        await pilot.press("down")
        assert not line.display


def test_no_message_appears_in_a_corner() -> None:
    # `base.py` shows Textual's messages in the line for notices; a field knows only Textual's way.
    calling = {p.name for p in PACKAGE.rglob("*.py") if ".notify(" in p.read_text("utf-8")}
    assert calling <= {"base.py", "fields.py", "text_field.py"}


# --- keys that do nothing here


@pytest.mark.parametrize(
    ("key", "model", "told"),
    [
        ("p", "wordpiece", "p: scores on 1 training: press 1, then p."),
        ("v", "bpe", "v: heap view on 1 training: press 1, then v."),
        ("C", "bpe", "C: turn round on 3 vocabulary: press 3, then C."),
        ("u", "bpe", "u: unused in the menu F on 3 vocabulary: press 3, then F u."),
        ("equals_sign", "bpe", "=: speed on 0 explain, 1 training, 4 charts, 6 race."),
        ("right", "bpe", "→: next on the screens 0 1 2 3 4 5 6 8."),
        ("j", "bpe", "j: the next row, in a panel with rows."),
        ("ö", "bpe", "ö is no key here; ? shows those that are."),
        ("\x84", "bpe", "‹0084› is no key here; ? shows those that are."),
        ("3", "bpe", "3: vocabulary is this screen."),
        ("pageup", "bpe", None),
    ],
)
def test_a_dead_key_says_where_it_works(key: str, model: str, told: str | None) -> None:
    said = explain_dead_key(key, MODELS[model], "vocabulary")
    assert said == told or (said is not None and told is not None and said.startswith(told))


@pytest.mark.parametrize("model", MODELS)
def test_every_key_works_somewhere_or_names_its_model(model: str) -> None:
    for command in COMMANDS:
        for key in () if command.menu else command.keys.split(","):
            said = explain_dead_key(key, MODELS[model])
            assert said is not None, key
            assert "is no key" not in said, key
            for kind in kinds_with(command, MODELS[model]):
                assert command.label in said
                assert (
                    kind in said or key_of_screen(kind) in said.rstrip(".").replace(":", "").split()
                )


SCREENS = [
    *dict.fromkeys(model.screen(kind) for model in MODELS.values() for kind in EVERYWHERE),
    *(COMPARISON, START),
]


@pytest.mark.parametrize("screen", SCREENS)
def test_no_two_commands_of_a_screen_share_a_key(screen: str) -> None:
    keys = Counter(
        (command.menu, key) for command in commands_on(screen) for key in command.keys.split(",")
    )
    assert keys
    assert [key for key, commands in keys.items() if commands > 1] == []

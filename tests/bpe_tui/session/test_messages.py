"""Messages: which are shown, whose they are, and that each is a finished sentence."""

import ast
import os
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from opening import opened, until
from textual.widgets import Static

import bpe_tui
import engine
from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.declarations import COMPARISON, EVERYWHERE, START
from bpe_tui.session.languages import FINISHED, messages_in, speak
from bpe_tui.session.models import MODELS
from bpe_tui.shell.commands import commands_on, explain_dead_key, kinds_with
from bpe_tui.shell.panel_screen import NotePanel
from bpe_tui.widgets.controls import FootLine
from bpe_tui.widgets.language import tr_message
from engine.core import errors
from engine.core.wording import template_parts

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
        ("p", "wordpiece", "p: scores on 1 training."),
        ("v", "bpe", "v: heap view on 1 training."),
        ("C", "bpe", "C: turn round on 3 vocabulary."),
        ("u", "bpe", "u: unused in the menu F on 3 vocabulary."),
        ("equals_sign", "bpe", "=: speed on 0 explain."),
        ("right", "bpe", "→: next on 0 explain."),
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
            if kinds_with(command, MODELS[model]):
                assert f"{command.label} on " in said


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


OF_THE_LIBRARY = {
    *("ArgumentError", "TextError", "TokenIdsError", "TimelineError", "CountsError", "PhaseError"),
    *("AssertionError", "AttributeError", "IndexError", "KeyError", "RuntimeError", "TypeError"),
    *("ValueError", "EOFError", "LessonError"),
}
"""Errors of calls, which only programmers see, and errors that others turn into messages."""


def test_a_message_is_translated_by_the_template_that_leaves_least_as_it_is() -> None:
    speak("zh")
    for english, chinese in {
        "low.txt: no such file; did you mean slow.txt?": "low.txt：没有这个文件；是不是 slow.txt？",
        "a.txt: cannot be read: Permission denied": "a.txt：读不了：没有权限",
        "unknown tie rule 'x'. There are: a, b": "没有名为 'x' 的并列规则。有：a, b",
        "No such option: --bar; try bpe-tui train --help": (
            "没有选项 --bar；可以看 bpe-tui train --help"
        ),
        "nobody has translated this": "nobody has translated this",
    }.items():
        assert tr_message(english) == chinese
    speak("en")
    assert tr_message("a.txt: no such file") == "a.txt: no such file"


def raised_in(tree: ast.AST) -> Iterator[str]:
    """Yield the messages of errors of a module, with 7 in each place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            name, message = node.func.id, node.args[0]
            if name.endswith("Error") and name not in OF_THE_LIBRARY:
                parts = message.values if isinstance(message, ast.JoinedStr) else [message]
                yield "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "7" for part in parts
                )


@cache
def sources() -> dict[str, str]:
    """Return the text of each module of both packages, and of the reader of command lines."""
    paths = [path for made in (bpe_tui, engine) for path in package_of(made.__name__)]
    readers = [path for name in ("typer", "click") if find_spec(name) for path in package_of(name)]
    return {str(path): path.read_text("utf-8") for path in (*paths, *readers)}


def package_of(name: str) -> list[Path]:
    found = find_spec(name)
    assert found is not None
    assert found.origin is not None
    return sorted(Path(found.origin).parent.rglob("*.py"))


@pytest.mark.slow  # it reads the syntax tree of every module
def test_each_error_that_a_person_meets_is_in_the_table() -> None:
    speak("zh")
    own = [path for made in (bpe_tui, engine) for path in package_of(made.__name__)]
    said = {text for path in own for text in raised_in(ast.parse(path.read_text("utf-8")))}
    worded = {text for text in said if re.search(r"[a-z]{2} [a-z]{2}", text)}
    assert len(worded) > 300
    assert sorted(text for text in worded if not re.search("[一-鿿]", tr_message(text))) == []


@pytest.mark.slow
def test_the_table_of_finished_messages_says_nothing_that_nobody_says() -> None:
    constants = " ".join(constants_of_all())
    for template in messages_in("zh", FINISHED):
        clauses = (re.split("[;:,.()]", part) for part in template_parts(template)[::2])
        longest = max((clause.strip() for each in clauses for clause in each), key=len)
        assert longest in constants or template.startswith(TYPER_SAYS), template


def constants_of_all() -> Iterator[str]:
    for text in sources().values():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
    yield from (os.strerror(number) for number in range(1, 134))
    yield from PYTHON_SAYS


TYPER_SAYS = ("Missing ", "No such ", "Option '", "Invalid value", "give a number")
"""Beginnings of what some versions of typer say, each in its own way."""
PYTHON_SAYS = (
    *("embedded null byte", "Compressed file ended before the end-of-stream marker was reached"),
    *(
        "Not a gzipped file",
        "Invalid data stream",
        "Corrupt input data",
        "LOCALE and UNICODE flags are mutually incompatible",
    ),
    "VERSION0 and VERSION1 flags are mutually incompatible",
    *("Expecting value", "Expecting '", "Expecting property name enclosed in double quotes"),
    *("Extra data", "Unterminated string starting at", "Invalid control character at"),
    *("Invalid \\escape", "Incorrect padding", "Excess data after padding", "column"),
    # the library regex
    *("missing )", "unbalanced parenthesis", "unterminated character set", "nothing to repeat"),
    *("multiple repeat", "bad escape (end of pattern)", "bad character range", "unknown property"),
)


def test_an_error_is_english_for_programmers_whatever_the_language() -> None:
    speak("zh")
    assert str(errors.CorpusError("a.txt: no such file")) == "a.txt: no such file"

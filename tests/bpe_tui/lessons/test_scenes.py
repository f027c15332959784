"""Each scene shows what its text names: the texts under `see`, and the text itself."""

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from generated import first_quick
from opening import recorded_once, waiting_ends_with

from bpe_tui.app import lesson_author
from bpe_tui.app.lesson_author import SIZES, unseen_at
from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.declarations import VIEWS
from bpe_tui.session.languages import DEFAULT_LANGUAGE, languages
from bpe_tui.session.lessons import builtin_lessons, config_of
from bpe_tui.session.models import model_of
from bpe_tui.shell.commands import commands_on
from engine.learning.lesson import Lesson, Scene
from engine.learning.lesson_file import read_lesson

SMALLEST, *LARGER = SIZES
LESSONS = [each.number for each in builtin_lessons()]
KEYS = {key for command in COMMANDS for key in command.shown.split()}
TABS = {*"0123456789"}
"""Keys of screens; on its own screen such a key does nothing."""


def read(number: int, language: str = DEFAULT_LANGUAGE) -> Lesson:
    return read_lesson(builtin_lessons(language)[number - 1].path)


def problems(size: tuple[int, int], lessons: list[Lesson]) -> list[str]:
    async def found() -> list[str]:
        unseen = unseen_at(size, lessons, recorded_once)
        return [problem.message async for problem in unseen]

    return asyncio.run(found())


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait long on a busy machine: only what is never in sight is missing."""
    monkeypatch.setattr(lesson_author, "SIGHT_SECONDS", 30.0)


@pytest.mark.parametrize("number", first_quick(LESSONS))  # a second for each lesson
def test_each_scene_shows_what_its_text_names(number: int) -> None:
    assert problems(SMALLEST, [read(number)]) == []


def test_a_text_that_a_scene_does_not_show_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting_ends_with(monkeypatch, ["no such text"])
    lesson = read(1)
    [scene, *_] = (each for each in lesson.scenes if each.show is not None and each.show.see)
    assert scene.show is not None
    show = replace(scene.show, see=(*scene.show.see, "no such text"))
    lesson = replace(lesson, scenes=(replace(scene, show=show),))
    said = f"{scene.title!r} does not show 'no such text' at 80×24"
    assert problems(SMALLEST, [lesson]) == [said]


async def test_a_scene_has_its_time_after_the_end_of_a_long_training(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks, session = 0, SimpleNamespace(failure=None, stop_reason=None)
    app: Any = SimpleNamespace(session=session, guide=Mock(), size=SMALLEST)

    async def pause(_: float) -> None:
        nonlocal looks
        looks += 1
        session.stop_reason = "no pairs" if looks == 3 else session.stop_reason

    monkeypatch.setattr(lesson_author, "monotonic", lambda: 20.0 * looks)
    monkeypatch.setattr(lesson_author, "_missing", lambda _, see: see if looks < 4 else [])
    pilot: Any = SimpleNamespace(pause=pause)
    assert [problem async for problem in lesson_author._unseen(app, pilot, read(1))] == []


@pytest.mark.nightly  # all scenes twice, and those of each other language at three sizes
@pytest.mark.parametrize("language", languages())
def test_each_scene_shows_what_its_text_names_at_every_size(language: str) -> None:
    lessons = [read(number, language) for number in LESSONS]
    for size in LARGER if language == DEFAULT_LANGUAGE else SIZES:
        assert problems(size, lessons) == []


@pytest.mark.parametrize("number", LESSONS)
def test_each_scene_says_what_is_in_sight(number: int) -> None:
    for scene in read(number).scenes:
        assert scene.show is None or scene.asks or scene.show.see, scene.title


def keys_named(scene: Scene) -> set[str]:
    """Return the keys in a scene's text: code of one letter, else “in quotes”, or of a key."""
    codes = {text for each in scene.paragraphs for text, style in each.words if style == "code"}
    return {code for code in codes if code in KEYS or (len(code) == 1 and "A" <= code <= "z")}


@pytest.mark.parametrize("language", languages())
def test_each_key_that_a_text_names_is_bound_on_the_screen_of_its_scene(language: str) -> None:
    unbound = []
    for lesson in (read(number, language) for number in LESSONS):
        shown, view = lesson.scenes[0], ""
        for scene in lesson.scenes:
            shown = scene if scene.show is not None else shown
            view = (shown.show.view if shown.show is not None else None) or view
            screen = model_of(config_of(lesson, shown)).screen(VIEWS[view])
            bound = {key for command in commands_on(screen) for key in command.shown.split()}
            unbound += [(scene.title, key) for key in keys_named(scene) - bound - TABS]
    assert unbound == []

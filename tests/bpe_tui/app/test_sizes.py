"""Sizes of the terminal: at each promised one, all that a screen or a window shows fits.

Quick tests open each screen at the smallest size and give it a larger one.
"""

import pkgutil
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from generated import first_quick
from opening import SAMPLE, SIZES, each_size, opened_as, recorded_once, until
from program import HANDOUT
from textual.app import App
from textual.events import Paste
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input, Static
from tiny_tokenizers import LOW, timeline_of
from unigram_texts import settled

import bpe_tui
from bpe_tui.app.app import BpeTuiApp
from bpe_tui.app.base import SingleScreenApp
from bpe_tui.dialogs.start_page import StartPage
from bpe_tui.lessons.asking import QuizScreen
from bpe_tui.lessons.pane import panes_of
from bpe_tui.session.config import Config, RunConfig, TokenizerConfig
from bpe_tui.session.declarations import EVERYWHERE
from bpe_tui.session.languages import languages, speak
from bpe_tui.session.lessons import builtin_lessons
from bpe_tui.session.models import MODELS, completed, kind_and_model
from bpe_tui.shell.session_screen import SessionScreen
from bpe_tui.studies.comparison import ComparedTokenizer, ComparisonScreen
from bpe_tui.widgets.controls import PartsLine
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import Span, spans_width
from bpe_tui.widgets.textual_private import painted_lines
from bpe_tui.widgets.virtual_table import Header
from bpe_tui.widgets.window import Window
from engine import Tokenizer, ask
from engine.formats import FORMATS

ABOUT_ANY_TEXT = ("narration",)
"""Lines about a text of any length, which end in `…` where it is too long."""


def misfits(app: App[int]) -> list[str]:
    """Return what is cut, empty or out of place on the screen in front."""
    screen = app.screen
    found = []
    for widget, (region, clip) in screen._compositor.visible_widgets.items():
        if widget is not screen and region.intersection(clip):
            if not screen.region.contains_region(region.intersection(clip)):
                found.append(f"{widget} is partly outside: {region}")
            found += [f"{widget}: {problem}" for problem in _problems(widget)]
    *body, _ = (strip.text for strip in painted_lines(screen))
    if not any(map(str.isalnum, "".join(body[2:]))):
        found.append("the body is empty")
    if isinstance(screen, SessionScreen) and screen.SHOWS_STEP:
        step = screen.step_of(screen.session)
        if step and "".join(body[:2]).count(step) > 1:
            found.append(f"twice on top: {step}")
    return found


def _problems(widget: Widget) -> Iterator[str]:
    room = widget.content_region.width
    if isinstance(widget, Lines):
        room = widget.scrollable_content_region.width
        top = widget.scroll_offset.y
        rows = [widget.row(at).spans for at in range(top, widget.row_count)[: widget.size.height]]
        yield from _too_wide(room, widget.head, *rows)
        if not any(text.strip() for row in rows for text, _ in row):
            yield "empty"
    elif isinstance(widget, PartsLine):
        yield from _too_wide(room, [span for _, spans in widget.parts() for span in spans])
    elif isinstance(widget, Header):
        table = next(each for each in widget.ancestors if each.query(Lines))
        if table.query(Lines).first().content_region.x != widget.content_region.x:
            yield "the head is not over its columns"
    elif isinstance(widget, Static) and widget.id not in ABOUT_ANY_TEXT:
        text = str(widget.content)
        unbroken = text.split("\n") if widget.styles.text_wrap == "nowrap" else text.split()
        yield from _too_wide(room, *([(part, "")] for part in unbroken))


def _too_wide(room: int, *rows: Sequence[Span]) -> Iterator[str]:
    for row in rows:
        if spans_width(row) > room:
            yield f"{spans_width(row)} cells in {room}: {''.join(text for text, _ in row)!r}"


TEXT = "The old goat's kite, 1234567 times!"
SWAPPED = (str(SAMPLE.with_name("swapped.json")),)
TEXTBOOK = RunConfig(HANDOUT, model="unigram", trainer="textbook")
CONFIGS: dict[str, Config] = {
    **{model: RunConfig(str(SAMPLE), vocab_size=300, model=model) for model in MODELS},
    "textbook": completed(TEXTBOOK),
    "tokenizer": TokenizerConfig(SWAPPED),
    "tokenizer over a corpus": TokenizerConfig(SWAPPED, corpus=str(SAMPLE)),
}
SMALL = {
    model: RunConfig(HANDOUT, pattern="whitespace", vocab_size=size, model=model)
    for model, size in (("bpe", 268), ("wordpiece", 25), ("unigram", 40))
}
"""A run of each model for the quick tests."""
SMALLEST, USUAL = SIZES[0], (100, 30)


async def settle(pilot: Pilot[int]) -> None:
    """Wait for what a key or a size leads to, also in threads."""
    await pilot.pause()
    await pilot.pause(0.02)
    await pilot.pause()


async def found_at(pilot: Pilot[int], sizes: Sequence[tuple[int, int]], about: str) -> list[str]:
    """Return what does not fit at each of some sizes, which the terminal gets in turn."""
    found = []
    async for size in each_size(pilot, sizes):
        await settle(pilot)
        found += [f"{about} at {size}: {each}" for each in misfits(pilot.app)]
    return found


@asynccontextmanager
async def shown(
    config: Config, kind: str, size: tuple[int, int], language: str = "en"
) -> AsyncIterator[tuple[BpeTuiApp, Pilot[int]]]:
    """Open a config at a size, at its first step, and show the screen of a kind."""
    speak(language)
    async with opened_as(config, size) as (app, pilot):
        app.session.type(TEXT)
        app.seek(1)
        app.action_show(kind)
        await settle(pilot)
        yield app, pilot


OWN = [
    (model, kind)
    for model in MODELS
    for kind in EVERYWHERE
    if kind_and_model(MODELS[model].screen(kind))[1] or kind in MODELS[model].screens
]
SHARED = [("bpe", kind) for kind in EVERYWHERE if kind not in MODELS["bpe"].screens]


@pytest.mark.parametrize("case", MODELS)
async def test_each_screen_fits_at_the_smallest_size_and_a_larger_one(case: str) -> None:
    async with shown(SMALL[case], EVERYWHERE[0], SMALLEST) as (app, pilot):
        for kind in (each for model, each in (*OWN, *SHARED) if model == case):
            await anext(each_size(pilot, (SMALLEST,)))
            app.action_show(kind)
            await settle(pilot)
            assert await found_at(pilot, (SMALLEST, USUAL), kind) == []


@pytest.mark.slow  # all screens, panels and sizes
@pytest.mark.parametrize("kind", EVERYWHERE)
@pytest.mark.parametrize("case", CONFIGS)
async def test_every_panel_can_be_shown_at_any_size_and_fits(case: str, kind: str) -> None:
    async with shown(CONFIGS[case], kind, USUAL) as (app, pilot):
        screen = app.screen
        assert isinstance(screen, SessionScreen)
        async for size in each_size(pilot, SIZES):
            assert misfits(app) == [], size
            for panel in screen.tab_order:
                screen.show_panel(panel)
                await settle(pilot)
                assert screen.panels.focused() == panel, size
                assert screen.query_one(f"#{panel}").region.height, (panel, size)
                assert misfits(app) == [], (panel, size)


@pytest.mark.nightly  # each size is once the first one
@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("case", CONFIGS)
async def test_every_screen_fits_at_each_size_it_opens_at_and_is_given(
    case: str, language: str
) -> None:
    found = []
    for first in SIZES:
        async with shown(CONFIGS[case], EVERYWHERE[0], first, language) as (app, pilot):
            for kind in EVERYWHERE:
                if app.refusal_of(f"app.show('{kind}')") is None:
                    await anext(each_size(pilot, (first,)))
                    app.action_show(kind)
                    await settle(pilot)
                    found += await found_at(pilot, (first, *SIZES), f"{kind}, first {first}")
    assert found == []


# -- lessons, and what has no session


@pytest.mark.nightly  # all scenes at all sizes
@pytest.mark.parametrize("number", [lesson.number for lesson in builtin_lessons()])
@pytest.mark.parametrize("language", languages())
async def test_every_scene_fits_beside_its_screen(language: str, number: int) -> None:
    path = builtin_lessons(language)[number - 1].path
    assert await found_in_scenes(path, (USUAL, *SIZES)) == []


@pytest.mark.parametrize("language", first_quick(sorted(languages(), reverse=True)))
async def test_a_scene_fits_beside_its_screen_and_above_it(language: str) -> None:
    path = builtin_lessons(language)[1].path
    assert await found_in_scenes(path, (USUAL, SMALLEST), scenes=range(5, 6)) == []


async def found_in_scenes(
    path: Path, sizes: Sequence[tuple[int, int]], scenes: range | None = None
) -> list[str]:
    """Return what does not fit in the scenes of a lesson, which begin at the first size."""
    app = BpeTuiApp(None, recorded_once)
    app.makes_ahead = app.guide.keeps_progress = False
    found = []
    async with app.run_test(size=sizes[0]) as pilot:
        app.guide.open(path)
        assert app.guide.lesson is not None
        for place in scenes or range(len(app.guide.lesson.scenes)):
            await anext(each_size(pilot, sizes[:1]))
            app.guide.go_to(place)
            await until(pilot, lambda: not app.guide.is_on_its_way and panes_of(app.screen))
            found += await found_at(pilot, sizes, f"scene {place + 1}")
    return found


def quiz() -> QuizScreen:
    run = timeline_of(LOW)
    return QuizScreen(
        [ask("next-pair", run.seek(1)), ask("make-merges", run.seek(0))], lambda _: None, "low"
    )


def comparison() -> ComparisonScreen:
    bytes_only = Tokenizer({at: bytes([at]) for at in range(256)}, [])
    swapped = ComparedTokenizer("swapped", lambda: Tokenizer.load(*SWAPPED))
    compared = swapped, ComparedTokenizer("bytes", lambda: bytes_only)
    return ComparisonScreen(compared, TEXT.encode())


WITHOUT_SESSION: dict[str, Callable[[], App[int]]] = {
    "start": lambda: BpeTuiApp(None, recorded_once),
    "quiz": lambda: SingleScreenApp(quiz),
    "comparison": lambda: SingleScreenApp(comparison),
}


@pytest.mark.parametrize("name", WITHOUT_SESSION)
@pytest.mark.parametrize(
    "first",
    [
        pytest.param(size, marks=() if size in (SMALLEST, USUAL) else pytest.mark.slow)
        for size in SIZES
    ],
)
async def test_a_screen_without_a_session_fits(name: str, first: tuple[int, int]) -> None:
    app = WITHOUT_SESSION[name]()
    async with app.run_test(size=first) as pilot:
        await until(pilot, lambda: app.screen.id != "_default" and app.screen.is_mounted)
        await until(pilot, lambda: not any("empty" in each for each in misfits(app)))
        sizes = {SMALLEST: (USUAL,), USUAL: (SMALLEST,)}.get(first, SIZES)
        found = await found_at(pilot, (first, *sizes), name)
        if isinstance(app.screen, StartPage):
            await pilot.press("tab")
            found += await found_at(pilot, (first, *sizes), "files")
        assert found == []


async def test_a_list_that_was_clicked_stays_in_front_where_only_one_has_room() -> None:
    app = BpeTuiApp(None, recorded_once)
    async with app.run_test(size=USUAL) as pilot:
        await until(pilot, lambda: isinstance(app.screen, StartPage))
        await pilot.click("#files")
        await anext(each_size(pilot, (SMALLEST,)))
        files = app.screen.query_one("#files")
        assert (app.focused, bool(files.region), misfits(app)) == (files, True, [])


# -- windows

WINDOWS: dict[str, tuple[str, str, str]] = {
    "AskWindow": ("bpe", "explain", "m"),
    "Branches": ("bpe", "training", "i enter"),
    "Breakpoints": ("bpe", "training", "t b"),
    "ChatWindow": ("tokenizer over a corpus", "encoding", "c"),
    "ChooseModel": ("bpe", "training", "M"),
    "CommandWindow": ("bpe", "training", "y"),
    "Export": ("bpe", "training", "x"),
    "GoTo": ("bpe", "training", "g"),
    "Help": ("bpe", "training", "question_mark"),
    "LedgerWindow": ("bpe", "training", "#merge end enter"),
    "LessonList": ("bpe", "training", "L"),
    "Menu": ("bpe", "training", "t"),
    "Messages": ("bpe", "training", "ctrl+l"),
    "OpenOther": ("bpe", "training", "o"),
    "SavePieces": ("unigram", "training", "s"),
    "SaveTokenizer": ("bpe", "training", "s"),
    "SaveVocab": ("wordpiece", "training", "s"),
    "WhatIf": ("bpe", "training", "i"),
    "WhyWindow": ("bpe", "training", "w"),
}
"""Name of a window → a case, a kind of screen, and the keys that open the window there.

`#merge` stands for the keys that lead to that panel, which are others at each size.
"""


def test_each_window_has_keys_that_open_it_at_all_sizes() -> None:
    for module in pkgutil.walk_packages(bpe_tui.__path__, "bpe_tui."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    windows: list[type[Window[Any]]] = [Window]
    found = set[str]()
    while windows:
        window = windows.pop()
        windows += window.__subclasses__()
        found |= set() if window.__subclasses__() else {window.__name__}
    assert found == set(WINDOWS)


@asynccontextmanager
async def opened_window(
    window: str, size: tuple[int, int], language: str = "en"
) -> AsyncIterator[tuple[BpeTuiApp, Pilot[int]]]:
    """Open a window by its keys."""
    case, kind, keys = WINDOWS[window]
    async with shown(CONFIGS[case], kind, size, language) as (app, pilot):
        screen = app.screen
        assert isinstance(screen, SessionScreen)
        for key in keys.split():
            if key.startswith("#"):
                screen.show_panel(key[1:])
            else:
                await pilot.press(key)
        await until(pilot, lambda: type(app.screen).__name__ == window)
        yield app, pilot


@pytest.mark.slow  # opens each window at some sizes
@pytest.mark.parametrize("window", WINDOWS)
async def test_each_window_fits(window: str) -> None:
    found = []
    for language in languages():
        for first in (SMALLEST, USUAL):
            async with opened_window(window, first, language) as (_, pilot):
                found += await found_at(pilot, (first, *SIZES), f"{language}, first {first}")
    assert found == []


PASTED = "the cat 漢字 👨‍👩‍👧 " * 1_000
MOST_CALLS = 1_500_000
"""Most calls of functions after a paste, about a second."""


@pytest.mark.slow  # opens each window
@pytest.mark.parametrize("window", WINDOWS)
async def test_a_paste_into_a_window_costs_what_its_line_may_hold(window: str) -> None:
    assert all(FORMATS.values())  # they are imported once, when a file may be of one
    async with opened_window(window, USUAL) as (app, pilot):
        await settled(pilot)  # the panels below look for words in the meantime
        fields, calls = app.screen.query(Input), [0]

        def count(*_: object) -> None:
            calls[0] += 1

        sys.setprofile(count)
        app.post_message(Paste(PASTED))
        await pilot.pause()
        await pilot.pause()
        sys.setprofile(None)
        assert calls[0] < MOST_CALLS
        assert all(len(field.value) <= Field.LONGEST for field in fields)
        assert any(field.value[-8:-1] in PASTED for field in fields) or not fields

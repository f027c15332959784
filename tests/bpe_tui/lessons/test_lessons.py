"""Lessons: the built-in ones, their text beside the screen, the command `learn`."""

import json
import shutil
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from hashlib import sha1
from pathlib import Path

import pytest
from generated import first_quick
from opening import recorded_once, step, until, waiting_ends_with
from program import run
from textual.pilot import Pilot
from textual.widgets import Static, TextArea
from tiny_tokenizers import GOLDEN

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.app.lesson_author import problems_of
from bpe_tui.dialogs.start_page import OfferList
from bpe_tui.lessons.asking import AskWindow
from bpe_tui.lessons.pane import LessonPane, LessonText, rows_of
from bpe_tui.lessons.question_panel import QuestionPanel
from bpe_tui.session.config import RunConfig
from bpe_tui.session.languages import PLACE, languages
from bpe_tui.session.lessons import (
    KEPT,
    LessonProgress,
    all_progress,
    builtin_lessons,
    config_of,
    keep_progress,
    progress_key,
)
from bpe_tui.widgets.controls import KeyBar
from bpe_tui.widgets.rows import plain_text
from engine import Timeline
from engine.learning.lesson import LessonError
from engine.learning.lesson_file import read_lesson
from engine.learning.questions.question import Question

BUILT_IN = [*PLACE.glob("*/*.md")]
TRIAL = """+++
title = "Trial [b]"
corpus = "words.txt"
pattern = "whitespace"
+++
## Look
Words *here*, and \x1b[31m[@click=app.quit]no markup[/].
```show
view = "training"
step = 2
panel = "merge"
```
```ask
kind = "next-pair"
steps = [1, 3]
```
## Type
```show
view = "encoding"
step = 5
text = "lowest"
```
## Turn
```ask
kind = "fewer"
about = "lowest|LOWEST"
```
"""
ASK_OF_TURN = TRIAL.partition("## Turn\n")[2]
WORDS = "low " * 5 + "lower lower " + "newest " * 6 + "widest " * 3


@pytest.fixture
def trial(tmp_path: Path) -> Path:
    (tmp_path / "words.txt").write_text(WORDS)
    path = tmp_path / "trial.md"
    path.write_text(TRIAL, "utf-8")
    return path


@asynccontextmanager
async def learning(
    lesson: Path, size: tuple[int, int] = (100, 30)
) -> AsyncIterator[tuple[BpeTuiApp, Pilot[int]]]:
    app = BpeTuiApp(None, recorded_once, lesson=lesson)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.screen.query(LessonText) and not app.guide.is_on_its_way)
        await pilot.pause()
        yield app, pilot


def pane_text(app: BpeTuiApp) -> str:
    """Return the text of the pane, without its line breaks."""
    rows = app.screen.query_one(LessonText)._rows
    return " ".join("".join(text for text, _ in row.spans).strip() for row in rows)


def label_of_n(app: BpeTuiApp) -> str:
    """Return the label of the key `N` below the text."""
    keys = app.screen.query_one(LessonPane).query_one(KeyBar).keys
    return next(key.label for key in keys if key.shown == "N")


# -- the lessons that come with the program


def test_lessons_are_numbered_without_gaps_and_those_of_a_language_are_english_ones() -> None:
    numbers = [lesson.number for lesson in builtin_lessons()]
    assert numbers == list(range(1, len([*PLACE.glob("en/*.md")]) + 1))
    assert languages() == ["en", "zh"]
    english = {path.name for path in PLACE.glob("en/*.md")}
    assert {path.name for path in BUILT_IN} == english


@pytest.mark.parametrize("path", [*PLACE.glob("zh/*.md")], ids=lambda path: path.stem)
def test_a_lesson_in_chinese_shows_and_asks_what_the_english_one_does(path: Path) -> None:
    own, english = read_lesson(path), read_lesson(PLACE / "en" / path.name)
    assert own.options == english.options
    for scene, other in zip(own.scenes, english.scenes, strict=True):
        assert [replace(asked, line=0) for asked in scene.asks] == [
            replace(asked, line=0) for asked in other.asks
        ], scene.title
        shown, wanted = (
            each.show and replace(each.show, line=0, see=()) for each in (scene, other)
        )
        assert shown == wanted, scene.title


@pytest.mark.parametrize(
    "path",
    first_quick(sorted(BUILT_IN), len(list(PLACE.glob("en/*.md")))),  # "en" is the first language
    ids=lambda path: f"{path.parent.name}-{path.stem}",
)
def test_a_check_finds_nothing_in_a_lesson(path: Path) -> None:
    assert problems_of(read_lesson(path)) == []


@pytest.mark.parametrize(
    ("options", "config"),
    [
        ("ngram = 0\nvocab-size = 300", RunConfig("", 300, ngram=1)),
        ("ngram = 1\nmin-count = 3", RunConfig("", ngram=1, min_count=3)),
        ("special = []", RunConfig("", special_tokens=())),
    ],
)
def test_a_scene_opens_a_run_with_the_options_of_its_lesson(
    trial: Path, options: str, config: RunConfig
) -> None:
    trial.write_text(TRIAL.replace('pattern = "whitespace"', options), "utf-8")
    lesson = read_lesson(trial)
    wanted = replace(config, corpus=str(trial.with_name("words.txt")))
    assert config_of(lesson, lesson.scenes[0]) == wanted


@pytest.mark.parametrize(
    ("option", "scene", "problem"),
    [
        ('phases = "9"', 0, "8: phase 1 has no size"),
        ('model = "gpt"', 1, "18: unknown model 'gpt'"),
        ('model = "gpt"', 2, "23: unknown model 'gpt'"),  # it sets nothing up
    ],
)
def test_a_scene_that_opens_nothing_is_named_by_the_line_of_its_setup(
    trial: Path, option: str, scene: int, problem: str
) -> None:
    trial.write_text(TRIAL.replace('pattern = "whitespace"', option), "utf-8")
    lesson = read_lesson(trial)
    with pytest.raises(LessonError) as refused:
        config_of(lesson, lesson.scenes[scene])
    assert str(refused.value).startswith(f"{trial}:{problem}")


def test_a_lesson_in_chinese_shares_the_files_of_the_english_one() -> None:
    [lesson] = (each for each in map(read_lesson, BUILT_IN) if each.path.match("zh/16-*"))
    assert config_of(lesson, lesson.scenes[0]).corpus == str(PLACE / "en" / "noises.txt")


# -- on the screen


async def test_the_text_is_beside_the_real_screen_and_the_learner_may_leave_it(trial: Path) -> None:
    async with learning(trial) as (app, pilot):
        assert (app.screen.id, step(app)) == ("training", 2)
        assert app.screen.panels.focused() == "merge"  # type: ignore[attr-defined]
        assert pane_text(app) == "Words here, and ␛[31m[@click=app.quit]no markup[/]."
        title = str(app.screen.query_one("#lesson-title", Static).render())
        assert title == "Trial [b]  1 of 3"
        pane = app.screen.query_one(LessonPane)
        assert app.screen.size.width == 100 - pane.outer_size.width
        await pilot.press("right", "3")  # every key works
        await until(pilot, lambda: app.screen.id == "vocabulary")
        assert pane_text(app).startswith("Words here")
        await pilot.press("backspace")
        await until(pilot, lambda: app.screen.id == "training")
        assert step(app) == 2
        assert "Back at" not in str(app.screen.query_one("#narration", Static).render())
        app.guide.go_to(1)
        app.tell("about the second scene")
        for told in ("", "This is the first scene."):
            app.guide.move(-1)
            assert (app.guide.place, app.notices.now) == (0, told)
        broken = trial.with_name("broken.md")
        for old, new, told in (
            ("title", "titel", "the lesson has no title"),
            ("words.txt", "gone.txt", "'gone.txt' is not there"),
            ('"next-pair"', '"tie"', "no pair is tied with another at step 1"),
        ):
            broken.write_text(TRIAL.replace(old, new), "utf-8")
            app.guide.open(broken)
            await pilot.press(*["N"] * (new == '"tie"'))
            await until(pilot, lambda told=told: told in app.notices.now)
        assert (app.guide.place, label_of_n(app)) == (0, "next")  # so the reason can be read
        await pilot.press("N")
        assert (app.guide.place, app.notices.now) == (1, "")
        await pilot.press("B", "N")  # elsewhere they may be possible
        assert (app.guide.place, told in app.notices.now) == (0, True)


def lines(trial: Path, words: str, cells: int, is_dense: bool = False) -> list[str]:
    """Return the lines of a scene's text."""
    trial.write_text(TRIAL.replace("Words *here*", words), "utf-8")
    rows = rows_of(read_lesson(trial).scenes[0], cells, is_dense)
    return ["".join(text for text, _ in row.spans) for row in rows]


def test_a_text_has_the_signs_of_the_screen_keeps_code_in_one_line_and_may_be_dense(
    trial: Path,
) -> None:
    assert lines(trial, "One\n\nTwo", 20)[:3] == ["One", "", "Two, and "]
    assert lines(trial, "One\n\nTwo", 20, is_dense=True)[:2] == ["One", "  Two, and "]
    assert lines(trial, "Look at `of the`", 11)[:2] == ["Look at ", "of the, "]
    assert lines(trial, "See `sixteen of these`", 14)[:2] == ["See ", "sixteen of th…"]
    assert lines(trial, "See `seventeen of them`", 14)[:2] == ["See seventeen ", "of them, and "]
    listed = "Do:\n\n- one `of the` two\n- 数一数，\n\n```\ncode  line\nmore\n```\n\nEnd"
    entries, code = ["• one of the ", "  two", "• 数一数，"], ["  code  line", "  more"]
    assert lines(trial, listed, 14)[:10] == ["Do:", "", *entries, "", *code, "", "End, and "]
    assert lines(trial, listed, 14, True)[:7] == ["Do:", *entries, *code, "  End, and "]
    assert lines(trial, "`⏎` ends a line\u202e", 30)[:1] == ["⏎ ends a line‹202E›, and "]


@pytest.mark.slow
async def test_a_page_shows_the_tokens_of_ranks_that_are_here_and_fetches_none(
    trial: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(trial.parent))
    monkeypatch.setitem(sys.modules, "tiktoken", None)  # which would fetch them
    text = TRIAL.replace('text = "lowest"', 'text = "lowest"\nbeside = "cl100k_base"')
    trial.write_text(text, "utf-8")
    kept = sha1(b"https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken")
    told = "GPT-4's tokens: bpe-tui inspect cl100k_base fetches them"
    for shown in (told, "In GPT-4 it is 2 tokens: low┊est."):
        async with learning(trial) as (app, pilot):
            app.guide.go_to(1)
            await until(pilot, lambda app=app, shown=shown: shown in pane_text(app))
            title = str(app.screen.query_one("#lesson-title", Static).render())
            assert title == "Trial [b]  2 of 3"
        shutil.copy(GOLDEN / "handout.tiktoken", trial.with_name(kept.hexdigest()))


async def test_a_scene_asks_before_the_next_one_and_progress_is_kept(trial: Path) -> None:
    async with learning(trial) as (app, pilot):
        assert label_of_n(app) == "asks"
        await pilot.press("N")
        await until(pilot, lambda: isinstance(app.screen, AskWindow))
        panel = app.screen.query_one(QuestionPanel)
        assert panel.attempt is not None
        first = panel.attempt
        for size in ((60, 20), (100, 30)):  # it stays beside the text, or covers it
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert panel.region.right == size[0]
            assert panel.region.width >= 60
        await pilot.press("exclamation_mark", "enter")  # the answer is shown, then the next asked
        assert panel.attempt is not first
        assert step(app) == 1  # the screen behind it has followed
        await pilot.press("escape")  # to look at the screen
        await until(pilot, lambda: app.screen.id == "training")
        assert all_progress()[str(trial)].answered == {"0.0"}
        await pilot.press("N")
        await until(pilot, lambda: isinstance(app.screen, AskWindow))
        await pilot.press("exclamation_mark", "enter")
        await until(pilot, lambda: app.screen.id == "training")
        await until(pilot, lambda: label_of_n(app) == "next")
        await pilot.press("N")
        await until(pilot, lambda: app.screen.id == "encoding" and step(app) == 5)
        await pilot.press("a", "e", "x", "escape")
        assert app.screen.has_class("lanes")
        app.guide.go_to(1)  # a scene begins without the lanes and the text of before
        await until(pilot, lambda: not app.screen.has_class("lanes"))
        assert app.screen.query_one("#text", TextArea).text == "lowest"
        await pilot.press("N")  # nothing is shown there, so it asks at once
        await until(pilot, lambda: isinstance(app.screen, AskWindow))
        await pilot.pause()
        pane = app.screen_stack[-2].query_one(LessonPane)
        assert not pane.query_one(KeyBar).keys  # the question has them
        assert not all_progress()[str(trial)].done  # all is seen, but not answered
        await pilot.press("enter", "r")
        panel = app.screen.query_one(QuestionPanel)
        rows = [plain_text(panel.row(index).spans) for index in range(panel.row_count)]
        assert " no other example was found" in " ".join(rows)
        await pilot.press("enter")
        await until(pilot, lambda: app.screen.id == "encoding")
        assert "1 of 3 at the first try. The lesson is done" in app.notices.now
        await pilot.press("N")
        assert "This is the end of the lesson. L lists the lessons." in app.notices.now
        assert all_progress()[str(trial)].done
    async with learning(trial) as (app, pilot):  # once more, from the beginning
        assert (app.guide.place, app.guide.progress.answered) == (0, frozenset())
        assert all_progress()[str(trial)].done
        for scene, place in ((2, 2), (3, 0)):  # of a lesson that had more scenes
            keep_progress(str(trial), LessonProgress(scene))
            app.guide.open(trial)
            assert app.guide.place == place


async def test_a_question_is_asked_again_until_three_in_a_row_are_right(trial: Path) -> None:
    keep_progress(str(trial), LessonProgress(sure=frozenset({"fewer"})))
    async with learning(trial) as (app, pilot):
        await pilot.press("N")
        await until(pilot, lambda: isinstance(app.screen, AskWindow))
        panel = app.screen.query_one(QuestionPanel)
        asked: list[Question] = []

        async def answer(*answers: int) -> str:
            """Answer the question in front, and ask for another one; return the title then."""
            assert panel.attempt is not None
            asked.append(panel.attempt.question)
            await pilot.press("r")  # nothing: the question is not over
            assert panel.attempt.question is asked[-1]
            for each in answers:
                panel._try(each)
            panel._try(asked[-1].answer)
            await pilot.press("r")
            await until(pilot, lambda: panel.attempt and panel.attempt.question is not asked[-1])
            return str(panel.border_title)

        wrong = (panel.attempt.question.answer + 1) % 6  # type: ignore[union-attr, operator]
        titles = [await answer(wrong), *[await answer() for _ in range(3)]]
        assert [title.split("   ")[-1] for title in titles] == [
            "0 of 3 in a row",
            "1 of 3 in a row",
            "2 of 3 in a row",
            "mastered",
        ]
        assert len({str(question.form) for question in asked}) == 4
    kept = all_progress()[str(trial)]
    assert (kept.sure, kept.mastered, kept.mark) == ({"next-pair", "fewer"}, True, "★")
    assert "0.0" in kept.answered


PLACES: dict[tuple[int, int], tuple[object, ...]] = {
    (180, 30): ((0, 0, 60, 30), (60, 1), False, False, "asks"),
    (160, 30): ((0, 0, 58, 30), (58, 1), False, False, "asks"),
    (96, 24): ((0, 0, 36, 24), (36, 1), False, False, "asks"),
    (63, 30): ((0, 0, 63, 9), (0, 9), False, True, "asks"),
    (95, 30): ((0, 0, 95, 8), (0, 9), False, False, "asks"),
    (95, 29): ((0, 0, 95, 7), (0, 8), False, True, "asks"),
    (80, 23): ((0, 0, 80, 7), (0, 7), False, True, "more"),
    (80, 22): ((0, 0, 80, 6), (0, 6), False, True, "more"),
    (80, 21): ((0, 0, 80, 21), (0, 1), True, False, "asks"),
}
"""Size → the place of the text, what it takes of the screen, whether it covers and is dense."""


@pytest.mark.slow
async def test_the_text_is_beside_the_screen_above_it_or_over_it_as_there_is_room(
    trial: Path,
) -> None:
    words = "Words *here*, " * 15
    text = TRIAL.replace("Words *here*", f"{words}\n\n{words}").replace("Trial [b]", "T" * 25)
    trial.write_text(text.replace("## Type", f"## Type\n{words * 3}"), "utf-8")
    async with learning(trial) as (app, pilot):
        found = {}
        for size in PLACES:
            await pilot.resize_terminal(*size)
            await pilot.pause()
            await pilot.pause()
            pane, text = app.screen.query_one(LessonPane), app.screen.query_one(LessonText)
            taken = tuple(app.screen.room.taken)  # type: ignore[attr-defined]
            is_dense = all(row.spans for row in text._rows)
            assert is_dense == text.is_dense
            found[size] = tuple(pane.region), taken, pane.covers, is_dense, label_of_n(app)
            if size == (96, 24):  # the title is just as wide as the text
                title = app.screen.query_one("#lesson-title", Static).render()
                assert str(title) == f"{'T' * 25}  1 of 3"
        assert found == PLACES


async def test_questions_and_a_setup_wait_until_their_steps_are_recorded(
    trial: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with learning(trial) as (app, pilot):
        app.session.stop_reason = None  # as while it trains
        recording, app.session.recording = app.session.recording, None  # and before that
        app.guide.go_to(2)  # it asks at whatever step the cursor is
        app.guide.move(1)
        assert "N asks in a moment" in app.notices.now
        app.session.recording = recording
        for steps, is_on_its_way in ((1, True), (2, False), (3, False)):
            monkeypatch.setattr(Timeline, "__len__", lambda _, steps=steps: steps)
            app.clear_notices()
            app.guide.go_to(0)  # it shows step 2, and asks about steps 1 and 3
            assert app.guide.is_on_its_way == is_on_its_way
            await pilot.press("N")
            assert not app.screen.is_modal
            assert "N asks in a moment" in app.notices.now
        monkeypatch.setattr(Timeline, "__len__", lambda _: 4)
        await pilot.press("N")
        await until(pilot, lambda: isinstance(app.screen, AskWindow))
        monkeypatch.setattr(Timeline, "__len__", lambda _: 1)
        await pilot.press("escape")
        app.guide.go_to(2)
        app.seek(0)  # there is nothing to wait for
        await pilot.press("N")
        assert app.notices.now == "two of these texts cost the fewest tokens"


@pytest.mark.slow
async def test_the_list_marks_what_is_known_and_takes_numbers() -> None:
    keep_progress("01", LessonProgress(mastered=True))
    async with learning(builtin_lessons()[3].path, (120, 40)) as (app, pilot):
        await pilot.press("L", "2", "2")
        rows = app.screen.query_one("#lesson-rows", OfferList)
        told = [plain_text(rows.row(index).spans).rstrip() for index in range(rows.row_count)]
        assert told[:4] == [
            "   1 ★ Bytes and tokens, mastered",
            "   2   Count, pick, replace",
            "   3   Why pretokens",
            "   4 ◐ Ties",
        ]
        assert [told[15], told[22][:4], told[-1]] == [
            "More lessons",
            "❯ 22",
            "     ✕ Close the lesson",
        ]
        assert (rows.cursor, app.notices.now) == (22, "")
        await pilot.press("3", "down")  # there is no 223
        assert rows.cursor == 3


# -- progress is in a file that anybody may have written


def test_progress_is_private_and_what_is_broken_in_it_is_left_out() -> None:
    keep_progress("a", LessonProgress(2, frozenset((0, 2)), frozenset(("0.1",))))
    file = next(Path(p) for p in _state_files() if p.name == "lessons.json")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert all_progress()["a"].mark == "◐"
    for content in ("[", "[]", '{"a": 1}', '{"a": {"scene": -1, "seen": "x", "done": 1}}'):
        file.write_text(content)
        assert all_progress().get("a", LessonProgress()) == LessonProgress()
    file.write_text(json.dumps({"a": {"scene": 1, "seen": [1, "x", None], "done": True}}))
    assert all_progress()["a"] == LessonProgress(1, frozenset((1,)), done=True)
    for scene, place in ((0, 0), (999, 999), (1000, 0), (True, 0)):
        file.write_text(json.dumps({"a": {"scene": scene, "sure": ["b", 1], "mastered": True}}))
        sure = LessonProgress(place, sure=frozenset(("b",)), mastered=True)
        assert all_progress() == {"a": sure}
    for number in [*range(KEPT), 7]:
        keep_progress(str(number), LessonProgress(number))
    assert list(all_progress())[:2] == ["7", "199"]
    assert len(all_progress()) == KEPT
    assert progress_key(PLACE / "zh" / BUILT_IN[0].name) == progress_key(
        PLACE / "en" / BUILT_IN[0].name
    )


def _state_files() -> list[Path]:
    from platformdirs import user_state_path

    return list(user_state_path("bpe-tui", appauthor=False).iterdir())


# -- the command


def learn(*arguments: str | Path, stdin: str = "") -> str:
    """Return the output of the command."""
    result = run("learn", *arguments, stdin=stdin.encode())
    return (result.stdout + result.stderr).decode()


SHOWN = '```show\nview = "training"\nstep = 2\npanel = "merge"\n```\n'
ASKED = 'kind = "next-pair"\nsteps = [1, 3]'
STALE = 'kind = "stale"\nabout = "w|e"'
NO_STALE = "stale cannot be asked at step 0: at step 0 every entry is true: nothing has merged yet"
NO_TIE = "tie cannot be asked at step 1: no pair is tied with another at step 1"
CHECKED = '"whitespace"\ncheck = "words.txt"'
NO_CHECK = f"words.txt: holds no tokenizer in a known format; its first line is '{WORDS[:60]}…'"
OUTSIDE = "outside the lesson's folder; put it beside the lesson"
PROBLEMS: list[tuple[dict[str, str], list[str]]] = [
    ({'view = "training"\nstep = 2\n': ""}, ["8: a panel needs its view; say view = … as well"]),
    ({SHOWN: "", ASKED: STALE}, [f"8: {NO_STALE}"]),
    ({"step = 2\n": "", ASKED: STALE}, [f"12: {NO_STALE}"]),
    ({ASKED: 'kind = "tie"\nstep = 1'}, [f"13: {NO_TIE}"]),
    ({'"whitespace"': CHECKED}, [f"{n}: {NO_CHECK}" for n in (9, 19, 24)]),
    ({"words.txt": "../gone.txt"}, [f"3: '../gone.txt' is {OUTSIDE}"]),
    ({ASK_OF_TURN: ""}, ["23: the last scene should end with a question"]),
    ({"Words": "Words " * 90}, ["6: 'Look' has more than 6 lines of 77 characters"]),
    (
        {"Words": f"    {'Words ' * 600}\n\nWords"},
        ["1: 605 words are too many for ten minutes; 600 are not"],
    ),
]
"""Parts of the lesson and what they become, and the problems of the lesson then."""


def test_check_names_file_and_line_of_what_is_impossible(trial: Path) -> None:
    assert learn(trial, "--check") == ""
    broken = TRIAL.replace("step = 2", "step = 99").replace('"training"', '"trainig"')
    trial.write_text(broken.replace("steps = [1, 3]", "steps = [1, 500]"), "utf-8")
    problems = learn(trial, "--check").splitlines()
    assert [line.removeprefix(f"{trial}:").split(";")[0] for line in problems] == [
        "8: the run does not reach step 99",
        "8: unknown view 'trainig'",
        "13: next-pair cannot be asked at step 500: there is no step 500",
    ]
    for parts, told in PROBLEMS:
        changed = TRIAL
        for old, new in parts.items():
            changed = changed.replace(old, new)
        trial.write_text(changed, "utf-8")
        found = [f"{each.line}: {each.message}" for each in problems_of(read_lesson(trial))]
        assert [line.replace(f"{trial.parent}/", "") for line in found] == told


@pytest.mark.slow
def test_check_names_scene_size_and_what_is_not_in_sight(
    trial: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting_ends_with(monkeypatch, ["lowest or highest"])
    monkeypatch.setattr("bpe_tui.app.lesson_author.SIZES", ((80, 24),))
    sight = 'text = "lowest"\nsee = ["low", "lowest or highest"]'
    trial.write_text(TRIAL.replace('text = "lowest"', sight), "utf-8")
    problem = "18: 'Type' does not show 'lowest or highest' at 80×24\n"
    assert learn(trial, "--check") == f"{trial}:{problem}"
    trial.write_text(TRIAL.replace('text = "lowest"', "see = []"), "utf-8")
    assert "see should be a text or texts" in learn(trial, "--check")


def test_a_lesson_is_printed_or_read_and_answered_by_typing(trial: Path) -> None:
    printed = learn(trial, "--print")
    assert printed.startswith("# Trial [b]\n\n## Look\n\nWords *here*, and ␛[31m")
    assert "‖ step  2 of" in printed
    assert "**Which pair merges next?**" in printed
    assert "\x1b" not in printed
    said = learn(trial, "--plain", stdin="show\nr\nshow\n\nshow\nmerge\n\n\n1\nanother\n\n")
    assert said.count("↵ go on  r another one") == 4
    assert said.count("Which pair merges next?") == 3
    assert "no other example was found" in said
    assert "Scene 2 of 3: Type." in said
    assert "Right: " in said
    assert said.endswith("That is the end of the lesson.\n")
    seen, answered = frozenset((0, 1, 2)), frozenset(("0.0", "0.1", "2.0"))
    assert all_progress()[str(trial)] == LessonProgress(2, seen, answered, done=True)

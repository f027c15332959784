"""Checks and handouts of lessons, for their authors.

Both run the lesson: only the training knows what a step has.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from copy import copy
from pkgutil import resolve_name
from time import monotonic
from typing import Any

from textual.pilot import Pilot

from bpe_tui.app.app import BpeTuiApp, JobMaker
from bpe_tui.app.session_app import PLACES
from bpe_tui.lessons.pane import panes_of, rows_of
from bpe_tui.session.commands import lacking
from bpe_tui.session.config import Config, RunConfig
from bpe_tui.session.declarations import VIEWS
from bpe_tui.session.jobs import OpeningJob
from bpe_tui.session.lessons import config_of
from bpe_tui.session.models import model_of
from bpe_tui.session.training import TrainingListener, replay, train
from bpe_tui.shell.exports import screen_text
from bpe_tui.shell.panel_screen import PanelScreen
from bpe_tui.styles import text_with_edges
from bpe_tui.widgets.language import current_table, tr
from bpe_tui.widgets.textual_private import painted_lines
from bpe_tui.widgets.visible import visible_prose, visible_text
from bpe_tui.words.transcript import PlainQuestion
from engine.analysis.check.claim import read_claim
from engine.core.errors import BpeError, UnknownNameError
from engine.core.registry import Registry
from engine.learning.lesson import Ask, Lesson, LessonError, LessonProblem, Scene, ScreenSetup
from engine.learning.questions import ask
from engine.learning.questions.question import Attempt, Question
from engine.recording.playback import Player

HANDOUT_SIZE = (100, 30)
SIZES = ((80, 24), (100, 30), (120, 40))
"""Sizes of the terminal, in columns and rows, at which a scene has to show what it names."""
SIGHT_SECONDS = 5.0
"""Time for a scene to show what it names, from the end of its training on."""
SETTLED_SECONDS = 0.3
"""Time after which a screen is settled."""
MOST_LINES, LINE = 6, 77
"""Most lines of a scene's text above the screen, and their characters."""
MOST_WORDS = 600
"""Most words of a lesson that takes ten minutes, with the trying out."""


def recording_of(config: Config) -> Player[Any]:
    """Train or replay as a config says; return the complete recording.

    Raises:
        BpeError: the config cannot be trained or opened, or the file to check cannot be read.
    """
    if isinstance(config, RunConfig) and (claimed := config.claimed) is not None:
        read_claim(*claimed.paths, are_steps=claimed.are_steps)
    made = train(config) if isinstance(config, RunConfig) else replay(config, TrainingListener())
    recording: Player[Any] = made.complete()
    return recording


def problems_of(lesson: Lesson) -> list[LessonProblem]:
    """Return the problems of a lesson: with its files, steps, names and questions."""
    found: set[LessonProblem] = set()
    recordings: dict[Config, Player[Any]] = {}
    shown: Scene | None = None
    step = 0
    for scene in lesson.scenes:
        shown = scene if scene.show is not None else shown
        line = scene.show.line if scene.show is not None else scene.line
        try:
            config = config_of(lesson, shown or scene)
            if config not in recordings:
                recordings[config] = recording_of(config)
            recording = recordings[config]
        except LessonError as error:
            found.update(error.problems)
            continue
        except BpeError as error:
            found.add(LessonProblem(line, str(error)))
            continue
        if scene.show is not None:
            step = scene.show.step or 0
            found.update(_problems_of_show(scene.show, config, len(recording)))
        for asked in scene.asks:
            try:
                question_at(asked, recording, step)
            except BpeError as error:
                at = step if asked.step is None else asked.step
                message = f"{asked.kind} cannot be asked at step {at:,}: {error}"
                found.add(LessonProblem(asked.line, message))
    return sorted({*found, *_problems_of_text(lesson)})


def _problems_of_text(lesson: Lesson) -> Iterator[LessonProblem]:
    """Yield the problems of a lesson's text: too long, or no question at the end."""
    for scene in lesson.scenes:
        has_table = any(paragraph.is_code for paragraph in scene.paragraphs)  # `N` scrolls it
        if not has_table and len(list(rows_of(scene, LINE, is_dense=True))) > MOST_LINES:
            message = f"{scene.title!r} has more than {MOST_LINES} lines of {LINE} characters"
            yield LessonProblem(scene.line, message)
    words = sum(len(p.text.split()) for scene in lesson.scenes for p in scene.paragraphs)
    if words >= MOST_WORDS:
        yield LessonProblem(1, f"{words} words are too many for ten minutes; {MOST_WORDS} are not")
    if not lesson.scenes[-1].asks:
        yield LessonProblem(lesson.scenes[-1].line, "the last scene should end with a question")


async def unseen_at(
    size: tuple[int, int], lessons: Sequence[Lesson], open_with: JobMaker = OpeningJob
) -> AsyncIterator[LessonProblem]:
    """Yield the texts under `see` that scenes do not show at a size of the terminal.

    Raises:
        BpeError: a file of a lesson cannot be opened.
    """
    if not any(scene.show and scene.show.see for lesson in lessons for scene in lesson.scenes):
        return
    app = BpeTuiApp(None, open_with)
    app.makes_ahead = False
    app.guide.keeps_progress = False
    async with app.run_test(size=size) as pilot:
        for lesson in lessons:
            async for problem in _unseen(app, pilot, lesson):
                yield problem


async def _unseen(
    app: BpeTuiApp, pilot: Pilot[int], lesson: Lesson
) -> AsyncIterator[LessonProblem]:
    app.guide.begin(lesson)
    for place, scene in enumerate(lesson.scenes):
        if scene.show is None or not scene.show.see:
            continue
        app.guide.go_to(place)
        missing: Sequence[str] = scene.show.see
        last, due = missing, monotonic() + SIGHT_SECONDS
        while (missing or last) and monotonic() < due:
            await pilot.pause(0.02)
            if app.session.stop_reason is None:  # a long training may show all only at its end
                due = monotonic() + SIGHT_SECONDS
            if (failure := app.session.failure) is not None:
                raise LessonError(str(lesson.path), [LessonProblem(scene.line, failure)])
            # Twice in a row: a screen that is still being laid out may show more for a moment.
            last, missing = missing, _missing(app, scene.show.see)
        for text in missing:
            columns, rows = app.size
            message = f"{scene.title!r} does not show {text!r} at {columns}×{rows}"
            yield LessonProblem(scene.show.line, message)


def _missing(app: BpeTuiApp, see: Sequence[str]) -> Sequence[str]:
    """Return the texts that are not in sight on the live screen; all while it is set up."""
    screen = app.screen
    if app.guide.is_on_its_way or not isinstance(screen, PanelScreen) or not panes_of(screen):
        return see
    rows = live_text(screen)
    return [text for text in see if not is_in_sight(text, rows)]


def live_text(screen: PanelScreen) -> list[str]:
    """Return the rows of a screen without the text of the lesson and without blanks.

    They have the borders between tokens that the screen has without colours.
    """
    x, y = screen.room.taken
    # A text at the left leaves the tabs beside it; one above takes their row.
    lines = (
        text_with_edges(screen.app, strip.crop(x))
        for strip in painted_lines(screen)[0 if x else y :]
    )
    return ["".join(line.split()) for line in lines]


def is_in_sight(text: str, rows: Sequence[str]) -> bool:
    """Whether rows without blanks hold a text, which may go on in the next row.

    >>> is_in_sight("n┊e w", ["l┊o┊w│n┊", "ew│"]), is_in_sight("low", ["l┊o┊w"])
    (True, False)
    """
    return "".join(text.split()) in "".join(rows)


def _problems_of_show(show: ScreenSetup, config: Config, steps: int) -> Iterator[LessonProblem]:
    if show.step is not None and show.step > steps:
        message = f"the run does not reach step {show.step:,}; it has {steps:,} steps"
        yield LessonProblem(show.line, message)
    if show.view is None:
        if show.panel is not None:
            yield LessonProblem(show.line, "a panel needs its view; say view = … as well")
        return
    try:
        view = VIEWS[show.view]
        model = model_of(config)
        if f"app.show('{view}')" in lacking(model):
            yield LessonProblem(show.line, f"{model.title} has no view {view!r}")
        elif show.panel is not None:
            panels = resolve_name(PLACES[model.screen(view)]).PANEL_ORDER
            _ = Registry(f"panel of {view}", dict.fromkeys(panels))[show.panel]
    except UnknownNameError as error:
        yield LessonProblem(show.line, str(error))


def question_at(asked: Ask, recording: Player[Any], shown: int) -> Question:
    """Make a question of a lesson; `shown` is the scene's step.

    Raises:
        BpeError: the question cannot be asked at its step.
    """
    frame = copy(recording).seek(shown if asked.step is None else asked.step)
    return ask(asked.kind, frame, asked.seed, about=asked.about, rows=asked.rows)


# -- on paper


async def handout(lesson: Lesson) -> AsyncIterator[str]:
    """Yield a lesson in Markdown, with the screen of each scene, and the questions.

    Raises:
        BpeError: a file of the lesson cannot be opened.
    """
    yield f"# {visible_text(lesson.title, spaces=False)}\n"
    app = BpeTuiApp(None)
    app.animation_level, app.shows_edges = "none", True
    async with app.run_test(size=HANDOUT_SIZE) as pilot:
        app.guide.shows_text = app.guide.keeps_progress = False
        app.guide.begin(lesson)
        for place, scene in enumerate(lesson.scenes):
            yield f"\n## {visible_text(scene.title, spaces=False)}\n"
            if scene.markdown:
                lines = scene.markdown.split("\n")
                shown = "\n".join(visible_prose(line) for line in lines)
                yield f"\n{shown}\n"
            app.guide.go_to(place)
            while app.guide.is_on_its_way:
                await pilot.pause(0.02)
            if (failure := app.session.failure) is not None:
                raise LessonError(str(lesson.path), [LessonProblem(scene.line, failure)])
            if scene.show is not None:
                await pilot.pause(SETTLED_SECONDS)
                yield f"\n```text\n{screen_text(app.screen)}```\n"
            if (recording := app.session.recording) is not None:
                for asked in scene.asks:
                    posed = question_at(asked, recording, recording.cursor)
                    attempt = Attempt(posed.translated(current_table()))
                    answer = tr("Answer: ")
                    question, *rows, _ = PlainQuestion(attempt).question()  # the last: what to type
                    lines = ["```text", *rows, "", f"{answer}________", "```\n"]
                    yield "\n".join([f"\n**{question}**\n", *lines])

"""Films of lessons: each scene, the keys that its text says to press, questions and answers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from textual.widgets import Input

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.app.lesson_author import SETTLED_SECONDS
from bpe_tui.app.recorder import Camera, Film
from bpe_tui.lessons.asking import AskWindow
from bpe_tui.lessons.pane import LessonPane, panes_of
from bpe_tui.lessons.question_panel import QuestionPanel
from bpe_tui.widgets.visible import still_visible, visible_bytes, visible_prose, visible_text
from engine.core.wording import text_of
from engine.learning.lesson import Lesson, LessonError, LessonProblem, Scene
from engine.learning.questions.question import Text

LETTERS_A_SECOND = 15
"""Speed of reading."""
LEAST_SECONDS, STEP_SECONDS = 5.0, 5.0
"""Least time for a scene, and the time for a key or an answer."""
MOST_PLAYED = 12
"""Most steps that are played where a text says to play."""
MOST_TYPED = 200

PRESS = re.compile(r"\b[Pp]ress\b|按")
SENTENCE_END = re.compile(r"[.:;!?](?:\s|$)|[。：；！？]")
KEYS = {
    "→": "right",
    "←": "left",
    "↑": "up",
    "↓": "down",
    "Space": "space",
    "空格": "space",
    ".": "full_stop",
    "[": "left_square_bracket",
    "]": "right_square_bracket",
    "{": "left_curly_bracket",
    "}": "right_curly_bracket",
}
"""Key in a text → its name."""
LEAVING = frozenset("qNBLSPQsx")
"""Keys that leave the scene, or write files."""


def keys_of(scene: Scene) -> Iterator[str]:
    """Yield the keys that a scene's text says to press, and words to type after them.

    "Press `w`, such as `kind`. The key `a` …" → 'w', 'kind'. A question's keys answer it, so a
    scene with questions has none.
    """
    if scene.asks:
        return
    for paragraph in scene.paragraphs:
        presses = False
        for text, style in paragraph.words:
            if style == "code" and presses:
                if text not in LEAVING:
                    yield text
            elif style != "code":
                *ended, open_sentence = SENTENCE_END.split(text)
                presses = bool(PRESS.search(open_sentence)) or (presses and not ended)


def reading_seconds(text: str) -> float:
    """Return the time to read a text: 150 letters → 12.0 seconds, with 2 for the screen."""
    return max(LEAST_SECONDS, 2 + len(text) / LETTERS_A_SECOND)


async def film_lesson(
    lesson: Lesson, film: Film, *, size: tuple[int, int], seconds: float | None
) -> None:
    """Film a lesson scene by scene.

    Args:
        lesson: the lesson.
        film: takes the shots.
        size: of the screen, in columns and rows.
        seconds: time for a scene; `None` for as long as its text takes to read.

    Raises:
        BpeError: a file of the lesson cannot be opened.
    """
    app = BpeTuiApp(None)
    app.theme, app.makes_ahead = film.theme, False
    app.guide.shows_text, app.guide.keeps_progress = not film.has_text, False
    film.begin(size, lesson.title)
    async with app.run_test(size=size) as pilot:
        player = _LessonPlayer(app, Camera(app, pilot, film), seconds)
        app.guide.begin(lesson)
        for place, scene in enumerate(lesson.scenes):
            app.guide.go_to(place)
            while app.session.failure is None and not (
                app.is_settled and not app.guide.is_on_its_way
            ):
                await pilot.pause(0.02)
            if (failure := app.session.failure) is not None:
                raise LessonError(str(lesson.path), [LessonProblem(scene.line, failure)])
            await pilot.pause(SETTLED_SECONDS)
            await player.play(place, scene)
    film.end()


class _LessonPlayer:
    """Plays scenes before a camera.

    Args:
        seconds: time for each scene and each key; `None` for as long as reading takes.
    """

    def __init__(self, app: BpeTuiApp, camera: Camera, seconds: float | None) -> None:
        self._app, self._camera, self._seconds = app, camera, seconds
        self._pilot = camera.pilot

    @property
    def _step(self) -> int:
        recording = self._app.session.recording
        return recording.cursor if recording is not None else 0

    def _text(self, template: str, **values: str) -> str:
        return text_of(self._app.guide.messages, template, **values)

    def _narrate(self) -> tuple[str, ...]:
        """Return the sentences about the present step, in the lesson's language if it has them."""
        frame, messages = self._app.session.frame, self._app.guide.messages
        if self._camera.film.has_text and messages and frame is not None:
            return (frame.sentence.translated(messages).describe(visible_bytes),)
        return self._camera.narrate()

    async def play(self, place: int, scene: Scene) -> None:
        """Show a scene, then do what its text says, then ask and answer its questions."""
        camera, mark = self._camera, self._text("scene {n}", n=str(place + 1))
        title = visible_text(scene.title, spaces=False)
        text = tuple(
            f"{paragraph.mark} {visible_prose(line)}".strip()
            for paragraph in scene.paragraphs
            for line in paragraph.text.split("\n")
        )
        seconds = self._seconds or reading_seconds("".join(text))
        self._app.clear_notices()
        is_new = scene.show is not None and bool(scene.show.step)
        about = {"mark": f"{mark}: {title}", "scene": place, "narration": text}
        await camera.take_step(seconds, is_new, **about)
        for pane in panes_of(self._app.screen):
            await self._read_on(pane, place)
        for key in keys_of(scene):
            await self._press(key, f"{mark}: {key}", place, text)
        await self._close_windows()
        if scene.asks:
            await self._ask(mark, place, len(scene.asks))

    async def _read_on(self, pane: LessonPane, place: int) -> None:
        """Scroll through a long text; fold one that covers the screen."""
        while pane.scroll_on():
            await self._camera.take(self._seconds or LEAST_SECONDS, scene=place)
        if pane.covers and pane.display:
            pane.fold()
            await self._camera.take(self._seconds or LEAST_SECONDS, scene=place)

    async def _press(self, key: str, mark: str, place: int, text: tuple[str, ...]) -> None:
        """Press a key; type a word if a field waits for one; play the run for the space bar."""
        app, camera, step = self._app, self._camera, self._step
        seconds = self._seconds or STEP_SECONDS
        if KEYS.get(key) == "space" and not isinstance(app.focused, Input):
            await self._play_run(mark, place)
            return
        if isinstance(app.focused, Input) and key not in KEYS:
            app.focused.value = key[:MOST_TYPED]
            await self._pilot.press("enter")
        elif len(key) == 1 or key in KEYS:
            await self._pilot.press(KEYS.get(key, key))
        else:
            return
        await self._pilot.pause(SETTLED_SECONDS)
        said = self._narrate() if self._step != step else ()
        narration = (self._text("Key: {key}", key=still_visible(key)), *said, *text)
        about = {"mark": mark, "scene": place, "narration": narration}
        await camera.take_step(seconds, self._step == step + 1, **about)

    async def _play_run(self, mark: str, place: int) -> None:
        """Show the next steps of the run, a second each."""
        first, session = self._step + 1, self._app.session
        last = min(first + MOST_PLAYED, 1 + (session.shown.recorded_steps if session.shown else 0))
        for step in range(first, last):
            self._app.seek(step)
            shown = self._text("step {n}", n=f"{step:,}")
            about = {"mark": f"{mark}, {shown}", "narration": self._narrate()}
            await self._camera.take_step(self._seconds or 2.0, False, scene=place, **about)

    async def _close_windows(self) -> None:
        """Leave the field or the window that a key has opened."""
        for _ in range(5):
            if not (self._app.screen.is_modal or isinstance(self._app.focused, Input)):
                return
            await self._pilot.press("escape")
            await self._pilot.pause()

    async def _ask(self, mark: str, place: int, count: int) -> None:
        """Ask each question of the scene, and show its answer."""
        app, camera = self._app, self._camera
        for pane in panes_of(app.screen):
            await self._read_on(pane, place)
        app.guide.move(1)
        await self._pilot.pause(SETTLED_SECONDS)
        for number in range(1, count + 1):
            if not isinstance(app.screen, AskWindow):
                return
            attempt = app.screen.query_one(QuestionPanel).attempt
            assert attempt is not None
            question = attempt.question
            asked = (
                f"{question.asks.describe(visible_bytes)} {question.advice.describe(visible_bytes)}"
            )
            seconds = self._seconds or reading_seconds(asked)
            of = f" {number}" if count > 1 else ""
            asks, answers = (f"{mark}: {self._text(name)}{of}" for name in ("question", "answer"))
            await camera.take(seconds, mark=asks, scene=place, question=question)
            shows_answer = "f3" if isinstance(question.form, Text) else "exclamation_mark"
            await self._pilot.press(shows_answer)
            said = tuple(each.describe(visible_bytes) for each in question.model_answer)
            seconds = self._seconds or reading_seconds(" ".join(said))
            await camera.take(seconds, mark=answers, scene=place, narration=said)
            await self._pilot.press("enter")
            await self._pilot.pause(SETTLED_SECONDS)
        await self._close_windows()

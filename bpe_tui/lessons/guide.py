"""The guide through a lesson: the scene, the setup of the screen, the place of the text.

The live screen is the real one, so that every key works in a lesson. The guide only sets it up at
the beginning of a scene, and puts the text beside the screen in front. A list opens other lessons.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region
from textual.screen import Screen

from bpe_tui.dialogs.start_page import Offer, OfferList, lesson_offers
from bpe_tui.lessons.beside import with_tokens_beside
from bpe_tui.lessons.pane import LessonPane, live_region, panes_of
from bpe_tui.session import languages, lessons
from bpe_tui.session.host import Host
from bpe_tui.shell.panel_screen import PanelScreen
from bpe_tui.shell.session_screen import SessionScreen
from bpe_tui.widgets.language import current_table, spoken, tr, visible_message
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.window import Window
from engine.core.errors import BpeError
from engine.learning.lesson import Ask, Lesson, Scene, ScreenSetup
from engine.learning.lesson_file import read_lesson
from engine.recording.playback import Player

if TYPE_CHECKING:
    from engine.learning.questions.question import Attempt, FirstTries, Question


class LessonList(Window[Offer | None]):
    """A window to choose a lesson, or to close `current`, the one that is open."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,L,q", "dismiss(None)", "close")]

    def __init__(self, current: Path | None) -> None:
        super().__init__()
        self._current = current
        self._typed: lessons.BuiltInLesson | None = None

    def compose(self) -> ComposeResult:
        close = Offer("Close the lesson", "", None, [("   ✕ ", "dim")])
        with Vertical(id="lesson-list", classes="window") as window:
            window.border_title = Content(tr("lessons"))
            window.border_subtitle = Content(tr("↑ ↓ │ ↵ opens │ Esc closes"))
            yield OfferList([*lesson_offers(), *([close] if self._current else [])], "lesson-rows")

    def on_mount(self) -> None:
        rows = self.query_one(OfferList)
        rows.go_to(lessons.next_lesson().path)
        if self._current is not None:
            rows.go_to(self._current)
        rows.focus()

    def on_key(self, event: events.Key) -> None:
        """Go to a lesson by its number: `7`, or `1` and `2` for the twelfth."""
        self._typed = lessons.lesson_typed(self._typed, event.key)
        if self._typed is not None:
            event.stop()
            self.query_one(OfferList).go_to(self._typed.path)

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        assert isinstance(event.target, Offer)
        self.dismiss(event.target)


class Guide:
    """The guide through the lesson that is open in an application.

    Attributes:
        lesson: the open lesson; `None` if there is none.
        place: the present scene, from 0.
        progress: the learner's progress.
        shows_text: whether the text is beside the screen; handouts print it elsewhere.
        keeps_progress: whether the progress is saved; it is not if no learner is there.
    """

    shows_text = keeps_progress = True

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._host = cast("Host", app)
        self.lesson: Lesson | None = None
        self.place = 0
        self.progress = lessons.LessonProgress()
        self._score: FirstTries | None = None
        self._in_a_row: dict[str, int] = {}  # kind of question → how many were right at once
        self._due: ScreenSetup | None = None
        self._refused = set[str]()  # questions that cannot be asked where the learner is

    @property
    def scene(self) -> Scene:
        """The present scene."""
        assert self.lesson is not None
        return self.lesson.scenes[self.place]

    @property
    def named_keys(self) -> Collection[str] | None:
        """The keys that the scene's text names; `None` without a lesson, and once it is over."""
        if self.lesson is None or self._is_over:
            return None
        texts = (paragraph.words for paragraph in self.scene.paragraphs)
        return {text for words in texts for text, style in words if style == "code"}

    @property
    def _is_over(self) -> bool:
        assert self.lesson is not None
        return self.place == len(self.lesson.scenes) - 1 and not any(self._unanswered())

    # -- from lesson to lesson

    def choose(self) -> None:
        """Let the user choose a lesson from the list."""

        def use(chosen: Offer | None) -> None:
            if chosen is not None and isinstance(chosen.opens, Path):
                self.open(chosen.opens)
            elif chosen is not None:  # close the lesson; the corpus stays open
                self.lesson = self._due = None  # the screen that comes back attends

        current = self.lesson.path if self.lesson is not None else None
        self._app.push_screen(LessonList(current), use)

    def open(self, path: Path) -> None:
        """Open a lesson where the learner left it; one that is done starts again."""
        try:
            lesson = read_lesson(path)
        except BpeError as error:
            self._host.tell(visible_message(error))
            return
        known = lessons.all_progress().get(lessons.progress_key(path), lessons.LessonProgress())
        if known.done or known.scene not in range(len(lesson.scenes)):
            known = replace(known, scene=0, seen=frozenset(), answered=frozenset())
        self.begin(lesson, known)
        self.go_to(known.scene)

    def begin(self, lesson: Lesson, progress: lessons.LessonProgress | None = None) -> None:
        """Set the open lesson; `go_to` shows its first scene."""
        self.lesson, self._score, self._in_a_row = lesson, None, {}
        if languages.speak_as(lesson.path) and self._app.is_running:
            self._app.call_later(self._host.make_screens_again)
        self.progress = progress or lessons.LessonProgress()

    def translate(self) -> None:
        """Change the open lesson, if it is a built-in one, for the same in the present language."""
        lesson = self.lesson
        known = lessons.builtin_lessons(spoken())
        key = None if lesson is None else lessons.progress_key(lesson.path)
        found = [each.path for each in known if lessons.progress_key(each.path) == key]
        self.lesson = read_lesson(found[0]) if found else lesson

    def go_to(self, place: int) -> None:
        """Show a scene, and set up its screen, wherever the learner is."""
        self.place = place
        self._show_scene(sets_up=True)

    def _tell(self, template: str, **values: str) -> None:
        self._host.tell(tr(template, **values))

    @property
    def is_on_its_way(self) -> bool:
        """Whether the setup of the screen is not complete yet."""
        return self._due is not None and self._host.session.failure is None

    @property
    def next_lesson(self) -> Path | None:
        """The built-in lesson after this one; `None` after the last."""
        assert self.lesson is not None
        path = self.lesson.path
        paths = [each.path for each in lessons.builtin_lessons(languages.language_of(path))]
        return next(iter(paths[paths.index(path) + 1 :]), None) if path in paths else None

    # -- from scene to scene

    def move(self, by: int) -> None:
        """Go to the next scene, or to the one before.

        A step forward first scrolls a long text, then asks the scene's questions. After the last
        scene it opens the next built-in lesson.
        """
        lesson, pane, is_forward = self.lesson, self._pane, by == 1
        if lesson is None:
            self._host.tell("No lesson is open: L lists them.")
            return
        if is_forward and ((pane is not None and pane.scroll_on()) or self._ask()):
            return
        place = self.place + by
        if place == len(lesson.scenes):
            if (following := self.next_lesson) is not None:
                self.open(following)
            else:
                self._tell("This is the end of the lesson. L lists the lessons.")
        elif place < 0:
            self._tell("This is the first scene.")
        else:
            self.place = place
            self._show_scene(sets_up=not is_forward)

    def come_back(self) -> None:
        """Set up the screen of the scene again, wherever the learner has gone."""
        if (pane := self._pane) is not None and pane.covers and pane.display:
            pane.fold()
            self._tell("⌫ brings the text back.")
        else:
            self._show_scene(sets_up=True)

    def _show_scene(self, sets_up: bool) -> None:
        """Show the scene and set up its screen.

        Args:
            sets_up: whether a scene without a setup of its own repeats the latest one before it;
                else the screen stays as it is.
        """
        lesson, self._refused = self.lesson, set()
        assert lesson is not None
        shown = [scene for scene in lesson.scenes[: self.place + 1] if scene.show is not None]
        scene = shown[-1] if shown else self.scene
        try:
            config = lessons.config_of(lesson, scene)
        except BpeError as error:
            self._host.tell(visible_message(error))
            return
        session = self._host.session
        is_elsewhere = session.config != config or session.failure is not None
        if sets_up or self.scene.show is not None or is_elsewhere:
            self._due = scene.show or ScreenSetup()
            if is_elsewhere:
                self._host.open(config)
                self._host.session.typed = None  # the typed text belongs to the other corpus
        self._keep()
        self._add_tokens_beside(lesson)
        self.attend(self._app.screen)
        self.arrive()
        if self.scene.show is None and not sets_up:
            # The text is painted first; below a window it would keep its old keys.
            self._app.call_after_refresh(self._ask_in, self.place)

    def _add_tokens_beside(self, lesson: Lesson) -> None:
        """Add the tokens of the scene's text in a known encoding, once that is read."""
        scene, place = self.scene, self.place

        def take(found: Scene) -> None:
            if self.lesson is lesson:
                scenes = (*lesson.scenes[:place], found, *lesson.scenes[place + 1 :])
                self.lesson = replace(lesson, scenes=scenes)
                if (pane := self._pane) is not None:
                    pane.show(self.lesson, self.place, any(self._unanswered()))

        if scene.show is not None and scene.show.beside is not None:
            self._host.jobs.find(self._app, "beside", partial(with_tokens_beside, scene), take)

    def _keep(self) -> None:
        lesson, known = self.lesson, self.progress
        assert lesson is not None
        if not self.keeps_progress:
            return
        seen = known.seen | {self.place}
        is_done = len(seen) == len(lesson.scenes) and lesson.questions <= known.answered
        self.progress = replace(known, scene=self.place, seen=seen, done=known.done or is_done)
        lessons.keep_progress(lessons.progress_key(lesson.path), self.progress)

    def arrive(self) -> None:
        """Apply the scene's setup, as soon as its step is recorded."""
        session, due = self._host.session, self._due
        recording = session.recording
        if due is None or recording is None:
            return
        if len(recording) < (due.step or 0) and session.stop_reason is None:
            return
        self._due = None
        self._host.clear_notices()  # such as those of another scene
        if due.step is not None:
            session.seek(due.step)
            recording.came_from = recording.cursor  # a scene undoes no step of the one before
            self._host.changed()
        if due.view is not None:
            self._host.action_show(due.view)
        screen = self._app.screen
        if not isinstance(screen, SessionScreen):
            return
        screen.set_back()
        if due.text is not None:
            session.type(due.text)
            self._host.changed()
        panel = due.panel or ("pretokens" if due.text is not None else None)
        if panel in screen.PANEL_ORDER:
            screen.call_later(screen.show_panel, panel)
        screen.call_later(screen.show_alone, due.panel)

    # -- the questions of the scene

    def _unanswered(self) -> Iterator[tuple[str, Ask]]:
        """Yield the scene's questions that are left, with their names in saved progress."""
        for number, asked in enumerate(self.scene.asks):
            name = f"{self.place}.{number}"
            if name not in self.progress.answered | self._refused:
                yield name, asked

    def _ask_in(self, place: int) -> None:
        """Ask the questions of a scene, unless a key has led away from it meanwhile."""
        if self.lesson is not None and self.place == place and not self._app.screen.is_modal:
            self._ask()

    def _ask(self) -> bool:
        """Ask the questions that are left in the scene; return whether there are any.

        While the training has not reached their steps it only says so. If they cannot be asked, it
        says why, and none is left.
        """
        from bpe_tui.lessons.asking import AskWindow  # these import all models
        from engine.learning.questions.question import Attempt, FirstTries
        from engine.learning.quiz import another_example

        session, recording = self._host.session, self._host.session.recording
        last = max((each.step or 0 for _, each in self._unanswered()), default=-1)
        goes_on = session.stop_reason is None and session.failure is None
        if goes_on and last >= (len(recording) if recording is not None else 0):
            self._tell("The training has not reached the questions yet: N asks in a moment.")
            return True
        if recording is None:
            return False
        try:
            named = list(self._questions(recording))
        except BpeError as error:
            self._host.tell(visible_message(error))
            self._refused = {name for name, _ in self._unanswered()}
            self.attend(self._app.screen)  # N leads on now
            return True
        if not named:
            return False
        asked = [(name, Attempt(question.translated(current_table()))) for name, question in named]
        score = self._score = self._score or FirstTries()
        questions = [question for _, question in named]

        def over(attempt: Attempt) -> None:
            score.count(attempt)
            names = {name for name, each in asked if each is attempt}
            self.progress = replace(self.progress, answered=self.progress.answered | names)
            self._count_in_a_row(attempt)
            self._keep()
            self._host.seek(attempt.question.frame.step)

        def another(attempt: Attempt) -> Attempt:
            questions.append(another_example(copy(recording), attempt.question.kind, questions))
            return Attempt(questions[-1].translated(current_table()))

        def leave(all_over: bool | None) -> None:
            lesson = self.lesson
            if all_over and lesson is not None and self.place == len(lesson.scenes) - 1:
                self._tell(
                    "{score}. The lesson is done; N opens the next one."
                    if self.next_lesson
                    else "{score}. The lesson is done; L lists the others.",
                    score=score.describe(current_table()).capitalize(),
                )

        if (pane := self._pane) is not None:
            pane.give_keys_away()
        window = AskWindow(
            [attempt for _, attempt in asked],
            self._room_for_questions,
            over,
            score=self._standing,
            another=another,
        )
        self._app.push_screen(window, leave)
        return True

    def _questions(self, recording: Player[Any]) -> Iterator[tuple[str, Question]]:
        """Yield the scene's questions that are not over, with their names in saved progress."""
        from engine.learning.questions import ask  # imports all models

        for name, each in self._unanswered():
            step = recording.cursor if each.step is None else each.step
            frame = copy(recording).seek(step)  # a cursor of its own
            yield name, ask(each.kind, frame, each.seed, about=each.about, rows=each.rows)

    def _count_in_a_row(self, attempt: Attempt) -> None:
        """Count how many questions of a kind were right one after another; three are enough."""
        assert self.lesson is not None
        kind, is_sure = attempt.question.kind, attempt.at_first_try and not attempt.hinted
        self._in_a_row[kind] = number = (self._in_a_row.get(kind, 0) + 1) * is_sure
        if number >= lessons.IN_A_ROW:
            sure = self.progress.sure | {kind}
            mastered = self.lesson.kinds.keys() <= sure
            self.progress = replace(self.progress, sure=sure, mastered=mastered)

    def _standing(self, attempt: Attempt) -> str:
        """Return the score, and how many questions of a kind were right one after another."""
        score, kind = self._score, attempt.question.kind
        if score is None or not score.asked:
            return ""
        if kind in self.progress.sure:
            return tr("mastered")
        n, last = str(self._in_a_row.get(kind, 0)), str(lessons.IN_A_ROW)
        row = tr("{n} of {last} in a row", n=n, last=last)
        return f"{score.describe(current_table())}   {row}"

    def _room_for_questions(self) -> Region:
        """Return the live screen's part of the terminal."""
        return live_region(
            next(s for s in reversed(self._app.screen_stack) if isinstance(s, PanelScreen))
        )

    # -- the text beside the screen

    @property
    def _pane(self) -> LessonPane | None:
        return next(iter(panes_of(self._app.screen)), None)

    def attend(self, screen: Screen[Any]) -> None:
        """Put the text of the scene beside a screen, or remove it if no lesson is open."""
        if not isinstance(screen, SessionScreen) or not screen.is_current:
            return
        if screen.is_mounted:
            screen.show_keys()  # in the lesson's language
        panes = panes_of(screen)
        if self.lesson is None or not self.shows_text:
            for pane in panes:
                pane.close()
            return
        asks = any(self._unanswered())
        if panes:
            panes[0].show(self.lesson, self.place, asks)
        else:
            screen.mount(LessonPane(self.lesson, self.place, asks), before=0)

"""The application: opens a corpus or a tokenizer, runs the job, and handles its messages."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import Enum
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, cast

from textual.message import Message

from bpe_tui.app import terminal
from bpe_tui.app.memory import QUIET_SECONDS
from bpe_tui.app.session_app import PLACES, SessionApp, import_screen, read_sheets
from bpe_tui.session import jobs
from bpe_tui.session.config import NOTHING_OPEN, Config, RunConfig, TokenizerConfig, Viewpoint
from bpe_tui.session.declarations import CHECK, COMPARISON, ENCODING, START, TRAINING
from bpe_tui.session.jobs import OpeningJob
from bpe_tui.session.languages import speak_as
from bpe_tui.session.models import kind_and_model, trainer_of
from bpe_tui.session.session import Session
from bpe_tui.session.state import preferences, save_preferences
from bpe_tui.session.threads import Post
from bpe_tui.shell.panel_screen import PanelScreen
from bpe_tui.widgets.language import tr, tr_message, visible_message
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.textual_private import tolerate_bad_bytes
from engine.core.drafts import sweep_temporary
from engine.core.errors import BpeError
from engine.core.events import WorkProgress
from engine.recording.playback import Player
from engine.text.pretokenize import to_bytes

SWITCH_SECONDS = 0.0005
"""Longest time for which the training thread holds the interpreter.

To answer a key takes a dozen hand-overs between threads: Python's own 5 ms would be felt.
"""
FOR_KEYS = (
    *("bpe_tui.shell.help_window", "bpe_tui.lessons.guide", "bpe_tui.session.opening_command"),
)
"""Modules that the first screen does without, and its keys need."""
JobMaker = Callable[[Config, Post], OpeningJob]
"""Makes the job for a config; its second argument takes the job's messages."""


class BpeTuiApp(SessionApp):
    """The application, which opens a corpus or a tokenizer and plays its merges.

    Args:
        config: the config to open first; `None` for the start page.
        open_with: makes the job of a session; a finished recording can be passed in here.
        lesson: the file of a lesson to begin with.
    """

    def __init__(
        self, config: Config | None, open_with: JobMaker = OpeningJob, lesson: Path | None = None
    ) -> None:
        if lesson is not None:
            speak_as(lesson)
        super().__init__(NOTHING_OPEN if config is None else config)
        self._open_with = open_with
        self._job: OpeningJob | None = None
        self._has_start_page = config is None
        self._is_first = config is not None
        self._before: Session | None = None
        self._guide: Guide | None = None
        self.has_guide = False
        self._lesson = lesson
        self._place_due = ""

    @property
    def guide(self) -> Guide:
        if self._guide is None:
            from bpe_tui.lessons.guide import Guide  # most sessions open no lesson

            self._guide = Guide(self)
            self.has_guide = True
        return self._guide

    def on_mount(self) -> None:
        first = START if self._has_start_page else self.session.model.screen(TRAINING)
        read_sheets(self, self.get_screen(first))
        self.push_screen(first)
        self.start_clock()
        if not self._has_start_page:
            self._start_job()
        if self._lesson is not None:
            self.guide.open(self._lesson)

    def open(self, config: Config) -> None:
        """Open something else instead of the present session."""
        if self.session.shown is not None:
            self._before = self.session
        ended = self._ended_by(config)
        self.jobs.end()
        self.close_note()
        self._collector.forget()
        self._change_to(Session(config))
        self._start_job()
        if ended:
            self.tell(ended)

    def _ended_by(self, config: Config) -> str:
        """Return what opening another corpus ends, and the way back; "" if nothing runs."""
        session = self.session
        is_running = session.recording is not None and session.stop_reason is None
        if not is_running or session.config.corpus == config.corpus:
            return ""
        from bpe_tui.words.narration import name_of

        back = tr("Esc leads back while this is read; later o opens it again.")
        if session.config.from_input:
            back = tr("Standard input cannot be read again.")
        step = number(len(session.recording or ()))
        template = "{config} was in training: that ended at step {step}. {back}"
        return tr(template, config=name_of(session.config), step=step, back=back)

    def reopen_previous(self) -> None:
        """Give up opening something: show the previous session again, or end the program."""
        before = self._before
        if before is None and self._has_start_page:
            self.jobs.end()
            self.session = Session(NOTHING_OPEN)
            self.switch_screen(START)
        elif before is None:
            self.exit()
        else:
            self._show_again(before)

    def _show_again(self, before: Session) -> None:
        """Show an earlier session, at its step; if its training was cancelled, train again."""
        if before.stop_reason is None and not before.config.from_input:
            step = None if before.shown is None else before.shown.step
            self.open(replace(before.config, viewpoint=Viewpoint(step)))
        else:
            self.jobs.end()
            self._change_to(before)

    def _change_to(self, session: Session) -> None:
        session.typed = self.session.typed
        self.session = session
        screen = session.model.screen(session.first_kind)
        if self.screen.id != screen:
            self.switch_screen(screen)  # a training screen shows the reading, too
        self.forget_run()
        self.changed()

    def _start_job(self) -> None:
        make = partial(self._open_with, self.session.config)
        self._job = self.jobs.start(self, make, self.take_news)

    def action_help_quit(self) -> None:
        """Ctrl+C without a selection to copy: end the program while a corpus is being read."""
        if self.session.recording is None:
            self.end_on_signal(signal.SIGINT)
        else:
            self.tell("q quits.")

    # -- messages from the job

    def take_news(self, news: jobs.News | WorkProgress) -> None:
        """Take a message of the session's job; ignore all once the screens are gone."""
        session = self.session
        if not self.screen_stack:
            return
        self.wake()
        match news:
            case jobs.ReadingProgress():
                session.reading = news
                self.changed()
            case WorkProgress():
                session.working = news
                self.changed()
            case jobs.TokenizerOpened(opened):
                session.opened = opened
                self.changed()
                notes = map(visible_message, opened.notes)
                shown = [tr("{clause}.", clause=f"{note[:1].upper()}{note[1:]}") for note in notes]
                if shown:
                    self.tell("\n".join(shown), stays=True)
            case jobs.NoTokenizer(error, otherwise):
                self.open(otherwise)
                reason = visible_message(error)
                template = "Read as a text, since it is no tokenizer: {reason}"
                self.tell(tr(template, reason=reason), stays=True)
            case jobs.TrainingStarted():
                self._start_session(news)
            case jobs.StepsRecorded(steps):
                session.extend_to(steps)
                self._has_grown = True
                self._arrive()
            case jobs.TrainingEnded(reason):
                self._end_training(reason)
            case jobs.JobFailed(error) if isinstance(error, BpeError) and self._is_first:
                self.failure = error  # there is no earlier session
                self.exit(2, return_code=2)
            case jobs.JobFailed(error):
                is_ours = isinstance(error, BpeError)
                session.failure = tr_message(error) if is_ours else self.report_failure(error)
                self.changed()

    def _start_session(self, news: jobs.TrainingStarted) -> None:
        self.session.start(news)
        self._is_first, self._before = False, None
        # Go to the screen and the text that were asked for.
        viewpoint, first_kind = self.session.config.viewpoint, self.session.first_kind
        kind = viewpoint.view or first_kind
        if (refused := self.refusal_of(f"app.show('{kind}')")) is not None:
            self.tell(refused, stays=True)
            kind = first_kind
        if (screen := self.session.model.screen(kind)) != self.screen.id:
            self.switch_screen(screen)
        if viewpoint.text:
            self.session.type(viewpoint.text)
            if kind == ENCODING:
                self.navigation.open_encoding(viewpoint.text, look=True)
        self._place_due = viewpoint.at
        if isinstance(self.session.config, TokenizerConfig) and self.session.config.beside:
            self._compare_with(self.session.config.beside)
        for doubt in news.doubts:
            self.tell(tr("{clause}.", clause=visible_message(doubt)), stays=True)
        if kind == TRAINING and not (self.has_guide or preferences().welcomed):
            save_preferences(welcomed=True)
            self.tell("0 tells each step beat by beat, L has lessons, ? lists all keys.")
        if self.session.merges_nothing:
            template = "There are no merges to step through: {obstacle}."
            self.tell(tr(template, obstacle=visible_message(news.obstacle)), stays=True)
        self.changed()
        if self._job is not None:
            self.call_after_refresh(self._job.go_on)
        self._collector.begin()

    def _end_training(self, reason: Enum) -> None:
        due = self.session.due
        self.session.end(reason)
        self._arrive()
        self.changed()
        shown = self.session.shown
        if due is not None and shown is not None and shown.step < due:
            template = "There is no step {due}; step {step} is the last."
            self.tell(tr(template, due=due, step=shown.step))
        self._collector.keep()
        own = (None, self.session.model)
        screens = [name for name in PLACES if name != START and kind_and_model(name)[1] in own]
        work = Thread(
            target=_prepare,
            args=(screens, self.session.recording, self.post_message, self.wait_for_rest),
            name="ahead",
            daemon=True,
        )
        self.set_timer(QUIET_SECONDS, work.start)  # the end is painted first

    # -- windows that open something

    def action_open(self, use: str = "TOGETHER") -> None:
        """Ask for a file; `CHECK` asks for merges to check, `COMPARE` for a second tokenizer."""
        config = self.session.config
        self.hold()
        if self.screen.id == COMPARISON:
            super().action_open()
            return
        from bpe_tui.dialogs.open_other import ChosenFile, OpenOther

        # A session that could not be opened cannot be combined with another file.
        is_open = self.session.failure is None and config is not NOTHING_OPEN
        is_open = is_open and use != "COMPARE"  # which leaves no choice of its use
        self.push_screen(OpenOther(config if is_open else None, ChosenFile[use]), self._chose)

    def _chose(self, config: Chosen) -> None:
        """Open what is chosen; a check on the open corpus and a comparison keep the session."""
        session, known = self.session, self.session.config
        if (
            isinstance(config, RunConfig)
            and isinstance(known, RunConfig)
            and config.claimed is not None
            and session.timeline is not None
            and replace(config, claimed=known.claimed, viewpoint=known.viewpoint) == known
        ):
            session.claimed = config.claimed
            self.action_show(CHECK)
            self.changed()
        elif isinstance(config, RunConfig | TokenizerConfig):
            self.open(config)
        elif config is not None:
            self._compare_with(config.paths)

    def _compare_with(self, paths: Sequence[str]) -> None:
        """Compare the open tokenizer, or that of the present step of a training, with another."""
        from bpe_tui.studies.comparison import ComparedTokenizer, ComparisonScreen, of_files
        from bpe_tui.words.narration import name_of

        config, opened, text = self.session.config, self.session.opened, self.session.text
        frame = cast("Frame", getattr(self.screen, "frame", None) or self.session.frame)
        if isinstance(config, TokenizerConfig) and opened is not None and not config.continued:
            first = ComparedTokenizer(config.paths[0], lambda: opened.tokenizer)
        else:
            name = f"{name_of(config)} {tr('step {n}', n=frame.step)}"
            first = ComparedTokenizer(name, frame.tokenizer)
        compared, specials = (first, of_files(paths)), frame.cuts_specials
        self.show_over(partial(ComparisonScreen, compared, to_bytes(text), specials=specials))

    # -- lessons

    def _arrive(self) -> None:
        """Go to the place that was asked for, once its step is there; let the lesson go on."""
        session, place = self.session, self._place_due
        if place and session.due is None and isinstance(self.screen, PanelScreen):
            self._place_due = ""
            if session.shown is not None and session.shown.step == session.config.viewpoint.step:
                self.screen.call_later(self.screen.go_to_place, place)
        if self._guide is not None:
            self._guide.arrive()

    def action_lessons(self) -> None:
        self.hold()
        self.guide.choose()

    async def make_screens_again(self) -> None:
        if self._guide is not None:
            self._guide.translate()
        await super().make_screens_again()

    def action_scene(self, by: int) -> None:
        """Go on by some scenes of the lesson."""
        self.guide.move(by)

    def action_jump_back(self) -> None:
        """Go back to where the last jump started; in a lesson, to what its scene shows."""
        if self.has_guide and self.guide.lesson is not None:
            self.guide.come_back()
        else:
            self.navigation.go_back()

    def action_model(self) -> None:
        """Ask for another model, and train it on the corpus."""
        if isinstance(config := self.session.config, RunConfig):
            self.hold()
            from bpe_tui.dialogs.open_other import ChooseModel

            self.push_screen(ChooseModel(config), self._train_other)

    def _train_other(self, config: RunConfig | None) -> None:
        """Train with other options, and keep the present run: `I` leads back to it."""
        if config is None:
            return
        left = self.session
        self.open(config)
        if left.shown is not None:
            left.came_from, self.session.came_from = None, left
            self.tell(tr("I leads back to {run}.", run=_describe_run(left)))

    def action_leave_run(self) -> None:
        """Leave a fork; else show the session again that was left, and keep this one instead."""
        left, before = self.session, self.session.came_from
        if left.forked_from is not None:
            super().action_leave_run()
        elif before is not None:
            self._show_again(before)
            left.came_from, self.session.came_from = None, left

    def retrain(self, config: RunConfig) -> None:
        """Read the corpus again, and train with other options."""
        if (refused := self.refusal_of("app.model")) is not None:
            self.tell(refused)
        else:
            self._train_other(replace(config, claimed=None, viewpoint=Viewpoint()))


def _describe_run(session: Session) -> str:
    """Name a run by its model and its step: `BPE, step 3`."""
    assert isinstance(session.config, RunConfig)  # a tokenizer is not retrained
    shown = trainer_of(session.config) or session.model
    step = session.shown.step if session.shown is not None else 0
    return tr("{model}, step {n}", model=tr(shown.title), n=step)


def _prepare(
    screens: Iterable[str],
    recording: Player[Any] | None,
    post: Callable[[Message], object],
    wait_for_rest: Callable[[], None],
) -> None:
    """Import screens and prepare far jumps, in a thread, before keys ask for them."""
    for screen in screens:
        wait_for_rest()  # else this thread takes half of the time that a key needs
        import_screen(screen)
        post(jobs.ScreenImported(screen))
    for module in FOR_KEYS:
        import_module(module)
    sweep_temporary()
    if recording is not None:
        recording.run.prepare()
        post(jobs.FarJumpsPrepared())


if TYPE_CHECKING:
    from bpe_tui.dialogs.open_other import Chosen
    from bpe_tui.lessons.guide import Guide
    from bpe_tui.session.host import Host
    from engine.bpe.frame import Frame

    _host: type[Host] = BpeTuiApp  # mypy proves that the application is a host


def run_app(config: Config | None, lesson: Path | None = None) -> int:
    """Run until the user leaves; return the exit code. `None` opens the start page, or a lesson.

    Raises:
        BpeError: the corpus or the tokenizer that is opened first cannot be read.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    tolerate_bad_bytes()
    if config is not None and config.from_input:
        terminal.keys_from_terminal()
    app = BpeTuiApp(config, lesson=lesson)
    app.run()
    if app.failure is not None:
        raise app.failure
    return app.return_code or 0

"""The application: opens a corpus or a tokenizer, runs the job, and passes its news on."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, ClassVar

from textual.message import Message

from bpe_tui.app import terminal
from bpe_tui.app.base import QUIET_SECONDS
from bpe_tui.app.navigation import SCREENS, import_screen, mount_ahead, read_sheets
from bpe_tui.app.session_app import TICK_SECONDS, SessionApp
from bpe_tui.lessons.guide import Guide
from bpe_tui.session import jobs
from bpe_tui.session.config import NOTHING_OPEN, Config, RunConfig, Viewpoint, why_not_checkable
from bpe_tui.session.declarations import CHECK, ENCODING, START, TRAINING
from bpe_tui.session.jobs import Job, OpeningJob
from bpe_tui.session.models import kind_and_model
from bpe_tui.session.session import Session
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.visible import visible_text
from engine.core.errors import BpeError, TimelineError
from engine.recording.playback import Player

SWITCH_SECONDS = 0.0005
"""How long the training thread may hold the interpreter while the screen waits for it.

Python's own 5 ms, times the dozen hand-overs that painting a key's answer takes, would be felt.
"""
COLLECTOR_THRESHOLDS = (50_000, 20, 100)
YOUNG_OBJECTS = 5_000
"""From so many new objects on garbage is collected while no key is pressed: a few ms then, instead
of 20 ms within some key later."""
JobMaker = Callable[[Config, Callable[[Message], object]], OpeningJob]
"""Makes the job that opens something: what to open, and where the job posts its news."""


class BpeTuiApp(SessionApp):
    """Opens a corpus or a tokenizer and plays its merges.

    Args:
        config: what to open first; `None` for the page that offers something.
        open_with: makes the job that does the work behind a session: what is to be opened, and
            where the job posts its news. Whoever has a finished recording can hand it in here.
        lesson: the file of a lesson to begin with.
    """

    SCREENS: ClassVar = SCREENS
    makes_ahead = True
    """Whether screens are made before a key asks for them, once no key has been pressed a while."""

    def __init__(
        self,
        config: Config | None,
        open_with: JobMaker = OpeningJob,
        lesson: Path | None = None,
    ) -> None:
        super().__init__(NOTHING_OPEN if config is None else config)
        self._open_with = open_with
        self._job = None if config is None else self._new_job()
        self._fork_job: Job | None = None
        self._forks = False
        self._has_start_page = config is None
        self._is_first = config is not None
        self._before: Session | None = None
        self.guide = Guide(self)
        self._lesson = lesson
        self._ahead: list[str] = []

    def on_mount(self) -> None:
        first = START if self._job is None else self.session.model.screen(TRAINING)
        read_sheets(self, self.get_screen(first))
        self.push_screen(first)
        self.set_interval(TICK_SECONDS, self._tick)
        if self._job is not None:
            self._job.start()
        if self._lesson is not None:
            self.guide.open(self._lesson)

    def open(self, config: Config) -> None:
        """Open something else in place of what is open."""
        if self.session.shown is not None:
            self._before = self.session
        self._cancel()
        self.close_note()
        gc.unfreeze()  # what was open may go
        self._change_to(Session(config))
        self._job = self._new_job()
        self._job.start()

    def reopen_previous(self) -> None:
        """Give up opening something: what was there before is shown again, or the program ends."""
        before = self._before
        if before is None and self._has_start_page:
            self._cancel()
            self.session = Session(NOTHING_OPEN)
            self.switch_screen(START)
        elif before is None:
            self.exit()
        elif before.stop_reason is None and before.config.corpus != "-":
            # Its training was given up for the other.
            self.open(replace(before.config, viewpoint=Viewpoint()))
        else:
            self._cancel()
            self._change_to(before)

    def _tick(self) -> None:
        super()._tick()
        if not self.makes_ahead or not self.is_quiet or self.session.playing:
            return
        if self._ahead:
            mount_ahead(self, self._ahead.pop(0))
        elif self.is_settled and gc.get_count()[0] > YOUNG_OBJECTS:
            gc.collect(1)

    def _change_to(self, session: Session) -> None:
        self.navigation.forget()
        session.typed = self.session.typed
        self.session = session
        screen = session.model.screen(session.first_kind)
        if self.screen.id != screen:
            self.switch_screen(screen)  # a training screen shows the reading, too
        self.changed()

    def _new_job(self) -> OpeningJob:
        session = self.session

        def post(news: Message) -> None:
            if isinstance(news, jobs.News):
                news.of = session
            self.post_message(news)

        return self._open_with(session.config, post)

    def _cancel(self) -> None:
        for job in (self._job, self._fork_job):
            if job is not None:
                job.cancel()

    def on_unmount(self) -> None:
        self._cancel()

    def action_help_quit(self) -> None:
        """Ctrl+C, where nothing is there to copy: leaves what is still being read."""
        if self.session.recording is None:
            self.end_on_signal(signal.SIGINT)
        else:
            self.tell("q quits.")

    # -- news from the job; that of a session which was left is nobody's any more

    def on_tokenizer_opened(self, news: jobs.TokenizerOpened) -> None:
        if news.of is self.session:
            self.session.opened = news.opened
            self.changed()
            notes = [f"{note[:1].upper()}{note[1:]}." for note in news.opened.notes]
            if notes:
                said = "\n".join(visible_text(note, spaces=False) for note in notes)
                self.tell(said, stays=True)

    def on_no_tokenizer(self, news: jobs.NoTokenizer) -> None:
        if news.of is self.session:
            said = visible_text(
                f"Read as a text, since it is no tokenizer: {news.error}", spaces=False
            )
            self.open(news.otherwise)
            self.tell(said, stays=True)

    def on_reading_progress(self, news: jobs.ReadingProgress) -> None:
        if news.of is self.session:
            self.session.reading = news
            self.changed()

    def on_indexing(self, news: jobs.Indexing) -> None:
        if news.of is self.session:
            self.session.indexing = news
            self.changed()

    def on_working(self, news: jobs.Working) -> None:
        if news.of is self.session:
            self.session.working = news
            self.changed()

    def on_training_started(self, news: jobs.TrainingStarted) -> None:
        if news.of is not self.session:
            return
        self.session.start(news)
        self._is_first, self._before = False, None
        self._show_viewpoint(self.session.config.viewpoint)
        if self.session.merges_nothing:
            said = f"There are no merges to step through: {news.obstacle}."
            self.tell(said, stays=True)
        self.changed()
        if self._job is not None:
            self.call_after_refresh(self._job.go_on)
        # The corpus and the record stay to the end; looking through them would stall the screen.
        gc.freeze()
        gc.set_threshold(*COLLECTOR_THRESHOLDS)
        gc.enable()

    def _show_viewpoint(self, viewpoint: Viewpoint) -> None:
        """Go to the screen that was asked for, with the text; tell what has changed."""
        model, kind = self.session.model, viewpoint.view or self.session.first_kind
        if (refused := self.session.refusal_to_show(kind)) is not None:
            self.tell(refused, stays=True)
            kind = self.session.first_kind
        if (screen := model.screen(kind)) != self.screen.id:
            self.switch_screen(screen)
        if viewpoint.text:
            self.session.type(viewpoint.text)
            if kind == ENCODING:
                self.navigation.open_encoding(viewpoint.text, look=True)
            self.changed()
        if viewpoint.note:
            self.tell(visible_text(viewpoint.note, spaces=False), stays=True)
        if viewpoint.corpus is not None:
            self.run_worker(self._compare_corpus(viewpoint.corpus), group="digest")

    async def _compare_corpus(self, saved: SavedFile) -> None:
        """Tell if the corpus is not what it was when the session was saved."""
        from engine.learning.session_file import check_unchanged

        changed = await asyncio.to_thread(check_unchanged, saved)
        if changed is not None:
            self.tell(f"{visible_text(changed, spaces=False)}.", stays=True)

    def _make_forks(self, forks: tuple[SavedFork, ...]) -> None:
        """Make the forks of a saved session again, one after another; then go to its step."""
        session, self._forks = self.session, False
        if not forks:
            self.seek(session.config.viewpoint.step or 0)
            return
        frame, config = session.frame, session.config
        if frame is None or not isinstance(config, RunConfig):
            return
        from bpe_tui.bpe.what_if import WhatIfJob, saved_fork_plan

        wish = saved_fork_plan(forks[0], config)
        if wish.step > frame.recorded_steps:
            self.tell(f"The run has no step {number(wish.step)} to fork at.", stays=True)
            return

        def post(news: Message) -> None:
            if isinstance(news, jobs.WhatIfEnded | jobs.WhatIfFailed):
                made = jobs.ForkMade(news, wish, forks[1:])
                made.of = session
                self.post_message(made)

        self.tell(f"Making the fork at step {number(wish.step)} again: {wish.otherwise} …")
        self._fork_job = WhatIfJob(config, frame, wish, post)
        self._forks = True
        self._fork_job.start()

    @property
    def is_settled(self) -> bool:
        """Whether all is trained, and forked, that was asked for."""
        return super().is_settled and not self._forks

    async def record(
        self, steps: tuple[int, int], speed: float, write: Callable[[str], object]
    ) -> None:
        """Write a recording of steps from … to … on the screen in front, line by line.

        Raises:
            TimelineError: training still runs.
        """
        from bpe_tui.app.recorder import FinishedJob, record

        session, screen = self.session, self.session_screen
        if session.stop_reason is None:
            raise TimelineError("training still runs; record when it has ended")
        kind = kind_and_model(screen.id or "")[0]
        viewpoint = Viewpoint(view=kind, text=session.typed or "")
        config = replace(session.config, viewpoint=viewpoint)
        unseen = BpeTuiApp(config, partial(FinishedJob, session))
        unseen.theme, unseen.makes_ahead = self.theme, False
        await record(unseen, steps, write, size=screen.size, steps_a_second=speed)

    def on_fork_made(self, news: jobs.ForkMade) -> None:
        if news.of is not self.session:
            return
        if isinstance(news.outcome, jobs.WhatIfEnded):
            self.keep(news.outcome, news.wish)
            self.tell(f"The fork at step {number(news.wish.step)} is made again.")
            self._make_forks(news.rest)
        elif isinstance(news.outcome.error, BpeError):
            self._forks = False
            why = visible_text(str(news.outcome.error), spaces=False)
            self.tell(f"The fork cannot be made again: {why}.", stays=True)
        else:
            raise news.outcome.error

    def on_steps_recorded(self, news: jobs.StepsRecorded) -> None:
        if news.of is self.session:
            self.session.extend_to(news.steps)
            self._has_grown = True
            self.guide.arrive()

    def on_training_ended(self, news: jobs.TrainingEnded) -> None:
        if news.of is self.session:
            due = self.session.due
            self.session.end(news.reason)
            self.guide.arrive()
            self.changed()
            if forks := self.session.config.viewpoint.forks:
                self._make_forks(forks)
            elif due is not None and (shown := self.session.shown) is not None:
                self.tell(f"There is no step {number(due)}; step {number(shown.step)} is the last.")
            gc.freeze()
            own = (None, self.session.model)
            screens = [name for name in SCREENS if name != START and kind_and_model(name)[1] in own]
            work = Thread(
                target=_prepare,
                args=(screens, self.session.recording, self.post_message),
                name="ahead",
                daemon=True,
            )
            self.set_timer(QUIET_SECONDS, work.start)  # the end is painted first

    def on_screen_imported(self, news: jobs.ScreenImported) -> None:
        self._ahead.append(news.screen)

    def on_job_failed(self, news: jobs.JobFailed) -> None:
        if news.of is not self.session:
            return
        if not isinstance(news.error, BpeError):
            self.session.failure = self.survive(news.error)
            self.changed()
        elif self._is_first:  # nothing is there to go back to
            self.failure = news.error
            self.exit(2, return_code=2)
        else:
            self.session.failure = str(news.error)
            self.changed()

    # -- what else to open

    def action_open(self) -> None:
        self.session.hold()
        from bpe_tui.dialogs.open_other import OpenOther

        # What could not be opened is nothing to keep beside something else.
        is_open = self.session.failure is None and self.session.config is not NOTHING_OPEN
        beside = self.session.config if is_open else None
        self.push_screen(OpenOther(beside), self._chose)

    def _chose(self, config: Config | None) -> None:
        """Open what was chosen; files to check on what is open need nothing opened anew."""
        session = self.session
        claimed = config.claimed if isinstance(config, RunConfig) else None
        if claimed is not None and session.timeline is not None and _same(config, session.config):
            session.claimed = claimed
            self.action_show(CHECK)
            self.changed()
        elif config is not None:
            self.open(config)

    def choose_to_check(self) -> None:
        """Ask for the files of a trainer, to check them on the corpus that is open."""
        if (why := why_not_checkable(self.session.config)) is not None:
            self.tell(why)
            return
        from bpe_tui.dialogs.open_other import ChosenFile, OpenOther

        self.push_screen(OpenOther(self.session.config, ChosenFile.CHECK), self._chose)

    # -- lessons

    def action_lessons(self) -> None:
        self.session.hold()
        self.guide.choose()

    def action_scene(self, by: int) -> None:
        self.guide.move(by)

    def action_come_back(self) -> None:
        self.guide.come_back()

    def action_model(self) -> None:
        """Choose another model for the corpus, which is opened anew."""
        config = self.session.config
        if self._refuse_to_retrain() or not isinstance(config, RunConfig):
            return
        self.session.hold()
        from bpe_tui.dialogs.open_other import ChooseModel

        def chose(name: str | None) -> None:
            if name is not None and name != config.model:
                self.retrain(replace(config, model=name))

        self.push_screen(ChooseModel(config), chose)

    def retrain(self, config: RunConfig) -> None:
        """Train on the corpus by other rules; it is opened anew."""
        if not self._refuse_to_retrain():
            self.open(replace(config, claimed=None, viewpoint=Viewpoint()))

    def _refuse_to_retrain(self) -> bool:
        """Whether there is no corpus to read once more; then it is said why."""
        config = self.session.config
        if not isinstance(config, RunConfig):
            said = "A model is trained on a corpus, and this is a tokenizer. o opens a corpus."
        elif config.from_input:
            said = (
                "Standard input has been read to its end; another model needs the corpus in a file."
            )
        else:
            return False
        self.tell(said)
        return True


def _prepare(
    screens: Iterable[str], recording: Player[Any] | None, post: Callable[[Message], object]
) -> None:
    """Do what keys would have to wait for, in a thread, now that training leaves the time."""
    for screen in screens:
        import_screen(screen)
        post(jobs.ScreenImported(screen))
    if recording is not None:
        recording.run.prepare()


def _same(config: Config | None, other: Config) -> bool:
    """Whether both train the same, whatever is to be checked."""
    if not isinstance(config, RunConfig) or not isinstance(other, RunConfig):
        return False
    anew = replace(config, claimed=None, viewpoint=other.viewpoint)
    return anew == replace(other, claimed=None)


if TYPE_CHECKING:
    from bpe_tui.session.host import Host
    from engine.learning.session_file import SavedFile, SavedFork

    _host: type[Host] = BpeTuiApp  # it is all that its screens ask for


def run_app(config: Config | None, lesson: Path | None = None) -> int:
    """Run until the user leaves; the exit code. `None` opens the start page, or a lesson.

    A failure of what was opened first is raised.

    Raises:
        BpeError: the corpus or the tokenizer cannot be read after all.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    terminal.tolerate_bad_bytes()
    if config is not None and config.from_input:
        terminal.keys_from_terminal()
    app = BpeTuiApp(config, lesson=lesson)
    app.run()
    if app.failure is not None:
        raise app.failure
    return app.return_code or 0

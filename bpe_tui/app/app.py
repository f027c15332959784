"""The application: opens a corpus or a tokenizer, runs the job, and passes its news on."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, ClassVar

from textual.message import Message

from bpe_tui.app import terminal
from bpe_tui.app.screens import SCREENS, import_ahead, mount_ahead
from bpe_tui.app.session_app import TICK_SECONDS, SessionApp
from bpe_tui.lessons.guide import Guide
from bpe_tui.session import messages
from bpe_tui.session.commands.command import CHECK, START, TRAINING
from bpe_tui.session.config import NOTHING, Config, RunConfig, why_unchecked
from bpe_tui.session.jobs import OpeningJob
from bpe_tui.session.models import kind_and_model
from bpe_tui.session.session import Session
from bpe_tui.widgets.visible import visible_text
from engine.core.errors import BpeError
from engine.recording.player import Player

SWITCH_SECONDS = 0.0005
"""How long the training thread may hold the interpreter while the screen waits for it.

Python's own 5 ms, times the dozen hand-overs that painting a key's answer takes, would be felt.
"""
COLLECTOR_THRESHOLDS = (50_000, 20, 100)
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
        super().__init__(NOTHING if config is None else config)
        self._open_with = open_with
        self._job = None if config is None else self._new_job()
        self._has_start_page = config is None
        self._is_first = config is not None
        self._before: Session | None = None
        self.guide = Guide(self)
        self._lesson = lesson
        self._ahead: list[str] = []
        self.failure: Exception | None = None

    def on_mount(self) -> None:
        self.push_screen(START if self._job is None else self.session.model.screen(TRAINING))
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

    def go_back_to_what_was_open(self) -> None:
        """Give up opening something: what was there before is shown again, or the program ends."""
        before = self._before
        if before is None and self._has_start_page:
            self._cancel()
            self.session = Session(NOTHING)
            self.switch_screen(START)
        elif before is None:
            self.exit()
        elif before.stop_reason is None and before.config.corpus != "-":
            self.open(before.config)  # its training was given up for the other
        else:
            self._cancel()
            self._change_to(before)

    def _tick(self) -> None:
        super()._tick()
        if self.makes_ahead and self._ahead and self.is_quiet and not self.session.playing:
            mount_ahead(self, self._ahead.pop(0))

    def _change_to(self, session: Session) -> None:
        self.navigation.forget()
        self.session = session
        screen = session.model.screen(session.first_kind)
        if self.screen.id != screen:
            self.switch_screen(screen)  # a training screen shows the reading, too
        self.changed()

    def _new_job(self) -> OpeningJob:
        session = self.session

        def post(news: Message) -> None:
            if isinstance(news, messages.News):
                news.of = session
            self.post_message(news)

        return self._open_with(session.config, post)

    def _cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def on_unmount(self) -> None:
        self._cancel()

    # -- news from the job; that of a session which was left is nobody's any more

    def on_tokenizer_opened(self, news: messages.TokenizerOpened) -> None:
        if news.of is self.session:
            self.session.opened = news.opened
            self.changed()
            notes = [f"{note[:1].upper()}{note[1:]}." for note in news.opened.notes]
            if notes:
                said = "\n".join(visible_text(note, spaces=False) for note in notes)
                self.tell(said, stays=True)

    def on_no_tokenizer(self, news: messages.NoTokenizer) -> None:
        if news.of is self.session:
            said = visible_text(
                f"Read as a text, since it is no tokenizer: {news.error}", spaces=False
            )
            self.open(news.otherwise)
            self.tell(said, stays=True)

    def on_reading(self, news: messages.Reading) -> None:
        if news.of is self.session:
            self.session.reading = news
            self.changed()

    def on_indexing(self, news: messages.Indexing) -> None:
        if news.of is self.session:
            self.session.indexing = news
            self.changed()

    def on_working(self, news: messages.Working) -> None:
        if news.of is self.session:
            self.session.working = news
            self.changed()

    def on_training_started(self, news: messages.TrainingStarted) -> None:
        if news.of is not self.session:
            return
        self.session.start(news)
        self._is_first, self._before = False, None
        if self.session.first_kind != TRAINING:
            self.switch_screen(self.session.first_kind)
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

    def on_steps_recorded(self, news: messages.StepsRecorded) -> None:
        if news.of is self.session:
            self.session.extend_to(news.steps)
            self._has_grown = True
            self.guide.arrive()

    def on_training_ended(self, news: messages.TrainingEnded) -> None:
        if news.of is self.session:
            self.session.end(news.reason)
            self.guide.arrive()
            self.changed()
            gc.freeze()
            own = (None, self.session.model)
            screens = (name for name in SCREENS if name != START)
            self._ahead = [name for name in screens if kind_and_model(name)[1] in own]
            work = partial(_prepare, tuple(self._ahead), self.session.recording)
            Thread(target=work, name="ahead", daemon=True).start()

    def on_job_failed(self, news: messages.JobFailed) -> None:
        if not isinstance(news.error, BpeError):
            raise news.error
        if news.of is not self.session:
            return
        if self._is_first:  # nothing is there to go back to
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
        is_open = self.session.failure is None and self.session.config is not NOTHING
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
        if (why := why_unchecked(self.session.config)) is not None:
            self.tell(why)
            return
        from bpe_tui.dialogs.open_other import OpenOther, Use

        self.push_screen(OpenOther(self.session.config, Use.CHECK), self._chose)

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
        if self._cannot_train_anew() or not isinstance(config, RunConfig):
            return
        self.session.hold()
        from bpe_tui.dialogs.choose_model import ChooseModel

        def chose(name: str | None) -> None:
            if name is not None and name != config.model:
                self.train_anew(replace(config, model=name))

        self.push_screen(ChooseModel(config), chose)

    def train_anew(self, config: RunConfig) -> None:
        """Train on the corpus by other rules; it is opened anew."""
        if not self._cannot_train_anew():
            self.open(replace(config, claimed=None))

    def _cannot_train_anew(self) -> bool:
        """Whether there is no corpus to read once more; then it is said why."""
        config = self.session.config
        if not isinstance(config, RunConfig):
            said = "A model is trained on a corpus, and this is a tokenizer. o opens a corpus."
        elif config.corpus == "-":
            said = (
                "Standard input has been read to its end; another model needs the corpus in a file."
            )
        else:
            return False
        self.tell(said)
        return True


def _prepare(screens: Sequence[str], recording: Player[Any] | None) -> None:
    """Do what keys would have to wait for, in a thread, now that training leaves the time."""
    import_ahead(screens)
    if recording is not None:
        recording.run.prepare()


def _same(config: Config | None, other: Config) -> bool:
    """Whether both train the same, whatever is to be checked."""
    if not isinstance(config, RunConfig) or not isinstance(other, RunConfig):
        return False
    return replace(config, claimed=None) == replace(other, claimed=None)


if TYPE_CHECKING:
    from bpe_tui.session.host import Host

    _host: type[Host] = BpeTuiApp  # it is all that its screens ask for


def run_app(config: Config | None, lesson: Path | None = None) -> int:
    """Run until the user leaves; the exit code. `None` opens the start page, or a lesson.

    A failure of what was opened first is raised.

    Raises:
        BpeError: the corpus or the tokenizer cannot be read after all.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    terminal.tolerate_bad_bytes()
    if config is not None and config.corpus == "-":
        terminal.keys_from_terminal()
    app = BpeTuiApp(config, lesson=lesson)
    app.run()
    if app.failure is not None:
        raise app.failure
    return app.return_code or 0

"""The application: owns the session, runs the job, and passes news to the screens.

Windows are imported when they are first asked for: the first frame need not wait for them.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual.message import Message
from textual.signal import Signal

from bpe_tui.app import terminal
from bpe_tui.app.navigation import Ways
from bpe_tui.app.screens import SCREENS, import_ahead
from bpe_tui.app.windows import Windows
from bpe_tui.session import messages
from bpe_tui.session.commands.command import ENCODING, TRAINING
from bpe_tui.session.config import Config, RunConfig
from bpe_tui.session.jobs import OpeningJob
from bpe_tui.session.models import kind_and_model
from bpe_tui.session.session import Session
from bpe_tui.styles import sheet
from bpe_tui.styles.themes import DARK, LIGHT, THEMES
from bpe_tui.views.commands import CommandProvider
from bpe_tui.widgets.visible import visible_text
from engine.core.errors import BpeError

TICK_SECONDS = 1 / 25
"""How often a playing screen is painted at the most: a frame takes some 20 ms, mostly Textual's."""
GROWTH_SECONDS = 1 / 5
"""How often the screens learn that the recording is longer, while the cursor stands still."""
SWITCH_SECONDS = 0.0005
"""How long the training thread may hold the interpreter while the screen waits for it.

Python's own 5 ms, times the dozen hand-overs that painting a key's answer takes, would be felt.
"""
NOTE_SECONDS = 30
"""How long it is said why the run was opened at this step."""
COLLECTOR_THRESHOLDS = (50_000, 20, 100)
JobMaker = Callable[[Config, Callable[[Message], object]], OpeningJob]
"""Makes the job that opens something: what to open, and where the job posts its news."""


class BpeTuiApp(Windows):
    """Opens a corpus or a tokenizer and plays its merges.

    Args:
        config: what to open first.
        open_with: makes the job that does the work behind a session: what is to be opened, and
            where the job posts its news. Whoever has a finished recording can hand it in here.
    """

    TITLE = "bpe-tui"
    CSS_PATH = sheet("app.tcss")
    COMMANDS: ClassVar = {CommandProvider}
    SCREENS: ClassVar = SCREENS
    ENABLE_COMMAND_PALETTE = True

    def __init__(self, config: Config, open_with: JobMaker = OpeningJob) -> None:
        super().__init__(driver_class=terminal.lasting_driver())
        self._open_with = open_with
        self.session = Session(config)
        self.session_changed: Signal[Session] = Signal(self, "session changed")
        self._job = self._new_job()
        self._is_first = True
        self._before: Session | None = None
        self._ticked = monotonic()
        self._has_grown = False
        self._growth_due = self._ticked
        self.ways = Ways(self)
        self.failure: Exception | None = None
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK.name

    def on_mount(self) -> None:
        terminal.on_ending_signals(self._end_on_signal)
        self.push_screen(self.session.model.screen(TRAINING))
        self.set_interval(TICK_SECONDS, self._tick)
        self._job.start()

    def open(self, config: Config) -> None:
        """Open something else in place of what is open."""
        if self.session.shown is not None:
            self._before = self.session
        self._job.cancel()
        gc.unfreeze()  # what was open may go
        self._change_to(Session(config))
        self._job = self._new_job()
        self._job.start()

    def go_back_to_what_was_open(self) -> None:
        """Give up opening something: what was open before is shown again, or the program ends."""
        before = self._before
        if before is None:
            self.exit()
        elif before.stop_reason is None and before.config.corpus != "-":
            self.open(before.config)  # its training was given up for the other
        else:
            self._job.cancel()
            self._change_to(before)

    def _change_to(self, session: Session) -> None:
        self.ways.forget()
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

    def on_unmount(self) -> None:
        self._job.cancel()

    def _end_on_signal(self, number: int) -> None:
        self.exit(128 + number, return_code=128 + number)

    # -- news from the job; that of a session which was left is nobody's any more

    def on_tokenizer_opened(self, news: messages.TokenizerOpened) -> None:
        if news.of is self.session:
            self.session.opened = news.opened
            self.changed()
            notes = [f"{note[:1].upper()}{note[1:]}." for note in news.opened.notes]
            if notes:
                said = "\n".join(visible_text(note, spaces=False) for note in notes)
                self.notify(said, markup=False, timeout=8)

    def on_no_tokenizer(self, news: messages.NoTokenizer) -> None:
        if news.of is self.session:
            said = visible_text(
                f"Read as a text, since it is no tokenizer: {news.error}", spaces=False
            )
            self.notify(said, markup=False, timeout=15)
            self.open(news.otherwise)

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
            self.notify(said, markup=False, timeout=8)
        self.changed()
        self.call_after_refresh(self._job.go_on)
        # The corpus and the record stay to the end; looking through them would stall the screen.
        gc.freeze()
        gc.set_threshold(*COLLECTOR_THRESHOLDS)
        gc.enable()

    def on_steps_recorded(self, news: messages.StepsRecorded) -> None:
        if news.of is self.session:
            self.session.extend_to(news.steps)
            self._has_grown = True
            self._arrive()

    def on_training_ended(self, news: messages.TrainingEnded) -> None:
        if news.of is self.session:
            self.session.end(news.reason)
            self._arrive()
            self.changed()
            gc.freeze()
            own = (None, self.session.model)
            import_ahead([name for name in SCREENS if kind_and_model(name)[1] in own])

    def _arrive(self) -> None:
        """Say what the run was opened to show, at the step where it is to be seen."""
        config = self.session.config
        if isinstance(config, RunConfig) and self.session.arrive():
            self.changed()
            self.notify(config.note, markup=False, timeout=NOTE_SECONDS)

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

    # -- state out

    def changed(self) -> None:
        """Tell the screens that the session has changed."""
        self._has_grown = False
        self._growth_due = monotonic() + GROWTH_SECONDS
        self.session_changed.publish(self.session)

    def _tick(self) -> None:
        now = monotonic()
        moved = self.session.tick(now - self._ticked)
        self._ticked = now
        grown = self._has_grown and (self.session.following or now >= self._growth_due)
        if moved or grown:
            self.changed()
        if self.session.found_none:
            self.session.found_none = False
            from bpe_tui.bpe.screens.breakpoints import none_found

            self.notify(none_found(self.session), markup=False, timeout=4)

    def seek(self, step: int) -> None:
        self.session.seek(step)
        self.changed()

    # -- commands

    def action_step(self, by: int) -> None:
        self.session.step(by)
        self.changed()

    def action_sub_step(self) -> None:
        self.session.sub_step()
        self.changed()

    def action_tie(self, direction: int) -> None:
        if self.session.merges is not None and not self.session.seek_tie(direction):
            where = "after" if direction > 0 else "before"
            self.notify(f"No merge {where} this one was tied.", markup=False, timeout=3)
        self.changed()

    def action_run_to_breakpoint(self) -> None:
        self.session.run_to_breakpoint()
        self.session.tick(0)  # most often the next stop is known already
        self.changed()

    def action_first(self) -> None:
        self.seek(0)

    def action_last(self) -> None:
        self.seek(sys.maxsize)

    def action_play(self) -> None:
        self.session.toggle_play()
        self._ticked = monotonic()
        self.changed()

    def action_speed(self, by: int) -> None:
        self.session.change_speed(by)
        self.changed()

    def action_follow(self) -> None:
        self.session.toggle_follow()
        self.changed()

    def action_show(self, kind: str) -> None:
        """The screen of a kind that shows the model of the session, if it has one."""
        model = self.session.model
        if (refused := model.refused.get(f"app.show('{kind}')")) is not None:
            self.notify(refused, markup=False, timeout=5)
        elif self.session.shown is not None:
            self.ways.forget()
            self.clear_notifications()  # they were about the screen that is left
            self.switch_screen(model.screen(kind))
            if kind == ENCODING:
                self.ways.take_over_typed()

    def action_light(self) -> None:
        self.theme = DARK.name if self.theme == LIGHT.name else LIGHT.name


if TYPE_CHECKING:
    from bpe_tui.session.host import Host

    _host: type[Host] = BpeTuiApp  # it is all that its screens ask for


def run_app(config: Config) -> int:
    """Run until the user leaves; the exit code. A failure of what was opened first is raised.

    Raises:
        BpeError: the corpus or the tokenizer cannot be read after all.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    terminal.tolerate_bad_bytes()
    if config.corpus == "-":
        terminal.keys_from_terminal()
    app = BpeTuiApp(config)
    app.run()
    if app.failure is not None:
        raise app.failure
    return app.return_code or 0

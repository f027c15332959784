"""The application: owns the session, runs the job, and passes news to the screens.

Windows are imported when they are first asked for: the first frame need not wait for them.
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import App
from textual.screen import Screen
from textual.signal import Signal

from bpe_tui import messages, terminal
from bpe_tui.commands import CommandProvider
from bpe_tui.config import RunConfig
from bpe_tui.jobs import TrainingJob
from bpe_tui.screens import SCREENS
from bpe_tui.session import Session
from bpe_tui.styles.themes import DARK, LIGHT, THEMES
from bpe_tui.visible import visible_text
from bpe_tui.ways import Ways
from bpe_tui.what_if_job import Wish
from engine.errors import BpeError

if TYPE_CHECKING:
    from bpe_tui.screens.training import TrainingScreen

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


class BpeTuiApp(App[int]):
    """Opens a corpus and plays its merges."""

    TITLE = "bpe-tui"
    CSS_PATH = "styles/app.tcss"
    COMMANDS: ClassVar = {CommandProvider}
    SCREENS: ClassVar = SCREENS
    ENABLE_COMMAND_PALETTE = True

    def __init__(self, config: RunConfig) -> None:
        super().__init__(driver_class=terminal.lasting_driver())
        self.session = Session(config)
        self.session_changed: Signal[Session] = Signal(self, "session changed")
        self._job = TrainingJob(config, self.post_message)
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
        self.push_screen("training")
        self.set_interval(TICK_SECONDS, self._tick)
        self._job.start()

    def on_unmount(self) -> None:
        self._job.cancel()

    def _end_on_signal(self, number: int) -> None:
        self.exit(128 + number, return_code=128 + number)

    # -- news from the job

    def on_reading(self, news: messages.Reading) -> None:
        self.session.reading = news
        self.changed()

    def on_indexing(self, news: messages.Indexing) -> None:
        self.session.indexing = news
        self.changed()

    def on_training_started(self, news: messages.TrainingStarted) -> None:
        self.session.start(news)
        self.changed()
        self.call_after_refresh(self._job.go_on)
        # The corpus and the record stay to the end; looking through them would stall the screen.
        gc.freeze()
        gc.set_threshold(*COLLECTOR_THRESHOLDS)
        gc.enable()

    def on_steps_recorded(self, news: messages.StepsRecorded) -> None:
        self.session.extend(news.steps)
        self._has_grown = True
        self._arrive()

    def on_training_ended(self, news: messages.TrainingEnded) -> None:
        self.session.end(news.reason)
        self._arrive()
        self.changed()
        gc.freeze()

    def _arrive(self) -> None:
        """Say what the run was opened to show, at the step where it is to be seen."""
        if self.session.arrive():
            self.changed()
            self.notify(self.session.config.note, markup=False, timeout=NOTE_SECONDS)

    def on_job_failed(self, news: messages.JobFailed) -> None:
        if not isinstance(news.error, BpeError):
            raise news.error
        self.failure = news.error
        self.exit(2, return_code=2)

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
            from bpe_tui.screens.breakpoints import none_found

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
        if self.session.frame is not None and not self.session.seek_tie(direction):
            where = "after" if direction > 0 else "before"
            self.notify(f"No merge {where} this one was tied.", markup=False, timeout=3)
        self.changed()

    def action_breakpoints(self) -> None:
        if self.session.frame is not None:
            self.session.hold()
            from bpe_tui.screens.breakpoints import Breakpoints

            self.push_screen(Breakpoints(self.session), self._left_breakpoints)

    def _left_breakpoints(self, step: int | None) -> None:
        if step is not None:
            self.session.seek(step)
        self.changed()

    def action_run_to_breakpoint(self) -> None:
        self.session.run_to_breakpoint()
        self.session.tick(0)  # most often the next stop is known already
        self.changed()

    def action_what_if(self) -> None:
        session = self.session
        if session.frame is None:
            return
        session.hold()
        if session.stop_reason is None:
            text = "Training still runs; a fork can be compared when it has ended."
            self.notify(text, markup=False, timeout=4)
            return
        chosen = cast("TrainingScreen", self.get_screen("training")).chosen_pair()
        from bpe_tui.screens.what_if import WhatIf

        menu = WhatIf(session.frame, session.config, session.documents, chosen)
        self.push_screen(menu, self._wished)

    def _wished(self, wish: Wish | None) -> None:
        frame = self.session.frame
        if wish is None or frame is None:
            return

        def left(fork: messages.WhatIfEnded | None) -> None:
            if fork is not None:
                self.session.keep(fork.timeline, fork.reason, wish.config, wish.step)
            self.changed()

        from bpe_tui.screens.branches import Branches

        self.push_screen(Branches(frame, self.session.config, wish), left)

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

    def action_show(self, screen: str) -> None:
        if self.session.frame is not None:
            self.ways.forget()
            self.switch_screen(screen)

    def action_go_to(self) -> None:
        if (frame := self.session.frame) is not None:
            from bpe_tui.screens.go_to import GoTo

            self.push_screen(GoTo(frame.step, frame.recorded_steps), self._went_to)

    def _went_to(self, step: str | None) -> None:
        if step is not None:
            self.seek(int(step))

    def action_save(self) -> None:
        if (frame := self.session.frame) is not None:
            self.session.hold()
            from bpe_tui.screens.save import Save

            self.push_screen(Save(frame, f"{self._corpus_name}-step-{frame.step}"), self._saved)

    def _saved(self, path: str | None) -> None:
        if path is not None:
            self.notify(f"Saved in {visible_text(path, spaces=False)}", markup=False)

    def action_export(self) -> None:
        if (frame := self.session.frame) is not None:
            from bpe_tui.screens.export import Export  # 15 ms that the first frame need not wait

            self.session.hold()
            self.push_screen(Export(self.screen, frame, self._corpus_name), self._saved)

    @property
    def _corpus_name(self) -> str:
        """What the names of files about the corpus begin with."""
        return Path(self.session.config.corpus).name.split(".")[0] or "tokenizer"

    def action_light(self) -> None:
        self.theme = DARK.name if self.theme == LIGHT.name else LIGHT.name

    def action_help(self) -> None:
        screen: Screen[object] = self.screen
        from bpe_tui.screens.help import Help

        self.push_screen(Help(screen.id or ""))


def run_app(config: RunConfig) -> int:
    """Run until the user leaves; the exit code. A failure of the corpus is raised.

    Raises:
        BpeError: the corpus cannot be read after all.
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

"""An application with a session: the player, and the windows about the session.

Windows are imported when they are first opened: the first frame need not wait for them.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any

from textual.screen import Screen
from textual.signal import Signal

from bpe_tui.app.base import BaseApp
from bpe_tui.app.navigation import ScreenNavigation
from bpe_tui.session import jobs
from bpe_tui.session.config import Config, RunConfig, Viewpoint
from bpe_tui.session.declarations import CHARTS, CHECK, EVERYWHERE, LESSON, RACE, TRAINING
from bpe_tui.session.models import kind_and_model
from bpe_tui.session.session import Session
from bpe_tui.session.state import OVERVIEWS, save_preferences
from bpe_tui.widgets.visible import visible_text

if TYPE_CHECKING:
    from bpe_tui.bpe.what_if import ForkPlan

SIDE_SCREENS = frozenset((CHARTS, RACE, CHECK))
"""Kinds of screens that Esc leaves for the screen before."""
TICK_SECONDS = 1 / 25
"""Interval between frames while playing: a frame takes some 20 ms, mostly in Textual."""
GROWTH_SECONDS = 1 / 5
"""Interval between updates while the recording grows and the cursor does not move."""


class SessionApp(BaseApp):
    """An application with a session.

    Attributes:
        session: the session on the screen.
        session_changed: the signal to the screens that it has changed.
        navigation: the way to the targets of rows, and back.
        failure: why the first config could not be opened; `None` if it could.
    """

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.session = Session(config)
        self.session_changed: Signal[Session] = Signal(self, "session changed")
        self.navigation = ScreenNavigation(self)
        self.failure: Exception | None = None
        self._main_kind = TRAINING
        self._ticked = monotonic()
        self._has_grown = False
        self._growth_due = self._ticked

    @property
    def is_settled(self) -> bool:
        """Whether training has ended."""
        return self.session.stop_reason is not None

    # -- state out

    def changed(self) -> None:
        """Signal to the screens that the session has changed."""
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
            from bpe_tui.bpe.windows import none_found

            self.tell(none_found(self.session))

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
            self.tell(f"No merge {where} this one was tied.")
        self.changed()

    def action_run_to_breakpoint(self) -> None:
        self.session.run_to_breakpoint()
        self.session.tick(0)  # usually the next stop is known already
        self.changed()

    def action_first(self) -> None:
        self.seek(0)

    def action_last(self) -> None:
        self.session.seek_end()
        self.changed()

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
        """Show a kind of screen that the user chose; remember it if trainings can begin with it."""
        self.show_kind(kind)
        if kind in OVERVIEWS and self.session.shown is not None:
            save_preferences(overview=kind)

    def show_kind(self, kind: str) -> None:
        """Show the screen of a kind for the session's model, or why there is none."""
        model = self.session.model
        if (refused := self.session.refusal_to_show(kind)) is not None:
            self.tell(refused)
        elif self.session.shown is not None:
            self.navigation.forget()
            here, _ = kind_and_model(self.screen.id or "")
            if kind in SIDE_SCREENS and here in EVERYWHERE and here not in SIDE_SCREENS:
                self._main_kind = here
            self.switch_screen(model.screen(kind))

    def leave_side_screen(self) -> None:
        """Go back from a screen such as the charts to the one before."""
        self.show_kind(self._main_kind)

    def action_predict(self) -> None:
        """Show the lesson view, which asks what each step does."""
        from bpe_tui.lessons.screen import LessonScreen

        self.action_show(LESSON)
        if isinstance(screen := self.screen, LessonScreen) and not screen.predictor.is_on:
            screen.action_predict()

    # -- windows

    def action_breakpoints(self) -> None:
        if self.session.merges is not None:
            self.session.hold()
            from bpe_tui.bpe.windows import Breakpoints

            def closed(step: int | None) -> None:
                if step is not None:
                    self.session.seek(step)
                self.changed()

            self.push_screen(Breakpoints(self.session), closed)

    def action_what_if(self) -> None:
        session = self.session
        if session.frame is None:
            return
        session.hold()
        if not isinstance(session.config, RunConfig):
            self.tell("These merges are a tokenizer's. A fork needs a run that is trained here.")
            return
        if session.stop_reason is None:
            self.tell("Training still runs; a fork can be compared when it has ended.")
            return
        from bpe_tui.bpe.training_screen import TrainingScreen
        from bpe_tui.bpe.what_if import WhatIf

        screen = self.get_screen("training")
        chosen = screen.chosen_pair() if isinstance(screen, TrainingScreen) else None
        menu = WhatIf(session.frame, session.config, session.documents, chosen)
        self.push_screen(menu, self._open_branches)

    def _open_branches(self, plan: ForkPlan | None) -> None:
        frame, config = self.session.frame, self.session.config
        if plan is None or frame is None or not isinstance(config, RunConfig):
            return

        def left(fork: jobs.WhatIfEnded | None) -> None:
            if fork is not None:
                self.keep(fork, plan)
            self.changed()

        from bpe_tui.bpe.what_if import Branches

        self.push_screen(Branches(frame, config, plan), left)

    def keep(self, fork: jobs.WhatIfEnded, plan: ForkPlan) -> None:
        """Continue with a fork."""
        how = plan.config, plan.step, plan.otherwise, plan.change
        self.session.keep(fork.timeline, fork.reason, *how)

    def action_leave_fork(self) -> None:
        """Go back to the run that this one is a fork of."""
        if not self.session.leave_fork():
            self.tell("This run is no fork: i makes one, and I leads back from it.")
        self.changed()

    def action_go_to(self) -> None:
        if (shown := self.session.shown) is not None:
            from bpe_tui.dialogs.export import GoTo

            def chosen(step: str | None) -> None:
                if step is not None:
                    self.seek(int(step))

            self.push_screen(GoTo(shown.step, shown.recorded_steps), chosen)

    def action_save(self) -> None:
        if (shown := self.session.shown) is not None:
            self.session.hold()
            suggestion = f"{self._file_name}-step-{shown.step}"
            window = self.session.model.part("save")(shown, suggestion)
            self.push_screen(window, self._saved)

    def _saved(self, path: str | None) -> None:
        if path is not None:
            self.tell(f"Saved in {visible_text(path, spaces=False)}")

    @property
    def viewpoint(self) -> Viewpoint:
        """The present step, screen and text."""
        shown, kind = self.session.shown, kind_and_model(self.screen.id or "")[0]
        return Viewpoint(shown.step if shown else None, kind, self.session.typed or "")

    def action_show_command(self) -> None:
        if self.session.shown is not None:
            from bpe_tui.dialogs.export import CommandWindow

            self.push_screen(CommandWindow(self.session, self.viewpoint))

    def action_save_session(self) -> None:
        if self.session.shown is not None:
            from bpe_tui.dialogs.export import SaveSession

            self.session.hold()
            suggestion = f"{self._file_name}-session.json"
            self.push_screen(SaveSession(self.session, self.viewpoint, suggestion), self._saved)

    def action_export(self) -> None:
        if (shown := self.session.shown) is not None:
            from bpe_tui.dialogs.export import Export  # 15 ms that the first frame need not wait

            self.session.hold()
            kinds = self.session.model.part("exports")
            self.push_screen(Export(self.screen, shown, self._file_name, kinds), self._saved)

    @property
    def session_screen(self) -> Screen[Any]:
        """The screen that shows the session, below any window."""
        return next(each for each in reversed(self.screen_stack) if not each.is_modal)

    @property
    def _file_name(self) -> str:
        """The beginning of the names of files about the session."""
        return self.session.config.name.split(".")[0] or "tokenizer"

    def open_comparison(self, frame: Any, text: str) -> None:
        """Ask for another tokenizer, and compare it with that of a frame on a text."""
        from bpe_tui.studies.comparison import CompareWith, comparison_with

        def chose(path: str | None) -> None:
            if path is not None:
                self.push_screen(comparison_with(path, frame, text))

        self.push_screen(CompareWith(), chose)

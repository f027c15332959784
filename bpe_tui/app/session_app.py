"""An application with a session: its screens, the ways between them, the player, the windows.

Windows are imported when they are first opened: the first frame need not wait for them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name
from time import monotonic, sleep
from typing import Any, cast

from textual.app import App
from textual.events import Event, InputEvent, Paste, ScreenResume
from textual.screen import Screen
from textual.timer import Timer

from bpe_tui.app.base import BaseApp
from bpe_tui.app.memory import QUIET_SECONDS, Collector
from bpe_tui.app.navigation import ScreenNavigation
from bpe_tui.session import jobs
from bpe_tui.session.commands import HIDE_NEXT, lacking
from bpe_tui.session.config import Config, RunConfig, TokenizerConfig, Viewpoint
from bpe_tui.session.declarations import LESSON
from bpe_tui.session.models import MODELS, kind_and_model
from bpe_tui.session.refusals import refusal_of
from bpe_tui.session.session import ForkedFrom, Session
from bpe_tui.shell.panel import needs_marks
from bpe_tui.shell.panel_screen import PanelScreen
from bpe_tui.shell.session_screen import SessionScreen
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.textual_private import SettledScreen, mount_unseen
from bpe_tui.widgets.visible import visible_text

TICK_SECONDS = 1 / 25
"""Interval between frames while playing: a frame takes some 20 ms, mostly in Textual."""
GROWTH_SECONDS = 1 / 5
"""Interval between updates while the recording grows and the cursor does not move."""

NO_TIE = {1: "No merge after this one was tied.", -1: "No merge before this one was tied."}
NO_PRUNE = {1: "No prune after this step.", -1: "No prune before this step."}
"""Words for the directions of a search."""

PLACES = {
    "start": "bpe_tui.dialogs.start_page:StartPage",
    "race": "bpe_tui.studies.race:RaceScreen",
    "family": "bpe_tui.studies.model_table:FamilyScreen",
    "check": "bpe_tui.studies.check:CheckScreen",
    "pipeline": "bpe_tui.studies.pipeline:PipelineScreen",
} | {name: place for model in MODELS.values() for name, place in model.screens.items()}


def import_screen(name: str) -> None:
    """Import a screen, in any thread, ahead of the key that opens it."""
    resolve_name(PLACES[name])


def read_sheets(app: App[Any], screen: Screen[Any]) -> None:
    """Read the style sheets of a screen only; Textual would read those of all screens again."""
    for path in screen.css_path:
        if not app.stylesheet.has_source(str(path)):
            app.stylesheet.read(path)


def mount_ahead(app: App[Any], name: str) -> None:
    """Make a screen ahead of its key, which then has only to paint it."""
    if not app.is_screen_installed(name):
        return  # the application is closing
    screen = app.get_screen(name)
    if screen.is_running:
        return
    read_sheets(app, screen)
    mount_unseen(app, screen)
    screen.post_message(ScreenResume())  # it lays itself out, unpainted


class SessionApp(BaseApp):
    """An application with a session.

    Attributes:
        session: the session on the screen.
        navigation: the way to the targets of rows, and back.
        failure: why the first config could not be opened; `None` if it could.
        makes_ahead: whether to make screens ahead of their keys, while no key is pressed.
    """

    makes_ahead = True

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.session = Session(config)
        self._hides_next = config.viewpoint.hide_next
        self.table_orders: dict[str | None, tuple[str, bool]] = {}
        self.navigation = ScreenNavigation(self)
        self.failure: Exception | None = None
        self._clock: Timer | None = None
        self._ticked = monotonic()
        self._collector = Collector()
        self._has_grown = False
        self._is_at_rest = False
        self._growth_due = self._ticked
        self._ahead: list[str] = []
        self._let_go: ForkedFrom | None = None  # the fork that is saved, or may be lost
        self._made: dict[str, SettledScreen[Any]] = {}  # those with a name
        self._made_over: Callable[[], Screen[Any]] | None = None
        for name in PLACES:
            self._offer(name)

    def _offer(self, name: str) -> None:
        """Let a screen be made when it is first shown."""

        def make() -> Screen[Any]:
            self._made[name] = resolve_name(PLACES[name])()
            return self._made[name]

        self.install_screen(cast("Screen[Any]", make), name)  # Textual calls what it finds

    # -- state out

    def changed(self) -> None:
        """Show the changed session on the screens in sight; others read it when they come up."""
        self.wake()
        self._has_grown = False
        self._growth_due = monotonic() + GROWTH_SECONDS
        if not self.is_running:  # the screens are losing their panels
            return
        for screen in self.screen_stack:
            if isinstance(screen, SessionScreen) and screen.is_mounted:
                screen.show_session(self.session)

    def forget_run(self) -> None:
        """Forget the way back, and make hidden screens again, which hold the run before."""
        self.navigation.forget()
        self.call_later(self._drop_hidden_screens)

    async def _drop_hidden_screens(self) -> None:
        """Let each hidden screen be made again when it is shown."""
        for name, screen in list(self._made.items()):
            if screen not in self.screen_stack:
                self.uninstall_screen(name)
                self.jobs.cancel(self._made.pop(name))
                self._offer(name)  # before anything else runs: a key may ask for it
                if screen.is_running:
                    await screen.remove_alone()

    def action_edges(self) -> None:
        """Show `┊` between tokens, or only their two grounds."""
        self.shows_edges = not self.shows_edges
        self._draw_again()
        self.tell(tr("┊ is between tokens." if needs_marks(self) else "Grounds alone part tokens."))

    @property
    def hides_next(self) -> bool:
        return self._hides_next and HIDE_NEXT not in lacking(self.session.model)

    def action_hide_next(self) -> None:
        self._hides_next = not self._hides_next
        self._draw_again()

    def _draw_again(self) -> None:
        """Draw what is in sight again; hidden screens are made again when they come up."""
        self.call_later(self._drop_hidden_screens)
        for screen in self.screen_stack:
            if isinstance(screen, PanelScreen):
                screen.draw_again()

    async def on_event(self, event: Event) -> None:
        if isinstance(event, InputEvent | Paste):
            self._collector.is_searched = False  # a key may make garbage
            self.wake()
        await super().on_event(event)

    def start_clock(self) -> None:
        self._clock = self.set_interval(TICK_SECONDS, self._tick)

    def hold(self) -> None:
        """Stop what moves the cursor by itself, and show that: a window is about to open."""
        session = self.session
        is_moving = session.playing or session.following or session.awaiting
        session.hold()
        if is_moving:
            self.changed()

    def wake(self) -> None:
        """Let the clock tick again, which stops while nothing moves."""
        if self._clock is not None and self._is_at_rest:
            self._is_at_rest, self._ticked = False, monotonic()
            self._clock.resume()

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
        if not self.session.needs_time and not self._has_grown:
            self._use_rest(now - self._pressed)

    def _use_rest(self, seconds: float) -> None:
        """Make a screen ahead or collect garbage after some seconds without a key.

        If nothing is left to do, the clock stops. While training runs, its messages wake it.
        """
        is_training = self.session.recording is not None and self.session.stop_reason is None
        if self._ahead and self.makes_ahead:
            if seconds > QUIET_SECONDS:
                mount_ahead(self, self._ahead.pop(0))
        elif (is_training or self._has_nothing_left(seconds)) and self._clock is not None:
            self._is_at_rest = True
            self._clock.pause()

    def wait_for_rest(self) -> None:
        """Wait, in another thread, until no key has been pressed for a while."""
        while (seconds := monotonic() - self._pressed) < QUIET_SECONDS:
            sleep(QUIET_SECONDS - seconds)

    def _has_nothing_left(self, seconds: float) -> bool:
        return seconds > QUIET_SECONDS and self._collector.rest(seconds)

    def on_screen_imported(self, news: jobs.ScreenImported) -> None:
        self._ahead.append(news.screen)
        self._collector.keep_after_search()
        self.wake()

    def on_far_jumps_prepared(self) -> None:
        self._collector.keep()

    def seek(self, step: int) -> None:
        self.session.seek(step)
        self.changed()

    async def make_screens_again(self) -> None:
        front = self.screen
        place = front.place if isinstance(front, PanelScreen) else ""
        over = (
            self._made_over if isinstance(front, PanelScreen) and front.id not in PLACES else None
        )
        *_, here = (screen for screen in self.screen_stack if screen.id in PLACES)
        with self.batch_update():
            while len(self.screen_stack) > 1:
                await self.pop_screen()
            self._ahead = [name for name, screen in self._made.items() if screen.is_running]
            await self._drop_hidden_screens()
            await self.push_screen(here.id or "")
            if over is not None:
                await self.push_screen(over())
        if place:
            self.call_later(cast("PanelScreen", self.screen).go_to_place, place)

    def show_over(self, make: Callable[[], Screen[Any]]) -> None:
        """Show a screen without a name over the one in front."""
        self._made_over = make
        self.push_screen(make())

    # -- commands

    def action_tie(self, direction: int) -> None:
        with self.navigation.jump():
            if self.session.merges is not None and not self.session.seek_tie(direction):
                self.tell(tr(NO_TIE[direction]))
            self.changed()

    def action_prune(self, direction: int) -> None:
        """Go to the nearest prune after this step or before it."""
        with self.navigation.jump():
            if not self.session.seek_prune(direction):
                self.tell(tr(NO_PRUNE[direction]))
            self.changed()

    def go_to_following(self) -> None:
        """Go to the next breakpoint; without one, to the next tie or prune."""
        if self.session.breakpoints.watched:
            with self.navigation.jump():
                self.session.run_to_breakpoint()
                self.session.tick(0)  # usually the next stop is known already
                self.changed()
        elif self.session.merges is not None:
            self.action_tie(1)
        else:
            self.action_prune(1)

    def action_end(self, last: bool) -> None:
        """Go to the last step recorded, or to step 0."""
        with self.navigation.jump():
            if last:
                self.session.seek_end()
            else:
                self.session.seek(0)
            self.changed()

    def refusal_of(self, action: str) -> str | None:
        screen = self.screen
        if action == HIDE_NEXT and isinstance(screen, SessionScreen) and screen.is_asking:
            return None  # a hint, under any model
        return refusal_of(action, self.session)

    def action_show(self, kind: str) -> None:
        """Show the screen of a kind for the session's model, or why there is none."""
        if (refused := self.refusal_of(f"app.show('{kind}')")) is not None:
            self.tell(refused)
        elif self.session.shown is not None:
            self.switch_screen(self.session.model.screen(kind))

    def action_predict(self) -> None:
        """Show the explain screen, which asks what each step does; there, start or stop that."""
        from bpe_tui.explain.screen import ExplainScreen

        is_here = isinstance(self.screen, ExplainScreen)
        self.action_show(LESSON)
        if isinstance(screen := self.screen, ExplainScreen) and (
            is_here or not screen.predictor.is_on
        ):
            screen.toggle_predictions()

    def ask_by_hand(self, kind: str, frame: Any, about: str) -> None:
        """Ask the learner a question about a frame, over the screen in front."""
        from bpe_tui.lessons.asking import ask_by_hand

        if isinstance(self.screen, SessionScreen):
            ask_by_hand(self.screen, kind, frame, about)

    # -- windows

    def action_breakpoints(self) -> None:
        if self.session.merges is not None:
            self.hold()
            from bpe_tui.bpe.windows import Breakpoints

            self.push_screen(Breakpoints(self.session), self._chose_step)

    def action_chat(self) -> None:
        """Show the text of the screen as a chat; Enter there makes the chat the text."""
        opened, config = self.session.opened, self.session.config
        if opened is None or not isinstance(config, TokenizerConfig):
            return
        self.hold()
        from bpe_tui.dialogs.chat import ChatWindow

        def take(text: str | None) -> None:
            if text is not None:
                self.session.type(text)
            self.changed()

        path, text = Path(config.paths[0]), self.session.text
        self.push_screen(ChatWindow(opened.tokenizer, path, text, self.jobs), take)

    def _chose_step(self, step: int | str | None) -> None:
        with self.navigation.jump():
            if step is not None:
                self.session.seek(int(step))
            self.changed()

    def action_what_if(self) -> None:
        session = self.session
        if session.frame is None:
            return
        self.hold()
        assert isinstance(session.config, RunConfig)  # else it is refused
        if session.stop_reason is None:
            self.tell("Training still runs; a fork can be compared when it has ended.")
            return
        from bpe_tui.bpe.training_screen import TrainingScreen
        from bpe_tui.bpe.what_if import WhatIf

        screen = self.screen
        chosen = screen.chosen_pair() if isinstance(screen, TrainingScreen) else None
        self.push_screen(WhatIf(session.frame, session.config, chosen), self._open_branches)

    def _open_branches(self, plan: jobs.ForkPlan | None) -> None:
        frame, config = self.session.frame, self.session.config
        if plan is None or frame is None:
            return
        assert isinstance(config, RunConfig)  # only a training has forks

        def left(fork: jobs.WhatIfEnded | None) -> None:
            if fork is not None:
                self.session.keep(fork, plan)
                self.forget_run()
            self.changed()

        from bpe_tui.bpe.what_if import Branches

        self.push_screen(Branches(frame, config, plan), left)

    def action_leave_run(self) -> None:
        """Go back to the run that this one is a fork of, or that was left for it."""
        if self.session.leave_fork():
            self.forget_run()
            self.changed()

    def action_go_to(self) -> None:
        if (shown := self.session.shown) is not None:
            from bpe_tui.dialogs.export import GoTo

            self.push_screen(GoTo(shown.step, shown.recorded_steps), self._chose_step)

    def action_save(self) -> None:
        if (shown := self.session.shown) is not None:
            self.hold()
            suggestion = f"{self._file_name}-step-{shown.step}"
            opened = self.session.opened
            own = {} if opened is None else {"format": opened.format}  # of BPE
            window = self.session.model.part("save")(shown, suggestion, **own)
            self.push_screen(window, self._saved_tokenizer)

    def tell_saved(self, path: str | None) -> None:
        """Say in which folder a window has written its file; `None` if it has not."""
        if path is not None:
            place = Path(path).expanduser().absolute()
            self.tell(tr("Saved: {path}", path=visible_text(str(place), spaces=False)))

    def _saved_tokenizer(self, path: str | None) -> None:
        self.tell_saved(path)
        if path is not None:
            self._let_go = self.session.forked_from

    async def action_quit(self) -> None:
        """Leave; with a fork that is not saved, only when asked once more."""
        fork = self.session.forked_from
        if fork is not None and fork is not self._let_go:
            self._let_go = fork
            template = (
                "The fork of step {step} is not saved: s saves its tokenizer, q again leaves."
            )
            self.tell(tr(template, step=fork.step))
        else:
            await super().action_quit()

    @property
    def viewpoint(self) -> Viewpoint:
        """The present step, screen, text and row."""
        shown, screen = self.session.shown, cast("SessionScreen", self.screen)
        kind = kind_and_model(screen.id or "")[0]
        step, at = shown.step if shown else None, screen.place
        return Viewpoint(step, kind, screen.typed, at=at, hide_next=self.hides_next)

    def action_show_command(self) -> None:
        if self.session.shown is not None:
            from bpe_tui.dialogs.export import CommandWindow

            self.push_screen(CommandWindow(self.session, self.viewpoint))

    def action_export(self) -> None:
        if (shown := self.session.shown) is not None:
            from bpe_tui.dialogs.export import Export  # 15 ms that the first frame need not wait

            self.hold()
            screen = cast("PanelScreen", self.screen)
            self.push_screen(Export(screen, shown.step, self._file_name), self.tell_saved)

    @property
    def _file_name(self) -> str:
        """The beginning of the names of files about the session."""
        return self.session.config.name.split(".")[0] or "tokenizer"

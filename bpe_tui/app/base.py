"""The base of all applications: colours, messages, how they end."""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import events
from textual.actions import ActionParseResult
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.dom import DOMNode
from textual.filter import ANSIToTruecolor, LineFilter
from textual.screen import Screen
from textual.widgets import Static

from bpe_tui.app import terminal
from bpe_tui.session.host import Notices, Notifier
from bpe_tui.session.languages import change_language
from bpe_tui.session.state import preferences, save_preferences
from bpe_tui.session.threads import Jobs
from bpe_tui.shell.panel_screen import PanelScreen
from bpe_tui.styles import DARK, LIGHT, THEMES, frame_looks, sheet
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.textual_private import (
    OUTPUT_THREAD,
    CurrentStylesheet,
    SurvivingApp,
    free_painted_lines,
    guard_messages,
    tolerate_bad_bytes,
)
from bpe_tui.widgets.visible import visible_text
from bpe_tui.widgets.window import Window
from engine.core.systems import ending_signals, on_signal

if TYPE_CHECKING:
    from bpe_tui.studies.comparison import ComparisonScreen


class Messages(Window[None]):
    """A window with every message, the latest first."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+l,q,enter", "dismiss", "close")]

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="messages", classes="window") as window:
            window.border_title = Content(tr("messages, the newest first"))
            window.border_subtitle = Content(tr("Esc closes"))
            text = "\n\n".join(reversed(cast("Notifier", self.app).notices.everything))
            yield Static(Content(text or tr("There are no messages so far.")))


class BaseApp(SurvivingApp[int]):
    """An application without a screen of its own."""

    TITLE = "bpe-tui"
    CSS_PATH = sheet("app.tcss")
    ENABLE_COMMAND_PALETTE = False  # Textual's own
    shows_edges = False

    def __init__(self) -> None:
        super().__init__()
        free_painted_lines()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = LIGHT.name if preferences().is_light else DARK.name
        self._theme_of_sheets = self.theme
        self.stylesheet = CurrentStylesheet(variables=self.get_css_variables())
        self.notices = Notices()
        self.jobs = Jobs()
        self._goes_on = False
        self._leaves = False
        self._interrupts = terminal.Interrupts()
        self._last_resort = terminal.LastResort()
        self._pressed = monotonic()

    def run(self, *arguments: Any, **settings: Any) -> int | None:
        """Run at a terminal; a failure is reported, and the application goes on."""
        self._goes_on = True
        guard_messages(self.report_failure)
        threading.excepthook = self._thread_failed
        warnings.showwarning = self._warned
        with self._interrupts.held():
            return super().run(*arguments, **settings)

    async def run_async(self, *arguments: Any, **settings: Any) -> int | None:
        """Handle signals before the terminal is changed, so that none leaves it changed."""
        for number in ending_signals():
            at_once = self._last_resort.begin if self._goes_on else bool  # a test goes on
            on_signal(number, at_once, self.end_on_signal)
        self._interrupts.deliver()
        try:
            return await super().run_async(*arguments, **settings)
        finally:
            self._last_resort.give_back = bool

    def on_unmount(self) -> None:
        self.jobs.end()

    def report_failure(self, error: Exception) -> str:
        """Report a failure and show a message; without a terminal, as in tests, raise it."""
        if not self._goes_on:
            raise error
        from bpe_tui.session.state import describe_failure

        message = visible_text(describe_failure(error), spaces=False)
        self.tell(message, stays=True)
        return message

    def goes_on_after(self, error: Exception) -> bool:
        goes_on = self._goes_on and self.is_running and bool(self.screen_stack)
        if goes_on:
            self.report_failure(error)
        return goes_on

    def _thread_failed(self, failed: threading.ExceptHookArgs) -> None:
        """Report the failure of a thread; end the program if its output fails."""
        if failed.thread is not None and failed.thread.name == OUTPUT_THREAD:
            self._last_resort.begin(signal.SIGTERM)  # the loop may wait for the thread for ever
            self.call_later(self.end_on_signal, signal.SIGTERM)
        elif isinstance(failed.exc_value, Exception):
            self.call_later(self.report_failure, failed.exc_value)

    def _warned(self, message: Warning | str, *where: Any, **more: Any) -> None:
        """Show a warning, of any thread, as a message: Python would write over the screen."""
        text = visible_text(str(message), spaces=False)
        self.call_later(self.tell, f"{text[:1].upper()}{text[1:]}.", stays=True)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return frame_looks(self.current_theme, has_colours=not self.no_color)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters without that for a terminal's own colours: no style here has any."""
        filters = super().get_line_filters()
        return [each for each in filters if not isinstance(each, ANSIToTruecolor)]

    def end_on_signal(self, number: int) -> None:
        self.exit(128 + number, return_code=128 + number)

    def refresh_css(self, animate: bool = True) -> None:
        """Read the style sheets again only if the theme has changed since the last time."""
        if self.theme == self._theme_of_sheets:
            self.stylesheet.update(self, animate=animate)
        else:
            self._theme_of_sheets = self.theme
            super().refresh_css(animate)

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action of any key, click or line of the help, or show why it is refused."""
        if isinstance(action, str) and (refused := self.refusal_of(action)):
            self.tell(refused)
            return True
        return await super().run_action(action, default_namespace, namespaces)

    def refusal_of(self, action: str) -> str | None:
        """Return why an action does nothing; `None` if it does something."""
        return None

    def action_light(self) -> None:
        is_light = self.theme != LIGHT.name
        self.theme = LIGHT.name if is_light else DARK.name
        save_preferences(is_light=is_light)

    def action_language(self) -> None:
        """Speak the next language, and make all screens again."""
        change_language()
        self.call_later(self.make_screens_again)  # the screen in front may wait for this

    async def make_screens_again(self) -> None:
        """Make the screens again, since they show another language."""

    @property
    def hides_next(self) -> bool:
        """Whether merges to come are hidden."""
        return False

    # -- messages

    def tell(self, message: str, *, stays: bool = False) -> None:
        """Show a message, of visible text, until the next key or, if it stays, until closed."""
        self.notices.add(tr(message), stays=stays)
        self._show_notices()

    def notify(self, message: str, **settings: Any) -> None:
        """Show Textual's own messages in the same line, not over the panels."""
        self.tell(message)

    def close_note(self) -> None:
        """Close the message that stays."""
        self.notices.note = ""
        self._show_notices()

    def clear_notices(self) -> None:
        """Remove all messages: a recording shows none."""
        self.notices.now = ""
        self.close_note()

    def exit(self, *arguments: Any, **settings: Any) -> None:
        self._leaves = True
        super().exit(*arguments, **settings)

    async def on_event(self, event: events.Event) -> None:
        """Clear the message at the next key; ignore keys after the one that quits."""
        if self._leaves and isinstance(event, events.InputEvent):
            return
        if isinstance(event, events.Key | events.MouseDown):
            self._pressed = monotonic()
            if self.notices.now:
                self.notices.now = ""
                self._show_notices()
        await super().on_event(event)

    def _show_notices(self) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, PanelScreen):
                screen.show_notices()

    def action_messages(self) -> None:
        self.push_screen(Messages())

    def action_open(self) -> None:
        """Ask for another tokenizer, for the comparison in front."""
        from bpe_tui.dialogs.open_other import Chosen, ChosenFile, OpenOther, ToCompare

        comparison = cast("ComparisonScreen", self.screen)

        def take(chosen: Chosen) -> None:
            if isinstance(chosen, ToCompare):
                comparison.take_other(chosen.paths)

        self.push_screen(OpenOther(None, ChosenFile.COMPARE), take)

    def action_help(self) -> None:
        if isinstance(screen := self.screen, PanelScreen):  # a window has no commands
            from bpe_tui.shell.help_window import Help, run_command  # few keys open it

            self.push_screen(Help(screen), partial(run_command, screen))


class SingleScreenApp(BaseApp):
    """An application of one screen, which `make` makes: a quiz, a comparison of tokenizers."""

    def __init__(self, make: Callable[[], Screen[Any]]) -> None:
        super().__init__()
        self._make = make

    def on_mount(self) -> None:
        self.push_screen(self._make())

    async def make_screens_again(self) -> None:
        await self.pop_screen()
        await self.push_screen(self._make())


def run_screen(make: Callable[[], Screen[Any]]) -> int:
    """Run an application of one screen until the user leaves; return the exit code."""
    tolerate_bad_bytes()
    app = SingleScreenApp(make)
    app.run()
    return app.return_code or 0

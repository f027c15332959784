"""All names of Textual that are not public and that the package uses, each with its reason.

Other modules use what is here, under public names. `test_textual_private.py` fails with the name
that a version of Textual has no more. What follows stands in for a mend of Textual itself:

- `StylesCache.get_inner_outer` is a method under `lru_cache`, so the cache keeps `self`, a thousand
  caches of painted lines. It uses none of `self`: `@staticmethod` above `@lru_cache` would do.
- `LinuxDriver` decodes keys strictly, so one byte that is no UTF-8 ends its reading thread.
  `errors="replace"` would do.
- `Timer` skips a late call, even the only one: a timer for a few milliseconds is lost if the
  program waits for the processor as it begins. One of them is for a new size of the terminal: no
  later size would be heard of. `skip=False` where `repeat=0` would do.
"""

from __future__ import annotations

from asyncio import TimerHandle, get_running_loop
from codecs import getincrementaldecoder
from collections.abc import Callable
from functools import partial
from typing import Any

from textual import message_pump
from textual._context import active_message_pump
from textual._styles_cache import StylesCache
from textual.app import App, ReturnType
from textual.await_remove import AwaitRemove
from textual.css.model import RuleSet, SelectorType
from textual.css.query import NoMatches
from textual.css.stylesheet import Stylesheet
from textual.errors import NoWidget
from textual.events import Event, Mount, ScreenResume
from textual.geometry import Size
from textual.message import Message
from textual.message_pump import MessagePump
from textual.reactive import Reactive
from textual.screen import Screen, ScreenResultType
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

CLASS = SelectorType.CLASS
OUTPUT_THREAD = "textual-output"
"""The name of the thread that writes to the terminal; it ends if the terminal is closed."""
ROUNDS = 12
"""Rounds of the event loop before a painting: a message takes two from its sender to its effect."""
MOST_POSTPONED = 4
"""Most layouts in a row that are not painted; a screen that never settles shows every fifth."""


class PunctualTimer(Timer):
    """A timer that makes its only call however late it is; see the top."""

    def __init__(
        self, *given: Any, repeat: int | None = None, skip: bool = True, **named: Any
    ) -> None:
        super().__init__(*given, repeat=repeat, skip=skip and repeat != 0, **named)


setattr(message_pump, "Timer", PunctualTimer)  # noqa: B010 - what `set_timer` makes


class CurrentStylesheet(Stylesheet):
    """A style sheet whose rules by name are those of all its sources.

    Textual's are older for the first widget of a class: its default styles are a source that is not
    parsed yet. So all widgets of a new screen would need their styles twice.
    """

    @property
    def rules_map(self) -> dict[str, list[RuleSet]]:
        """Name in a selector → the rules with it."""
        _ = self.rules  # parses new sources
        return super().rules_map

    def reparse(self) -> None:
        """Parse what is new: Textual would parse all sheets again for each screen's first visit.

        What was parsed is forgotten when variables change, such as those of a theme.
        """
        self.parse()


class SettledScreen(Screen[ScreenResultType]):
    """A screen that is painted once all messages of a key have had their effect.

    A key leads to several messages, and new sizes lead to new rows, which may lead to another
    layout. Textual would paint the whole screen after each of these, a sixtieth of a second apart.
    """

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    """The widget with the focus; only it and the one before change their looks."""

    _styled_for: str | None = None
    """The theme of the widgets' styles; nothing else changes them while the screen is hidden."""
    _styled_with: frozenset[str] = frozenset()
    """The screen's classes when the widgets' styles were computed."""
    _is_waiting = False
    """Whether a painting is due in some rounds."""
    _is_settled = False
    """Whether the screen may be painted now."""
    _postponed = 0
    """Number of layouts in a row that have not been painted."""

    async def on_event(self, event: Event) -> None:
        """Handle an event; a screen that comes back keeps its styles, unless the theme is new."""
        if isinstance(event, ScreenResume):  # of one made ahead, the style sheet may still be old
            event.refresh_styles = self.is_current and self._styled_for != self.app.theme
        if isinstance(event, ScreenResume | Mount):
            self._styled_with = self.classes
            if isinstance(event, Mount) or event.refresh_styles:
                self._styled_for = self.app.theme
        await super().on_event(event)

    async def mount_composed_widgets(self, widgets: list[Widget]) -> None:
        """Mount the screen's own widgets: no tooltip or notification of Textual is ever shown."""
        own = [each for each in widgets if not (each.id or "").startswith("textual-")]
        await super().mount_composed_widgets(own)

    def update_node_styles(self, animate: bool = True) -> None:
        """Compute the styles of the widgets that rules with a changed class end in.

        Textual computes those of all widgets, which takes as long as the rest of a zoom.
        """
        changed, self._styled_with = self.classes ^ self._styled_with, self.classes
        if not changed:
            super().update_node_styles(animate)
            return
        ends = [
            chain.selectors[-1]
            for rule in self.app.stylesheet.rules
            for chain in rule.selector_set
            if any(each.type is CLASS and each.name in changed for each in chain.selectors)
        ]
        self.app.stylesheet.update_nodes(
            each
            for each in self.walk_children(with_self=True)
            if any(end.check(each) for end in ends)
        )

    def call_after_refresh(
        self, callback: Callable[..., object], *arguments: Any, **named: Any
    ) -> bool:
        """Call back after the next refresh, unless the screen has been removed by then.

        The screen in front makes the call, and would end for a widget that is not found any more.
        """
        return super().call_after_refresh(
            lambda: None if self._pruning else callback(*arguments, **named)
        )

    # Each layout in a new size ends with another event of that size. It may be handled after the
    # next size has come, so it never decides: two sizes would take turns for ever.
    def _screen_resized(self, _: Size) -> None:
        if self.outer_size != self.app.size:
            super()._screen_resized(self.app.size)

    # Textual calls this to paint, from several places.
    def _compositor_refresh(self) -> None:
        if self._is_settled or self is not self.app.screen:  # one behind a window is not painted
            super()._compositor_refresh()
        elif not self._is_waiting:  # the compositor keeps what is to be painted
            self._is_waiting = True
            self._wait(ROUNDS)

    def _wait(self, rounds: int) -> None:
        if rounds:
            get_running_loop().call_soon(self._wait, rounds - 1)
            return
        if not self.app.screen_stack:  # the application has ended meanwhile
            return
        try:
            self._paint()
        except Exception as error:  # as Textual's timer has it: the loop would lose it
            self.app._handle_exception(error)

    @property
    def has_content(self) -> bool:
        """Whether there is something to paint; without it the terminal stays as it is."""
        return True

    def _paint(self) -> None:
        """Paint, unless a new layout is due: then make it, and wait again."""
        self._is_waiting = False
        if not self.has_content:
            return
        self._is_settled = is_laid_out(self) or self._postponed >= MOST_POSTPONED
        self._postponed = 0 if self._is_settled else self._postponed + 1
        try:
            self._on_timer_update()  # lays out and scrolls what is due, and paints
            self._compositor_refresh()
        finally:
            self._is_settled = False

    def remove_alone(self) -> AwaitRemove:
        """Remove the screen, without a new layout of the one behind, which has not changed.

        Its name is free at once: another screen may have it before this one is gone.
        """
        self.app._nodes._remove(self)
        return self.app._prune(self)  # `remove` lays out the parent


class SurvivingApp(App[ReturnType]):
    """An application that may go on after an exception for which Textual would end it."""

    def goes_on_after(self, error: Exception) -> bool:
        """Deal with an exception; return whether the application goes on."""
        return False

    def _handle_exception(self, error: Exception) -> None:  # what Textual calls at any failure
        if not (finds_nothing(error, active_message_pump.get(None)) or self.goes_on_after(error)):
            super()._handle_exception(error)


def do_after(seconds: float, widget: Widget, work: Callable[[], object]) -> TimerHandle:
    """Let a widget do some work, after a time and behind its other work."""
    return get_running_loop().call_later(seconds, widget.call_later, work)


def guard_messages(report: Callable[[Exception], object]) -> None:
    """Pass exceptions of any widget's messages to `report`, and let the widget go on.

    Textual would end the widget's loop, before it asks the application.
    """
    dispatch = MessagePump._dispatch_message

    async def guarded(pump: MessagePump, message: Message) -> None:
        try:
            await dispatch(pump, message)
        except Exception as error:
            if not finds_nothing(error, pump):
                report(error)

    setattr(MessagePump, "_dispatch_message", guarded)  # noqa: B010


def finds_nothing(error: Exception, pump: MessagePump | None) -> bool:
    """Whether a widget that is being removed found no other one, which is harmless.

    Textual may remove a window before its first message, and still gives it its messages then.
    """
    return (
        isinstance(error, NoMatches | NoWidget)
        and isinstance(pump, Widget)
        and any(isinstance(each, Widget) and each._pruning for each in pump.ancestors_with_self)
    )


def mount_unseen(app: App[Any], screen: Screen[Any]) -> None:
    """Mount a screen that is not in front; `push_screen` mounts the one that it shows."""
    app._register(app, screen)


def is_laid_out(screen: Screen[Any]) -> bool:
    """Whether no widget of a screen waits for a new layout, or for its place after scrolling.

    Only Textual's timer asks this, which paints the old layout before the new one.
    """
    return not (screen._layout_required or screen._scroll_required)


def painted_lines(screen: Screen[Any]) -> list[Strip]:
    """Return the painted lines of a screen, also of one behind a window.

    Textual's public functions draw only the screen in front.
    """
    return screen._compositor.render_strips()


def free_painted_lines() -> None:
    """Let the painted lines of removed widgets be freed; see the top of this module.

    The last thousand widgets kept all their lines, some 40 KB each.
    """
    remembered: Any = vars(StylesCache)["get_inner_outer"]
    if not isinstance(remembered, classmethod):
        setattr(StylesCache, "get_inner_outer", classmethod(remembered))  # noqa: B010


def tolerate_bad_bytes() -> None:
    """Keep bytes of the terminal that are not UTF-8 from ending the application; see the top."""
    try:
        from textual.drivers import linux_driver
    except ImportError:  # Windows gives characters, not bytes
        return
    setattr(  # noqa: B010
        linux_driver,
        "getincrementaldecoder",
        lambda encoding: partial(getincrementaldecoder(encoding), "replace"),
    )

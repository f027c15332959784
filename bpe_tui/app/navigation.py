"""The ways of one jump: from rows to what they name, and back with ⌫.

Windows are imported when they are first opened: the first frame need not wait for them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from textual.screen import Screen

from bpe_tui.app.base import BaseApp
from bpe_tui.session.declarations import ENCODING, TABS, TRAINING, VOCABULARY
from bpe_tui.session.host import Host
from bpe_tui.session.models import kind_and_model
from bpe_tui.shell import targets
from bpe_tui.shell.screen_panels import Spot
from bpe_tui.shell.session_screen import SessionScreen
from bpe_tui.widgets.language import tr
from engine.recording.playback import AnyMergeFrame, MergeFrame
from engine.text.pretokenize import to_text

if TYPE_CHECKING:
    from bpe_tui.panels.encoding_screen import WalkScreen

MOST_PLACES = 100
"""Most places that ⌫ leads back to; older ones are forgotten."""


class JumpStart(NamedTuple):
    """A place that a jump led away from.

    Attributes:
        screen, step, spot: the screen, the step that it showed, the panel and the rows.
        typed: the text there, `Session.typed`.
        carried: the text that the jump put in its place; `None` for none.
        led_to: the screen that the jump led to.
    """

    screen: str
    step: int
    spot: Spot
    typed: str | None
    carried: str | None = None
    led_to: str = ""

    def differs_from(self, other: JumpStart) -> bool:
        """Whether it is another screen, step or row, whatever the text."""
        here, there = self.spot, other.spot
        return self[:2] != other[:2] or (here.panel, here.rows) != (there.panel, there.rows)

    def name_from(self, other: JumpStart) -> str:
        """Name the place as it differs from another: `step 2`, `3 vocab`."""
        if self.screen != other.screen:
            kind, _ = kind_and_model(self.screen)
            key, name = TABS[kind][:2] if kind in TABS else ("", kind)
            return f"{key} {tr(name)}".lstrip()
        if self.step == other.step:
            return tr("another row")
        return tr("step {n}", n=self.step)


NO_TRAIL = "Nothing to go back to: ⌫ undoes jumps, such as Enter on a row, n or End."
GONE = "No way back: the jumps before were in another run, which is not shown any more."


class ScreenNavigation:
    """The way from rows to the screens that show their targets, and back.

    A jump is Enter or a click on a row, a click on a chart or the slider, or a key that seeks a
    step. ⌫ comes back to the screen, the step, the row and the text before.

    Attributes:
        trail: the places that the jumps so far led away from.
    """

    def __init__(self, app: BaseApp) -> None:
        self.app, self.host = app, cast("Host", app)
        self.trail: deque[JumpStart] = deque(maxlen=MOST_PLACES)
        self._has_lost_trail = False

    def go_to_target(self, target: object) -> None:
        """Go to the target of a row, and remember the way back."""
        with self.jump():
            self._go_to(target)

    def _go_to(self, target: object) -> None:
        match target:
            case targets.ToStep(step):
                self._switch_to(TRAINING)
                self.host.seek(step)
            case targets.ToOpening():
                self.host.action_open()
            case targets.ToPair(pair):
                merges = self.host.session.merges
                if merges is not None and (at := merges.run.step_of(pair)) is not None:
                    self.host.seek(at)
                else:
                    still = "" if self.host.session.stop_reason else tr(" so far")
                    template = "This pair does not merge{still}; w explains why."
                    self.host.tell(tr(template, still=still))
            case targets.ToChange(pair):
                if (frame := self.host.session.frame) is not None:
                    self.host.hold()
                    from bpe_tui.bpe.windows import LedgerWindow

                    self.app.push_screen(LedgerWindow(frame, pair), self._left_window)
            case targets.ToLine():
                self._show_on(TRAINING, target)
            case targets.ToPretoken(pretoken):
                self.open_encoding(to_text(pretoken), look=True)
            case targets.ToToken(token_id):
                self._show_on(VOCABULARY, target)
                state = cast("AnyMergeFrame", self.host.session.shown)
                if not state.has_token(token_id):  # a later step makes it
                    self.host.seek(state.step_making(token_id))
            case targets.ToQuestion(ids):
                self.ask(ids)
            case targets.ToPiece():
                self._show_on(VOCABULARY, target)

    def ask(self, ids: Sequence[int], typed: str = "", text: str = "") -> None:
        """Open the window about a token, about two adjacent ones, or about what was typed.

        With a text the question is about the places where it has them.
        """
        screen = self.app.screen
        if not isinstance(screen, SessionScreen):
            return
        frame, painter = screen.frame, screen.painter_maker()
        if isinstance(frame, MergeFrame) and painter is not None:
            self.host.hold()
            from bpe_tui.dialogs.why import WhyWindow

            self.app.push_screen(WhyWindow(frame, painter, ids, typed, text), self._left_window)

    def open_encoding(self, text: str, look: bool = False) -> None:
        """Show the encoding of a text on its screen; `look` goes to the panel of pretokens."""
        session = self.host.session
        if (refused := self.host.refusal_of(f"app.show('{ENCODING}')")) is not None:
            self.host.tell(refused)
        elif session.shown is not None:
            with self.jump():
                self._switch_to(ENCODING)
                session.type(text)
                screen = cast("WalkScreen", self._screen(ENCODING))
                screen.call_later(screen.look_at_pretokens if look else screen.action_type)
                self.host.changed()

    # -- the way back

    @property
    def way_back(self) -> str:
        """The place that ⌫ leads back to if a jump has led here: `step 2`; else ""."""
        here = self.here()
        before = None if here is None else self._before(here)
        if here is None or before is None:
            return ""
        return before.name_from(here)

    def _before(self, here: JumpStart) -> JumpStart | None:
        """Return the place that ⌫ leads back to; `None` if there is none.

        If a digit has changed the screen since the jump, that is another place: ⌫ leads to the
        screen of the jump first.
        """
        before = next((place for place in reversed(self.trail) if place.differs_from(here)), None)
        if before is None or here.screen in (before.screen, before.led_to):
            return before
        if before.led_to == before.screen and before.step == here.step:
            return before
        screen = cast("SessionScreen", self.app.get_screen(before.led_to))
        return here._replace(screen=before.led_to, spot=screen.panels.spot())

    def here(self) -> JumpStart | None:
        """Return the present place; `None` in a window, or while there is nothing to show."""
        screen, session = self.app.screen, self.host.session
        if not isinstance(screen, SessionScreen) or session.shown is None or screen.id is None:
            return None
        return JumpStart(screen.id, session.shown.step, screen.panels.spot(), session.typed)

    @contextmanager
    def jump(self, start: JumpStart | None = None) -> Iterator[None]:
        """Remember where a jump starts: the given place, or the present one."""
        start = start or self.here()
        yield
        here, session = self.here(), self.host.session
        if start is None or here is None or not start.differs_from(here):
            return
        start = start._replace(led_to=here.screen)
        if session.typed != start.typed:
            start = start._replace(carried=session.text)
        if not self.trail or self.trail[-1].differs_from(start):  # else an inner jump's
            self.trail.append(start)
        self._show_keys(self.app.screen)

    def forget(self) -> None:
        """Forget the way back: its steps are another run's."""
        self._has_lost_trail = self._has_lost_trail or bool(self.trail)
        self.trail.clear()
        self._show_keys(self.app.screen)

    def _show_keys(self, screen: Screen[Any]) -> None:
        """Show on a screen, when it has changed, whether ⌫ leads back from there."""
        if isinstance(screen, SessionScreen):
            screen.call_later(screen.show_keys)

    def go_back(self) -> None:
        """Go back to where the last jump started; restore the text if the jump's is unchanged."""
        here = self.here()
        before = None if here is None else self._before(here)
        if here is None or before is None:
            self.host.tell(GONE if self._has_lost_trail else NO_TRAIL)
            self._has_lost_trail = False
            return
        while not self.trail[-1].differs_from(here):
            self.trail.pop()
        if self.trail[-1] is before:
            self.trail.pop()
        session = self.host.session
        if before.carried is not None and session.text == before.carried:
            session.typed = before.typed
        if before.screen != here.screen:
            self.app.switch_screen(before.screen)
        self.host.seek(before.step)
        screen = cast("SessionScreen", self.app.get_screen(before.screen))
        screen.call_later(screen.return_to, before.spot)  # once its rows are made
        self._show_keys(screen)

    # -- getting there

    def _screen(self, kind: str) -> SessionScreen:
        """Return the screen of a kind for the session's model."""
        screen = self.app.get_screen(self.host.session.model.screen(kind))
        assert isinstance(screen, SessionScreen)
        return screen

    def _switch_to(self, kind: str) -> None:
        name = self.host.session.model.screen(kind)
        if self.app.screen.id != name and self.host.session.shown is not None:
            screen = self._screen(kind)
            if screen.is_typing:  # else ⌫ would be typed into the field
                screen.show_panel(screen.PANEL_ORDER[0])
            self.app.switch_screen(name)

    def _show_on(self, kind: str, target: object) -> None:
        screen = self._screen(kind)
        self._switch_to(kind)
        screen.call_later(screen.show_target, target)  # after the screen has changed

    def _left_window(self, target: object | None) -> None:
        if target is not None:
            self.go_to_target(target)

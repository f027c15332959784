"""Navigation from rows to the screens that show their targets, and back.

A row that names a step, a pair, a token or a pretoken leads to the screen that shows it. Esc comes
back to the screen, the step and the text before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pkgutil import resolve_name
from typing import Any, NamedTuple, cast

from textual.app import App
from textual.events import ScreenResume
from textual.screen import Screen

from bpe_tui.session.declarations import ENCODING, TRAINING, VOCABULARY
from bpe_tui.session.host import Host
from bpe_tui.session.models import MODELS
from bpe_tui.views.panel import TokenPanel
from bpe_tui.views.panel_screen import SessionScreen
from bpe_tui.views.targets import (
    ToChange,
    ToLine,
    ToPair,
    ToPiece,
    ToPretoken,
    ToQuestion,
    ToStep,
    ToToken,
)
from engine.recording.playback import AnyMergeFrame, MergeFrame
from engine.text.pretokenize import to_text

PLACES = {
    "start": "bpe_tui.dialogs.start_page:StartPage",
    "race": "bpe_tui.studies.race:RaceScreen",
    "family": "bpe_tui.studies.model_table:FamilyScreen",
    "check": "bpe_tui.studies.check:CheckScreen",
    "pipeline": "bpe_tui.studies.pipeline:PipelineScreen",
} | {name: place for model in MODELS.values() for name, place in model.screens.items()}


def _make(place: str) -> Screen[Any]:
    screen: Screen[Any] = resolve_name(place)()
    return screen


SCREENS: dict[str, Callable[[], Screen[Any]]] = {
    name: partial(_make, place) for name, place in PLACES.items()
}


def import_screen(name: str) -> None:
    """Import a screen, in any thread, ahead of the key that opens it."""
    resolve_name(PLACES[name])


def read_sheets(app: App[Any], screen: Screen[Any]) -> None:
    """Read the style sheets of a screen only; Textual would read those of all screens again."""
    for path in screen.css_path:
        if not app.stylesheet.has_source(str(path)):
            app.stylesheet.read(path)


def mount_ahead(app: App[Any], name: str) -> None:
    """Make a screen ahead of its key, which then has only to paint it.

    Textual has no public way to mount a screen that is not in front; its `push_screen` calls
    `_register`, too.
    """
    if not app.is_screen_installed(name):
        return  # the application is closing
    screen = app.get_screen(name)
    if screen.is_running:
        return
    read_sheets(app, screen)
    app._register(app, screen)
    screen.post_message(ScreenResume())  # it lays itself out, unpainted


class ScreenLeft(NamedTuple):
    """A screen that a row led away from.

    Attributes:
        screen, step: the screen and the step that it showed.
        typed: the text there, `Session.typed`.
        carried: the text that the row put into its place; `None` for none.
    """

    screen: str
    step: int
    typed: str | None
    carried: str | None


class ScreenNavigation:
    """The navigation of an application: goes to targets, and keeps the way back."""

    def __init__(self, app: App[int]) -> None:
        self._app = app
        self._host = cast("Host", app)
        self._left: list[ScreenLeft] = []

    def go_to_target(self, target: object) -> None:
        """Go to the target of a row."""
        match target:
            case ToStep(step):
                self._leave_for(TRAINING)
                self._host.seek(step)
            case ToPair(pair):
                merges = self._host.session.merges
                if merges is not None and (at := merges.run.step_of(pair)) is not None:
                    self._host.seek(at)
                else:
                    still = "" if self._host.session.stop_reason else " so far"
                    self._host.tell(f"This pair does not merge{still}; w explains why.")
            case ToChange(pair):
                if (frame := self._host.session.frame) is not None:
                    self._host.session.hold()
                    from bpe_tui.bpe.windows import LedgerWindow

                    self._app.push_screen(LedgerWindow(frame, pair), self._left_window)
            case ToLine():
                self._screen(TRAINING).show_target(target)
            case ToPretoken(pretoken):
                self.open_encoding(to_text(pretoken), look=True)
            case ToToken(token_id):
                self._show_on(VOCABULARY, target)
                state = cast("AnyMergeFrame", self._host.session.shown)
                if not state.has_token(token_id):  # a later step makes it
                    self._host.seek(state.step_making(token_id))
            case ToQuestion(ids):
                self.ask(ids)
            case ToPiece():
                self._show_on(VOCABULARY, target)

    def ask(self, ids: Sequence[int], beside: tuple[int | None, int | None] = (None, None)) -> None:
        """Open the window about a token, or about two adjacent ones.

        For a single token it explains why the token does not merge with those `beside` it.
        """
        frame = self._host.session.shown
        screen = self._app.screen
        painter = screen.painter_maker() if isinstance(screen, SessionScreen) else None
        if isinstance(frame, MergeFrame) and painter is not None:
            self._host.session.hold()
            from bpe_tui.dialogs.why import WhyWindow

            window = WhyWindow(frame, painter, ids, beside)
            self._app.push_screen(window, self._left_window)

    def find_pair(self) -> None:
        """Open the window that finds pairs in the heap by one of their tokens."""
        frame = self._host.session.frame
        if frame is not None:
            self._host.session.hold()
            from bpe_tui.dialogs.why import FindPair

            painter = self._app.screen.query(TokenPanel).first().painter
            self._app.push_screen(FindPair(frame, painter), self._left_window)

    def open_encoding(self, text: str, look: bool = False) -> None:
        """Show the encoding of a text on its screen; `look` goes to the panel of pretokens."""
        session = self._host.session
        if (refused := session.refusal_to_show(ENCODING)) is not None:
            self._host.tell(refused)
        elif session.shown is not None:
            self._leave_for(ENCODING, carried=text)
            session.type(text)
            screen = self._screen(ENCODING)
            screen.call_later(screen.show_panel, "pretokens" if look else "text")
            self._host.changed()

    # -- the way back

    @property
    def way_back(self) -> bool:
        """Whether a row has led to this screen."""
        return bool(self._left)

    def go_back(self) -> None:
        """Go back to the screen and step before; restore the text if the row's is unchanged."""
        if self._left:
            left, session = self._left.pop(), self._host.session
            if session.text == left.carried:
                session.typed = left.typed
            self._app.switch_screen(left.screen)
            self._host.seek(left.step)

    def forget(self) -> None:
        """Forget the way back, since the user chose a screen."""
        self._left.clear()

    # -- getting there

    def _screen(self, kind: str) -> SessionScreen:
        """Return the screen of a kind for the session's model."""
        screen = self._app.get_screen(self._host.session.model.screen(kind))
        assert isinstance(screen, SessionScreen)
        return screen

    def _leave_for(self, kind: str, carried: str | None = None) -> None:
        """Change to the screen of a row's target, and remember the way back."""
        session = self._host.session
        name = session.model.screen(kind)
        here, shown = self._app.screen.id, session.shown
        if here is not None and here != name and shown is not None:
            self._left.append(ScreenLeft(here, shown.step, session.typed, carried))
            self._app.switch_screen(name)

    def _show_on(self, kind: str, target: object) -> None:
        screen = self._screen(kind)
        self._leave_for(kind)
        screen.call_later(screen.show_target, target)  # after the screen has changed

    def _left_window(self, target: object | None) -> None:
        if target is not None:
            self.go_to_target(target)

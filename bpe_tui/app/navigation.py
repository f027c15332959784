"""Where rows lead, and the way back.

A row that names a step, a pair, a token or a pretoken leads to the screen that shows it. The screen
that was left is remembered with its step and its text, so that Esc comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from engine.core.events import Pair
from engine.recording.playback import AnyMergeFrame, MergeFrame
from engine.text.pretokenize import to_text

PLACES = {
    "start": "bpe_tui.dialogs.start_page:StartPage",
    "race": "bpe_tui.studies.race:RaceScreen",
    "family": "bpe_tui.studies.model_table:FamilyScreen",
    "check": "bpe_tui.studies.check:CheckScreen",
    "pipeline": "bpe_tui.studies.pipeline:PipelineScreen",
} | {name: place for model in MODELS.values() for name, place in model.screens.items()}


def _maker_of(place: str) -> Callable[[], Screen[Any]]:
    return lambda: resolve_name(place)()


SCREENS = {name: _maker_of(place) for name, place in PLACES.items()}


def import_screen(name: str) -> None:
    """Import a screen, in whatever thread, so that the key that opens it need not."""
    resolve_name(PLACES[name])


def read_sheets(app: App[Any], screen: Screen[Any]) -> None:
    """Read the style sheets of a screen; Textual would read those of all screens anew."""
    for path in screen.css_path:
        if not app.stylesheet.has_source(str(path)):
            app.stylesheet.read(path)


def mount_ahead(app: App[Any], name: str) -> None:
    """Make a screen that nobody has asked for yet, so that its key has only to paint it.

    `_register` is what `push_screen` does it with: Textual has no public way to mount a screen that
    is not in front.
    """
    if not app.is_screen_installed(name):
        return  # the application is closing
    screen = app.get_screen(name)
    if screen.is_running:
        return
    read_sheets(app, screen)
    app._register(app, screen)
    screen.post_message(ScreenResume())  # it lays itself out; nothing is painted of it


class ScreenLeft(NamedTuple):
    """How it was where a row led away from.

    Attributes:
        screen, step: what was shown.
        typed: the text as it was, `Session.typed`.
        carried: the text that the row brought in its place; `None` if it brought none.
    """

    screen: str
    step: int
    typed: str | None
    carried: str | None


class ScreenNavigation:
    """Leads between the screens of an application, and remembers the way back."""

    def __init__(self, app: App[int]) -> None:
        self._app = app
        self._host = cast("Host", app)
        self._left: list[ScreenLeft] = []

    def go_to_target(self, target: object) -> None:
        """Where a row leads."""
        match target:
            case ToStep(step):
                self._leave_for(TRAINING)
                self._host.seek(step)
            case ToPair(pair):
                self._go_to_pair(pair)
            case ToChange(pair):
                self._look_behind(pair)
            case ToLine():
                self._screen(TRAINING).show_target(target)
            case ToPretoken(pretoken):
                self.open_encoding(to_text(pretoken), look=True)
            case ToToken(token_id):
                self._show_on(VOCABULARY, target)
                self._seek_token(token_id)
            case ToQuestion(ids):
                self.ask(ids)
            case ToPiece():
                self._show_on(VOCABULARY, target)

    def ask(self, ids: Sequence[int], beside: tuple[int | None, int | None] = (None, None)) -> None:
        """Ask about a token, or about two side by side, in a window that leads on.

        Of a single token it can be told why it does not merge with those `beside` it.
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
        """Find pairs in the heap by one of their tokens."""
        frame = self._host.session.frame
        if frame is not None:
            self._host.session.hold()
            from bpe_tui.dialogs.why import FindPair

            painter = self._app.screen.query(TokenPanel).first().painter
            self._app.push_screen(FindPair(frame, painter), self._left_window)

    def open_encoding(self, text: str, look: bool = False) -> None:
        """Let this be the text and change to the encoding screen; `look` goes to its pretokens."""
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
        """To the screen and the step that a row led away from, and to the text if it is as then."""
        if self._left:
            left, session = self._left.pop(), self._host.session
            if session.text == left.carried:
                session.typed = left.typed
            self._app.switch_screen(left.screen)
            self._host.seek(left.step)

    def forget(self) -> None:
        """Somebody chose a screen: no row has led there."""
        self._left.clear()

    # -- getting there

    def _screen(self, kind: str) -> SessionScreen:
        """The screen of a kind that shows the model of the session."""
        screen = self._app.get_screen(self._host.session.model.screen(kind))
        assert isinstance(screen, SessionScreen)
        return screen

    def _leave_for(self, kind: str, carried: str | None = None) -> None:
        """Change to another screen on account of a row, and remember where this one stood."""
        session = self._host.session
        name = session.model.screen(kind)
        here, shown = self._app.screen.id, session.shown
        if here is not None and here != name and shown is not None:
            self._left.append(ScreenLeft(here, shown.step, session.typed, carried))
            self._app.switch_screen(name)

    def _show_on(self, kind: str, target: object) -> None:
        screen = self._screen(kind)
        self._leave_for(kind)
        screen.call_later(screen.show_target, target)  # once it is there

    def _seek_token(self, token_id: int) -> None:
        """Go on to the step that makes a token, if it is of the future: a row may name it."""
        frame = cast("AnyMergeFrame", self._host.session.shown)
        if not frame.has_token(token_id):
            self._host.seek(frame.step_making(token_id))

    def _go_to_pair(self, pair: Pair) -> None:
        session = self._host.session
        step = session.merges.run.step_of(pair) if session.merges else None
        if step is None:
            still = "" if session.stop_reason else " so far"
            self._host.tell(f"This pair does not merge{still}; w tells why.")
        else:
            self._host.seek(step)

    def _look_behind(self, pair: Pair) -> None:
        if (frame := self._host.session.frame) is not None:
            self._host.session.hold()
            from bpe_tui.bpe.windows import LedgerWindow

            self._app.push_screen(LedgerWindow(frame, pair), self._left_window)

    def _left_window(self, target: object | None) -> None:
        if target is not None:
            self.go_to_target(target)

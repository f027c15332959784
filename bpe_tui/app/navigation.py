"""Where rows lead, and the way back.

A row that names a step, a pair, a token or a pretoken leads to the screen that shows it. The screen
that was left is remembered with its step, so that Esc comes back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from textual.widgets import Input

from bpe_tui.session.commands.command import ENCODING, TRAINING, VOCABULARY
from bpe_tui.views.panel import ToChange, ToLine, ToPair, ToPiece, ToPretoken, ToStep, ToToken
from engine.core.events import Pair
from engine.text.pretokenize import to_text

if TYPE_CHECKING:
    from bpe_tui.app.windows import Windows
    from bpe_tui.bpe.screens.encoding import EncodingScreen
    from bpe_tui.bpe.screens.training import TrainingScreen
    from bpe_tui.views.encoding_screen import WalkScreen
    from bpe_tui.views.vocabulary_table import TableScreen
    from engine.recording.merge_frame import AnyMergeFrame


class Ways:
    """The ways between the screens of an application."""

    def __init__(self, app: Windows) -> None:
        self._app = app
        self._left: list[tuple[str, int]] = []

    def go_to_target(self, target: object) -> None:
        """Where a row leads."""
        leads: dict[type, Callable[[Any], None]] = {
            ToStep: lambda to: self._go_to_step(to.step),
            ToPair: lambda to: self._go_to_pair(to.pair),
            ToChange: lambda to: self._look_behind(to.pair),
            ToLine: lambda to: self._show_line(to.line),
            ToPretoken: lambda to: self.open_encoding(to_text(to.pretoken), look=True),
            ToToken: lambda to: self.open_vocabulary(to.token_id),
            ToPiece: lambda to: self._open_pieces(to.number),
        }
        leads[type(target)](target)

    # -- the way back

    @property
    def way_back(self) -> bool:
        """Whether a row has led to this screen."""
        return bool(self._left)

    def go_back(self) -> None:
        """To the screen and the step that a row led away from."""
        if self._left:
            screen, step = self._left.pop()
            self._app.switch_screen(screen)
            self._app.seek(step)

    def forget(self) -> None:
        """Somebody chose a screen: no row has led there."""
        self._left.clear()

    def _leave_for(self, screen: str) -> None:
        """Change to another screen on account of a row, and remember where it stood."""
        here, shown = self._app.screen.id, self._app.session.shown
        if here is not None and here != screen and shown is not None:
            self._left.append((here, shown.step))
            self._app.switch_screen(screen)

    # -- the ways

    def open_vocabulary(self, token_id: int) -> None:
        """Change to the vocabulary screen with a token under the cursor."""
        frame: AnyMergeFrame | None = cast("Any", self._app.session.shown)
        if frame is None:
            return
        name = self._app.session.model.screen(VOCABULARY)
        screen = cast("TableScreen", self._app.get_screen(name))
        self._leave_for(name)
        if not frame.has_token(token_id):  # a row of the future names it
            self._app.seek(frame.step_making(token_id))
        screen.call_later(screen.show_token, token_id)  # once it is there

    def _open_pieces(self, piece: int) -> None:
        """Change to the vocabulary screen of Unigram with a piece under the cursor."""
        name = self._app.session.model.screen(VOCABULARY)
        screen = cast("TableScreen", self._app.get_screen(name))
        self._leave_for(name)
        screen.call_later(screen.show_token, piece)  # once it is there

    def open_encoding(self, text: str, look: bool = False) -> None:
        """Change to the encoding screen with a text in it; `look` goes to its pretokens."""
        if self._app.session.shown is None:
            return
        name = self._app.session.model.screen(ENCODING)
        screen = cast("EncodingScreen", self._app.get_screen(name))
        self._leave_for(name)
        screen.call_later(screen.open_text, text, look)  # once it is there

    def take_over_typed(self) -> None:
        """Let the encoding screen begin with what is typed on the training screen."""
        model = self._app.session.model
        training = self._app.get_screen(model.screen(TRAINING))
        if training.is_mounted:
            typed = training.query_one("#encode-input", Input).value
            screen = cast("WalkScreen", self._app.get_screen(model.screen(ENCODING)))
            screen.call_later(screen.take_over, typed)  # once it is there

    def _go_to_step(self, step: int) -> None:
        """A step is looked at on the training screen."""
        self._leave_for(self._app.session.model.screen(TRAINING))
        self._app.seek(step)

    def _go_to_pair(self, pair: Pair) -> None:
        session = self._app.session
        step = session.merges.step_of(pair) if session.merges else None
        if step is None:
            still = "" if session.stop_reason else " so far"
            self._app.notify(f"This pair does not merge{still}.", markup=False, timeout=3)
        else:
            self._app.seek(step)

    def _look_behind(self, pair: Pair) -> None:
        if (frame := self._app.session.frame) is not None:
            self._app.session.hold()
            from bpe_tui.bpe.screens.ledger import LedgerWindow

            self._app.push_screen(LedgerWindow(frame, pair), self._looked_behind)

    def _looked_behind(self, target: object | None) -> None:
        if target is not None:
            self.go_to_target(target)

    def _show_line(self, line: int) -> None:
        cast("TrainingScreen", self._app.get_screen("training")).show_line(line)

"""The base of all models' encoding screens: a text, its parts, and a walk through one part."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, ClassVar, cast

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.events import Paste
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import TextArea

from bpe_tui.panels.token_detail import LanesPanel
from bpe_tui.panels.training_panels import TypedTextPanel
from bpe_tui.session.host import Notifier
from bpe_tui.session.session import Session
from bpe_tui.shell.panel import FramePanel, FrameT, MergeFrameT, TokenPanel, sentence
from bpe_tui.shell.session_screen import SessionScreen
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.lines import ShownInRows
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import (
    Column,
    Row,
    RowsOnDemand,
    RowTable,
    cursor_sign,
    has_row_below,
    spans_width,
)
from bpe_tui.widgets.text_field import TextField

END_OF_ROWS = "This is the last pretoken of the text; > goes to the last step, {n}."


class PartsPanel(FramePanel[FrameT]):
    """The parts of a text, one a row; the cursor selects one."""

    KEEPS_CURSOR = True

    @dataclass
    class Selected(Message):
        """The cursor has moved to a part, `PartsPanel.selected`."""

        part: Any

    @property
    def selected(self) -> Any:
        """The part that the cursor is on."""
        raise NotImplementedError

    def watch_cursor(self) -> None:
        super().watch_cursor()
        self._post_selected()

    def rebuild(self) -> None:
        super().rebuild()
        self._post_selected()

    def _post_selected(self) -> None:
        # The panel is the sender, whatever changed the text: else the message would not bubble.
        self.post_message(self.Selected(self.selected).set_sender(self))


class TextPretokensPanel(PartsPanel[FrameT]):
    """The pretokens of a text, one a row, in the columns of a model; the cursor selects one."""

    ID = TITLE = "pretokens"
    FOOT: ClassVar[str]

    pretokens: ShownInRows[Sequence[Any]] = ShownInRows(())

    @property
    def selected(self) -> Any:
        # A hidden panel keeps its cursor, also below the last one.
        return self.pretokens[min(self.cursor, len(self.pretokens) - 1)] if self.pretokens else None

    def look_at_change(self, before: Sequence[Any]) -> None:
        """Put the cursor on the first pretoken that is another one than before."""
        pairs = enumerate(zip_longest(before, self.pretokens))
        changed = next((place for place, (old, new) in pairs if old != new), None)
        if changed is not None:
            self.cursor = max(0, min(changed, len(self.pretokens) - 1))
            self.scroll_to_row(self.cursor)

    def action_end(self, last: bool) -> None:
        """Go to the last pretoken; name the key of the last step, which may have been meant."""
        super().action_end(last)
        frame: Any = self.frame
        if last and frame is not None and frame.step < frame.recorded_steps:
            cast("Notifier", self.app).tell(tr(END_OF_ROWS, n=number(frame.recorded_steps)))

    def columns(self, frame: FrameT, width: int) -> Sequence[Column]:
        """Return the columns of a table of pretokens, in `width` cells."""
        raise NotImplementedError

    def foot(self, frame: FrameT) -> str:
        """Return the text of the lower border."""
        return self.FOOT

    def rows_of(self, frame: FrameT, width: int) -> Sequence[Row]:
        self.say(tr("pretokens  {n}", n=len(self.pretokens)), self.foot(frame))
        if not self.pretokens:
            return sentence(tr("Nothing typed yet: press e and type."), width)
        room = width - spans_width([cursor_sign(True)])
        table = RowTable(self.columns(frame, room), room, least=4)
        self.name_columns([cursor_sign(False), *table.header().spans])

        def row(place: int) -> Row:
            return Row([cursor_sign(place == self.cursor), *table.row(self.pretokens[place]).spans])

        return RowsOnDemand(len(self.pretokens), row)


class WalkedPanel(TokenPanel[MergeFrameT]):
    """A panel that walks through the steps of an encoding; each row is a step.

    Attributes:
        place: number of steps made.
        step_count: number of steps that encode the part of the text.
    """

    place: ShownInRows[int] = ShownInRows(0)
    step_count = 0

    def go_to(self, place: int) -> None:
        """Go to a step of the walk, or the nearest one."""
        self.place = max(0, min(place, self.step_count))

    def action_move(self, by: int) -> None:
        self.go_to(self.place + by)


LANES_KEY = "a bytes and tokens"
THE_END = 10**9
"""A place after all steps: the panel goes to the last one."""
NO_STEPS = "It is encoded without a step; the steps of the run are on 1."
LAST_STEP = "This was the last step; the steps of the run are on 1."
FIRST_STEP = "This is before the first step; the steps of the run are on 1."


def _set_lines(
    needed: Iterable[tuple[Widget, int]], least: int, most: int, zoomed: str | None
) -> int:
    """Set the heights of widgets to the lines they need, within limits; unset them in a zoom.

    Returns:
        The lines of all widgets together, borders included.
    """
    used = 0
    for widget, lines in needed:
        height = None if zoomed else max(least, min(lines, most)) + 2
        used += height or 0
        old = widget.styles.inline.height
        if (old.value if old else None) != height:
            widget.styles.height = height
    return used


ALONE = 4
"""Rows for the frame of the tokens and the lines of the screen, if no panel is below."""
BELOW_LANES = 21
"""Rows reserved for panels, ids and the lines of the screen."""
LONG_TEXT = 20_000
"""Length of a text, in characters, above which it is encoded only when the typing pauses."""
PAUSE_SECONDS = 0.15
IDS_ALONE = "-ids-alone"
"""Class of the screen while a scene of a lesson shows the text and its tokens alone."""


class WalkScreen(SessionScreen):
    """A field for a text, panels about it, and steps: ← and → walk through them, space plays."""

    STEPS_A_SECOND: ClassVar[int]
    TYPED = "text"
    FOLLOWS_FIRST = True
    HIDDEN: ClassVar[Mapping[str, str]] = {"pretokens": "pretokens", "ids": "tokens"}

    _player: Timer | None = None
    _pause: Timer | None = None
    _playing = False

    # -- what a subclass defines

    TOKENS: ClassVar[type[TypedTextPanel[Any]]]
    """The class of the panel with the tokens of the text."""
    LANES: ClassVar[type[LanesPanel]]
    PANELS: ClassVar[tuple[type[Any], ...]]
    """The classes of the panels beside each other."""

    def compose_panels(self) -> ComposeResult:
        """Yield the widgets below the text."""
        with Vertical(id="ids"):
            yield self.TOKENS("tokens", id="tokens-and-ids").data_bind(frame=SessionScreen.frame)
            yield self.LANES()
        with Container(id="panels"):
            for panel in self.PANELS:
                yield panel().data_bind(frame=SessionScreen.frame)

    @abstractmethod
    def show_text(self) -> None:
        """Pass the text to the panels; called when the text or the frame has changed."""

    @property
    def walked(self) -> WalkedPanel[Any]:
        """The panel that ← and → walk through."""
        raise NotImplementedError

    @property
    def progress(self) -> tuple[int, int]:
        """The numbers of steps made and of all steps of the walk."""
        return self.walked.place, self.walked.step_count

    def go_to(self, place: int) -> None:
        """Go to a step of the walk, or the nearest one."""
        self.walked.go_to(place)

    # -- the screen

    def compose_body(self) -> ComposeResult:
        text = TextField(id="text", compact=True, highlight_cursor_line=False)
        text.border_title = Content(tr("text"))
        yield text
        yield from self.compose_panels()

    def on_mount(self) -> None:
        self._player = self.set_interval(1 / self.STEPS_A_SECOND, self._play_on, pause=True)

    def show_session(self, session: Session) -> None:
        if not self.shows(session):
            return
        super().show_session(session)
        self.show_heading()
        text = self.query_one("#text", TextArea)
        if self.text != session.text:
            text.load_text(session.text)
            text.move_cursor(text.document.end)
        text.border_subtitle = Content(tr("e types"))
        self.show_text()
        self.call_after_refresh(self.fit)  # once panels have their final widths

    # -- the text

    @property
    def text(self) -> str:
        """The typed text."""
        return self.query_one("#text", TextArea).text

    def on_text_area_changed(self) -> None:
        """Update the panels; for a long text when the typing pauses, so that no key waits."""
        if self._pause is not None:
            self._pause.stop()
            self._pause = None
        if not self.is_current:
            return
        self.session.type(self.text)
        if len(self.session.text) <= LONG_TEXT:
            self._take_in_text()
        else:
            self._pause = self.set_timer(PAUSE_SECONDS, self._take_in_long_text)

    async def _take_in_long_text(self) -> None:
        await asyncio.to_thread(self.encode_ahead, self.text)
        self._take_in_text()

    def encode_ahead(self, text: str) -> None:
        """Do the slow work of `show_text` in a thread, so that the screen stays responsive."""

    def _take_in_text(self) -> None:
        """Show the text."""
        pretokens = self.query_one(TextPretokensPanel)
        before = pretokens.pretokens
        self.show_text()
        pretokens.look_at_change(before)
        self.fit()

    def fit(self) -> None:
        """Set the heights of the text and its tokens; the panels get the remaining lines."""
        height, is_alone = self.size.height, self.has_class(IDS_ALONE)
        needed = [(area, area.wrapped_document.height) for area in self.query(TextArea)]
        used = _set_lines(needed, 1, height // (4 if is_alone else 8), self.zoomed)
        panels = [panel for panel in self.query(TypedTextPanel) if panel.display]
        least = 2 + any(panel.row_count and has_row_below(panel.row(0)) for panel in panels)
        tokens = [(panel, panel.row_count) for panel in panels]
        most = height - used - ALONE if is_alone else height // 5 if height >= 24 else least
        used += _set_lines(tokens, least, most, self.zoomed)
        for lanes in self.query("#ids LanesPanel").results(LanesPanel):
            # Whole lines of the text, with all their lanes; the panels below get the rest.
            a_line = lanes.rows_of_a_line
            below = BELOW_LANES * (2 if self.has_class("-large") else 1)
            lines = max((height - used - below) // a_line, 1)
            _set_lines([(lanes, lanes.row_count)], 4, lines * a_line - 1, self.zoomed)

    on_typed_text_panel_resized = fit

    def watch_zoomed(self, old: str | None, new: str | None) -> None:
        super().watch_zoomed(old, new)
        self.fit()

    def show_panel(self, panel: str) -> None:
        if panel not in ("ids", "text"):
            self.remove_class(IDS_ALONE)
            self.fit()
        # With little room, the tokens are visible only while in focus.
        self.set_class(panel == "ids", "-on-tokens")
        self.call_after_refresh(self.name_hidden_panels)
        super().show_panel(panel)

    def show_alone(self, panel: str | None) -> None:
        super().show_alone(panel)
        self.set_class(panel == "ids", IDS_ALONE)
        self.fit()

    def look_at_pretokens(self) -> None:
        """Go to the pretokens, to see how each encodes."""
        self.show_panel("pretokens")

    def on_paste(self, event: Paste) -> None:
        """Replace the text by a pasted one if no field has the focus."""
        if not self.is_typing:
            self.action_type()
            text = self.query_one("#text", TextArea)
            text.clear()
            text.post_message(Paste(event.text))

    def set_back(self) -> None:
        self.remove_class("lanes")

    def action_lanes(self) -> None:
        """Show the bytes and tokens of the text in aligned lanes, or its tokens over their ids."""
        self.toggle_class("lanes")
        self.call_after_refresh(self._focus_lanes)

    def _focus_lanes(self) -> None:
        if not self.has_class("lanes"):
            # With little room the ids are hidden, so the focus goes elsewhere.
            self.show_panel(self.PANEL_ORDER[0])
            return
        self.fit()  # the lanes know their number of rows only once they are visible
        self.show_panel("ids")
        self.set_focus(self.query_one("#ids LanesPanel"))

    # -- the walk

    async def action_forward(self, by: int) -> None:
        """Walk, unless the model has nothing to walk through."""
        await self.run_action(f"screen.walk({by})")

    def action_walk(self, by: int) -> None:
        """Walk some steps on or back; say so if there is none."""
        self.pause()
        before, steps = self.progress
        self.go_to(before + by)
        if self.progress[0] == before:
            self.tell(NO_STEPS if not steps else LAST_STEP if before else FIRST_STEP)

    def action_play(self) -> None:
        """Play the walk, from the start if it is at the end; or pause."""
        assert self._player is not None
        if self._playing:
            self.pause()
            return
        made, steps = self.progress
        if made == steps:
            self.go_to(0)
        self._playing = True
        self._player.resume()
        self.show_changed_keys()

    def _play_on(self) -> None:
        self.go_to(self.progress[0] + 1)
        made, steps = self.progress
        if made == steps:
            self.pause()

    @property
    def playing(self) -> str:
        return str(self.STEPS_A_SECOND) if self._playing else ""

    def pause(self) -> None:
        """Stop playing the walk."""
        self._playing = False
        if self._player is not None:
            self._player.pause()
            self.show_changed_keys()

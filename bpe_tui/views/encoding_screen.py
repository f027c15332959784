"""What the encoding screens of all models share: a text, its parts, and a walk through one."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import DescendantBlur, Paste
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from bpe_tui.session.declarations import Command
from bpe_tui.session.session import Session
from bpe_tui.views.narration import leading_parts
from bpe_tui.views.panel import BORDER_CELLS, FramePanel, FrameT
from bpe_tui.views.panel_screen import SessionScreen
from bpe_tui.views.token_detail import LanesPanel
from bpe_tui.views.training_panels import TypedTextPanel
from bpe_tui.widgets.fields import Field, TextField
from bpe_tui.widgets.visible import quoted, shorten, visible_text, width
from engine.analysis.why_not import stand_ins_in, without_stand_ins
from engine.core.errors import TokenIdsError
from engine.encoding.typed_ids import decode_known, read_ids
from engine.text.patterns import describe_newer, newer_characters
from engine.text.pretokenize import to_bytes

SPELLING_SOUGHT = 4000
"""So many characters of the text are looked through for GPT-2's spelling at each key."""


class PartsPanel(FramePanel[FrameT]):
    """The parts into which a text is cut, one a row; the cursor chooses one."""

    KEEPS_CURSOR = True

    @dataclass
    class Selected(Message):
        """The cursor is on this part now, `PartsPanel.selected`."""

        part: Any

    @property
    def selected(self) -> Any:
        """The part that the cursor is on."""
        raise NotImplementedError

    def watch_cursor(self) -> None:
        super().watch_cursor()
        self._tell()

    def rebuild(self) -> None:
        super().rebuild()
        self._tell()

    def _tell(self) -> None:
        # Whoever changed the text, the panel is the sender: else the message would not rise.
        self.post_message(self.Selected(self.selected).set_sender(self))


WAY_TO_IDS = "Shift+Tab from the pretokens"
"""How one comes to the line for ids: no letter leads there."""


class IdsInput(Field):
    """A line for ids. Of a pasted text all lines count, not the first alone."""

    def on_paste(self, event: Paste) -> None:
        event.text = " ".join(event.text.split())  # Input takes it from here


class DecodePanel(Vertical):
    """A line to type ids in, and the text that they give."""

    def __init__(self, placeholder: str) -> None:
        super().__init__(id="decode", classes="-empty")
        self.border_title = Content("ids → text")
        self.border_subtitle = Content(WAY_TO_IDS)
        self._placeholder = placeholder
        self._is_long = False

    def compose(self) -> ComposeResult:
        yield IdsInput(placeholder=self._placeholder, id="decode-input", compact=True)
        yield Static(id="decoded")

    @property
    def typed(self) -> str:
        return self.query_one(Input).value

    def show(self, said: str, foot: str = "") -> None:
        """Show what the ids give, and below it a remark."""
        self.border_subtitle = Content(foot or WAY_TO_IDS)
        self.set_class(not said, "-empty")
        is_long = width(said) > self.content_size.width
        # Each key comes by here: the screen is laid out anew only for another line.
        self.query_one("#decoded", Static).update(Content(said), layout=is_long != self._is_long)
        self._is_long = is_long


def describe_ids(typed: str, decode: Callable[[Sequence[int]], str]) -> str:
    """The text of ids as people write them; what is wrong with some stands behind it.

    Args:
        typed: such as `104, 105` or `[104, 105]`; "" gives "".
        decode: gives the visible text of ids, or raises an `UnknownTokenIdError`.
    """
    try:
        ids = read_ids(typed)
    except TokenIdsError as error:
        return f"{shorten(visible_text(error.word), 20)} is no id: ids are whole numbers"
    parts = list(decode_known(ids, decode))
    said = "".join(_unknown(part.ids) if part.text is None else part.text for part in parts)
    problem = next((part.problem for part in parts if part.problem), "")
    if problem and len(parts) == 1:
        return problem
    return f"{said}   {problem}" if problem else said


def _unknown(ids: Sequence[int]) -> str:
    """What stands in place of ids that no token has."""
    return "".join(f"‹{token_id}?›" for token_id in ids)


def _set_lines(
    needed: Iterable[tuple[Widget, int]], least: int, most: int, zoomed: str | None
) -> int:
    """Give widgets the lines that they need, within limits, and their borders; none in a zoom.

    The result is how many lines they have then.
    """
    used = 0
    for widget, lines in needed:
        height = None if zoomed else max(least, min(lines, most)) + 2
        used += height or 0
        old = widget.styles.inline.height
        if (old.value if old else None) != height:
            widget.styles.height = height
    return used


ROOMY = 36
"""Rows from which on there is room for the tokens over their ids and for the lanes."""
BELOW_LANES = 21
"""Rows that are kept for panels, ids and the lines of the screen, if there is room for them."""
LONG_TEXT = 20_000
"""Characters from which on a text is encoded when the typing pauses, not at each key."""
PAUSE_SECONDS = 0.15


class WalkScreen(SessionScreen):
    """A field for a text, panels about it, and steps that ← and → go through and `space` plays."""

    STEPS_A_SECOND: ClassVar[int]

    def __init__(self) -> None:
        super().__init__()
        self._player: Timer | None = None
        self._pause: Timer | None = None
        self._playing = False
        self._is_spelled = False

    # -- what a subclass says

    @abstractmethod
    def compose_panels(self) -> ComposeResult:
        """What stands below the text."""

    @abstractmethod
    def show_text(self) -> None:
        """Hand the text to the panels; called when it or the frame has changed."""

    @abstractmethod
    def walk(self, by: int) -> None:
        """Go so many steps on, or back."""

    @abstractmethod
    def walk_to_start(self) -> None:
        """Go to the first step."""

    @property
    @abstractmethod
    def is_at_end(self) -> bool:
        """Whether there is no further step."""

    # -- the screen

    def compose_body(self) -> ComposeResult:
        self.set_class(self.app.size.height >= ROOMY, "-roomy", update=False)
        text = TextField(id="text", compact=True, highlight_cursor_line=False)
        text.border_title = Content("text")
        text.border_subtitle = Content("e types")
        yield text
        yield from self.compose_panels()

    def on_mount(self) -> None:
        self._player = self.set_interval(1 / self.STEPS_A_SECOND, self._play_on, pause=True)
        # Not the field: there a digit is a letter, not the way to another screen. `e` goes to it.
        self.show_panel(self.PANEL_ORDER[0])

    def show_session(self, session: Session) -> None:
        if not self.is_current or self.frame_of(session) is None:
            return
        super().show_session(session)
        self.say("#heading", self.heading(session, self.size.width - 2))
        self.set_class(self.size.height >= ROOMY, "-roomy")
        if self.text != session.text:
            self.query_one("#text", TextArea).load_text(session.text)
            self._select_text()
        self.show_text()
        self.call_after_refresh(self.fit)  # once panels are as wide as they will be

    # -- the text

    @property
    def text(self) -> str:
        """What is typed."""
        return self.query_one("#text", TextArea).text

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Bring the panels up to date; for a long text once the typing pauses: no key waits."""
        event.stop()
        self._stop_waiting()
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
        """Do what `show_text` would take long for, in a thread: keys are answered meanwhile."""

    def _take_in_text(self) -> None:
        self._say_spelling()
        self.show_text()
        self.fit()

    def _stop_waiting(self) -> None:
        if self._pause is not None:
            self._pause.stop()
            self._pause = None

    def fit(self) -> None:
        """Give the text and its tokens the lines that they need; the panels have the rest."""
        height = self.size.height
        needed = [(area, area.wrapped_document.height) for area in self.query(TextArea)]
        used = _set_lines(needed, 1, height // 8, self.zoomed)
        tokens = [(panel, panel.row_count) for panel in self.query(TypedTextPanel)]
        used += _set_lines(tokens, 2, height // 5 if height >= 24 else 2, self.zoomed)
        for lanes in self.query("#ids LanesPanel").results(LanesPanel):
            # Whole lines of the text, with all their lanes; the panels below have the rest.
            a_line = lanes.rows_of_a_line
            lines = max((height - used - BELOW_LANES) // a_line, 1)
            _set_lines([(lanes, lanes.row_count)], 4, lines * a_line - 1, self.zoomed)

    def watch_zoomed(self, old: str | None, new: str | None) -> None:
        super().watch_zoomed(old, new)
        self.fit()

    def show_panel(self, panel: str) -> None:
        # Where there is little room, the line for ids is there only while somebody types in it.
        self.set_class(panel == "decode", "-decoding")
        super().show_panel(panel)
        self._select_text()

    def _select_text(self) -> None:
        """Select the text if the focus is there: what is typed then replaces it, as in a line."""
        text = self.query_one("#text", TextArea)
        if self.focused is text:
            text.select_all()

    def on_descendant_blur(self, event: DescendantBlur) -> None:
        """Nothing of a text that was left is selected unless somebody selected a part of it."""
        text = event.widget
        is_left = text is not self.focused  # it may have come back since
        if is_left and isinstance(text, TextArea) and text.selected_text == text.text:
            text.move_cursor(text.document.end)

    def _say_spelling(self) -> None:
        """Say above the text if a word in it is in GPT-2's spelling, or a character is very new."""
        found = next(stand_ins_in(self.text[:SPELLING_SOUGHT]), None)
        said = ""
        if found is not None:
            word = shorten(visible_text(found.spelling), 16)
            said = f"  {word} is {found.describe(quoted)} · Ctrl+G decodes"
        newer = newer_characters(self.text[:SPELLING_SOUGHT])
        title = f"text  {describe_newer(newer, most=1)}" if newer and not said else f"text{said}"
        text = self.query_one("#text", TextArea)
        text.border_title = Content(leading_parts(text.outer_size.width - BORDER_CELLS, title))
        if self._is_spelled != bool(said):
            self._is_spelled = bool(said)
            self.show_keys()

    def _is_for_now(self, command: Command) -> bool:
        is_for_spelling = command.action == "screen.decode_spelling"
        return super()._is_for_now(command) and (self._is_spelled or not is_for_spelling)

    def action_decode_spelling(self) -> None:
        """Put what GPT-2's spelling stands for into the text."""
        decoded = without_stand_ins(self.text)
        if decoded == self.text:
            none = "No word of the text is in GPT-2's spelling, as Ġthe is."
            self.tell(none)
        else:
            # Bytes of half a character have no letter; the field cannot hold them.
            self.query_one("#text", TextArea).text = to_bytes(decoded).decode("utf-8", "replace")

    def action_type(self) -> None:
        self.action_show("text")

    def on_paste(self, event: Paste) -> None:
        """What is pasted while nobody types takes the place of the text."""
        if not self.is_typing:
            self.action_type()
            self.query_one("#text", TextArea).post_message(Paste(event.text))

    def action_lanes(self) -> None:
        """The tokens in three lanes, or over their ids."""
        self.toggle_class("lanes")
        self.call_after_refresh(self._focus_lanes)

    def _focus_lanes(self) -> None:
        if not self.has_class("lanes"):
            # Where there is little room the ids are not shown, so the focus goes elsewhere.
            self.show_panel(self.PANEL_ORDER[0])
            return
        self.fit()  # only now that they are seen they know how many rows they need
        self.show_panel("ids")
        self.set_focus(self.query_one("#ids LanesPanel"))  # beside the ids, where both have room

    # -- the walk

    def action_walk(self, by: int) -> None:
        self.pause()
        self.walk(by)

    def action_play(self) -> None:
        """Walk by itself, from the start if it stands at the end."""
        assert self._player is not None
        if self._playing:
            self.pause()
            return
        if self.is_at_end:
            self.walk_to_start()
        self._playing = True
        self._player.resume()

    def _play_on(self) -> None:
        self.walk(1)
        if self.is_at_end:
            self.pause()

    def pause(self) -> None:
        """Stop walking by itself."""
        self._playing = False
        if self._player is not None:
            self._player.pause()

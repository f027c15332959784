"""The encoding screen: a text, its pretokens, and how each of them encodes."""

from __future__ import annotations

from itertools import chain

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.widgets import Input, Static, TextArea

from bpe_tui.bpe.panels.dropout import DropoutPanel, DropoutRows
from bpe_tui.bpe.panels.encode_steps import EncodeStepsPanel
from bpe_tui.bpe.panels.lockstep import LockstepPanel
from bpe_tui.bpe.panels.pretokens import PretokensPanel
from bpe_tui.bpe.panels.regex_lab import RegexPanel
from bpe_tui.bpe.panels.training import EncodedText
from bpe_tui.bpe.panels.why_not import WhyNotPanel, WhyNotRows
from bpe_tui.session.commands.command import ENCODING
from bpe_tui.session.session import Session
from bpe_tui.studies.comparison.compare_with import CompareWith, comparison_with
from bpe_tui.styles import sheet
from bpe_tui.views.commands import bindings_on
from bpe_tui.views.lanes import LanesPanel
from bpe_tui.views.narration import heading
from bpe_tui.views.panel_screen import TooSmall
from bpe_tui.views.walk_screen import Walk, WalkScreen
from bpe_tui.widgets.key_bar import KeyBar
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.visible import shorten, visible_bytes, visible_text
from engine.bpe.frame import Frame
from engine.core.errors import UnknownTokenIdError
from engine.text.pretokenize import to_bytes

SLOT = ("encode-steps", "lockstep", "why-not", "regex", "dropout")
"""Panels that share the place beside the pretokens; see `styles/encoding.tcss`."""

WALKS: dict[str, type[Walk]] = {"lockstep": LockstepPanel, "dropout": DropoutRows}
"""What the arrows go through while one of these is in the slot; else the merges."""

GIVE_WAY = {"pretokens": "-slim", "ids": "-low", "decode": "-low"}
"""Where there is so little room, these are not seen while the slot shows more than the merges."""


class EncodingScreen(WalkScreen):
    """Type a text; see it cut and encoded with the merges of the timeline's step."""

    BINDINGS = bindings_on(ENCODING)
    CSS_PATH = sheet("encoding.tcss")
    PANEL_ORDER = ("pretokens", *SLOT, "ids", "text", "decode")
    STEPS_A_SECOND = 3

    def __init__(self) -> None:
        super().__init__(id=ENCODING)
        self._specials_as_text = False
        self.slot = SLOT[0]
        self.add_class(f"slot-{self.slot}")

    def compose(self) -> ComposeResult:
        yield TooSmall(id="too-small")
        yield Static(id="heading")
        text = TextArea(id="text", compact=True, highlight_cursor_line=False)
        text.border_title = Content("text")
        yield text
        with Vertical(id="ids"):
            yield EncodedText("tokens", id="tokens-and-ids").data_bind(frame=EncodingScreen.frame)
            yield LanesPanel().data_bind(frame=EncodingScreen.frame)
        with Container(id="panels"):
            yield PretokensPanel().data_bind(frame=EncodingScreen.frame)
            for panel in (
                *(EncodeStepsPanel(), LockstepPanel(), WhyNotPanel(), RegexPanel()),
                DropoutPanel(),
            ):
                yield panel.data_bind(frame=EncodingScreen.frame)
        with Vertical(id="decode") as decode:
            decode.border_title = Content("ids → text")
            yield Input(placeholder="ids, with spaces between", id="decode-input", compact=True)
            yield Static(id="decoded")
        yield KeyBar()

    def on_mount(self) -> None:
        self._say_specials()

    # -- state in

    def show_session(self, session: Session) -> None:
        if not self.is_current or session.frame is None:
            return
        super().show_session(session)
        self.query_one("#heading", Static).update(
            Content(_heading(session, session.frame, self.size.width - 2)), layout=False
        )
        self._show_size()
        self._decode(self.query_one("#decode-input", Input).value)

    def frame_of(self, session: Session) -> Frame | None:
        """The session's, with special tokens as text where that is wished."""
        frame = session.frame
        return frame.with_specials_as_text() if frame and self._specials_as_text else frame

    def action_specials(self) -> None:
        """Special tokens in the text are one id, or ordinary text."""
        self._specials_as_text = not self._specials_as_text
        self._say_specials()
        self.show_session(self.session)

    def _say_specials(self) -> None:
        how = "as text" if self._specials_as_text else "as one id"
        self.query_one("#text").border_subtitle = Content(f"special tokens {how} · Ctrl+S")

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        text = event.text_area.text
        self.query_one(PretokensPanel).text = text
        self.query_one(EncodedText).text = text
        self.query_one(WhyNotRows).text = text
        self.query_one(RegexPanel).text = text
        self._show_size()

    def _show_size(self) -> None:
        text = self.query_one("#text", TextArea).text
        if self.frame is not None:
            ids = tuple(chain.from_iterable(piece.ids for piece in self.frame.encode(text)))
            self.query_one(LanesPanel).token_ids = ids
            self.query_one(EncodedText).say(
                f"tokens  {number(len(ids))}",
                f"{plural(len(to_bytes(text)), 'byte')} · ids below · a three lanes",
            )

    def on_pretokens_panel_selected(self, event: PretokensPanel.Selected) -> None:
        event.stop()
        for walk in self.query(Walk):
            walk.seen, walk.piece = event.seen, event.piece

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._decode(event.value)

    def _decode(self, ids: str) -> None:
        if self.frame is not None:
            text = decoded(self.frame, ids)
            self.query_one("#decoded", Static).update(Content(text), layout=False)

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """A merge leads to its step, on the training screen; Esc comes back."""
        event.stop()
        self.host.ways.go_to_target(event.target)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter in a panel's line goes to the rows under it."""
        event.stop()
        self._leave_field()

    # -- the panels that share a place

    def show_panel(self, panel: str) -> None:
        if panel in SLOT:
            self._fill_slot(panel)
        elif self.has_class(GIVE_WAY.get(panel, "")):
            self._fill_slot(SLOT[0])
        super().show_panel(panel)
        if panel == "regex":
            self.query_one(RegexPanel).open()

    def _fill_slot(self, panel: str) -> None:
        self.remove_class(f"slot-{self.slot}")
        self.slot = panel
        self.add_class(f"slot-{panel}")

    def action_ask(self) -> None:
        """Ask about what is selected in the text, or the pretoken at the cursor."""
        piece = self.query_one(PretokensPanel).selected
        asked = self.query_one("#text", TextArea).selected_text
        self.show_panel("why-not")
        self.query_one(WhyNotPanel).ask(asked or (piece.pretoken.text if piece else ""))

    @property
    def can_leave(self) -> bool:
        return super().can_leave or self.slot != SLOT[0]

    def action_leave(self) -> None:
        """Esc: out of a field, out of a zoom, back to the merges of the pretoken, then further."""
        if self.is_typing and self.focused_panel() in SLOT:
            self._leave_field()
        elif self.is_typing or self.zoomed is not None or self.slot == SLOT[0]:
            super().action_leave()
        else:
            self.show_panel(SLOT[0])
            self.show_keys()

    def action_compare(self) -> None:
        """Ask for another tokenizer, and compare this step's with it on the text."""
        if self.frame is not None:
            self.session.hold()
            self.app.push_screen(CompareWith(), self._compare_with)

    def _compare_with(self, path: str | None) -> None:
        frame = self.frame
        if path is None or frame is None:
            return
        text = self.query_one("#text", TextArea).text
        self.app.push_screen(comparison_with(path, frame, text))

    def _leave_field(self) -> None:
        """From a line to the rows under it."""
        panel = self.focused_panel()
        if panel is not None and (rows := self.query(f"#{panel} Lines")):
            self.set_focus(rows.first())

    # -- commands

    def walk(self, by: int) -> None:
        self._walk.walk(by)

    def walk_to_start(self) -> None:
        self._walk.place = 0

    @property
    def is_at_end(self) -> bool:
        steps = self._walk
        return steps.place == steps.step_count

    @property
    def _walk(self) -> Walk:
        """The panel whose steps ← and → go through."""
        return self.query_one(WALKS.get(self.slot, EncodeStepsPanel))


def _heading(session: Session, frame: Frame, room: int) -> str:
    """What encodes: a tokenizer as it is, or the merges of a step."""
    if session.opened is not None and frame.step == frame.recorded_steps and session.stop_reason:
        return heading(session, room)
    return (
        f"Encoding with the merges of step {number(frame.step)} of "
        f"{number(frame.recorded_steps)} · {number(frame.vocab_size)} tokens"
    )


def decoded(frame: Frame, typed: str) -> str:
    """The text of ids typed with spaces or commas between, or what is wrong with them."""
    words = typed.replace(",", " ").split()
    if not words:
        return ""
    wrong = next((word for word in words if not (word.isascii() and word.isdigit())), None)
    if wrong is not None:
        return f"{shorten(visible_text(wrong), 20)} is no id: ids are whole numbers"
    try:
        return visible_bytes(frame.decode([int(word[:20]) for word in words]))
    except UnknownTokenIdError as error:
        return str(error)

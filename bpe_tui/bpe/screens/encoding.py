"""The encoding screen: a text, its pretokens, and how each of them encodes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.widgets import Input, TextArea

from bpe_tui.bpe.panels.dropout import DropoutPanel, DropoutRows
from bpe_tui.bpe.panels.encoding import EncodeStepsPanel, LockstepPanel, PretokensPanel, Walk
from bpe_tui.bpe.panels.regex_lab import RegexPanel
from bpe_tui.bpe.panels.training import EncodedText
from bpe_tui.bpe.panels.why_not import WhyNotPanel, WhyNotRows
from bpe_tui.bpe.screens import BpeScreen
from bpe_tui.session.commands.command import ENCODING
from bpe_tui.session.session import Session
from bpe_tui.styles import sheet
from bpe_tui.views.encoding_screen import DecodePanel, WalkScreen, describe_ids
from bpe_tui.views.narration import heading
from bpe_tui.views.token_detail import LanesPanel
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.visible import visible_bytes
from engine.bpe.frame import Frame
from engine.text.pretokenize import to_bytes

WALKS: dict[str, type[Walk]] = {"lockstep": LockstepPanel, "dropout": DropoutRows}
"""What the arrows go through while one of these is in the slot; else the merges."""

GIVE_WAY = {"pretokens": "-slim", "ids": "-low", "decode": "-low"}
"""Where there is so little room, these are not seen while the slot shows more than the merges."""


class EncodingScreen(WalkScreen, BpeScreen):
    """Type a text; see it cut and encoded with the merges of the timeline's step."""

    NAME = ENCODING
    CSS_PATH = sheet("encoding.tcss")
    SLOT = ("encode-steps", "lockstep", "why-not", "regex", "dropout")
    PANEL_ORDER = ("pretokens", *SLOT, "ids", "text", "decode")
    STEPS_A_SECOND = 3

    def __init__(self) -> None:
        super().__init__()
        self._specials_as_text = False

    def compose_panels(self) -> ComposeResult:
        with Vertical(id="ids"):
            yield EncodedText("tokens", id="tokens-and-ids").data_bind(frame=EncodingScreen.frame)
            yield LanesPanel()
        with Container(id="panels"):
            for panel in (
                *(PretokensPanel(), EncodeStepsPanel(), LockstepPanel(), WhyNotPanel()),
                *(RegexPanel(), DropoutPanel()),
            ):
                yield panel.data_bind(frame=EncodingScreen.frame)
        yield DecodePanel("ids: 1014 270, or [1014, 270]")

    def on_mount(self) -> None:
        self._say_specials()

    # -- state in

    def frame_of(self, session: Session) -> Frame | None:
        """The session's, with special tokens as text where that is wished."""
        frame = session.frame
        return frame.with_specials_as_text() if frame and self._specials_as_text else frame

    def heading(self, session: Session, room: int) -> str:
        """What encodes: a tokenizer as it is, or the merges of a step."""
        is_whole = session.at_end and session.stop_reason is not None
        if session.opened is not None and is_whole:
            return heading(session, room)
        return super().heading(session, room)

    def facts_of(self, frame: Frame) -> Sequence[str]:
        return "Encoding", f"vocabulary of {plural(frame.vocab_size, 'token')}"

    def action_specials(self) -> None:
        """Special tokens in the text are one id, or ordinary text."""
        self._specials_as_text = not self._specials_as_text
        self._say_specials()
        self.show_session(self.session)

    def _say_specials(self) -> None:
        how = "as text" if self._specials_as_text else "as one id"
        said = f"e types · special tokens {how} · Ctrl+S"
        self.query_one("#text").border_subtitle = Content(said)

    def encode_ahead(self, text: str) -> None:
        if (frame := self.frame) is not None:
            frame.encode(text)

    def show_text(self) -> None:
        text = self.text
        self.query_one(PretokensPanel).text = text
        self.query_one(EncodedText).text = text
        self.query_one(WhyNotRows).text = text
        self.query_one(RegexPanel).text = text
        if self.frame is not None:
            ids = tuple(chain.from_iterable(piece.ids for piece in self.frame.encode(text)))
            self.query_one(LanesPanel).show(self.frame, ids)
            self.query_one(EncodedText).say(
                f"tokens  {number(len(ids))}",
                f"{plural(len(to_bytes(text)), 'byte')} · ids below · a three lanes",
            )
        self._decode()

    def on_parts_panel_selected(self, event: PretokensPanel.Selected) -> None:
        event.stop()
        is_seen_before = self.query_one(PretokensPanel).is_seen_before
        for walk in self.query(Walk):
            walk.seen, walk.piece = is_seen_before, event.part

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._decode()

    def _decode(self) -> None:
        frame, panel = self.frame, self.query_one(DecodePanel)
        if frame is not None:
            panel.show(describe_ids(panel.typed, lambda ids: visible_bytes(frame.decode(ids))))

    def enter(self, field: Input) -> None:
        """Enter in a panel's line goes to the rows under it."""
        self._leave_field()

    # -- the panels that share a place

    def show_panel(self, panel: str) -> None:
        if panel not in self.SLOT and self.has_class(GIVE_WAY.get(panel, "")):
            self.fill_slot(self.SLOT[0])
        super().show_panel(panel)
        if panel == "regex":
            self.query_one(RegexPanel).open()

    def action_ask(self) -> None:
        """Ask about what is selected in the text, or the pretoken at the cursor."""
        piece = self.query_one(PretokensPanel).selected
        asked = self.query_one("#text", TextArea).selected_text
        self.show_panel("why-not")
        self.query_one(WhyNotPanel).ask(asked or (piece.pretoken.text if piece else ""))

    @property
    def can_leave(self) -> bool:
        return super().can_leave or self.slot != self.SLOT[0]

    def action_leave(self) -> None:
        """Esc: out of a field, out of a zoom, back to the merges of the pretoken, then further."""
        if self.is_typing and self.focused_panel() in self.SLOT:
            self._leave_field()
        elif self.is_typing or self.zoomed is not None or self.slot == self.SLOT[0]:
            super().action_leave()
        else:
            self.show_panel(self.SLOT[0])
            self.show_keys()

    def action_compare(self) -> None:
        """Ask for another tokenizer, and compare this step's with it on the text."""
        if self.frame is not None:
            self.session.hold()
            self.host.open_comparison(self.frame, self.text)

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

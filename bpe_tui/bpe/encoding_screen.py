"""The encoding screen of BPE: a text, its pretokens, and panels that answer questions about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from textual.content import Content
from textual.widgets import TextArea

from bpe_tui.bpe import walks
from bpe_tui.bpe.training_screen import BPE_VIEW, EncodedText
from bpe_tui.panels.encoding_screen import WalkScreen
from bpe_tui.panels.token_detail import LanesPanel
from bpe_tui.session.declarations import ENCODING
from bpe_tui.session.session import Session
from bpe_tui.styles import sheet
from bpe_tui.widgets.language import plural, tr, visible_message
from engine.bpe.frame import Frame
from engine.core.errors import BpeError
from engine.encoding.lanes import TokenPlace, tokens_in
from engine.recording.playback import AnyMergeFrame
from engine.text.pretokenize import to_bytes

WAYS_TO_LOOK = "ids below │ a bytes and tokens"
SPECIALS_AS_ID = "e types │ special tokens as one id │ Ctrl+S"
SPECIALS_AS_TEXT = "e types │ special tokens as text │ Ctrl+S"
TYPES = "e types"
"""Said in lessons that do not speak of special tokens."""

LONGEST_IN_LANES = 20_000
"""Number of characters of the text that the lanes look at; they show its first tokens only."""


class TypedLanesPanel(LanesPanel):
    """Characters, bytes and tokens of the text, aligned, whatever a pipeline makes of it."""

    def places_of(self, frame: AnyMergeFrame) -> tuple[bytes, Iterable[TokenPlace]]:
        assert isinstance(frame, Frame)
        text = self.text[:LONGEST_IN_LANES]
        return to_bytes(text), tokens_in(frame.rules, text)


class EncodingScreen(WalkScreen):
    """A screen to type a text and see it cut and encoded with the merges of the step."""

    NAME = ENCODING
    VIEW = BPE_VIEW
    CSS_PATH = sheet("encoding.tcss")
    PANEL_ORDER = ("pretokens", "encode-steps", "ids", "text")
    STEPS_A_SECOND = 3
    TOKENS = EncodedText
    LANES = TypedLanesPanel
    PANELS = (walks.PretokensPanel, walks.EncodeStepsPanel)
    _specials_as_text = False

    # -- new frames and texts

    def frame_of(self, session: Session) -> Frame | None:
        """Return the session's frame, with special tokens as text if that is chosen."""
        frame = session.frame
        return frame.with_specials_as_text() if frame and self._specials_as_text else frame

    def facts_of(self, frame: Frame) -> Sequence[str]:
        """Return what encodes: the merges of a step; nothing for a whole tokenizer."""
        session = self.session
        if session.opened is not None and session.at_end and session.stop_reason is not None:
            return ()
        facts = [tr("Encoding")]
        if frame.step < frame.recorded_steps:
            facts.append(tr("> for all {merges}", merges=plural(frame.recorded_steps, "merge")))
        if frame.step == 0 < frame.recorded_steps:
            facts.append(tr("no merge yet"))
        return *facts, tr("vocabulary of {tokens}", tokens=plural(frame.vocab_size, "token"))

    def action_specials(self) -> None:
        """Switch special tokens in the text between one id and ordinary text."""
        self._specials_as_text = not self._specials_as_text
        self.show_session(self.session)

    def encode_ahead(self, text: str) -> None:
        if (frame := self.frame) is not None:
            frame.encode(text)

    def show_text(self) -> None:
        text, encoded = self.text, self.query_one(EncodedText)
        self.query_one(walks.PretokensPanel).text = text
        encoded.text = text
        if self.frame is not None:
            ids = tuple(chain.from_iterable(piece.ids for piece in self.frame.encode(text)))
            self.query_one(TypedLanesPanel).show(self.frame, text)
            ways, size = tr(WAYS_TO_LOOK), plural(len(to_bytes(text)), "byte")
            encoded.say(tr("tokens  {n}", n=len(ids)), f"{size} │ {ways}")
        how = SPECIALS_AS_TEXT if self._specials_as_text else SPECIALS_AS_ID
        if self.named_keys is not None and "Ctrl+S" not in self.named_keys:
            how = TYPES
        self.query_one("#text").border_subtitle = Content(tr(how))

    def on_parts_panel_selected(self, event: walks.PretokensPanel.Selected) -> None:
        self.walked.piece = event.part

    def action_ask(self) -> None:
        """Ask why the selected text, or the pretoken at the cursor, is not one token."""
        asked = self.query_one("#text", TextArea).selected_text
        self.host.navigation.ask((), asked or self.chosen_pretoken, self.text)

    @property
    def chosen_pretoken(self) -> str:
        """The text of the pretoken at the cursor; "" if there is none."""
        piece = self.query_one(walks.PretokensPanel).selected
        return piece.pretoken.text if piece else ""

    def action_encode_by_hand(self) -> None:
        """Let the learner encode the pretoken at the cursor, merge by merge."""
        if (frame := self.session.frame) is not None:
            self.host.ask_by_hand("encode-by-hand", frame, self.chosen_pretoken)

    def action_predict_cost(self) -> None:
        """Ask which line of the typed text, or which form of its pretoken, costs fewest tokens."""
        from engine.learning.questions.fewer import ways_to_write  # few keys need it

        if (frame := self.session.frame) is None:
            return
        try:
            about = ways_to_write(frame, self.text, self.chosen_pretoken)
        except BpeError as error:
            self.tell(visible_message(error))
        else:
            self.host.ask_by_hand("fewer", frame, about)

    # -- commands

    @property
    def walked(self) -> walks.EncodeStepsPanel:
        return self.query_one(walks.EncodeStepsPanel)

"""The encoding screen of WordPiece: a text, its words, and each look into the vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.reactive import reactive
from textual.widgets import Input

from bpe_tui.styles import sheet
from bpe_tui.views.encoding_screen import DecodePanel, WalkScreen, describe_ids
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.visible import visible_text
from bpe_tui.wordpiece.model import WORDPIECE_ENCODING
from bpe_tui.wordpiece.panels.encoding import ProbesPanel, WordLanesPanel, WordsOfTextPanel
from bpe_tui.wordpiece.panels.training import PiecesOfText
from bpe_tui.wordpiece.screens import WordPieceScreen
from engine.wordpiece.encoder import EncodedWord
from engine.wordpiece.frame import WordPieceFrame

LONGEST = 4_000
"""Characters of the text that are encoded, each word probe by probe."""


class WordPieceEncodingScreen(WalkScreen, WordPieceScreen):
    """Type a text; see it cut into words, and how each is spelled with the pieces of the step."""

    NAME = WORDPIECE_ENCODING
    CSS_PATH = sheet("wordpiece-encoding.tcss")
    PANEL_ORDER = ("pretokens", "probes", "ids", "text", "decode")
    STEPS_A_SECOND = 5

    frame: reactive[WordPieceFrame | None] = reactive(None, repaint=False)

    def compose_panels(self) -> ComposeResult:
        with Vertical(id="ids"):
            tokens = PiecesOfText("tokens", id="tokens-and-ids")
            yield tokens.data_bind(frame=WordPieceEncodingScreen.frame)
            yield WordLanesPanel().data_bind(frame=WordPieceEncodingScreen.frame)
        with Container(id="panels"):
            yield WordsOfTextPanel().data_bind(frame=WordPieceEncodingScreen.frame)
            yield ProbesPanel().data_bind(frame=WordPieceEncodingScreen.frame)
        yield DecodePanel("ids: 14 27, or [14, 27]; without any, those of the text")

    # -- state in

    def facts_of(self, frame: WordPieceFrame) -> Sequence[str]:
        how = "the longest piece that fits, from the left, again and again"
        return "WordPiece", plural(frame.vocab_size, "piece"), how

    def show_text(self) -> None:
        """Encode the text with the pieces of the frame, and hand the words on."""
        if self.frame is None:
            return
        text = self.text
        words = tuple(self.frame.tokenizer.explain(text[:LONGEST]))
        self.query_one(WordsOfTextPanel).words = words
        self.query_one(WordLanesPanel).words = words
        pieces = self.query_one(PiecesOfText)
        pieces.text = text[:LONGEST]
        tokens = sum(len(word.ids) for word in words)
        cut = f"of the first {plural(LONGEST, 'character')}" if len(text) > LONGEST else ""
        of = cut or plural(len(words), "word")
        pieces.say(f"tokens  {number(tokens)}", f"{of} · a three lanes")
        self._decode()

    def on_parts_panel_selected(self, event: WordsOfTextPanel.Selected) -> None:
        event.stop()
        self.query_one(ProbesPanel).word = event.part

    # -- ids → text

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._decode()

    def _decode(self) -> None:
        frame, panel = self.frame, self.query_one(DecodePanel)
        if frame is None:
            return
        if panel.typed.strip():
            panel.show(
                describe_ids(panel.typed, lambda ids: visible_text(frame.tokenizer.decode(ids)))
            )
            return
        # Without any ids, those of the text: what do they give, and what of it is lost?
        text, words = self.text[:LONGEST], self.query_one(WordsOfTextPanel).words
        back = frame.tokenizer.decode(list(chain.from_iterable(word.ids for word in words)))
        panel.show(visible_text(back), describe_loss(frame, text, back, words))

    # -- commands

    def walk(self, by: int) -> None:
        self.query_one(ProbesPanel).walk(by)

    def walk_to_start(self) -> None:
        self.query_one(ProbesPanel).place = 0

    @property
    def is_at_end(self) -> bool:
        steps = self.query_one(ProbesPanel)
        return steps.place == steps.step_count


def describe_loss(frame: WordPieceFrame, text: str, back: str, words: Sequence[EncodedWord]) -> str:
    """What of a text its ids do not give back."""
    if not text:
        return ""
    if back == text:
        return "the very same text"
    unknown_id = frame.tokenizer.unknown_id
    unknown = sum(word.ids == (unknown_id,) for word in words)
    spaces = "what stood between the words is one space now"
    if not unknown:
        return spaces
    return f"{plural(unknown, 'word')} lost in {frame.unknown_token}; {spaces}"

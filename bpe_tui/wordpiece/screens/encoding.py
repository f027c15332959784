"""The encoding screen of WordPiece: a text, its words, and each look into the vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Input, Static, TextArea

from bpe_tui.session.session import Session
from bpe_tui.styles import sheet
from bpe_tui.views.commands import bindings_on
from bpe_tui.views.narration import Facts, fitting
from bpe_tui.views.panel_screen import TooSmall
from bpe_tui.views.walk_screen import WalkScreen
from bpe_tui.widgets.key_bar import KeyBar
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.visible import shorten, visible_text
from bpe_tui.wordpiece.model import WORDPIECE_ENCODING
from bpe_tui.wordpiece.panels.probes import ProbesPanel, WordsOfTextPanel
from bpe_tui.wordpiece.panels.training import PiecesOfText
from bpe_tui.wordpiece.panels.vocabulary import WordLanesPanel
from engine.core.errors import UnknownTokenIdError
from engine.wordpiece.encoder import EncodedWord
from engine.wordpiece.frame import WordPieceFrame

LONGEST = 4_000
"""Characters of the text that are encoded, each word probe by probe."""


class WordPieceEncodingScreen(WalkScreen):
    """Type a text; see it cut into words, and how each is spelled with the pieces of the step."""

    BINDINGS = bindings_on(WORDPIECE_ENCODING)
    CSS_PATH = sheet("wordpiece-encoding.tcss")
    PANEL_ORDER = ("pretokens", "probes", "ids", "text", "decode")
    STEPS_A_SECOND = 5

    frame: reactive[WordPieceFrame | None] = reactive(None, repaint=False)

    def __init__(self) -> None:
        super().__init__(id=WORDPIECE_ENCODING)

    def compose(self) -> ComposeResult:
        yield TooSmall(id="too-small")
        yield Static(id="heading")
        text = TextArea(id="text", compact=True, highlight_cursor_line=False)
        text.border_title = Content("text")
        yield text
        with Vertical(id="ids"):
            tokens = PiecesOfText("tokens", id="tokens-and-ids")
            yield tokens.data_bind(frame=WordPieceEncodingScreen.frame)
            yield WordLanesPanel().data_bind(frame=WordPieceEncodingScreen.frame)
        with Container(id="panels"):
            yield WordsOfTextPanel().data_bind(frame=WordPieceEncodingScreen.frame)
            yield ProbesPanel().data_bind(frame=WordPieceEncodingScreen.frame)
        with Vertical(id="decode"):
            placeholder = "ids, with spaces between; without any, those of the text"
            yield Input(placeholder=placeholder, id="decode-input", compact=True)
            yield Static(id="decoded")
        yield KeyBar()

    # -- state in

    def show_session(self, session: Session) -> None:
        frame = session.shown
        if not self.is_current or not isinstance(frame, WordPieceFrame):
            return
        super().show_session(session)
        facts: Facts = [
            (0, "WordPiece"),
            (2, f"{number(frame.vocab_size)} pieces"),
            (1, f"step {number(frame.step)} of {number(frame.recorded_steps)}"),
            (3, "the longest piece that fits, from the left, again and again"),
        ]
        said = fitting(facts, self.size.width - 2)
        self.query_one("#heading", Static).update(Content(said), layout=False)
        self._encode()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._encode()

    @property
    def _text(self) -> str:
        return self.query_one("#text", TextArea).text

    def _encode(self) -> None:
        """Encode the text with the pieces of the frame, and hand the words on."""
        if self.frame is None:
            return
        text = self._text
        words = tuple(self.frame.tokenizer.explain(text[:LONGEST]))
        self.query_one(WordsOfTextPanel).words = words
        self.query_one(WordLanesPanel).words = words
        pieces = self.query_one(PiecesOfText)
        pieces.text = text[:LONGEST]
        tokens = sum(len(word.ids) for word in words)
        cut = f"of the first {number(LONGEST)} characters" if len(text) > LONGEST else ""
        of = cut or plural(len(words), "word")
        pieces.say(f"tokens  {number(tokens)}", f"{of} · a three lanes")
        self._decode()

    def on_words_of_text_panel_selected(self, event: WordsOfTextPanel.Selected) -> None:
        event.stop()
        self.query_one(ProbesPanel).word = event.word

    # -- ids → text

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._decode()

    def _decode(self) -> None:
        if self.frame is None:
            return
        typed = self.query_one("#decode-input", Input).value
        said, foot = decoded(self.frame, typed), ""
        if not typed.strip():
            said, foot = self._back_again()
        decode = self.query_one("#decode")
        decode.border_title, decode.border_subtitle = Content("ids → text"), Content(foot)
        self.query_one("#decoded", Static).update(Content(said), layout=False)

    def _back_again(self) -> tuple[str, str]:
        """What the ids of the text give, and what of it is lost."""
        assert self.frame is not None
        text, words = self._text[:LONGEST], self.query_one(WordsOfTextPanel).words
        ids = list(chain.from_iterable(word.ids for word in words))
        back = self.frame.tokenizer.decode(ids)
        return visible_text(back), told_loss(self.frame, text, back, words)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()

    # -- commands

    def walk(self, by: int) -> None:
        self.query_one(ProbesPanel).walk(by)

    def walk_to_start(self) -> None:
        self.query_one(ProbesPanel).place = 0

    @property
    def is_at_end(self) -> bool:
        steps = self.query_one(ProbesPanel)
        return steps.place == steps.step_count


def told_loss(frame: WordPieceFrame, text: str, back: str, words: Sequence[EncodedWord]) -> str:
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


def decoded(frame: WordPieceFrame, typed: str) -> str:
    """The text of ids typed with spaces or commas between, or what is wrong with them."""
    words = typed.replace(",", " ").split()
    wrong = next((word for word in words if not (word.isascii() and word.isdigit())), None)
    if wrong is not None:
        return f"{shorten(visible_text(wrong), 20)} is no id: ids are whole numbers"
    try:
        return visible_text(frame.tokenizer.decode([int(word[:20]) for word in words]))
    except UnknownTokenIdError as error:
        return str(error)

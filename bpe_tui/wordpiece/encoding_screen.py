"""The encoding screen of WordPiece: a text, its words, and the pieces looked up for each.

A line under the word shows the part that is looked up. It shrinks from the right until that part
is a piece, and starts again after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.reactive import reactive

from bpe_tui.panels.encoding_screen import (
    LANES_KEY,
    THE_END,
    TextPretokensPanel,
    WalkedPanel,
    WalkScreen,
)
from bpe_tui.panels.longest_match import probe_rows
from bpe_tui.panels.token_detail import LanesPanel
from bpe_tui.shell.panel import needs_marks
from bpe_tui.styles import sheet
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import Column, Row, Span, paragraph
from bpe_tui.widgets.visible import visible_text
from bpe_tui.wordpiece.model import WORDPIECE_ENCODING
from bpe_tui.wordpiece.training_screen import WORDPIECE_VIEW, TypedWordPieces, WordPiecePainter
from engine.encoding.lanes import TokenPlace
from engine.recording.playback import AnyMergeFrame
from engine.text.pretokenize import to_bytes, without_stray_surrogates
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.tokenizer import EncodedWord, Outcome


class WordPieceTextPretokens(TextPretokensPanel[WordPieceFrame]):
    """The pretokens of a text, each with its pieces."""

    FOOT = "whitespace is lost"

    def columns(self, frame: WordPieceFrame, width: int) -> Sequence[Column]:
        painter = WordPiecePainter(frame, marks=needs_marks(self.app))

        def text(word: EncodedWord) -> list[Span]:
            role = "special" if word.outcome is Outcome.SPECIAL else ""
            return [(visible_text(word.word), role)]

        return [
            Column("text", max((width - 5) * 2 // 5, 6), text),
            Column("pieces", 7, lambda word: [(number(len(word.ids)), "dim")], True),
            Column("  which", 0, lambda word: [("  ", ""), *painter.tokens(word.ids)]),
        ]


class WordLanesPanel(LanesPanel):
    """Characters, bytes and pieces of the text; an unknown word is one piece over all of it."""

    TOKEN = "piece"
    FOOT = "whitespace is lost, and ## is no part of the text"

    words: Sequence[EncodedWord] = ()
    """The words of the text, set before it."""

    def places_of(self, frame: AnyMergeFrame) -> tuple[bytes, Iterator[TokenPlace]]:
        assert isinstance(frame, WordPieceFrame)
        return to_bytes(self.text), self._pieces(frame, without_stray_surrogates(self.text))

    def _pieces(self, frame: WordPieceFrame, text: str) -> Iterator[TokenPlace]:
        """Yield the pieces of the words with their places in the text."""
        at = place = 0  # in characters, and in bytes
        for word in self.words:
            start = text.index(word.word, at)  # only whitespace is between words
            place += len(to_bytes(text[at:start]))
            spelled = frame.tokenizer.encoder.spell(word.word)
            at = start
            for token_id, end in spelled or [(word.ids[0], len(word.word))]:
                width = len(to_bytes(text[at : start + end]))
                yield TokenPlace(token_id, place, place + width)
                at, place = start + end, place + width


class ProbesPanel(WalkedPanel[WordPieceFrame]):
    """The probes for `word`; each is a step of the walk."""

    PAINTER = WordPiecePainter
    ID = "probes"
    LEAST_FOR_HEAD = 2

    word: reactive[EncodedWord | None] = reactive(None, repaint=False)

    def watch_word(self, old: EncodedWord | None, new: EncodedWord | None) -> None:
        self.step_count = len(new.probes) if new is not None else 0
        if old is None or new is None or old.word != new.word:
            self.place = THE_END
        self.rebuild()

    def rebuild(self) -> None:
        super().rebuild()
        is_over = self.place == self.step_count  # then the result is below
        self.scroll_to_row(self.row_count if is_over else self.place)

    def rows_of(self, frame: WordPieceFrame, width: int) -> Sequence[Row]:
        self.place = min(self.place, self.step_count)
        if self.word is None:
            self.say("probes")
            return paragraph("Type something; choose a word with ↑ ↓.", width, "dim")
        return probe_rows(self, self.painter(frame), self.word, self.place, frame.tokenizer.encoder)


LONGEST = 4_000
"""Number of characters of the text that are encoded, each word probe by probe."""


class WordPieceEncodingScreen(WalkScreen):
    """A screen to type a text and see how each word is spelled in pieces."""

    NAME = WORDPIECE_ENCODING
    VIEW = WORDPIECE_VIEW
    CSS_PATH = sheet("encoding.tcss")
    PANEL_ORDER = ("pretokens", "probes", "ids", "text")
    STEPS_A_SECOND = 5

    TOKENS = TypedWordPieces
    LANES = WordLanesPanel
    PANELS = (WordPieceTextPretokens, ProbesPanel)

    @property
    def walked(self) -> ProbesPanel:
        return self.query_one(ProbesPanel)

    # -- new frames and texts

    def facts_of(self, frame: WordPieceFrame) -> Sequence[str]:
        how = tr("the longest piece that fits, from the left, again and again")
        return "WordPiece", plural(frame.vocab_size, "piece"), how

    def show_text(self) -> None:
        """Encode the text with the pieces of the frame, and give the words to the panels."""
        if self.frame is None:
            return
        text = self.text
        words = tuple(self.frame.tokenizer.explain(text[:LONGEST]))
        self.query_one(WordPieceTextPretokens).pretokens = words
        lanes = self.query_one(WordLanesPanel)
        lanes.words = words
        lanes.show(self.frame, text[:LONGEST])
        pieces = self.query_one(TypedWordPieces)
        pieces.text = text[:LONGEST]
        tokens = sum(len(word.ids) for word in words)
        template = "of the first {characters}"
        cut = tr(template, characters=plural(LONGEST, "character")) if len(text) > LONGEST else ""
        of = cut or plural(len(words), "pretoken")
        pieces.say(tr("tokens  {n}", n=tokens), f"{of} │ {tr(LANES_KEY)}")

    def on_parts_panel_selected(self, event: WordPieceTextPretokens.Selected) -> None:
        self.query_one(ProbesPanel).word = event.part

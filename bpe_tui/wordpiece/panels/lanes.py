"""Which characters and bytes does a piece stand for?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.reactive import reactive

from bpe_tui.views.lanes import LanesPanel
from engine.recording.merge_frame import AnyMergeFrame
from engine.text.pretokenize import to_bytes
from engine.wordpiece.encoder import EncodedWord
from engine.wordpiece.frame import WordPieceFrame


class PieceLanesPanel(LanesPanel):
    """Characters, bytes and pieces, aligned: `##` stands for nothing in the text."""

    TOKEN = "piece"
    SPELLS = False

    def foot(self, data: bytes) -> str:
        return "## is no part of the text"


class WordLanesPanel(PieceLanesPanel):
    """The same of `words`: an unknown one is one piece over all its characters."""

    words: reactive[Sequence[EncodedWord]] = reactive((), repaint=False)

    def watch_words(self) -> None:
        self.rebuild()

    def parts_of(self, frame: AnyMergeFrame) -> Sequence[tuple[int, bytes]]:
        assert isinstance(frame, WordPieceFrame)
        return [part for word in self.words for part in _parts(frame, word)]

    def foot(self, data: bytes) -> str:
        return "whitespace is lost, and ## is no part of the text"


def _parts(frame: WordPieceFrame, word: EncodedWord) -> Iterator[tuple[int, bytes]]:
    """The pieces of a word, and what each stands for in it."""
    spelled = frame.tokenizer.encoder.spell(word.word) if len(word.ids) > 1 else None
    start = 0
    for token_id, end in spelled or [(word.ids[0], len(word.word))]:
        yield token_id, to_bytes(word.word[start:end])
        start = end

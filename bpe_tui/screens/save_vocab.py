"""Save the WordPiece vocabulary of a step."""

from __future__ import annotations

from pathlib import Path

from bpe_tui.screens.save_file import SaveFile
from bpe_tui.visible import number, plural
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.vocab_file import FILE, save_vocab


class SaveVocab(SaveFile):
    """Writes the pieces, a line each."""

    def __init__(self, frame: WordPieceFrame, suggestion: str) -> None:
        self._frame = frame
        super().__init__(
            f"save the pieces of step {number(frame.step)}",
            f"A file like BERT's {FILE}: {plural(frame.vocab_size, 'piece')}, a line each.",
            f"{suggestion}-{FILE}",
        )

    def write(self, path: Path, overwrite: bool) -> None:
        save_vocab(self._frame.tokenizer.vocab, path, overwrite=overwrite)

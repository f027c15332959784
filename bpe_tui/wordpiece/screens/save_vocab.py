"""Save the WordPiece vocabulary of a step."""

from __future__ import annotations

from pathlib import Path

from bpe_tui.views.save import SaveFile
from bpe_tui.widgets.numbers import number, plural
from engine.formats.tokenizer_json import save_pipeline
from engine.pipeline.of_tokenizer import wordpiece_pipeline
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.tokenizer import FILE, save_vocab

JSON = ".json"


class SaveVocab(SaveFile):
    """Writes the pieces, a line each; or all that encodes, if the name is that of a JSON file."""

    def __init__(self, frame: WordPieceFrame, suggestion: str) -> None:
        self._frame = frame
        super().__init__(
            f"save the pieces of step {number(frame.step)}",
            f"A file like BERT's {FILE}: {plural(frame.vocab_size, 'piece')}, a line each. A "
            f"name in {JSON} makes a tokenizer.json, which keeps pattern and special tokens, too.",
            f"{suggestion}-{FILE}",
        )

    def write(self, path: Path, overwrite: bool) -> None:
        if path.suffix == JSON:
            save_pipeline(wordpiece_pipeline(self._frame.tokenizer), path, overwrite)
        else:
            save_vocab(self._frame.tokenizer.vocab, path, overwrite=overwrite)

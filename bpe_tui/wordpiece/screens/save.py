"""What of WordPiece can be saved: the vocabulary of a step; and what can be exported."""

from __future__ import annotations

from pathlib import Path

from bpe_tui.views.dialog import SaveFile
from bpe_tui.views.exports import exports_of
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.wordpiece.screens.charts import CHARTS
from engine.formats.tokenizer_json import save_pipeline
from engine.pipeline.of_tokenizer import wordpiece_pipeline
from engine.recording.report import json_lines
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.report import markdown
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


EXPORTS = exports_of(markdown, json_lines, CHARTS)
"""What of a WordPiece training can be exported."""

"""Which tokenizer to compare with?"""

from __future__ import annotations

import os
from pathlib import Path

from bpe_tui.studies.comparison.screen import ComparisonScreen
from bpe_tui.views.dialog import Dialog
from bpe_tui.widgets.numbers import number
from engine.bpe.frame import Frame
from engine.encoding.tokenizer import Tokenizer
from engine.formats import open_tokenizer
from engine.text.pretokenize import to_bytes


class CompareWith(Dialog):
    """Asks for the path of a tokenizer, or the name of a known encoding."""

    def __init__(self) -> None:
        super().__init__("compare with", "A tokenizer: a file or a directory in any known format.")

    def answer(self, value: str) -> None:
        if value:
            self.dismiss(os.path.expanduser(value))
        else:
            self.refuse("Name a file or a directory.")


def comparison_with(path: str, frame: Frame, text: str) -> ComparisonScreen:
    """The screen that compares a step's tokenizer with one from a file, on a text."""
    names = [f"step {number(frame.step)}", Path(path).name or path]

    def open_all() -> list[Tokenizer]:
        tokenizers = [frame.tokenizer(), open_tokenizer(path).tokenizer]
        return tokenizers if frame.cuts_specials else [each.allowing([]) for each in tokenizers]

    return ComparisonScreen(names, open_all, to_bytes(text))

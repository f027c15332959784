"""Which tokenizer to compare with?"""

from __future__ import annotations

import os

from bpe_tui.screens.dialog import Dialog


class CompareWith(Dialog):
    """Asks for the path of a tokenizer, or the name of a known encoding."""

    def __init__(self) -> None:
        super().__init__("compare with", "A tokenizer: a file or a directory in any known format.")

    def answer(self, value: str) -> None:
        if value:
            self.dismiss(os.path.expanduser(value))
        else:
            self.refuse("Name a file or a directory.")

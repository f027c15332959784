"""Save the WordPiece vocabulary of a step."""

from __future__ import annotations

import os
from pathlib import Path

from bpe_tui.screens.dialog import Dialog
from bpe_tui.visible import number, plural, visible_text
from engine.errors import BpeError, OutputExistsError
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.vocab_file import FILE, save_vocab


class SaveVocab(Dialog):
    """Asks for a place and writes the pieces there, a line each.

    Never overwrites unasked: where something is, Enter has to be pressed again.
    """

    def __init__(self, frame: WordPieceFrame, suggestion: str) -> None:
        self._frame = frame
        self._confirmed: str | None = None
        super().__init__(
            f"save the pieces of step {number(frame.step)}",
            f"A file like BERT's {FILE}: {plural(frame.vocab_size, 'piece')}, a line each.",
            f"{suggestion}-{FILE}",
        )

    def answer(self, value: str) -> None:
        if not value:
            self.refuse("Name a file.")
            return
        try:
            save_vocab(
                self._frame.tokenizer.vocab,
                Path(os.path.expanduser(value)),
                overwrite=value == self._confirmed,
            )
        except OutputExistsError as error:
            self._confirmed = value
            taken = visible_text(str(error).split(": ")[0], spaces=False)
            self.refuse(f"{taken} is there already. Enter again overwrites it.")
        except BpeError as error:
            self.refuse(visible_text(str(error), spaces=False))
        else:
            self.dismiss(value)

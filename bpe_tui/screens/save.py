"""Save the tokenizer of a step."""

from __future__ import annotations

import os
from pathlib import Path

from bpe_tui.screens.dialog import Dialog
from bpe_tui.visible import number, visible_text
from engine.errors import BpeError, OutputExistsError
from engine.frame import Frame


class Save(Dialog):
    """Asks for a directory and writes vocab.json and merges.txt there.

    Never overwrites unasked: where something is, Enter has to be pressed again.
    """

    def __init__(self, frame: Frame, suggestion: str) -> None:
        self._frame = frame
        self._confirmed: str | None = None
        super().__init__(
            f"save the tokenizer of step {number(frame.step)}",
            f"A directory for vocab.json and merges.txt ({number(frame.vocab_size)} tokens).",
            suggestion,
        )

    def answer(self, value: str) -> None:
        if not value:
            self.refuse("Name a directory.")
            return
        try:
            self._frame.tokenizer().save(
                Path(os.path.expanduser(value)), overwrite=value == self._confirmed
            )
        except OutputExistsError as error:
            self._confirmed = value
            taken = visible_text(str(error).split(": ")[0], spaces=False)
            self.refuse(f"{taken} is there already. Enter again overwrites it.")
        except BpeError as error:
            self.refuse(visible_text(str(error), spaces=False))
        else:
            self.dismiss(value)

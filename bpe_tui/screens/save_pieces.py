"""Save the Unigram model of a step."""

from __future__ import annotations

import os
from pathlib import Path

from bpe_tui.screens.dialog import Dialog
from bpe_tui.visible import number, plural, visible_text
from engine.errors import BpeError, OutputExistsError
from engine.unigram.frame import UnigramFrame
from engine.unigram.tokenizer_file import FILE, save_tokenizer


class SavePieces(Dialog):
    """Asks for a place and writes the pieces with their scores there, as a tokenizer.json.

    Never overwrites unasked: where something is, Enter has to be pressed again.
    """

    def __init__(self, frame: UnigramFrame, suggestion: str) -> None:
        self._frame = frame
        self._confirmed: str | None = None
        super().__init__(
            f"save the pieces of step {number(frame.step)}",
            f"A file like {FILE}: {plural(frame.size, 'piece')} with scores, and what cuts text.",
            f"{suggestion}.json",
        )

    def answer(self, value: str) -> None:
        if not value:
            self.refuse("Name a file.")
            return
        frame = self._frame
        try:
            left_out = save_tokenizer(
                frame.vocabulary,
                Path(os.path.expanduser(value)),
                pattern=frame.pattern,
                special_tokens=frame.record.special_tokens,
                overwrite=value == self._confirmed,
            )
        except OutputExistsError as error:
            self._confirmed = value
            taken = visible_text(str(error).split(": ")[0], spaces=False)
            self.refuse(f"{taken} is there already. Enter again overwrites it.")
        except BpeError as error:
            self.refuse(visible_text(str(error), spaces=False))
        else:
            if left_out:
                said = f"Left out, since they are no UTF-8: {plural(left_out, 'piece')}."
                self.app.notify(said, markup=False, timeout=8)
            self.dismiss(value)

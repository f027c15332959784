"""What windows that write one file share: where it goes, and nothing overwritten unasked."""

from __future__ import annotations

import os
from abc import abstractmethod
from pathlib import Path

from bpe_tui.views.dialog import Dialog
from bpe_tui.widgets.visible import visible_text
from engine.core.errors import BpeError, OutputExistsError


class SaveFile(Dialog):
    """Asks for a file; gives back its name when it is written.

    Where something is, Enter has to be pressed again.
    """

    _confirmed: str | None = None

    @abstractmethod
    def write(self, path: Path, overwrite: bool) -> None:
        """Write the file, or raise a `BpeError` that says why not."""

    def answer(self, value: str) -> None:
        if not value:
            self.refuse("Name a file.")
            return
        try:
            self.write(Path(os.path.expanduser(value)), overwrite=value == self._confirmed)
        except OutputExistsError as error:
            self._confirmed = value
            taken = visible_text(str(error).split(": ")[0], spaces=False)
            self.refuse(f"{taken} is there already. Enter again overwrites it.")
        except BpeError as error:
            self.refuse(visible_text(str(error), spaces=False))
        else:
            self.dismiss(value)

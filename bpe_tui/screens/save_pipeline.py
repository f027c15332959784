"""Save a pipeline as a tokenizer.json."""

from __future__ import annotations

import os
from pathlib import Path

from bpe_tui.screens.dialog import Dialog
from bpe_tui.visible import visible_text
from engine.errors import BpeError, OutputExistsError
from engine.formats.tokenizer_json import save_pipeline
from engine.pipeline import Pipeline


class SavePipeline(Dialog):
    """Asks for a file; gives back its name when it is written.

    Never overwrites unasked: where something is, Enter has to be pressed again.
    """

    def __init__(self, pipeline: Pipeline, suggestion: str) -> None:
        self._pipeline = pipeline
        self._confirmed: str | None = None
        super().__init__(
            "save the pipeline",
            "A tokenizer.json with all stages as they are now; Hugging Face's library reads it.",
            suggestion,
        )

    def answer(self, value: str) -> None:
        if not value:
            self.refuse("Name a file.")
            return
        path = Path(os.path.expanduser(value))
        try:
            save_pipeline(self._pipeline, path, overwrite=value == self._confirmed)
        except OutputExistsError as error:
            self._confirmed = value
            taken = visible_text(str(error).split(": ")[0], spaces=False)
            self.refuse(f"{taken} is there already. Enter again overwrites it.")
        except BpeError as error:
            self.refuse(visible_text(str(error), spaces=False))
        else:
            self.dismiss(value)

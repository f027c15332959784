"""Save a pipeline as a tokenizer.json."""

from __future__ import annotations

from pathlib import Path

from bpe_tui.views.save_file import SaveFile
from engine.formats.tokenizer_json import save_pipeline
from engine.pipeline.pipeline import Pipeline


class SavePipeline(SaveFile):
    """Writes all stages as they are."""

    def __init__(self, pipeline: Pipeline, suggestion: str) -> None:
        self._pipeline = pipeline
        super().__init__(
            "save the pipeline",
            "A tokenizer.json with all stages as they are now; Hugging Face's library reads it.",
            suggestion,
        )

    def write(self, path: Path, overwrite: bool) -> None:
        save_pipeline(self._pipeline, path, overwrite=overwrite)

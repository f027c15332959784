"""The models of a `tokenizer.json`."""

from __future__ import annotations

from engine.core.registry import Registry
from engine.pipeline.json_fields import Fields
from engine.pipeline.models.bpe import BPE
from engine.pipeline.models.model import Model
from engine.pipeline.models.unigram import Unigram
from engine.pipeline.models.words import WordLevel, WordPiece
from engine.pipeline.stage import stage_from_json

_ALL: tuple[type[Model], ...] = (BPE, WordPiece, Unigram, WordLevel)
MODELS: Registry[type[Model]] = Registry("model", {m.name: m for m in _ALL})


def model_from_json(fields: Fields) -> Model:
    """The model that an object of `tokenizer.json` describes.

    Raises:
        TokenizerFileError: says what in it is wrong or not supported.
    """
    # Files of early versions name no type; then only BPE has merges.
    if "type" not in fields.value and "merges" in fields.value:
        return BPE.from_json(fields)
    return stage_from_json(MODELS, fields)

"""Normalizers, each under the name that `tokenizer.json` gives it.

They are Hugging Face's, character for character, but for the age of the Unicode tables: their
library has some tables of Unicode 8 and some newer ones than this Python.
"""

from __future__ import annotations

from engine.core.registry import Registry
from engine.pipeline.json_fields import Fields
from engine.pipeline.normalizers.edits import (
    BertNormalizer,
    ByteLevel,
    Lowercase,
    Nmt,
    Prepend,
    Replace,
    Sequence,
    Strip,
    StripAccents,
)
from engine.pipeline.normalizers.normalizer import Normalizer
from engine.pipeline.normalizers.precompiled import Precompiled
from engine.pipeline.normalizers.unicode_forms import NFC, NFD, NFKC, NFKD
from engine.pipeline.stage import stage_from_json

_ALL: tuple[type[Normalizer], ...] = (
    *(NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Prepend, Replace, Nmt),
    *(BertNormalizer, ByteLevel, Precompiled, Sequence),
)
NORMALIZERS: Registry[type[Normalizer]] = Registry("normalizer", {n.name: n for n in _ALL})


def normalizer_from_json(fields: Fields) -> Normalizer:
    """The normalizer that an object of `tokenizer.json` describes.

    Raises:
        TokenizerFileError: says what in it is wrong or not supported.
    """
    return stage_from_json(NORMALIZERS, fields)

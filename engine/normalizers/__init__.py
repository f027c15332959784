"""Normalizers, each under the name that `tokenizer.json` gives it.

They are Hugging Face's, character for character, but for the age of the Unicode tables: their
library has some tables of Unicode 8 and some newer ones than this Python.
"""

from __future__ import annotations

from engine.json_fields import Fields
from engine.normalizers.bert import BertNormalizer
from engine.normalizers.byte_level import ByteLevel
from engine.normalizers.control_characters import Nmt
from engine.normalizers.letters import Lowercase, StripAccents
from engine.normalizers.normalizer import Normalizer
from engine.normalizers.precompiled import Precompiled
from engine.normalizers.replace import Replace
from engine.normalizers.sequence import Sequence
from engine.normalizers.strip import Prepend, Strip
from engine.normalizers.unicode_forms import NFC, NFD, NFKC, NFKD
from engine.registry import Registry
from engine.stage import stage_from_json

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

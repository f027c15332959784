"""Normalizers, each under the name that `tokenizer.json` gives it.

They are Hugging Face's, character for character, but for the age of the Unicode tables: their
library has some tables of Unicode 8 and some newer ones than this Python. The pre-tokenizers build
on them, since these may change a text, too, before they cut it.
"""

from engine.pipeline.normalizers.edits import (
    BertNormalizer,
    ByteLevel,
    Lowercase,
    Nmt,
    Prepend,
    Replace,
    Strip,
    StripAccents,
)
from engine.pipeline.normalizers.normalizer import Normalizer, Sequence
from engine.pipeline.normalizers.unicode_forms import NFC, NFD, NFKC, NFKD, Precompiled
from engine.pipeline.stage import StageRegistry

NORMALIZERS: StageRegistry[Normalizer] = StageRegistry(
    "normalizer",
    (
        *(NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Prepend, Replace, Nmt),
        *(BertNormalizer, ByteLevel, Precompiled, Sequence),
    ),
)

"""Pre-tokenizers, each under the name that `tokenizer.json` gives it."""

from __future__ import annotations

from engine.core.registry import Registry
from engine.pipeline.json_fields import Fields
from engine.pipeline.pretokenizers.cuts import (
    BertPreTokenizer,
    CharDelimiterSplit,
    Digits,
    FixedLength,
    Punctuation,
    Split,
    Whitespace,
    WhitespaceSplit,
)
from engine.pipeline.pretokenizers.pretokenizer import PreTokenizer, Sequence
from engine.pipeline.pretokenizers.space_marks import ByteLevel, Metaspace
from engine.pipeline.stage import stage_from_json

_ALL: tuple[type[PreTokenizer], ...] = (
    *(ByteLevel, Split, Digits, Punctuation, Whitespace, WhitespaceSplit, Metaspace),
    *(BertPreTokenizer, CharDelimiterSplit, FixedLength, Sequence),
)
PRETOKENIZERS: Registry[type[PreTokenizer]] = Registry("pre-tokenizer", {p.name: p for p in _ALL})


def pretokenizer_from_json(fields: Fields) -> PreTokenizer:
    """The pre-tokenizer that an object of `tokenizer.json` describes.

    Raises:
        TokenizerFileError: says what in it is wrong or not supported.
    """
    return stage_from_json(PRETOKENIZERS, fields)

"""Decoders, each under the name that `tokenizer.json` gives it."""

from __future__ import annotations

from engine.core.registry import Registry
from engine.pipeline.decoders.words import (
    CTC,
    BPEDecoder,
    ByteFallback,
    ByteLevel,
    Decoder,
    Fuse,
    Metaspace,
    Replace,
    Sequence,
    Strip,
    WordPiece,
)
from engine.pipeline.json_fields import Fields
from engine.pipeline.stage import stage_from_json

_ALL: tuple[type[Decoder], ...] = (
    *(ByteLevel, ByteFallback, Metaspace, WordPiece, BPEDecoder, CTC),
    *(Replace, Strip, Fuse, Sequence),
)
DECODERS: Registry[type[Decoder]] = Registry("decoder", {d.name: d for d in _ALL})


def decoder_from_json(fields: Fields) -> Decoder:
    """The decoder that an object of `tokenizer.json` describes.

    Raises:
        TokenizerFileError: says what in it is wrong or not supported.
    """
    return stage_from_json(DECODERS, fields)

"""Decoders for tokens that stand for bytes."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Self

from engine.core.gpt2_bytes import unspell
from engine.pipeline.decoders.decoder import Decoder
from engine.pipeline.json_fields import Fields
from engine.pipeline.pretokenizers.byte_level import ByteLevel as ByteLevelPreTokenizer

_BYTE = re.compile(r"<0x([0-9a-fA-F]{2}|\+[0-9a-fA-F])>")


class ByteLevel(Decoder):
    """GPT-2's stand-ins back to bytes, and these to text; bytes that are none become U+FFFD.

    A token that holds any other character stands for its own text.
    """

    name = "ByteLevel"

    def __init__(self, settings: ByteLevelPreTokenizer | None = None) -> None:
        self._settings = settings or ByteLevelPreTokenizer()  # which the file repeats here

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        return cls(ByteLevelPreTokenizer.from_json(fields))

    def settings(self) -> dict[str, object]:
        return self._settings.settings()

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        return [b"".join(map(_bytes_of, tokens)).decode("utf-8", "replace")]


def _bytes_of(token: str) -> bytes:
    try:
        return unspell(token)
    except KeyError:
        return token.encode()


class ByteFallback(Decoder):
    """Tokens such as `<0xE6>` back to bytes. A run of them that is no text becomes U+FFFDs."""

    name = "ByteFallback"

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        decoded: list[str] = []
        for is_byte, run in groupby(tokens, key=lambda token: _BYTE.fullmatch(token) is not None):
            if is_byte:
                decoded += _text_of(bytes(int(token[3:5], 16) for token in run))
            else:
                decoded += run
        return decoded


def _text_of(data: bytes) -> list[str]:
    try:
        return [data.decode()]
    except UnicodeDecodeError:
        return ["\ufffd"] * len(data)

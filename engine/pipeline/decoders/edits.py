"""Decoders that change each token by itself, or join them; and decoders in a row."""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf
from typing import Any, Self

from engine.pipeline.decoders.decoder import Decoder
from engine.pipeline.json_fields import Fields
from engine.pipeline.normalizers.edits import Replace as ReplaceNormalizer


class Replace(Decoder):
    """Each match in a token becomes another text."""

    name = "Replace"

    def __init__(self, replace: ReplaceNormalizer) -> None:
        self._replace = replace

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        return cls(ReplaceNormalizer.from_json(fields))

    def settings(self) -> dict[str, object]:
        return self._replace.settings()

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        return list(map(self._replace.normalize, tokens))


class Strip(Decoder):
    """Takes a character away at the ends of each token, so many times at the most."""

    name = "Strip"

    def __init__(self, content: str, start: int, stop: int) -> None:
        self.content = content
        self.start = start
        self.stop = stop

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        return cls(fields.character("content"), fields.count("start"), fields.count("stop"))

    def settings(self) -> dict[str, object]:
        return {"content": self.content, "start": self.start, "stop": self.stop}

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        return list(map(self._stripped, tokens))

    def _stripped(self, token: str) -> str:
        first = min(self.start, len(token) - len(token.lstrip(self.content)))
        rest = token[first:]
        last = min(self.stop, len(rest) - len(rest.rstrip(self.content)))
        return rest[: len(rest) - last]


class Fuse(Decoder):
    """Joins all tokens into one, so that what follows sees the whole text."""

    name = "Fuse"

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        return ["".join(tokens)]


class Sequence(Decoder):
    """Decoders, one after the other."""

    name = "Sequence"
    parts_key = "decoders"

    def __init__(self, parts: SequenceOf[Decoder]) -> None:
        self.parts = tuple(parts)

    @classmethod
    def of_parts(cls, parts: SequenceOf[Any], fields: Fields) -> Self:
        return cls(parts)

    def settings(self) -> dict[str, object]:
        return {"decoders": [part.to_json() for part in self.parts]}

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        for part in self.parts:
            tokens = part.decode_tokens(tokens)
        return tokens

"""Decoders that put the spaces back between words."""

from __future__ import annotations

from itertools import groupby
from typing import Self

from engine.pipeline.decoders.decoder import Decoder
from engine.pipeline.json_fields import Fields
from engine.pipeline.pretokenizers.metaspace import Metaspace as MetaspacePreTokenizer

_CLEANED = {
    **{f" {mark}": mark for mark in ".?!,"},
    " ' ": "'",
    " n't": "n't",
    " 'm": "'m",
    " do not": " don't",
    " 's": "'s",
    " 've": "'ve",
    " 're": "'re",
}


def _cleaned(token: str) -> str:
    """The token without spaces before punctuation and English endings."""
    for untidy, tidy in _CLEANED.items():
        token = token.replace(untidy, tidy)
    return token


class WordPiece(Decoder):
    """Joins what begins with the prefix to the token before, and puts a space before the rest."""

    name = "WordPiece"

    def __init__(self, prefix: str = "##", cleanup: bool = True) -> None:
        self.prefix = prefix
        self.cleanup = cleanup

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        return cls(fields.text("prefix"), fields.flag("cleanup"))

    def settings(self) -> dict[str, object]:
        return {"prefix": self.prefix, "cleanup": self.cleanup}

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        decoded = tokens[:1]
        for token in tokens[1:]:
            continues = token.startswith(self.prefix)
            decoded.append(token.removeprefix(self.prefix) if continues else f" {token}")
        return list(map(_cleaned, decoded)) if self.cleanup else decoded


class BPEDecoder(Decoder):
    """A suffix at the end of a word becomes a space; the last one goes."""

    name = "BPEDecoder"

    def __init__(self, suffix: str = "</w>") -> None:
        self.suffix = suffix

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        return cls(fields.text("suffix"))

    def settings(self) -> dict[str, object]:
        return {"suffix": self.suffix}

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        before = [token.replace(self.suffix, " ") for token in tokens[:-1]]
        return before + [token.replace(self.suffix, "") for token in tokens[-1:]]


class Metaspace(Decoder):
    """Every `▁` becomes a space; those of the first token go, if one would have been put there."""

    name = "Metaspace"

    def __init__(self, settings: MetaspacePreTokenizer | None = None) -> None:
        self._settings = settings or MetaspacePreTokenizer()

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        return cls(MetaspacePreTokenizer.from_json(fields))

    def settings(self) -> dict[str, object]:
        return self._settings.settings()

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        mark = self._settings.replacement
        at_start = " " if self._settings.prepend_scheme == "never" else ""
        first = [token.replace(mark, at_start) for token in tokens[:1]]
        return first + [token.replace(mark, " ") for token in tokens[1:]]


class CTC(Decoder):
    """Joins repeated tokens into one and drops the padding between them."""

    name = "CTC"

    def __init__(
        self, pad_token: str = "<pad>", word_delimiter_token: str = "|", cleanup: bool = True
    ) -> None:
        self.pad_token = pad_token
        self.word_delimiter_token = word_delimiter_token
        self.cleanup = cleanup

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        texts = fields.text("pad_token"), fields.text("word_delimiter_token")
        return cls(*texts, fields.flag("cleanup"))

    def settings(self) -> dict[str, object]:
        return {
            "pad_token": self.pad_token,
            "word_delimiter_token": self.word_delimiter_token,
            "cleanup": self.cleanup,
        }

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        kept = [token.replace(self.pad_token, "") for token, _ in groupby(tokens)]
        if self.cleanup:
            kept = [_cleaned(token).replace(self.word_delimiter_token, " ") for token in kept]
        return list(filter(None, kept))

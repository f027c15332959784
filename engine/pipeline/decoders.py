"""Decoders: they make readable text of tokens, as these are spelled in the vocabulary.

Each stands in `DECODERS` under the name that `tokenizer.json` gives it.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable
from itertools import groupby

from engine.core.gpt2_bytes import unspell
from engine.core.json_fields import Fields
from engine.pipeline.normalizers import Replace as ReplaceNormalizer
from engine.pipeline.oniguruma import TextOrRegex
from engine.pipeline.pretokenizers import ByteLevelSettings, MetaspaceSettings
from engine.pipeline.stage import (
    Composite,
    SingleCharacter,
    Stage,
    StageRegistry,
    check_content,
    check_growth,
    stage,
)


class Decoder(Stage):
    """Changes a list of tokens; the last one's tokens, joined, are the text."""

    @abstractmethod
    def decode_tokens(self, tokens: list[str]) -> list[str]:
        """The tokens after this decoder; they may be more or fewer."""

    def decode(self, tokens: Iterable[str]) -> str:
        """The text.

        >>> WordPiece().decode(["to", "##ken", "!"])
        'token!'
        """
        return "".join(self.decode_tokens(list(tokens)))


@stage
class Sequence(Composite[Decoder], Decoder):
    """Decoders, one after the other."""

    name = "Sequence"
    parts_key = "decoders"

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        before = sum(map(len, tokens))
        for part in self.parts:
            tokens = part.decode_tokens(tokens)
            check_growth(part, before, sum(map(len, tokens)))
        return tokens


# Tokens that stand for bytes


class ByteLevel(ByteLevelSettings, Decoder):
    """GPT-2's stand-ins back to bytes, and these to text; bytes that are none become U+FFFD.

    A token that holds any other character stands for its own text. The settings are those of the
    pre-tokenizer, which the file repeats here; they change nothing.
    """

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        return [b"".join(map(_bytes_of, tokens)).decode("utf-8", "replace")]


def _bytes_of(token: str) -> bytes:
    try:
        return unspell(token)
    except KeyError:
        return token.encode()


_BYTE = re.compile(r"<0x([0-9a-fA-F]{2}|\+[0-9a-fA-F])>")


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


# Words with the spaces between them put back

_TIDIED = {
    **{f" {mark}": mark for mark in ".?!,"},
    " ' ": "'",
    " n't": "n't",
    " 'm": "'m",
    " do not": " don't",
    " 's": "'s",
    " 've": "'ve",
    " 're": "'re",
}


def _tidied(token: str) -> str:
    """The token without spaces before punctuation and English endings."""
    for untidy, tidy in _TIDIED.items():
        token = token.replace(untidy, tidy)
    return token


@stage
class WordPiece(Decoder):
    """Joins what begins with the prefix to the token before, and puts a space before the rest."""

    name = "WordPiece"
    prefix: str = "##"
    cleanup: bool = True

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        decoded = tokens[:1]
        for token in tokens[1:]:
            continues = token.startswith(self.prefix)
            decoded.append(token.removeprefix(self.prefix) if continues else f" {token}")
        return list(map(_tidied, decoded)) if self.cleanup else decoded


@stage
class BPEDecoder(Decoder):
    """A suffix at the end of a word becomes a space; the last one goes."""

    name = "BPEDecoder"
    suffix: str = "</w>"

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        before = [token.replace(self.suffix, " ") for token in tokens[:-1]]
        return before + [token.replace(self.suffix, "") for token in tokens[-1:]]


class Metaspace(MetaspaceSettings, Decoder):
    """Every `▁` becomes a space; those of the first token go, if one would have been put there."""

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        at_start = " " if self.prepend_scheme == "never" else ""
        first = [token.replace(self.replacement, at_start) for token in tokens[:1]]
        return first + [token.replace(self.replacement, " ") for token in tokens[1:]]


@stage
class CTC(Decoder):
    """Joins repeated tokens into one and drops the padding between them."""

    name = "CTC"
    pad_token: str = "<pad>"
    word_delimiter_token: str = "|"
    cleanup: bool = True

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        kept = [token.replace(self.pad_token, "") for token, _ in groupby(tokens)]
        if self.cleanup:
            kept = [_tidied(token).replace(self.word_delimiter_token, " ") for token in kept]
        return list(filter(None, kept))


# Each token by itself, or all of them joined


@stage
class Replace(Decoder):
    """Each match in a token becomes another text."""

    name = "Replace"
    pattern: TextOrRegex
    content: str

    def check(self, fields: Fields) -> None:
        check_content(self.content, fields)

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        return list(map(ReplaceNormalizer(self.pattern, self.content).normalize, tokens))


@stage
class Strip(Decoder):
    """Takes a character away at the ends of each token, so many times at the most."""

    name = "Strip"
    content: SingleCharacter
    start: int
    stop: int

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


DECODERS: StageRegistry[Decoder] = StageRegistry(
    "decoder",
    (
        *(ByteLevel, ByteFallback, Metaspace, WordPiece, BPEDecoder, CTC),
        *(Replace, Strip, Fuse, Sequence),
    ),
)

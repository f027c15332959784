"""Decoders: they make readable text of tokens as the vocabulary spells them.

`DECODERS` has each under its name in `tokenizer.json`.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import NamedTuple

from engine.core.gpt2_bytes import unspell
from engine.pipeline.normalizers import Replace as ReplaceNormalizer
from engine.pipeline.normalizers import ReplaceSettings
from engine.pipeline.pretokenizers import ByteLevelSettings, MetaspaceSettings
from engine.pipeline.stage import (
    Composite,
    SingleCharacter,
    Stage,
    StageRegistry,
    check_growth,
    opened,
    stage,
)


class Joining(NamedTuple):
    """A decoder as two functions: of single tokens, and of their joined bytes.

    Attributes:
        of_token: returns the bytes of a token; `None` if only `decode_tokens` knows them.
        finish: returns the text of the joined bytes; `None` if only `decode_tokens` knows it.
        begin: returns the number of first tokens that depend on each other, and their text.
    """

    of_token: Callable[[str], bytes | None]
    finish: Callable[[bytes], str | None]
    begin: Callable[[Iterable[str]], tuple[int, str]] | None = None


class Decoder(Stage):
    """Changes a list of tokens; the tokens after the last decoder, joined, are the text."""

    def joining(self) -> Joining | None:
        """Return the decoder as functions of tokens and of bytes; `None` if it is none such."""
        return None

    @abstractmethod
    def decode_tokens(self, tokens: list[str]) -> list[str]:
        """Return the tokens after this decoder, possibly more or fewer."""

    def decode(self, tokens: Iterable[str]) -> str:
        """Return the text of the tokens.

        >>> WordPiece().decode(["to", "##ken", "!"])
        'token!'
        """
        return "".join(self.decode_tokens(list(tokens)))


@stage
class Sequence(Composite[Decoder], Decoder):
    """Several decoders, one after the other."""

    name = "Sequence"
    parts_key = "decoders"

    def joining(self) -> Joining | None:
        parts = list(opened(self))
        replaced = parts.pop(0).decode_tokens if parts and isinstance(parts[0], Replace) else list
        if list(map(type, parts[:2])) != [ByteFallback, Fuse]:
            return None
        rest = Sequence(parts[2:])

        def of_token(token: str) -> bytes:
            (new,) = replaced([token])
            return bytes((int(new[3:5], 16),)) if _BYTE.fullmatch(new) else new.encode()

        def finish(data: bytes) -> str | None:
            try:
                return rest.decode([data.decode()])
            except UnicodeDecodeError:
                return None

        return Joining(of_token, finish)

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        before = sum(map(len, tokens))
        for part in self.parts:
            tokens = part.decode_tokens(tokens)
            check_growth(part, before, sum(map(len, tokens)))
        return tokens


# Decoders of bytes


class ByteLevel(ByteLevelSettings, Decoder):
    """Turns GPT-2's printable characters into bytes, and these into text (U+FFFD if invalid).

    A token with any other character is its own text. The settings repeat those of the
    pre-tokenizer; they change nothing here.
    """

    def joining(self) -> Joining:
        return Joining(_unspelled, lambda data: data.decode("utf-8", "replace"))

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        return [b"".join(map(_unspelled, tokens)).decode("utf-8", "replace")]


def _unspelled(token: str) -> bytes:
    try:
        return unspell(token)
    except KeyError:
        return token.encode()


_BYTE = re.compile(r"<0x([0-9a-fA-F]{2}|\+[0-9a-fA-F])>")


class ByteFallback(Decoder):
    """Turns tokens such as `<0xE6>` into bytes; a run that is not UTF-8 becomes U+FFFDs."""

    name = "ByteFallback"

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        decoded: list[str] = []
        for is_byte, run in groupby(tokens, key=lambda token: _BYTE.fullmatch(token) is not None):
            if not is_byte:
                decoded += run
                continue
            data = bytes(int(token[3:5], 16) for token in run)
            try:
                decoded.append(data.decode())
            except UnicodeDecodeError:
                decoded += ["\ufffd"] * len(data)
        return decoded


# Decoders that put spaces between words

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
    """Return the token without spaces before punctuation and English endings."""
    for untidy, tidy in _TIDIED.items():
        token = token.replace(untidy, tidy)
    return token


@stage
class WordPiece(Decoder):
    """Joins a token with the prefix to the one before, and puts a space before any other."""

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
    """Turns the suffix at the end of a word into a space, and drops the last one."""

    name = "BPEDecoder"
    suffix: str = "</w>"

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        before = [token.replace(self.suffix, " ") for token in tokens[:-1]]
        return before + [token.replace(self.suffix, "") for token in tokens[-1:]]


class Metaspace(MetaspaceSettings, Decoder):
    """Turns `▁` into a space; drops those of the first token if encoding may have added one."""

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


# Decoders of single tokens, and of all tokens joined


class Replace(ReplaceSettings, Decoder):
    """Replaces each match in a token by another text."""

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        return list(map(ReplaceNormalizer(self.pattern, self.content).normalize, tokens))


@stage
class Strip(Decoder):
    """Takes a character away at the ends of each token, up to a number of times."""

    name = "Strip"
    content: SingleCharacter
    start: int
    stop: int

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        decoded = []
        for token in tokens:
            first = min(self.start, len(token) - len(token.lstrip(self.content)))
            rest = token[first:]
            last = min(self.stop, len(rest) - len(rest.rstrip(self.content)))
            decoded.append(rest[: len(rest) - last])
        return decoded


class Fuse(Decoder):
    """Joins all tokens into one, so that the next decoder sees the whole text."""

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

"""Decoders that put the spaces back between words."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable
from collections.abc import Sequence as SequenceOf
from itertools import groupby
from typing import Any, Self

from engine.core.gpt2_bytes import unspell
from engine.pipeline.json_fields import Fields
from engine.pipeline.normalizers.edits import Replace as ReplaceNormalizer
from engine.pipeline.pretokenizers.space_marks import ByteLevel as ByteLevelPreTokenizer
from engine.pipeline.pretokenizers.space_marks import Metaspace as MetaspacePreTokenizer
from engine.pipeline.stage import Stage

# What a decoder is: it makes readable text of tokens, as they are spelled in the vocabulary.


class Decoder(Stage):
    """Changes a list of tokens; the last one's tokens, joined, are the text."""

    @abstractmethod
    def decode_tokens(self, tokens: list[str]) -> list[str]:
        """The tokens after this decoder; they may be more or fewer."""

    def decode(self, tokens: Iterable[str]) -> str:
        """The text.

        >>> from engine.pipeline.decoders import WordPiece
        >>> WordPiece().decode(["to", "##ken", "!"])
        'token!'
        """
        return "".join(self.decode_tokens(list(tokens)))


# Decoders that change each token by itself, or join them; and decoders in a row.


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


# Decoders for tokens that stand for bytes.

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

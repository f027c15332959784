"""SentencePiece's decoder: pieces to text, `▁` to spaces, bytes to characters."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import groupby
from typing import ClassVar

from engine.pipeline.decoders import Decoder
from engine.pipeline.sentencepiece.normalizer import SentencePieceNormalizer
from engine.pipeline.stage import stage
from engine.unigram.metaspace import SPACE, unspelled

_BYTE = re.compile("<0x([0-9A-F]{2})>")


@stage
class SentencePieceDecoder(Decoder):
    """What stands for no text goes; the space that was put in front goes, too.

    Attributes:
        silent: control symbols.
        unknown, unknown_text: the unknown piece, and what it becomes.
        takes_first_space: whether the first space is one that encoding has put there.
        takes_first_spaces: whether all spaces in front are taken away.
        has_bytes: whether `<0x41>` is a byte.
        afterwards: what is done to the text in the end, if anything.
    """

    name = "SentencePiece"
    in_tokenizer_json: ClassVar[bool] = False
    silent: Collection[str] = ()
    unknown: str = "<unk>"
    unknown_text: str = " ⁇ "
    takes_first_space: bool = True
    takes_first_spaces: bool = True
    has_bytes: bool = False
    afterwards: SentencePieceNormalizer | None = None

    def decode_tokens(self, tokens: list[str]) -> list[str]:
        text = "".join(self._texts(tokens))
        return [text if self.afterwards is None else self.afterwards.normalize(text)]

    def _texts(self, tokens: list[str]) -> Iterator[str]:
        at_start = took_space = False
        is_first, has_text = True, False
        for is_byte, run in groupby(tokens, key=self._is_byte):
            if is_byte:
                text = _characters(bytes(int(token[3:5], 16) for token in run))
                has_text = has_text or bool(text)
                yield text
                continue
            for token in run:
                is_first = is_first and not (took_space or has_text)
                at_start = is_first and (self.takes_first_space or self.takes_first_spaces)
                took_space, text = self._text_of(token, at_start)
                has_text = has_text or bool(text)
                yield text

    def _is_byte(self, token: str) -> bool:
        return self.has_bytes and _BYTE.fullmatch(token) is not None

    def _text_of(self, token: str, at_start: bool) -> tuple[bool, str]:
        """Whether the one space in front was taken, and the text."""
        if token in self.silent:
            return False, ""
        if token == self.unknown:
            return False, self.unknown_text
        takes = at_start and token.startswith(SPACE)
        text = unspelled(token[1:] if takes else token)
        return takes and not self.takes_first_spaces, text


def _characters(data: bytes) -> str:
    """The text of bytes; each that belongs to no character becomes U+FFFD."""
    text, place = "", 0
    while place < len(data):
        character, width = _first_character(data[place : place + 4])
        text += character
        place += width
    return text


def _first_character(data: bytes) -> tuple[str, int]:
    for width in range(1, len(data) + 1):
        try:
            return data[:width].decode(), width
        except UnicodeDecodeError:
            continue
    return "\ufffd", 1

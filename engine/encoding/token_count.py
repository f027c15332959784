"""How many tokens do texts have? Block by block, in bounded memory."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

from engine.encoding.special_policy import ALL_SPECIAL, SpecialPolicy
from engine.encoding.tokenizer import WORTH_HELPERS, Tokenizer
from engine.text.text_file import read_blocks, size_on_disk


@dataclass(frozen=True)
class TextSize:
    """A text in bytes and in tokens."""

    bytes: int
    tokens: int

    @property
    def bytes_per_token(self) -> float:
        """The compression; 0 for an empty text."""
        return self.bytes / self.tokens if self.tokens else 0.0

    def __add__(self, other: TextSize) -> TextSize:
        return TextSize(self.bytes + other.bytes, self.tokens + other.tokens)


def text_size(
    tokenizer: Tokenizer,
    blocks: Iterable[bytes],
    policy: SpecialPolicy = ALL_SPECIAL,
    helpers: int = 0,
) -> TextSize:
    """The size of a text that comes in blocks.

    Raises:
        SpecialTokenFoundError: the policy refuses what it holds.

    >>> bytes_only = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [])
    >>> text_size(bytes_only, [b"ab", b"c"])
    TextSize(bytes=3, tokens=3)
    """
    read = 0

    def noted() -> Iterable[bytes]:
        nonlocal read
        for block in policy.checked(tokenizer, blocks):
            read += len(block)
            yield block

    tokens = sum(map(len, policy.applied(tokenizer).encode_stream(noted(), helpers)))
    return TextSize(read, tokens)


def file_size(
    tokenizer: Tokenizer, name: str | os.PathLike[str], policy: SpecialPolicy = ALL_SPECIAL
) -> TextSize:
    """The size of a file; `-` is standard input. A big one is encoded by all cores.

    Raises:
        CorpusError: it cannot be read.
        SpecialTokenFoundError: the policy refuses what it holds.
    """
    helpers = os.cpu_count() or 1 if size_on_disk(name) >= WORTH_HELPERS else 0
    return text_size(tokenizer, read_blocks(name), policy, helpers)

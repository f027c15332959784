"""The meaning of a special token in a text from outside: one id, ordinary text, or an error.

Such a text should not be able to end a document or begin a system message by spelling a special
token. So a caller chooses what to expect, as in tiktoken: by default a special token in the text is
an error that names it. One of tiktoken's two arguments is enough: anything that is neither allowed
nor an error is ordinary text.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from engine.core.errors import SpecialTokenFoundError
from engine.core.systems import available_cores
from engine.encoding.tokenizer import WORTH_THREADS, Tokenizer
from engine.text.corpus import PLAIN, Reading, SourceReader, read_blocks, separator_of
from engine.text.pretokenize import SpecialSplitter, to_text
from engine.text.sources import size_on_disk


class SpecialPolicy(NamedTuple):
    """The special tokens of a text that become one id.

    Attributes:
        allowed: the special tokens that become one id; others are ordinary text. `None`: all.
        refuses: whether a special token in the text is an error instead.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)}
    >>> tokenizer = Tokenizer(vocab, [], ["<s>"])
    >>> [policy.applied(tokenizer).encode("<s>") for policy in (ALL_SPECIAL, NONE_SPECIAL)]
    [[256], [60, 115, 62]]
    """

    allowed: frozenset[str] | None = None
    refuses: bool = False

    def applied(self, tokenizer: Tokenizer) -> Tokenizer:
        """Return the tokenizer that cuts out only the allowed tokens; see also `checked`.

        Raises:
            SpecialTokenError: an allowed token is not a special token of the tokenizer.
        """
        return tokenizer if self.allowed is None else tokenizer.allowing(self.allowed)

    def checked(self, tokenizer: Tokenizer, blocks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the blocks of a text; raise an error if they hold a refused token.

        Raises:
            SpecialTokenFoundError: names the special token and its place.
        """
        if not self.refuses:
            yield from blocks
            return
        added = tokenizer.added_tokens  # ordinary text
        splitter = SpecialSplitter([t for t in tokenizer.special_tokens if t not in added])
        # Keep the end of each block, to find special tokens across two blocks, too.
        tail, passed, lines = b"", 0, 0
        for block in blocks:
            window = tail + block
            if found := splitter.bytes_regex.search(window):
                line = lines + window.count(b"\n", 0, found.start()) + 1
                token, place = to_text(found.group()), passed + found.start()
                raise SpecialTokenFoundError(
                    f"the text holds the special token {token!r} (line {line:,}, byte {place:,}), "
                    "which is not allowed there",
                    token,
                    place,
                )
            yield block
            tail = window[max(len(window) - splitter.longest, 0) :]
            passed += len(window) - len(tail)
            lines += window.count(b"\n", 0, len(window) - len(tail))


REFUSE_SPECIAL = SpecialPolicy(refuses=True)
ALL_SPECIAL = SpecialPolicy()
NONE_SPECIAL = SpecialPolicy(frozenset())


@dataclass(frozen=True)
class TextSize:
    """The size of a text in bytes and in tokens."""

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
    workers: int = 1,
) -> TextSize:
    """Return the size of a text that comes in blocks, in bounded memory.

    Args:
        blocks: UTF-8, cut anywhere.
        policy: the meaning of special tokens in the text.
        workers: threads to encode with.

    Raises:
        SpecialTokenFoundError: the text holds a refused token.

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

    ids = policy.applied(tokenizer).encode_stream_compactly(noted(), workers)
    tokens = sum(map(len, ids))
    return TextSize(read, tokens)


def file_size(
    tokenizer: Tokenizer,
    name: str | os.PathLike[str],
    policy: SpecialPolicy = ALL_SPECIAL,
    watch: Callable[[SourceReader], Iterable[bytes]] = iter,
    reading: Reading = PLAIN,
) -> TextSize:
    """Return the size of a file; `-` is standard input. All cores encode a big file.

    Args:
        watch: gets the reader of the file and yields its blocks, to show progress.
        reading: the place of the texts in the file.

    Raises:
        CorpusError: it cannot be read.
        SpecialTokenFoundError: the file holds a refused token.
    """
    blocks = read_blocks(name, reading, separator_of(list(tokenizer.special_tokens)))
    workers = available_cores() if size_on_disk(name) >= WORTH_THREADS else 1
    return text_size(tokenizer, watch(blocks), policy, workers)

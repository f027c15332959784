"""What a special token means that stands in somebody's text: one id, ordinary text, or an error.

A text from outside should not be able to end a document or begin a system message by spelling a
special token. So a caller says what he expects, as in tiktoken: by default a special token in the
text is an error that names it. Of tiktoken's two arguments one is enough: what is neither allowed
nor an error is ordinary text.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from engine.core.errors import SpecialTokenFoundError
from engine.core.helper_pool import available_cores
from engine.encoding.tokenizer import WORTH_HELPERS, Tokenizer
from engine.text.corpus import PLAIN, Reading, SourceReader, read_blocks, separator_of
from engine.text.pretokenize import SpecialSplitter, to_text
from engine.text.sources import size_on_disk


@dataclass(frozen=True)
class SpecialPolicy:
    """Which special tokens of a text are cut out as one id.

    Attributes:
        allowed: these are; the others are ordinary text. `None` allows all.
        refuses: whether a special token in the text is an error instead.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)}
    >>> tokenizer = Tokenizer(vocab, [], ["<s>"])
    >>> [policy.applied(tokenizer).encode("<s>") for policy in (ALL_SPECIAL, NONE_SPECIAL)]
    [[256], [60, 115, 62]]
    """

    allowed: frozenset[str] | None = None
    refuses: bool = False

    @classmethod
    def allowing(cls, tokens: Iterable[str]) -> SpecialPolicy:
        """Only these are special."""
        return cls(frozenset(tokens))

    def applied(self, tokenizer: Tokenizer) -> Tokenizer:
        """The tokenizer that cuts out what is allowed; what is refused is looked for beside.

        Raises:
            SpecialTokenError: it has no special token of a name that is allowed.
        """
        return tokenizer if self.allowed is None else tokenizer.allowing(self.allowed)

    def checked(self, tokenizer: Tokenizer, blocks: Iterable[bytes]) -> Iterator[bytes]:
        """The blocks of a text as they come, an error if what they hold is refused.

        Raises:
            SpecialTokenFoundError: names the special token and its place.
        """
        return _refusing(_splitter(tokenizer), blocks) if self.refuses else iter(blocks)


REFUSE_SPECIAL = SpecialPolicy(refuses=True)
ALL_SPECIAL = SpecialPolicy()
NONE_SPECIAL = SpecialPolicy(frozenset())


def _splitter(tokenizer: Tokenizer) -> SpecialSplitter:
    """What finds the special tokens; not those that were merely added to the vocabulary."""
    added = tokenizer.added_tokens
    return SpecialSplitter([token for token in tokenizer.special_tokens if token not in added])


def _refusing(splitter: SpecialSplitter, blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The blocks; a special token that stands across two of them is found, too."""
    tail, passed, lines = b"", 0, 0
    keep = max(splitter.longest - 1, 0)
    for block in blocks:
        window = tail + block
        if found := splitter.bytes_regex.search(window):
            line = lines + window.count(b"\n", 0, found.start())
            raise _refusal(to_text(found.group()), passed + found.start(), line)
        yield block
        tail = window[max(len(window) - keep, 0) :]
        passed += len(window) - len(tail)
        lines += window.count(b"\n", 0, len(window) - len(tail))


def _refusal(token: str, place: int, lines_before: int) -> SpecialTokenFoundError:
    return SpecialTokenFoundError(
        f"the text holds the special token {token!r} (line {lines_before + 1:,}, byte {place:,}), "
        "which is not allowed there",
        token,
        place,
    )


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
    workers: int = 1,
) -> TextSize:
    """The size of a text that comes in blocks, in bounded memory.

    Args:
        blocks: UTF-8, cut anywhere.
        policy: what special tokens in the text mean.
        workers: processes to encode with, this one included.

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
    """The size of a file; `-` is standard input. A big one is encoded by all cores.

    Args:
        watch: is handed what reads the file and hands its blocks on, to tell how far it is.
        reading: where the texts are in it.

    Raises:
        CorpusError: it cannot be read.
        SpecialTokenFoundError: the policy refuses what it holds.
    """
    blocks = read_blocks(name, reading, separator_of(list(tokenizer.special_tokens)))
    workers = available_cores() if size_on_disk(name) >= WORTH_HELPERS else 1
    return text_size(tokenizer, watch(blocks), policy, workers)

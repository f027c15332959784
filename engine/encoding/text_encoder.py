"""From a text with special tokens to its ids: the part of a tokenizer that encodes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from copy import copy
from functools import partial
from typing import Any

from engine.core.helper_pool import in_order
from engine.encoding.alphabet import Alphabet
from engine.encoding.encoders import ENCODERS, Encoder, MergeTable, TokenIds
from engine.text.patterns import Pattern
from engine.text.pretokenize import SpecialSplitter


class TextEncoder:
    """Cuts out the special tokens, and lets the encoder encode the text between them.

    Args:
        encoder: a name in `ENCODERS`.
        alphabet, table: the arguments of the encoder.
        special_ids: special token → its id.
        splitter: cuts special tokens out; by default exactly these.
    """

    def __init__(
        self,
        encoder: str,
        alphabet: Alphabet,
        table: MergeTable,
        pattern: Pattern,
        special_ids: Mapping[str, int],
        splitter: SpecialSplitter | None = None,
    ) -> None:
        self.encoder: Encoder = ENCODERS[encoder](alphabet, table)
        self.pattern = pattern
        self.special_ids = special_ids
        self.splitter = splitter or SpecialSplitter(list(special_ids))
        self._encode = self.encoder.around_special(pattern)

    def cutting(self, special_ids: Mapping[str, int]) -> TextEncoder:
        """Return an encoder that cuts out only these tokens, and shares all memories."""
        other = copy(self)
        other.special_ids = special_ids
        other.splitter = self.splitter.only(special_ids.keys())
        return other

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text."""
        return as_list(self.encode_compactly(text))

    def encode_compactly(self, text: str) -> TokenIds:
        """Return the ids of a text, in an array if the encoder makes one."""
        return self._encode(text, self.splitter, self.special_ids)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without the memories, for a helper process."""
        encoder = self.encoder
        parts = (encoder.name, encoder.alphabet, encoder.table)
        return TextEncoder, (*parts, self.pattern, self.special_ids, self.splitter)


def as_list(ids: TokenIds) -> list[int]:
    """Return the ids in a list."""
    return ids if isinstance(ids, list) else ids.tolist()


# Many texts, encoded by several processes.

BATCH = 1 << 18
"""Characters in a batch: enough that encoding it takes longer than sending it."""


def encode_all(
    encoder: TextEncoder, texts: Iterable[str], workers: int
) -> Generator[TokenIds, None, None]:
    """Yield the ids of each text, in the order of the texts.

    Args:
        texts: are read only a little ahead, so they may be endless.
        workers: processes to encode with, this one included.
    """
    if workers <= 1:
        yield from map(encoder.encode_compactly, texts)
        return
    encode_batch = partial(_batch_encoder, encoder)
    with closing(in_order(encode_batch, _batches(texts), workers - 1, doing="encoding")) as encoded:
        for batch in encoded:
            yield from batch


def _batch_encoder(encoder: TextEncoder) -> Callable[[list[str]], list[TokenIds]]:
    return lambda batch: list(map(encoder.encode_compactly, batch))


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    length = 0
    for text in texts:
        batch.append(text)
        length += len(text)
        if length >= BATCH:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch

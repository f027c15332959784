"""From a text with special tokens to its ids: the part of a tokenizer that encodes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import chain
from typing import Any, TypeVar

from engine.core.helper_pool import in_order
from engine.encoding.alphabet import Alphabet
from engine.encoding.encoders import ENCODERS, Encoder, MergeTable
from engine.encoding.texts import TokenIds
from engine.text.patterns import Pattern
from engine.text.pretokenize import SpecialSplitter, to_bytes, to_text

TextT = TypeVar("TextT")
IdsT = TypeVar("IdsT")


class TextEncoder:
    """Cuts out the special tokens, and lets the encoder encode the text between them.

    Args:
        encoder: a name in `ENCODERS`.
        alphabet, table: the arguments of the encoder.
        special_ids: special token → its id.
        splitter: cuts special tokens out; by default exactly these.

    Attributes:
        texts: encodes texts around these special tokens.
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
        self._texts_encoder = self.encoder.around_special(pattern)
        self.texts = self._texts_encoder(self.splitter, special_ids)

    def cutting(self, special_ids: Mapping[str, int]) -> TextEncoder:
        """Return an encoder that cuts out only these tokens, and shares all memories."""
        other = object.__new__(TextEncoder)  # `copy` would pickle
        vars(other).update(vars(self))
        other.special_ids = special_ids
        other.splitter = self.splitter.only(special_ids.keys())
        other.texts = self._texts_encoder(other.splitter, special_ids)
        return other

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text."""
        return self.texts.encode(text)

    def encode_compactly(self, text: str) -> TokenIds:
        """Return the ids of a text, in an array if the encoder makes one."""
        return self.texts.encode_compactly(text)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without the memories, for a helper process."""
        encoder = self.encoder
        parts = (encoder.name, encoder.alphabet, encoder.table)
        return TextEncoder, (*parts, self.pattern, self.special_ids, self.splitter)


def as_list(ids: TokenIds) -> list[int]:
    """Return the ids in a list."""
    return ids if isinstance(ids, list) else ids.tolist()


# Many texts, encoded by several threads or processes.

BATCH = 1 << 18
"""Characters in a batch: enough that encoding it takes longer than sending it."""


def encode_all(
    encoder: TextEncoder, texts: Iterable[str], workers: int
) -> Generator[TokenIds, None, None]:
    """Yield the ids of each text, in the order of the texts, as compactly as it can.

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


def encode_chunks(
    encoder: TextEncoder, chunks: Iterable[bytes], workers: int
) -> Generator[TokenIds, None, None]:
    """Yield the ids of each chunk of a text in UTF-8, in their order, as compactly as it can.

    Args:
        chunks: no pretoken crosses their borders; they are read only a little ahead.
        workers: threads to encode with if the encoder lets other threads run, else processes; this
            one included.
    """
    if not encoder.texts.releases_lock:
        yield from encode_all(encoder, map(to_text, chunks), workers)
        return
    yield from _in_threads(encoder.texts.encode_bytes, chunks, workers)


def _batch_encoder(encoder: TextEncoder) -> Callable[[list[str]], list[TokenIds]]:
    return lambda batch: list(map(encoder.encode_compactly, batch))


def encode_lists(encoder: TextEncoder, texts: Sequence[str], workers: int) -> list[list[int]]:
    """Return the ids of each text, in the order of the texts.

    Args:
        workers: threads to encode with if the encoder lets other threads run, else processes; this
            one included.
    """
    if not encoder.texts.releases_lock:
        return list(map(as_list, encode_all(encoder, texts, workers)))
    encoded = _in_threads(encoder.texts.encode_many, _batches(texts), workers)
    return list(chain.from_iterable(encoded))


def encode_arrays(encoder: TextEncoder, texts: Sequence[str], workers: int) -> list[TokenIds]:
    """Return the ids of each text as `encode_lists`, in arrays if the encoder makes them."""
    if not encoder.texts.releases_lock:
        return list(encode_all(encoder, texts, workers))
    encode = encoder.texts.encode_bytes
    batches = ([to_bytes(text) for text in batch] for batch in _batches(texts))
    encoded = _in_threads(lambda batch: list(map(encode, batch)), batches, workers)
    return list(chain.from_iterable(encoded))


def _in_threads(
    encode: Callable[[TextT], IdsT], texts: Iterable[TextT], workers: int
) -> Generator[IdsT, None, None]:
    """Yield what `encode` returns for each text, in their order."""
    if workers <= 1:
        yield from map(encode, texts)
        return
    found = in_order(lambda: encode, texts, workers - 1, doing="encoding", threads=True)
    with closing(found) as encoded:
        yield from encoded


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

"""From a text with special tokens to its ids, in Python or in the kernel; many texts at once."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any, TypeAlias, TypeVar

from engine.core.errors import KernelMemoryError
from engine.core.events import Pair
from engine.core.helper_pool import in_order
from engine.encoding.alphabet import Alphabet, WholeTokens
from engine.encoding.encoders import Encoder, MergeTable
from engine.encoding.pretoken_encoder import PretokenEncoder
from engine.native import host
from engine.native.encoding import (
    MOST,
    EncodeShort,
    KernelEncoder,
    KernelSpecials,
    ThreadEncoder,
    leave,
    merge_numbers,
    no_specials,
)
from engine.text.cutting import cutter_for, scanner_for
from engine.text.patterns import BorderTables, Pattern
from engine.text.pretokenize import SpecialSplitter, to_bytes, to_text, without_stray_surrogates

TextT = TypeVar("TextT")
IdsT = TypeVar("IdsT")

TokenIds: TypeAlias = "list[int] | array[int]"
"""Token ids; an array takes a tenth of the memory, if an encoder makes one anyway."""


def encode_around_special(
    encode_text: Callable[[str], list[int]],
    text: str,
    splitter: SpecialSplitter,
    special_ids: Mapping[str, int],
    *,
    is_cut: bool = True,
) -> list[int]:
    """Encode a text: special tokens by their ids, text between them by `encode_text`.

    Args:
        is_cut: whether the splitter makes the cuts that no pattern expresses.
    """
    ids: list[int] = []
    split = splitter.split_text if is_cut else splitter.split_uncut
    for piece, special in split(without_stray_surrogates(text)):
        if special:
            ids.append(special_ids[piece])
        else:
            ids += encode_text(piece)
    return ids


def text_encoder(
    alphabet: Alphabet,
    table: MergeTable,
    pattern: Pattern,
    special_ids: Mapping[str, int],
    splitter: SpecialSplitter | None = None,
) -> TextEncoder:
    """Return an encoder of texts.

    Args:
        alphabet: spells a pretoken before any merge.
        table: the merges.
        pattern: cuts a text into pretokens.
        special_ids: special token → its id.
        splitter: cuts special tokens out; by default exactly these.
    """
    encoder = Encoder(alphabet, table)
    splitter = splitter or SpecialSplitter(list(special_ids))
    uncut = splitter.uncut_pattern
    kernel = KernelOfTexts(alphabet, table, uncut or pattern, drops_spaces=uncut is not None)
    encode_text = PretokenEncoder(pattern, encoder.encode).encode
    return TextEncoder(encoder, pattern, splitter, special_ids, encode_text, kernel)


LONGEST = MOST
"""Bytes of the longest text that the kernel encodes."""


def _are_small(ids: Iterable[int]) -> bool:
    """Whether the kernel's integers hold all of these ids."""
    found = list(ids)
    return not found or 0 <= min(found) <= max(found) < MOST


@dataclass(eq=False)
class KernelOfTexts:
    """The kernel's encoder for some merges and a pattern, made when it is first needed."""

    _alphabet: Alphabet
    _table: Mapping[Pair, tuple[int, int]]
    _pattern: Pattern
    drops_spaces: bool = False

    @cached_property
    def encoder(self) -> KernelEncoder | None:
        """The encoder, `None` if the kernel cannot encode with this tokenizer."""
        alphabet, whole = self._alphabet, dict[bytes, int]()
        if isinstance(alphabet, WholeTokens):
            whole, alphabet = dict(alphabet.whole), alphabet.inner
        pattern, spelling = self._pattern, alphabet.spelling
        if spelling is None or not (pattern.borders or pattern.mark):
            return None
        numbers = merge_numbers(spelling.byte_ids or [0] * 256, self._table)
        spelling = spelling._replace(drops_spaces=self.drops_spaces)
        ids = chain(whole.values(), spelling.ids.values(), [spelling.unknown or 0])
        if numbers is None or not _are_small(ids):
            return None
        if pattern.mark is None:
            tables = BorderTables.of(pattern.borders).packed
            make_cutter = lambda: scanner_for(pattern) or cutter_for(pattern)  # noqa: E731
            return KernelEncoder(tables, numbers, whole, make_cutter, spelling=spelling)
        mark = to_bytes(pattern.mark.text), pattern.mark.in_runs
        return KernelEncoder(mark, numbers, whole, lambda: cutter_for(pattern), spelling=spelling)


@dataclass(eq=False)
class TextEncoder:
    """Encodes texts in the kernel, special tokens included, or in Python if the kernel cannot.

    Attributes:
        encoder: encodes single pretokens.
        splitter, special_ids: the special tokens that are cut out.
        encode_text: encodes a text without special tokens and stray surrogates in Python.
        kernel: the kernel's encoder, which several of these share.
    """

    encoder: Encoder
    pattern: Pattern
    splitter: SpecialSplitter
    special_ids: Mapping[str, int]
    encode_text: Callable[[str], list[int]]
    kernel: KernelOfTexts

    def cutting(self, special_ids: Mapping[str, int]) -> TextEncoder:
        """Return an encoder that cuts out only these tokens, and shares all memories."""
        only = self.splitter.only(special_ids.keys())
        return replace(self, splitter=only, special_ids=special_ids)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without the memories, for another process."""
        one = self.encoder
        parts = one.alphabet, one.table, self.pattern, self.special_ids, self.splitter
        return text_encoder, parts

    @cached_property
    def _whole(self) -> tuple[KernelEncoder, KernelSpecials] | None:
        """The kernel's encoder and special tokens; `None` if it cannot encode whole texts."""
        encoder, ids = self.kernel.encoder, self.special_ids
        if encoder is None or not self.splitter.is_plain or not _are_small(ids.values()):
            return None
        return encoder, KernelSpecials({to_bytes(token): number for token, number in ids.items()})

    def _whole_for(self, text: bytes) -> tuple[KernelEncoder, KernelSpecials] | None:
        return self._whole if len(text) <= LONGEST else None

    @cached_property
    def encode_short(self) -> EncodeShort:
        """A function that encodes a short text in one call of the kernel."""
        if self._whole is None:
            return leave
        encoder, specials = self._whole
        return encoder.first.short_texts(specials)

    @cached_property
    def _short_part(self) -> tuple[ThreadEncoder, EncodeShort]:
        """The first thread's encoder, and its function for short texts without special tokens."""
        assert self.kernel.encoder is not None
        first = self.kernel.encoder.first
        return first, first.short_texts(no_specials())

    @property
    def releases_lock(self) -> bool:
        """Whether other threads run while `encode_many` works."""
        return self._whole is not None

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text."""
        if (encoder := self.kernel.encoder) is None:
            return encode_around_special(self.encode_text, text, self.splitter, self.special_ids)
        return self._encode(encoder.first, text)

    def encode_compactly(self, text: str) -> TokenIds:
        """Return the ids of a text, as `encode_bytes` does."""
        kept = None if self._whole is None else host.utf_8_of(text)
        if self._whole is None or kept is None or kept[1] > LONGEST:
            return self.encode_bytes(to_bytes(text))
        encoder, specials = self._whole
        with encoder.lend() as thread_encoder:
            return thread_encoder.ids_at(*kept, specials)

    def encode_bytes(self, text: bytes) -> TokenIds:
        """Return the ids of a text in UTF-8, in an array if the kernel encodes all of it.

        Several threads may call it.
        """
        if (whole := self._whole_for(text)) is None:
            return self.encode(to_text(text))
        encoder, specials = whole
        with encoder.lend() as thread_encoder:
            return thread_encoder.ids(text, specials)

    def encode_many(self, texts: list[str]) -> list[list[int]]:
        """Return the ids of each text; several threads may call it."""
        if self._whole is None:
            return list(map(self.encode, texts))
        encoder, specials = self._whole
        with encoder.lend() as thread_encoder:
            encoded = thread_encoder.encode_many(texts, specials)
            return [
                self._encode(thread_encoder, text) if ids is None else ids
                for text, ids in zip(texts, encoded, strict=True)
            ]

    def _encode(self, encoder: ThreadEncoder, text: str) -> list[int]:
        data = to_bytes(text)
        if (whole := self._whole_for(data)) is not None:
            return encoder.list_of(data, whole[1])
        encode = partial(self._encode_part, encoder)
        return encode_around_special(encode, text, self.splitter, self.special_ids, is_cut=False)

    def _encode_part(self, encoder: ThreadEncoder, text: str) -> list[int]:
        """Encode text without special tokens."""
        first, encode_short = self._short_part
        if encoder is first and (ids := encode_short(text)) is not None:
            return ids
        data = to_bytes(text)
        if len(data) <= LONGEST:
            return encoder.list_of(data, no_specials())
        if self.splitter.uncut_pattern is not None:
            raise KernelMemoryError("the text is too long to encode in one go; give it in parts")
        return self.encode_text(text)


def as_list(ids: TokenIds) -> list[int]:
    """Return the ids in a list."""
    return ids if isinstance(ids, list) else ids.tolist()


# Many texts, encoded by several threads where the kernel lets other threads run.

BATCH = 1 << 18
"""Characters in a batch: enough that encoding it takes longer than sending it."""


def encode_chunks(
    encoder: TextEncoder, chunks: Iterable[bytes], workers: int
) -> Generator[TokenIds, None, None]:
    """Yield the ids of each chunk of a text in UTF-8, in their order, as compactly as it can.

    Args:
        chunks: no pretoken crosses their borders; they are read only a little ahead.
        workers: threads to encode with, if the encoder lets others run.
    """
    return _encoded(encoder, encoder.encode_bytes, chunks, workers)


def encode_lists(encoder: TextEncoder, texts: Sequence[str], workers: int) -> list[list[int]]:
    """Return the ids of each text, in the order of the texts; `workers` as for `encode_chunks`."""
    batches = _encoded(encoder, encoder.encode_many, _batches(texts), workers)
    return list(chain.from_iterable(batches))


def encode_arrays(encoder: TextEncoder, texts: Sequence[str], workers: int) -> list[TokenIds]:
    """Return the ids of each text as `encode_lists`, in arrays if the encoder makes them."""

    def encode(batch: list[str]) -> list[TokenIds]:
        return list(map(encoder.encode_compactly, batch))

    return list(chain.from_iterable(_encoded(encoder, encode, _batches(texts), workers)))


def _encoded(
    encoder: TextEncoder, encode: Callable[[TextT], IdsT], batches: Iterable[TextT], workers: int
) -> Generator[IdsT, None, None]:
    """Yield the ids of each batch of texts, in their order, by the work of several workers."""
    if workers <= 1 or not encoder.releases_lock:
        yield from map(encode, batches)
    else:
        yield from in_order(lambda: encode, batches, workers)


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

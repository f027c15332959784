"""Encoding in the kernel: `KernelEncoder` merges each different piece once and remembers it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from ctypes import c_char_p, c_int32
from enum import IntEnum
from functools import cache
from itertools import chain
from threading import Lock
from typing import Any, NamedTuple

from engine.core.errors import KernelMemoryError
from engine.native import KERNEL, PADDING, KernelObject, address, copied, host, random_seed
from engine.native.scanning import KernelScanner

MOST = 2**31 - 1
"""The limit of ids and ranks, and of the bytes of a text."""
ROOM = 1 << 27
"""Bytes of remembered pieces and ids; beyond them everything is forgotten."""
KEPT_NUMBERS = 1 << 20
"""The limit of ids whose integers are made once and kept."""

_NO_MEMORY = "there is not enough memory to encode; give the text in parts"
_WRONG = -2
"""The result of `encoder_learn` for lengths that do not add up to the pieces."""

MergeTable = Mapping[tuple[int, int], tuple[int, int]]
"""pair of token ids → (rank of the merge, id of the token it makes)."""
Cut = Callable[[bytes, "array[int]"], tuple["array[int]", "array[int]"]]
"""The type of `engine.text.cutting.CutPieces`."""
EncodeShort = Callable[[Any], "list[int] | None"]
"""A text → its ids; `None` for a long text, for stray surrogates and for anything but a `str`."""


class MergeNumbers(NamedTuple):
    """The numbers of a tokenizer, in 32 bits.

    Attributes:
        byte_ids: the ids of the 256 bytes.
        pairs: the left and the right id of each merge.
        made: its rank and the id that it makes.
        highest: the highest id or rank.
    """

    byte_ids: array[int]
    pairs: array[int]
    made: array[int]
    highest: int


def merge_numbers(byte_ids: Iterable[int], table: MergeTable) -> MergeNumbers | None:
    """Return the numbers of a tokenizer; `None` without a kernel, or if one is too large for it."""
    if KERNEL is None:
        return None
    columns = getattr(table, "in_32_bits", None)  # of many merges
    try:
        pairs, made = columns or (array("i"), array("i"))
        if columns is None:
            pairs.extend([*chain.from_iterable(table)])
            made.extend([*chain.from_iterable(table.values())])
        found = array("i", byte_ids), pairs, made
    except OverflowError:
        return None
    highest = [KERNEL.rules_highest(address(each), len(each)) for each in found]
    return None if min(highest) < 0 else MergeNumbers(*found, max(highest))


class KernelSpecials(KernelObject):
    """Special tokens that the kernel cuts out of a text.

    Args:
        ids: the id of each, below `MOST`.
    """

    def __init__(self, ids: Mapping[bytes, int]) -> None:
        tokens = sorted(ids, key=len, reverse=True)
        sizes, numbers = array("q", map(len, tokens)), array("i", map(ids.__getitem__, tokens))
        arguments = address(sizes), address(numbers), len(sizes)
        super().__init__("specials", _NO_MEMORY, b"".join(tokens), *arguments)


class Way(IntEnum):
    """How a pretoken is spelled: `Way` of spelling.h."""

    IN_BYTES, IN_UNITS, BEST_SUM, LONGEST_FIRST = range(4)


class Spelling(NamedTuple):
    """How a tokenizer spells a pretoken before any merge.

    Attributes:
        ids: text → id of its characters, symbols or pieces.
        byte_ids: ids of the 256 bytes of text that has no piece; `None` if it is unknown.
        unknown: id of such text; `None` leaves it out.
        fuses: whether adjacent unknown characters are one token.
        in_32_bits: whether sums are rounded, and counted anew where they are large.
        drops_spaces: whether a pretoken that begins with a space has no tokens.
        most: characters of the longest word that is not unknown.
        prefix: is written before pieces that continue a word.
        scores: by id, then that of unknown text.
    """

    way: Way
    ids: Mapping[str, int] = {}
    byte_ids: Sequence[int] | None = None
    unknown: int | None = None
    fuses: bool = False
    in_32_bits: bool = False
    drops_spaces: bool = False
    most: int = 0
    prefix: str = ""
    scores: Sequence[float] = ()

    @property
    def highest(self) -> int:
        """The highest id."""
        return max(max(self.ids.values(), default=0), self.unknown or 0)

    def set_for(self, rules: KernelObject) -> None:
        """Give the kernel the pieces."""
        pieces = sorted(self.ids)  # by code points, which is the order of their bytes
        prefix, data = self.prefix.encode(), [text.encode() for text in pieces]
        sizes, ids = array("q", map(len, data)), array("i", map(self.ids.__getitem__, pieces))
        scores = array("d", self.scores)
        numbers = (
            *(self.way, -1 if self.unknown is None else self.unknown, self.byte_ids is not None),
            *(self.fuses, self.in_32_bits, self.drops_spaces, min(self.most, MOST)),
            *(len(scores) - 1, len(prefix)),
        )
        settings = array("i", numbers)
        scored = address(scores) if scores else None
        columns = address(sizes), address(ids), len(ids), scored, address(settings)
        rules.call("rules_set_units", b"".join((*data, prefix)), *columns)


@cache
def no_specials() -> KernelSpecials:
    """Return the empty set of special tokens."""
    return KernelSpecials({})


class ThreadEncoder:
    """One encoder of the kernel with its memory, for one thread at a time.

    Args:
        rules: the tokenizer; all threads share it.
        numbers: the integers of ids; all threads share them.
        cutter: cuts new pieces into pretokens, for this encoder alone.
        room: bytes of remembered pieces and ids.
    """

    def __init__(
        self, rules: KernelObject, numbers: Numbers | None, cutter: KernelScanner | Cut, room: int
    ) -> None:
        self._kept = rules, cutter  # the kernel has their addresses
        scanner: int | None = None
        if isinstance(cutter, KernelScanner):
            scanner, cutter = cutter.handle, cutter.cut
        self._cut: Cut = cutter
        self._numbers = numbers
        self._encoder = KernelObject("encoder", _NO_MEMORY, rules.handle, scanner, room)
        self._lock = Lock()
        self._busy = c_int32.from_address(self._encoder.call("encoder_busy"))

    def ids(self, text: bytes, specials: KernelSpecials) -> array[int]:
        """Return the ids of a text, as `ids_at` does."""
        return self.ids_at(text, len(text), specials)

    def ids_at(self, text: bytes | c_char_p, size: int, specials: KernelSpecials) -> array[int]:
        """Return the ids of a text of `size` bytes, at most `MOST`.

        Raises:
            KernelMemoryError: there is not enough memory.
        """
        ids = array("i")
        with self._alone():
            for at, count in self._stretches(text, size, specials):
                ids.frombytes(copied(at, ids.itemsize * count))
        return ids

    def list_of(self, text: bytes, specials: KernelSpecials) -> list[int]:
        """Return the ids of a text in a list; each integer is made once for all texts.

        Raises:
            KernelMemoryError: there is not enough memory.
        """
        if self._numbers is None:
            return self.ids(text, specials).tolist()
        ids: list[int] = []
        with self._alone():
            for at, count in self._stretches(text, len(text), specials):
                self._numbers.append(ids, at, count)
        return ids

    def short_texts(self, specials: KernelSpecials) -> EncodeShort:
        """Return a function that encodes short texts and keeps the GIL."""
        if self._numbers is None:
            return leave
        return host.function("texts_encode", _Texts(self._encoder, specials, self._numbers))

    def encode_many(self, texts: list[str], specials: KernelSpecials) -> list[list[int] | None]:
        """Return the ids of short texts; `None` for each text that `short_texts` leaves.

        Other threads run meanwhile.

        Raises:
            KernelMemoryError: there is not enough memory.
        """
        if self._numbers is None:
            return [None] * len(texts)
        owner = _Texts(self._encoder, specials, self._numbers)
        with self._alone():
            encoded: list[list[int] | None]
            encoded = host.function("texts_encode_all", owner)(texts)
        return encoded

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep the encoder for this thread; calls that hold the GIL see that it is busy.

        After an error, also Ctrl+C, everything is forgotten.
        """
        with self._lock:
            self._busy.value = True
            try:
                yield
            except BaseException as error:
                self._encoder.kernel.encoder_forget(self._encoder.handle)
                if isinstance(error, MemoryError):  # Python's own, while it copied the ids
                    raise KernelMemoryError(_NO_MEMORY) from None
                raise
            finally:
                self._busy.value = False

    def _stretches(
        self, text: bytes | c_char_p, size: int, specials: KernelSpecials
    ) -> Iterator[tuple[int, int]]:
        """Encode a text in stretches; yield the address and the number of the ids of each."""
        call, begin = self._encoder.call, 0
        # These functions cannot fail, so they are called without a check.
        kernel, handle = self._encoder.kernel, self._encoder.handle
        while begin < size:
            end = call("encoder_encode", specials.handle, text, size, begin)
            if pending := kernel.encoder_pending(handle):
                self._learn(pending)
            else:
                yield kernel.encoder_ids(handle), kernel.encoder_id_count(handle)
                begin = end

    def _learn(self, pending: int) -> None:
        """Cut new pieces into pretokens, and have the kernel merge these."""
        sizes = self._encoder.integers("encoder_pending_sizes", pending)
        text = copied(self._encoder.call("encoder_pending_text"), sum(sizes))
        lengths, _ = self._cut(text, sizes)
        if self._encoder.call("encoder_learn", address(lengths), len(lengths)) == _WRONG:
            raise ValueError("the pretokens of a piece do not add up to the piece")


class Numbers(KernelObject):
    """The integers of ids, each made once: a table in the kernel, and a list that owns them.

    Args:
        room: ids below it are kept.
    """

    def __init__(self, room: int) -> None:
        self._keeper: list[int] = []
        super().__init__("numbers", _NO_MEMORY, id(self._keeper), room)

    def append(self, ids: list[int], at: int, count: int) -> None:
        """Append ids at an address to a list; it may raise a `MemoryError`."""
        host.append_numbers(self.handle, ids, at, count)


class _Texts(KernelObject):
    """The arguments of the functions of `texts.c`, which it keeps alive."""

    def __init__(self, encoder: KernelObject, specials: KernelObject, numbers: Numbers) -> None:
        self._kept = encoder, specials, numbers
        super().__init__("texts", _NO_MEMORY, *(each.handle for each in self._kept))


def leave(text: object) -> None:
    """Leave a text to the general way."""


class KernelEncoder:
    """An encoder from texts to ids.

    Args:
        borders: where a piece ends: `BorderTables.packed`; or a mark, before which pretokens
            begin, and whether only before the first of a run.
        numbers: the merges and the ids of the bytes.
        whole: pretokens that are one token without merging, and its id.
        make_cutter: makes a cutter of pieces into pretokens, for each thread.
        room: bytes of remembered pieces and ids, for each thread.
        spelling: how a pretoken is spelled, if not in bytes.

    Attributes:
        first: the encoder of the first thread.
    """

    def __init__(
        self,
        borders: bytes | tuple[bytes, bool],
        numbers: MergeNumbers,
        whole: Mapping[bytes, int],
        make_cutter: Callable[[], KernelScanner | Cut],
        room: int = ROOM,
        spelling: Spelling | None = None,
    ) -> None:
        byte_ids, pairs, made, highest = numbers
        self._rules = KernelObject(
            "rules",
            _NO_MEMORY,
            borders if isinstance(borders, bytes) else None,
            address(byte_ids),
            address(pairs),
            address(made),
            len(made) // 2,
            random_seed(),
        )
        for pretoken, token_id in whole.items():
            self._rules.call("rules_add_whole", pretoken + PADDING, len(pretoken), token_id)
        if not isinstance(borders, bytes):
            mark, in_runs = borders
            self._rules.kernel.rules_set_mark(self._rules.handle, mark, len(mark), in_runs)
        if spelling is not None:
            spelling.set_for(self._rules)
            highest = max(highest, spelling.highest)
        kept = min(max(highest, *whole.values(), 0) + 1, KEPT_NUMBERS)
        self._numbers = Numbers(kept) if host.IS_SET else None
        self._make_cutter = make_cutter
        self._room = room
        self.first = self._new_encoder()
        self._free = [self.first]

    @contextmanager
    def lend(self) -> Iterator[ThreadEncoder]:
        """Lend an encoder that no other thread has borrowed; make one if there is none."""
        try:
            thread_encoder = self._free.pop()
        except IndexError:
            thread_encoder = self._new_encoder()
        try:
            yield thread_encoder
        finally:
            self._free.append(thread_encoder)

    def _new_encoder(self) -> ThreadEncoder:
        return ThreadEncoder(self._rules, self._numbers, self._make_cutter(), self._room)

"""Encoding in the kernel: `KernelEncoder` merges each different piece once and remembers it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from threading import Lock

from engine.core.errors import KernelMemoryError
from engine.native import KERNEL, PADDING, KernelObject, address, copied, random_seed

MOST = 2**31 - 1
"""The limit of ids and ranks, and of the bytes of a text."""
ROOM = 1 << 27
"""Bytes of remembered pieces and ids; beyond them everything is forgotten."""

_NO_MEMORY = "there is not enough memory to encode; give the text in parts"
_WRONG = -2
"""The result of `encoder_learn` for lengths that do not add up to the pieces."""

MergeTable = Mapping[tuple[int, int], tuple[int, int]]
"""pair of token ids → (rank of the merge, id of the token it makes)."""


def can_encode(ids: Iterable[int], table: MergeTable) -> bool:
    """Whether the kernel exists and its integers are wide enough for these ids and merges."""
    if KERNEL is None:
        return False
    numbers = {*ids, *chain.from_iterable(table), *chain.from_iterable(table.values())}
    return min(numbers, default=0) >= 0 and max(numbers, default=0) < MOST


class KernelEncoder:
    """An encoder from texts to ids, for ids and merges that pass `can_encode`.

    Args:
        borders: where a piece ends: `BorderTables.packed`.
        byte_ids: the ids of the 256 bytes.
        table: the merges.
        whole: pretokens that are one token without merging, and its id.
        cut: cuts pieces into pretokens: `engine.text.cutting.CutPieces`.
        room: bytes of remembered pieces and ids.
    """

    def __init__(
        self,
        borders: bytes,
        byte_ids: Sequence[int],
        table: MergeTable,
        whole: Mapping[bytes, int],
        cut: Callable[[bytes, array[int]], tuple[array[int], array[int]]],
        room: int = ROOM,
    ) -> None:
        self._parts = (borders, byte_ids, table, whole)
        self._cut = cut
        self._room = room
        self._object: KernelObject | None = None
        self._lock = Lock()  # the kernel works on one text at a time, without the GIL

    def ids(self, text: bytes, specials: Iterable[tuple[int, int, int]] = ()) -> array[int]:
        """Return the ids of a text of at most `MOST` bytes.

        Args:
            specials: (begin, end, id) of each special token in the text, in order.

        Raises:
            KernelMemoryError: there is not enough memory.
        """
        ids, cuts = array("i"), array("q", chain.from_iterable(specials))
        padded = text + PADDING
        with self._lock:
            try:
                if self._object is None:
                    self._object = self._new()
                call, begin = self._object.call, 0
                # These two functions cannot fail, so they are called without a check.
                kernel, handle = self._object.kernel, self._object.handle
                at_cuts, cut_count = address(cuts), len(cuts) // 3
                while begin < len(text):
                    begin = call("encoder_read", padded, len(text), begin, at_cuts, cut_count)
                    if new := kernel.encoder_new_pieces(handle):
                        # Cut the new pieces into pretokens, and have the kernel merge these.
                        sizes = array("q", bytes(8 * new))
                        call("encoder_new_sizes", address(sizes))
                        new_text = copied(call("encoder_new_text"), sum(sizes))
                        lengths, _ = self._cut(new_text, sizes)
                        if call("encoder_learn", address(lengths), len(lengths)) == _WRONG:
                            raise ValueError("the pretokens of a piece do not add up to the piece")
                    written = call("encoder_write_ids")
                    ids.frombytes(copied(kernel.encoder_ids(handle), 4 * written))
            except BaseException as error:  # also Ctrl+C: some pieces have no ids now
                self._object = None
                if isinstance(error, MemoryError):  # Python's own, while it copied the ids
                    raise KernelMemoryError(_NO_MEMORY) from None
                raise
        return ids

    def _new(self) -> KernelObject:
        borders, byte_ids, table, whole = self._parts
        bytes_, pairs = array("i", byte_ids), array("i", chain.from_iterable(table))
        made = array("i", chain.from_iterable(table.values()))
        encoder = KernelObject(
            *("encoder", _NO_MEMORY, borders),
            *(address(bytes_), address(pairs), address(made), len(table)),
            *(self._room, random_seed()),
        )
        for pretoken, token_id in whole.items():
            encoder.call("encoder_add_whole", pretoken + PADDING, len(pretoken), token_id)
        return encoder

"""`KernelEncoder`: cuts texts into pieces, merges each once, remembers its ids; in the kernel."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from threading import Lock

from engine.core.errors import KernelMemoryError
from engine.native import KERNEL, PADDING, address, copied, kernel, random_seed

MOST = 2**31 - 1
"""Ids and ranks are below this, and no text has more bytes."""
ROOM = 1 << 27
"""Bytes of pieces and ids that are remembered; when there are more, all are forgotten."""

MergeTable = Mapping[tuple[int, int], tuple[int, int]]
"""pair of token ids → (rank of the merge, id of the token it makes)."""


def can_encode(ids: Iterable[int], table: MergeTable) -> bool:
    """Whether the kernel is there, and its integers are wide enough for ids and merges."""
    if KERNEL is None:
        return False
    numbers = {*ids, *chain.from_iterable(table), *chain.from_iterable(table.values())}
    return min(numbers, default=0) >= 0 and max(numbers, default=0) < MOST


class KernelEncoder:
    """Gives the ids of texts. `can_encode` says whether ids and merges will do.

    Args:
        borders: where a piece ends: `BorderTables.packed`.
        byte_ids: the ids of the 256 bytes.
        table: the merges.
        whole: pretokens that are one token, whatever merges.
        cut: the pretokens of pieces: `engine.text.cutting.CutPieces`.
        room: bytes for what is remembered.
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
        self._kernel = kernel()
        self._parts = (borders, byte_ids, table, whole)
        self._cut = cut
        self._room = room
        self._handle: int | None = None
        self._lock = Lock()  # the kernel works on one text at a time, without the GIL

    def ids(self, text: bytes, specials: Iterable[tuple[int, int, int]] = ()) -> array[int]:
        """The ids of a text of at the most `MOST` bytes.

        Args:
            specials: where each of its special tokens begins and ends, and its id, in their order.

        Raises:
            KernelMemoryError: there is not enough memory.
        """
        ids, cuts = array("i"), array("q", chain.from_iterable(specials))
        padded = text + PADDING
        with self._lock:
            try:
                begin = 0
                if self._handle is None:
                    self._start()
                while begin < len(text):
                    begin = self._call(
                        *("encoder_read", padded, len(text), begin),
                        *(address(cuts), len(cuts) // 3),
                    )
                    self._learn()
                    told = self._call("encoder_tell")
                    ids.frombytes(copied(self._kernel.encoder_ids(self._handle), 4 * told))
            except BaseException:  # also Ctrl+C, which leaves pieces without ids
                self._free()
                raise
        return ids

    def _start(self) -> None:
        borders, byte_ids, table, whole = self._parts
        bytes_, pairs = array("i", byte_ids), array("i", chain.from_iterable(table))
        made = array("i", chain.from_iterable(table.values()))
        self._handle = self._kernel.encoder_new(
            *(borders, address(bytes_), address(pairs), address(made), len(table)),
            *(self._room, random_seed()),
        )
        if not self._handle:
            raise _no_memory()
        for pretoken, token_id in whole.items():
            self._call("encoder_add_whole", pretoken + PADDING, len(pretoken), token_id)

    def _learn(self) -> None:
        """Tell the kernel the pretokens of the pieces that are new to it."""
        if not (new := self._kernel.encoder_new_pieces(self._handle)):
            return
        sizes = array("q", bytes(8 * new))
        self._kernel.encoder_new_sizes(self._handle, address(sizes))
        text = copied(self._kernel.encoder_new_text(self._handle), sum(sizes))
        lengths, _ = self._cut(text, sizes)
        self._call("encoder_learn", address(lengths), len(lengths))

    def _call(self, name: str, *arguments: object) -> int:
        done: int = getattr(self._kernel, name)(self._handle, *arguments)
        if done >= 0:
            return done
        if done == -1:
            raise _no_memory()
        raise ValueError("the pretokens of a piece are not the piece")

    def _free(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            self._kernel.encoder_free(handle)

    def __del__(self) -> None:
        if hasattr(self, "_handle"):
            self._free()


def _no_memory() -> KernelMemoryError:
    return KernelMemoryError("there is not enough memory to encode; give the text in parts")

r"""The header of a GGUF file: keys and values, read with limits and no further.

    GGUF, version, number of tensors, number of pairs      4 + 4 + 8 + 8 bytes
    tokenizer.ggml.model: "gpt2"                           key, type of the value, value
    tokenizer.ggml.tokens: ["!", "\"", …]                  type of the items, their number, items

A text is its length in 8 bytes, and UTF-8. Numbers are little-endian, in some files big-endian,
which the version shows. Source: `gguf.md` of ggml-org/ggml.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from struct import Struct, unpack_from
from typing import Any, BinaryIO

from engine.core.errors import TokenizerFileError
from engine.formats.source import GZIP, read_bytes

MAGIC = b"GGUF"
VERSIONS = (2, 3)
LARGEST_HEADER = 1 << 26
"""Largest size of the pairs, in bytes: four times that of the largest vocabulary in use."""
MOST_ITEMS = 1 << 22
"""Largest number of items of all lists together."""
MOST_PAIRS = 1 << 12
DEEPEST = 4
"""Depth of lists inside lists that are read."""
_BLOCK = 1 << 20

_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q"}
_NUMBERS[12] = "d"
_WIDTHS = {kind: Struct(f"={code}").size for kind, code in _NUMBERS.items()}
_TEXT, _LIST = 8, 9
_SMALLEST = _WIDTHS | {_TEXT: 8, _LIST: 12}
"""Type of a value → its smallest size in bytes."""
PREFIX = "tokenizer.ggml."


class HeaderReader:
    """A reader of the pairs at the beginning of a file.

    Args:
        file: the file, at its beginning.
        size: its size in bytes.
    """

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = size
        self._data = bytearray()
        self._place = 0
        self._items_left = MOST_ITEMS
        self._order = "<"

    def pairs(self) -> dict[str, Any]:
        """Return the pairs of the tokenizer, without the prefix of their keys.

        Raises:
            TokenizerFileError: the file is damaged, or of another version.
        """
        start = self._take(8)
        (version,) = unpack_from("<I", self._data, start + 4)
        if version & 0xFFFF == 0:  # the bytes are in the other order
            self._order = ">"
            (version,) = unpack_from(">I", self._data, start + 4)
        if version not in VERSIONS:
            raise TokenizerFileError(f"is GGUF of version {version}; known are 2 and 3")
        self._number("Q")  # of tensors
        count = self._number("Q")
        if count > MOST_PAIRS:
            raise TokenizerFileError(f"has {count:,} pairs in its header; is it damaged?")
        found: dict[str, Any] = {}
        for _ in range(count):
            key = self._text()
            value = self._value(self._number("I"), is_kept=key.startswith(PREFIX))
            if key in found:
                raise TokenizerFileError(f"has the key {key[:60]!r} twice")
            found[key] = value
        return {
            key.removeprefix(PREFIX): value
            for key, value in found.items()
            if key.startswith(PREFIX)
        }

    def _take(self, length: int) -> int:
        """Read so that the next `length` bytes are there, and return their place."""
        start, end = self._place, self._place + length
        if end > self._size:
            raise TokenizerFileError(f"is damaged, or cut short: more must follow byte {start:,}")
        if end > LARGEST_HEADER:
            raise TokenizerFileError(
                f"its header is larger than {LARGEST_HEADER >> 20} MB, which no tokenizer needs"
            )
        while len(self._data) < end:
            block = self._file.read(max(_BLOCK, end - len(self._data)))
            if not block:
                raise TokenizerFileError("is cut short")
            self._data += block
        self._place = end
        return start

    def _number(self, code: str) -> int:
        format = f"{self._order}{code}"
        (number,) = unpack_from(format, self._data, self._take(Struct(format).size))
        return int(number)

    def _text(self, is_kept: bool = True) -> str:
        start = self._take(self._number("Q"))
        return _decoded(self._data[start : self._place]) if is_kept else ""

    def _value(self, kind: int, is_kept: bool) -> Any:
        if kind == _TEXT:
            return self._text(is_kept)
        if kind == _LIST:
            return self._list(0, is_kept)
        if kind not in _NUMBERS:
            raise TokenizerFileError(f"is damaged: byte {self._place:,} has an unknown type {kind}")
        start = self._take(_WIDTHS[kind])
        return unpack_from(f"{self._order}{_NUMBERS[kind]}", self._data, start)[0]

    def _list(self, depth: int, is_kept: bool) -> Any:
        kind, count = self._number("I"), self._number("Q")
        if kind not in _SMALLEST:
            raise TokenizerFileError(f"is damaged: byte {self._place:,} has an unknown type {kind}")
        if count * _SMALLEST[kind] > self._size - self._place:
            raise TokenizerFileError(f"is cut short: a list of {count:,} does not fit into it")
        self._items_left -= count
        if self._items_left < 0 or depth >= DEEPEST:
            raise TokenizerFileError(
                f"has more than {MOST_ITEMS:,} items in its header, or lists nested deeper than "
                f"{DEEPEST}; is it damaged?"
            )
        if kind == _TEXT:
            return [self._text(is_kept) for _ in range(count)]
        if kind == _LIST:
            return [self._list(depth + 1, is_kept) for _ in range(count)]
        start = self._take(count * _WIDTHS[kind])
        if not is_kept:
            return None
        return unpack_from(f"{self._order}{count}{_NUMBERS[kind]}", self._data, start)


def _decoded(data: bytearray) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise TokenizerFileError(f"has a text that is no UTF-8: {bytes(data[:60])!r}") from None


def read_pairs(path: Path) -> dict[str, Any]:
    """Return the pairs of the tokenizer in a file, without the prefix of their keys.

    Raises:
        TokenizerFileError: the file is unreadable, damaged, or of another version.
    """
    try:
        with path.open("rb") as file:
            if file.read(len(GZIP)) == GZIP:
                data = read_bytes(path)
                return HeaderReader(BytesIO(data), len(data)).pairs()
            file.seek(0)
            return HeaderReader(file, path.stat().st_size).pairs()
    except OSError as error:
        raise TokenizerFileError(f"cannot be read: {error.strerror or error}") from None

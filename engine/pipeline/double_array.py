"""Double arrays, in which SentencePiece's normalization rules come with a model.

Keys are texts of bytes, and the value of a key is the place of its replacement. A unit of 32 bits,
as Darts-clone packs it, is a node: the offset to its children, its label, and whether it ends a
key. The child for a byte is where the offset leads, the byte being its label.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from collections.abc import Sequence as SequenceOf

_LABEL, _ENDS_KEY, _FAR, _VALUE = 0xFF, 0x100, 0x200, 0x80000000
"""Bits of a unit: its label; it ends a key; its offset is in blocks; it is the value of a key."""


def parts_of_map(data: bytes) -> tuple[tuple[int, ...], bytes]:
    """Return the units of a map in a model, which come after their size, and its replacements.

    Raises:
        ValueError, struct.error: it is no such map.
    """
    (size,) = struct.unpack_from("<I", data)
    if size % 4:
        raise ValueError("the trie is cut short")
    units, replacements = struct.unpack_from(f"<{size // 4}I", data, 4), data[4 + size :]
    replacements.decode()
    return units, replacements


def walk_trie(units: SequenceOf[int], data: bytes) -> Iterator[tuple[int, int | None]]:
    """Yield the length of each beginning of the data that begins a key; its value if it is one."""
    node = _offset(units[0])
    for length, byte in enumerate(data, start=1):
        node ^= byte
        if byte == 0 or node >= len(units) or units[node] & (_VALUE | _LABEL) != byte:
            return
        unit = units[node]
        node ^= _offset(unit)
        is_key = unit & _ENDS_KEY and node < len(units)
        yield length, units[node] & ~_VALUE if is_key else None


def _offset(unit: int) -> int:
    return (unit >> 10) << ((unit & _FAR) >> 6)


def text_at(replacements: bytes, place: int) -> str:
    """Return the replacement at a place, which ends with a NUL."""
    end = replacements.find(b"\0", place)
    return replacements[place : end if end >= 0 else None].decode("utf-8", "replace")

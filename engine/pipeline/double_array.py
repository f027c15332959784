"""Double arrays, in which SentencePiece's normalization rules come with a model.

Keys are texts of bytes, and the value of a key is the place of its replacement. A unit of 32 bits,
as Darts-clone packs it, is a node: the offset to its children, its label, and whether it ends a
key. The child for a byte is where the offset leads, the byte being its label.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterator
from collections.abc import Sequence as SequenceOf
from itertools import accumulate, pairwise

_LABEL, _ENDS_KEY, _FAR, _VALUE = 0xFF, 0x100, 0x200, 0x80000000
"""Bits of a unit: its label; it ends a key; its offset is in blocks; it is the value of a key."""
_BLOCK = 256
"""Units that are laid out together."""


def parts_of_map(data: bytes) -> tuple[tuple[int, ...], bytes]:
    """Return the units of a map in a model, which come after their size, and its replacements.

    Raises:
        ValueError, struct.error: it is no such map.
    """
    (size,) = struct.unpack_from("<I", data)
    if size % 4:
        raise ValueError("the trie is cut short")
    return struct.unpack_from(f"<{size // 4}I", data, 4), data[4 + size :]


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


def is_whole_trie(units: SequenceOf[int], replacements: bytes) -> bool:
    """Whether the array and the replacements are such as SentencePiece builds them.

    Keys and replacements are UTF-8, each replacement is there once, in order, and is a value. A
    byte that moves a key, or gives it another's value, makes a map that nothing tells from a true
    one.
    """
    try:
        texts = replacements.decode().split("\0")
    except UnicodeDecodeError:
        return False
    if not units or texts.pop() or any(a >= b for a, b in pairwise(texts)):
        return False
    places = accumulate((len(text.encode()) + 1 for text in texts[:-1]), initial=0)
    values = {unit & ~_VALUE for unit in units if unit & _VALUE}
    return values == set(places) and _is_connected(units)


def _is_connected(units: SequenceOf[int]) -> bool:
    """Whether keys are UTF-8 and end in a value, and units of no key look unused."""
    children = defaultdict[int, list[int]](list)
    for node, unit in enumerate(units):
        if unit & _LABEL and not unit & _VALUE:
            children[node ^ unit & _LABEL].append(node)
    root = _offset(units[0])
    lacking, waiting, used = {root: 0}, [root], {0}
    while waiting:
        place = waiting.pop()
        for node in children[place]:
            inner, label = node ^ _offset(units[node]), units[node] & _LABEL
            has_value = inner < len(units) and bool(units[inner] & _VALUE)
            rest = _bytes_lacking(lacking[place], label)
            is_end = bool(units[node] & _ENDS_KEY)
            goes_on = has_value == is_end and (is_end or inner in children)
            if rest is None or not goes_on or lacking.get(inner, rest) != rest:
                return False
            used |= {node, inner} if has_value else {node}
            if inner not in lacking:
                lacking[inner] = rest
                waiting.append(inner)
    homes: dict[int, int] = {}
    return all(
        unit <= _LABEL and homes.setdefault(node // _BLOCK, node ^ unit) == node ^ unit
        for node, unit in enumerate(units)
        if node not in used
    )


def _bytes_lacking(before: int, byte: int) -> int | None:
    """Return the number of bytes that a character lacks after a byte; `None` if it is no UTF-8.

    >>> _bytes_lacking(0, 0xE6), _bytes_lacking(2, 0x98), _bytes_lacking(0, 0x98)
    (2, 1, None)
    """
    if before:
        return before - 1 if 0x80 <= byte < 0xC0 else None
    if byte < 0x80:
        return 0
    return 1 + (byte >= 0xE0) + (byte >= 0xF0) if 0xC2 <= byte < 0xF5 else None


def _offset(unit: int) -> int:
    return (unit >> 10) << ((unit & _FAR) >> 6)


def text_at(replacements: bytes, place: int) -> str:
    """Return the replacement at a place, which ends with a NUL."""
    end = replacements.find(b"\0", place)
    return replacements[place : end if end >= 0 else None].decode("utf-8", "replace")

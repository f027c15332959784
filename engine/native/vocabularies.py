"""Reading vocabularies in the kernel: GPT-2's spelling, ranks, and the merges of ranks."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from ctypes import c_void_p
from typing import NamedTuple

from engine.core.arrays import parts_of
from engine.core.errors import KernelMemoryError
from engine.native import FAILED, KERNEL, PADDING, address, copied, random_seed

_NO_MEMORY = "there is not enough memory to read the tokenizer"


class RankedPairs(NamedTuple):
    """The merges of tokens that are numbered by their ranks, in order.

    Attributes:
        pairs: the ids of the left and the right part of each.
        made: its number and the id that it makes.
        unmade: the places of tokens of several bytes that no merge makes.
    """

    pairs: array[int]
    made: array[int]
    unmade: array[int]


def split_by_ranks(tokens: Sequence[bytes], ranks: Sequence[int]) -> RankedPairs:
    """Return the last merge of each token when its own bytes are encoded.

    Args:
        tokens: different ones in order of rank, with every single byte.
        ranks: of the tokens, in 32 bits.

    Raises:
        KernelMemoryError: there is not enough memory.
    """
    assert KERNEL is not None  # the caller has asked
    sizes, ids = array("q", map(len, tokens)), array("i", ranks)
    room = array("i", [0]) * len(tokens)
    found = RankedPairs(room * 2, room * 2, room[:])
    addresses = (c_void_p * 3)(*map(address, found))
    text, columns = b"".join(tokens) + PADDING, (address(sizes), address(ids))
    merges = KERNEL.ranks_split(text, *columns, len(tokens), addresses, random_seed())
    if merges == FAILED:
        raise KernelMemoryError(_NO_MEMORY)
    longer = len(tokens) - sizes.count(1)
    return RankedPairs(
        found.pairs[: 2 * merges], found.made[: 2 * merges], found.unmade[: longer - merges]
    )


def read_ranks(lines: bytes) -> dict[bytes, int] | None:
    """Read lines of a token in base64 and its rank; `None` if Python has to read them.

    >>> read_ranks(b"YWI= 7\\n") in ({b"ab": 7}, None)
    True
    """
    if KERNEL is None or b"\0" in lines:
        return None
    count = lines.count(b"\n")
    text, sizes = array("B", bytes(len(lines))), array("q", [0]) * count
    ranks = array("i", [0]) * count
    if KERNEL.ranks_read(lines, *map(address, (text, sizes, ranks))) != count:
        return None
    by_token = dict(zip(parts_of(text.tobytes(), sizes), ranks, strict=True))
    return by_token if len(by_token) == count == len(set(ranks)) else None


class Gpt2Files(NamedTuple):
    """A vocabulary and its merges; `pairs` and `made` as in `RankedPairs`.

    Attributes:
        tokens: id → token; no token twice.
        unmade: the ids of the tokens of several bytes that no merge makes.
        size: the bytes of a tokenizer.json that were read.
    """

    tokens: dict[int, bytes]
    pairs: array[int]
    made: array[int]
    unmade: array[int]
    size: int


def read_gpt2(vocab: bytes, lines: bytes | None, byte_of: Sequence[int]) -> Gpt2Files | None:
    """Read a vocabulary in JSON and its merges; `None` if Python has to read them.

    Args:
        lines: the merges; `None` if they come after the vocabulary, as in a tokenizer.json.
        byte_of: code point → the byte that it spells, −1 for none; 324 of them.

    Raises:
        KernelMemoryError: there is not enough memory.
    """
    if KERNEL is None:
        return None
    tokens = vocab.count(b",") + 2  # one is left as it is
    merges = tokens if lines is None else lines.count(b"\n") + 1
    text, spelled, none = array("B", bytes(len(vocab))), array("h", byte_of), array("i", [-1])
    sizes, ids, unmade = array("q", [-1]) * tokens, none * tokens, none * tokens
    pairs, made, size = none * (2 * merges), none * (2 * merges), array("q", [0])
    found = (c_void_p * 7)(*map(address, (text, sizes, ids, pairs, made, unmade, size)))
    texts = vocab, len(vocab), lines, len(lines or b"")
    merges = KERNEL.gpt2_read(*texts, address(spelled), found, random_seed())
    if merges == FAILED:
        raise KernelMemoryError(_NO_MEMORY)
    if merges < 0:
        return None
    sizes = sizes[: sizes.index(-1)]
    by_id = dict(zip(ids, parts_of(copied(address(text), sum(sizes)), sizes), strict=False))
    if len(by_id) < len(sizes):
        return None  # an id is given to two tokens
    unmade = unmade[: unmade.index(-1)]
    return Gpt2Files(by_id, pairs[: 2 * merges], made[: 2 * merges], unmade, size[0])

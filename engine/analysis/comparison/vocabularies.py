"""What do vocabularies have in common, and which is the first merge where they part?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from engine.core.events import BytesPair
from engine.encoding.tokenizer import Tokenizer


@dataclass(frozen=True)
class Overlap:
    """Vocabularies as sets of bytes, special tokens left out; ids do not matter.

    Attributes:
        sizes: how many different tokens each has.
        shared: how many all have.
        only: for each the tokens that no other has, in order of its ids.
        pairwise: `pairwise[a][b]` tokens are in both a and b.
    """

    sizes: tuple[int, ...]
    shared: int
    only: tuple[tuple[bytes, ...], ...]
    pairwise: tuple[tuple[int, ...], ...]


def overlap(tokenizers: Sequence[Tokenizer]) -> Overlap:
    """Compare the vocabularies.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)}
    >>> ours, theirs = Tokenizer(vocab | {256: b"ab"}, []), Tokenizer(vocab | {256: b"cd"}, [])
    >>> found = overlap([ours, theirs])
    >>> found.shared, found.only
    (256, ((b'ab',), (b'cd',)))
    """
    ordered = [_ordinary(tokenizer) for tokenizer in tokenizers]
    sets = [frozenset(tokens) for tokens in ordered]
    only = []
    for place, tokens in enumerate(ordered):
        others: frozenset[bytes] = frozenset().union(*sets[:place], *sets[place + 1 :])
        only.append(tuple(dict.fromkeys(token for token in tokens if token not in others)))
    return Overlap(
        tuple(map(len, sets)),
        len(frozenset.intersection(*sets)),
        tuple(only),
        tuple(tuple(len(one & other) for other in sets) for one in sets),
    )


def _ordinary(tokenizer: Tokenizer) -> list[bytes]:
    """The tokens but for the special ones, in order of ids."""
    vocab, special = tokenizer.vocab, tokenizer.special_ids
    return [vocab[token_id] for token_id in sorted(vocab) if token_id not in special]


@dataclass(frozen=True)
class Parting:
    """The first rank at which two lists of merges differ; `None` where a list has ended."""

    rank: int
    merges: tuple[BytesPair | None, BytesPair | None]


def first_parting(one: Tokenizer, other: Tokenizer) -> Parting | None:
    """Where the merges of two tokenizers part; `None` if they are the same.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab", 257: b"cd"}
    >>> ours = Tokenizer(vocab, [(b"a", b"b"), (b"c", b"d")])
    >>> first_parting(ours, Tokenizer(vocab, [(b"a", b"b")]))
    Parting(rank=1, merges=((b'c', b'd'), None))
    """
    for rank, merges in enumerate(zip_longest(one.merges, other.merges)):
        if merges[0] != merges[1]:
            return Parting(rank, merges)
    return None

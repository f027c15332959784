"""The rank loop behind a cache of pretokens: text repeats its words.

The cache is bounded; the least recently used pretokens leave first. Long pretokens hardly ever
come again, so they are not kept, and a heap serves them better than the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from engine.encoders.encoder import Encoder, MergeTable
from engine.encoders.rank_heap import RankHeap
from engine.encoders.rank_loop import RankLoop
from engine.events import EncodeStep

CACHE_SIZE = 1 << 16
LONG = 128


class Cached(Encoder):
    name = "cached"
    summary = "the rank loop behind a bounded cache of pretokens"

    def __init__(self, byte_ids: Sequence[int], table: MergeTable) -> None:
        super().__init__(byte_ids, table)
        loop = RankLoop(byte_ids, table)
        self._remembered = lru_cache(CACHE_SIZE)(lambda pretoken: tuple(loop.encode(pretoken)))
        self._heap = RankHeap(byte_ids, table)
        self._loop = loop

    def encode(self, pretoken: bytes) -> Sequence[int]:
        if len(pretoken) > LONG:
            return self._heap.encode(pretoken)
        return self._remembered(pretoken)

    def encode_anew(self, pretoken: bytes) -> Sequence[int]:
        """`encode` past the cache, for a table that has grown meanwhile."""
        return self._for(pretoken).encode(pretoken)

    def steps(self, pretoken: bytes) -> Iterator[EncodeStep]:
        """The steps of the loop, whether or not the cache knows the pretoken."""
        return self._for(pretoken).steps(pretoken)

    def _for(self, pretoken: bytes) -> Encoder:
        return self._heap if len(pretoken) > LONG else self._loop

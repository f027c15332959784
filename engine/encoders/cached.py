"""The rank loop behind a cache: text repeats its words.

Pretokens are remembered, and so are the pieces between two spaces, which are found without the
pattern's regex: see `engine.pieces`. Both memories are bounded: see `engine.remembered`.
Long pretokens are served better by a heap than by the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from engine.encoders.encoder import Encoder, MergeTable
from engine.encoders.rank_heap import RankHeap
from engine.encoders.rank_list import RankList
from engine.events import EncodeStep
from engine.patterns import Pattern
from engine.piece_encoder import PieceEncoder
from engine.pieces import cutting_for
from engine.remembered import Remembered

LONG = 128


class Cached(Encoder):
    name = "cached"
    summary = "the rank list behind a bounded cache of pretokens"

    def __init__(self, byte_ids: Sequence[int], table: MergeTable) -> None:
        super().__init__(byte_ids, table)
        self._list = RankList(byte_ids, table)
        self._heap = RankHeap(byte_ids, table)
        self._remembered = Remembered(lambda pretoken: tuple(self._for(pretoken).encode(pretoken)))

    def encode(self, pretoken: bytes) -> Sequence[int]:
        return self._remembered[pretoken]

    def steps(self, pretoken: bytes) -> Iterator[EncodeStep]:
        """The steps of the loop, whether or not the cache knows the pretoken."""
        return self._for(pretoken).steps(pretoken)

    def for_texts(self, pattern: Pattern) -> Callable[[str], list[int]]:
        cutting = cutting_for(pattern)
        if cutting is None:
            return super().for_texts(pattern)
        return PieceEncoder(cutting, super().for_texts(pattern)).encode

    def _for(self, pretoken: bytes) -> Encoder:
        return self._heap if len(pretoken) > LONG else self._list

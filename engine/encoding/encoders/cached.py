"""The rank loop behind a cache: text repeats its words.

Pretokens are remembered, and so are the pieces between two spaces, which are found without the
pattern's regex: see `engine.encoding.piece_encoder`. Both memories are bounded: see
`engine.encoding.bounded_memo`. Long pretokens are served better by a heap than by the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from engine.core.events import EncodeStep
from engine.encoding.encoders.encoder import Encoder, is_in_order
from engine.encoding.encoders.rank_loop import RankHeap, RankList
from engine.encoding.piece_encoder import remembering
from engine.text.patterns import Pattern

LONG = 128


class Cached(Encoder):
    name = "cached"
    summary = "the rank list behind a bounded cache of pretokens"

    # Made when the first pretoken comes: a tokenizer that is only looked at need not wait.

    @cached_property
    def _heap(self) -> RankHeap:
        return RankHeap(self.alphabet, self.table)

    @cached_property
    def _list(self) -> Encoder:
        # For merges out of order the list knows no short way.
        return RankList(self.alphabet, self.table) if is_in_order(self.table) else self._heap

    def encode(self, pretoken: bytes) -> Sequence[int]:
        """The ids of one pretoken; only `for_texts` remembers."""
        return self._for(pretoken).encode(pretoken)

    def steps(self, pretoken: bytes) -> Iterator[EncodeStep]:
        return self._for(pretoken).steps(pretoken)

    def for_texts(self, pattern: Pattern) -> Callable[[str], list[int]]:
        """As in every encoder; the function keeps its memory from one text to the next."""
        return remembering(pattern, self.encode)

    def _for(self, pretoken: bytes) -> Encoder:
        return self._heap if len(pretoken) > LONG else self._list

"""The tokens of a pretoken at any step.

No log is needed for that. Encode the pretoken with all merges known, once; to see it as it was
after k merges, take every token that is younger apart into its two parts, again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from engine.core.events import Pair
from engine.encoding.alphabet import Alphabet
from engine.encoding.encoders.encoder import MergeTable, RankLoop
from engine.encoding.encoders.fast import LONG, RankHeap

CACHE_SIZE = 1 << 16


class Segments(Protocol):
    """Tells the tokens of pretokens at any step."""

    def tokens_at(self, pretoken: bytes, step: int) -> tuple[int, ...]: ...


class Segmenter:
    """Tokens of pretokens at any step of a run.

    Args:
        alphabet: spells a pretoken at step 0.
        table: the merges known so far; it may grow.
        pair_of: the parts of the token that a merge made, by the merge's rank.
        rank_of: the rank of the merge that made a token; negative for one that none did.
    """

    def __init__(
        self,
        alphabet: Alphabet,
        table: MergeTable,
        pair_of: Callable[[int], Pair],
        rank_of: Callable[[int], int],
    ) -> None:
        self._table = table
        self._pair_of = pair_of
        self._rank_of = rank_of
        # These two look into the table anew each time, and so see it grow.
        self._loop = RankLoop(alphabet, table)
        self._heap = RankHeap(alphabet, table)
        # pretoken → (how many merges were known, its tokens then)
        self._known: dict[bytes, tuple[int, Sequence[int]]] = {}

    def tokens_at(self, pretoken: bytes, step: int) -> tuple[int, ...]:
        """The token ids of the pretoken after the first `step` merges."""
        merges, tokens = self._known.get(pretoken, (-1, ()))
        if merges < step:
            tokens = self._encode(pretoken)
        return self._taken_apart(tokens, step)

    def _encode(self, pretoken: bytes) -> Sequence[int]:
        if len(self._known) >= CACHE_SIZE:
            self._known.clear()
        encoder = self._heap if len(pretoken) > LONG else self._loop
        tokens = encoder.encode(pretoken)
        self._known[pretoken] = len(self._table), tokens
        return tokens

    def _taken_apart(self, tokens: Sequence[int], step: int) -> tuple[int, ...]:
        result: list[int] = []
        waiting = list(reversed(tokens))
        while waiting:
            token = waiting.pop()
            rank = self._rank_of(token)
            if rank < step:
                result.append(token)
            else:
                left, right = self._pair_of(rank)
                waiting.append(right)
                waiting.append(left)
        return tuple(result)

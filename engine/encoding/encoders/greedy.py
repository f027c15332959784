"""Greedy longest match: not byte-pair encoding, but what many take it for.

From the left, take the longest token of the vocabulary that the text goes on with, and again from
its end: how WordPiece is applied (Schuster and Nakajima 2012, and BERT after them). It looks at
the vocabulary alone and never at the merges' order, so its ids often differ from those of byte-pair
encoding with the very same vocabulary. That is why it is not among `ENCODERS`, which all agree; it
stands beside them so that the difference can be shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from engine.encoding.alphabet import Alphabet


class Greedy:
    """Takes the longest token, again and again.

    Args:
        ids: token → id, for ordinary tokens.
        alphabet: what spells a place at which no token begins.
        ending_ids: the same for tokens that can only stand at the end, which go first there.

    >>> from engine.encoding.alphabet import ByteAlphabet
    >>> ids = {b"a": 0, b"b": 1, b"c": 2, b"ab": 3, b"bc": 4}
    >>> list(Greedy(ids, ByteAlphabet(range(256))).takes(b"abc"))
    [(3, 2), (2, 3)]
    """

    name = "greedy"

    def __init__(
        self,
        ids: Mapping[bytes, int],
        alphabet: Alphabet,
        ending_ids: Mapping[bytes, int] = MappingProxyType({}),
    ) -> None:
        self._ids = ids
        self._alphabet = alphabet
        self._ending_ids = ending_ids
        self._longest = max(map(len, (*ids, *ending_ids)), default=1)

    def takes(self, pretoken: bytes) -> Iterator[tuple[int, int]]:
        """The tokens that it takes, from left to right: each id with where it ends, in bytes."""
        if not self._alphabet.spell(pretoken):
            return
        start = 0
        while start < len(pretoken):
            if len(pretoken) - start <= self._longest:
                ending = self._ending_ids.get(pretoken[start:])
                if ending is not None:
                    yield ending, len(pretoken)
                    return
            token_id, end = self._longest_at(pretoken, start)
            yield token_id, end
            start = end
        if self._alphabet.marker is not None:
            yield self._alphabet.marker, start

    def _longest_at(self, pretoken: bytes, start: int) -> tuple[int, int]:
        """The longest token from here on, and where it ends."""
        end = min(start + self._longest, len(pretoken))
        while (token_id := self._ids.get(pretoken[start:end])) is None and end > start + 1:
            end -= 1
        if token_id is not None:
            return token_id, end
        rest, inside = pretoken[start:], self._alphabet.inside
        return inside.spell(rest)[0], start + inside.edges(rest)[1]

"""Greedy longest match: not byte-pair encoding, but what many take it for.

From the left, take the longest token of the vocabulary that the text goes on with, and again from
its end: how WordPiece is applied (Schuster and Nakajima 2012, and BERT after them). It looks at
the vocabulary alone and never at the merges' order, so its ids often differ from those of byte-pair
encoding with the very same vocabulary. That is why it is not among `ENCODERS`, which all agree; it
stands beside them so that the difference can be shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.alphabet import Alphabet


class Greedy:
    """Takes the longest token, again and again.

    Args:
        ids: token → id, for ordinary tokens.
        alphabet: what spells a place at which no token begins.

    >>> from engine.alphabet import ByteAlphabet
    >>> ids = {b"a": 0, b"b": 1, b"c": 2, b"ab": 3, b"bc": 4}
    >>> list(Greedy(ids, ByteAlphabet(range(256))).takes(b"abc"))
    [(3, 2), (2, 3)]
    """

    name = "greedy"

    def __init__(self, ids: Mapping[bytes, int], alphabet: Alphabet) -> None:
        self._ids = ids
        self._alphabet = alphabet
        self._longest = max(map(len, ids), default=1)

    def takes(self, pretoken: bytes) -> Iterator[tuple[int, int]]:
        """The tokens that it takes, from left to right: each id with where it ends, in bytes."""
        start = 0
        while start < len(pretoken):
            end = min(start + self._longest, len(pretoken))
            while (token_id := self._ids.get(pretoken[start:end])) is None and end > start + 1:
                end -= 1
            if token_id is None:
                rest = pretoken[start:]
                token_id = self._alphabet.spell(rest)[0]
                end = start + self._alphabet.edges(rest)[1]
            yield token_id, end
            start = end

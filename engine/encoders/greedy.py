"""Greedy longest match: not byte-pair encoding, but what many take it for.

From the left, take the longest token of the vocabulary that the text goes on with, and again from
its end: how WordPiece is applied (Schuster and Nakajima 2012, and BERT after them). It looks at
the vocabulary alone and never at the merges' order, so its ids often differ from those of byte-pair
encoding with the very same vocabulary. That is why it is not among `ENCODERS`, which all agree; it
stands beside them so that the difference can be shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping


class Greedy:
    """Takes the longest token, again and again.

    Args:
        ids: token → id, for ordinary tokens; every single byte has to be there.

    >>> ids = {b"a": 0, b"b": 1, b"c": 2, b"ab": 3, b"bc": 4}
    >>> list(Greedy(ids).takes(b"abc"))
    [3, 2]
    """

    name = "greedy"

    def __init__(self, ids: Mapping[bytes, int]) -> None:
        self._ids = ids
        self._longest = max(map(len, ids), default=1)

    def takes(self, pretoken: bytes) -> Iterator[int]:
        """The ids of the tokens that it takes, from left to right."""
        start = 0
        while start < len(pretoken):
            end = min(start + self._longest, len(pretoken))
            while (token_id := self._ids.get(pretoken[start:end])) is None:
                end -= 1
            yield token_id
            start = end

"""Pairs numbered in the order in which they first appear.

Counts, logs and queues are arrays over these numbers; a pair itself is needed only to be shown or
to be found. It is found by its *key*, one integer for two token ids, because many keys can be made
at once from arrays and hash faster than tuples.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from engine.core.events import Pair

STRIDE = 2**32 - 5
"""key = left · STRIDE + right. Above any id; odd, so that keys with the same right token do not
share their low bits, by which a dict places them."""


def key_of(pair: Pair) -> int:
    """The pair as one integer."""
    return pair[0] * STRIDE + pair[1]


class PairNumbers(Sequence[Pair]):
    """number → pair as a sequence, key → number as a dict. One thread may add, any may read.

    >>> pairs = PairNumbers([(7, 8)])
    >>> pairs.number_or_new((7, 9)), pairs.number_or_new((7, 8)), list(pairs)
    (1, 0, [(7, 8), (7, 9)])
    """

    def __init__(self, pairs: Iterable[Pair] = ()) -> None:
        self._keys: list[int] = []
        self.number_of_key: dict[int, int] = {}
        self.add_new([key_of(pair) for pair in pairs])

    def __len__(self) -> int:
        return len(self._keys)

    def __getitem__(self, number: int) -> Pair:  # type: ignore[override]
        return divmod(self._keys[number], STRIDE)

    def __iter__(self) -> Iterator[Pair]:
        return (divmod(key, STRIDE) for key in self._keys)

    def number_of(self, pair: Pair) -> int | None:
        """The pair's number; `None` for a pair that never stood side by side."""
        return self.number_of_key.get(key_of(pair))

    def number_or_new(self, pair: Pair) -> int:
        """The pair's number; the next free one if it has none yet."""
        key = key_of(pair)
        number = self.number_of_key.get(key)
        if number is None:
            number = len(self._keys)
            self.add_new([key])
        return number

    def add_new(self, keys: Sequence[int]) -> range:
        """Number pairs that have no number yet, given by their keys; their numbers."""
        first = len(self._keys)
        # A pair can be read before it can be found, for whoever reads meanwhile.
        self._keys.extend(keys)
        for number, key in enumerate(keys, first):
            self.number_of_key[key] = number
        return range(first, first + len(keys))

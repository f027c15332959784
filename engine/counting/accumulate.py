"""Adding up what counters tell about the chunks of a corpus.

Chunks are added in their order, and of each the new pieces in theirs. So a pretoken gets its number
when it appears for the first time in the corpus, whoever counted which chunk.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import count, islice, repeat

import numpy as np
import numpy.typing as npt

from engine.counting.counters import ChunkCount

Numbers = npt.NDArray[np.int64]


class Tally:
    """The pretokens of a corpus so far, and how often each occurs.

    Attributes:
        documents, pretokens: how many there are so far.
    """

    def __init__(self) -> None:
        self.documents = 0
        self.pretokens = 0
        self._numbers = defaultdict[bytes, int](count().__next__)  # a new one gets the next
        self._counters: dict[int, _PiecesOfACounter] = {}

    @property
    def distinct(self) -> int:
        return len(self._numbers)

    def add(self, counter: int, chunk: ChunkCount) -> None:
        """Add a chunk, counted by the counter of that number."""
        pieces = self._counters.setdefault(counter, _PiecesOfACounter())
        pieces.extend(map(self._numbers.__getitem__, chunk.new_pretokens), chunk.new_sizes)
        self.pretokens += pieces.add(
            np.frombuffer(chunk.numbers, np.int64), np.frombuffer(chunk.counts, np.int64)
        )
        self.documents += chunk.documents

    def counts(self, limit: int | None = None) -> Counter[bytes]:
        """Pretoken → occurrences, in order of first appearance: all, or the first `limit`."""
        totals = np.zeros(self.distinct, np.int64)
        for pieces in self._counters.values():
            pieces.add_pretokens_to(totals)
        counts: Counter[bytes] = Counter()
        first = islice(self._numbers, limit)
        dict.update(counts, zip(first, totals[:limit].tolist(), strict=True))
        return counts


class _PiecesOfACounter:
    """The pieces that one counter has met: the pretokens of each, and its occurrences."""

    def __init__(self) -> None:
        self._pretokens = array("q")  # those of the first piece, of the second, …
        self._sizes = array("q")  # how many pretokens each has
        self._totals = array("q")

    def extend(self, pretokens: Iterable[int], sizes: bytes) -> None:
        """New pieces, which have not occurred yet."""
        self._pretokens.extend(pretokens)
        self._sizes.frombytes(sizes)
        self._totals.extend(repeat(0, len(self._sizes) - len(self._totals)))

    def add(self, pieces: Numbers, counts: Numbers) -> int:
        """Count occurrences of pieces; how many pretokens they are."""
        np.add.at(_view(self._totals), pieces, counts)
        return int(_view(self._sizes)[pieces] @ counts)

    def add_pretokens_to(self, totals: Numbers) -> None:
        """Add the occurrences of the pretokens, by their numbers."""
        occurrences = np.repeat(_view(self._totals), _view(self._sizes))
        np.add.at(totals, _view(self._pretokens), occurrences)


def _view(numbers: array[int]) -> Numbers:
    """An array to calculate with. Let go of it before `numbers` grows."""
    return np.frombuffer(numbers, np.int64)

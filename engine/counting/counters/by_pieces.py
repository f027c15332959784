"""The fast way to count: equal pieces of text have equal pretokens, so look at each once.

A chunk is cut into pieces, most of them one pretoken, without asking what they are. Caches
recognise the frequent ones; what they do not know is looked up in a dict; and only a piece that is
new even there is given to the pattern. New pieces are met in the order of the text, and so are
their pretokens: the order of first appearance costs nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, compress, count

import numpy as np

from engine.counting.counters.counter import ChunkCount
from engine.counting.counters.piece_cache import PADDING, Numbers, PieceCache, Places, words_of
from engine.counting.counters.pieces import PieceCutter, documents_between, special_tokens_in
from engine.text.patterns import Pattern
from engine.text.pretokenize import SpecialSplitter, to_bytes, to_text

BATCH = 1 << 15
"""Pieces looked at together: few enough for the processor's cache."""

FIRST_BATCH = 1 << 10
"""As long as the caches know little, a batch had better be small."""


class PieceCounter:
    """Counts chunks piece by piece; for patterns that tell their borders."""

    def __init__(self, pattern: Pattern, splitter: SpecialSplitter) -> None:
        self._pattern = pattern
        self._match = pattern.compiled.match
        self._splitter = splitter
        self._cutter = PieceCutter(pattern)
        self._numbers = defaultdict[bytes, int](count().__next__)  # a new piece gets the next one
        self._caches = (PieceCache(words=1), PieceCache(words=2))
        self._batch = FIRST_BATCH
        self._new_pretokens: list[bytes] = []
        self._new_sizes: list[int] = []
        _keep_freed_memory()

    def count(self, data: bytes, continues: bool) -> ChunkCount:
        # The caches cannot tell a NUL from no byte at all.
        caches = () if b"\0" in data else self._caches
        words = words_of(data + PADDING)
        tokens = special_tokens_in(data, self._splitter)
        found = []
        for starts, ends in self._batches(self._cutter.borders(data, tokens)):
            for cache in caches:
                unknown = ~cache.recognise(words, starts, ends - starts)
                starts, ends = starts[unknown], ends[unknown]
            found.append(self._look_up(data, starts, ends, caches))
        found += [cache.drain() for cache in caches]
        new_pretokens, self._new_pretokens = self._new_pretokens, []
        new_sizes, self._new_sizes = self._new_sizes, []
        return ChunkCount(
            new_pretokens,
            np.array(new_sizes, np.int64).tobytes(),
            np.concatenate([numbers for numbers, _ in found]).tobytes(),
            np.concatenate([counts for _, counts in found]).tobytes(),
            documents_between(data, tokens, continues),
        )

    def _batches(self, borders: Places) -> Iterator[tuple[Places, Places]]:
        """The starts and the ends of the pieces, not too many at a time."""
        start, end = 0, len(borders) - 1
        while start < end:
            batch = slice(start, min(start + self._batch, end))
            yield borders[batch], borders[batch.start + 1 : batch.stop + 1]
            start = batch.stop
            self._batch = min(2 * self._batch, BATCH)

    def _look_up(
        self, data: bytes, starts: Places, ends: Places, caches: Sequence[PieceCache]
    ) -> tuple[Numbers, Numbers]:
        """The numbers of some pieces, and how often each occurs; new ones are learnt."""
        places = zip(starts.tolist(), ends.tolist(), strict=True)
        counts = Counter([data[start:end] for start, end in places])
        known = len(self._numbers)
        numbers = np.fromiter(map(self._numbers.__getitem__, counts), np.int64, len(counts))
        if len(self._numbers) > known:
            new = list(compress(counts, numbers >= known))
            pretokens = list(map(self._pretokens, new))
            self._new_pretokens += chain.from_iterable(pretokens)
            self._new_sizes += map(len, pretokens)
            for cache in caches:
                cache.learn(new, first_number=known)
        return numbers, np.fromiter(counts.values(), np.int64, len(counts))

    def _pretokens(self, piece: bytes) -> list[bytes]:
        # No other piece has the bytes of a special token: wherever they stand, one is found.
        if piece in self._splitter.tokens:
            return []
        text = to_text(piece)
        match = self._match(text)
        if match and match.end() == len(text):  # as for most pieces, and cheaper to ask
            return [piece]
        return list(map(to_bytes, self._pattern.split(text)))


def _keep_freed_memory() -> None:
    """Have glibc keep what we free, instead of getting each array from the system anew.

    It does so for sizes up to the largest that has been freed; else half our time would go there.
    """
    np.empty(1 << 24, np.uint8)

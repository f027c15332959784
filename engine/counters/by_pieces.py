"""The fast way to count: equal pieces of text have equal pretokens, so look at each once.

A chunk is cut into pieces, most of them one pretoken, without asking what they are. Caches
recognise the frequent ones; what they do not know is looked up in a dict; and only a piece that is
new even there is given to the pattern. New pieces are met in the order of the text, and so are
their pretokens: the order of first appearance costs nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from engine.counters.counter import ChunkCount, documents_in
from engine.counters.piece_cache import PADDING, Numbers, PieceCache, Places, words_of
from engine.counters.pieces import PieceCutter
from engine.patterns import Pattern
from engine.pretokenize import SpecialSplitter, to_bytes, to_text

BATCH = 1 << 15
"""Pieces looked at together: few enough for the processor's cache."""

FIRST_BATCH = 1 << 10
"""As long as the caches know little, a batch had better be small."""


class PieceCounter:
    """Counts chunks piece by piece; for patterns that tell their borders."""

    def __init__(self, pattern: Pattern, splitter: SpecialSplitter) -> None:
        self._splitter = splitter
        self._cutter = PieceCutter(pattern, splitter)
        self._known = _KnownPieces(pattern, splitter)
        self._caches = (PieceCache(words=1), PieceCache(words=2))
        self._batch = FIRST_BATCH
        _keep_freed_memory()

    def count(self, data: bytes, continues: bool) -> ChunkCount:
        # The caches cannot tell a NUL at an end of a piece from no byte at all.
        caches = () if b"\0" in data else self._caches
        words = words_of(data + PADDING)
        counts = []
        for starts, ends in self._batches(self._cutter.borders(data)):
            for cache in caches:
                unknown = ~cache.recognise(words, starts, ends - starts)
                starts, ends = starts[unknown], ends[unknown]
            counts.append(self._look_up(data, starts, ends))
        counts += [cache.drain() for cache in caches]
        return ChunkCount(
            self._known.take_new(),
            np.concatenate([numbers for numbers, _ in counts]).tobytes(),
            np.concatenate([occurrences for _, occurrences in counts]).tobytes(),
            documents_in(data, continues, self._splitter),
        )

    def _batches(self, borders: Places) -> Iterator[tuple[Places, Places]]:
        """The starts and the ends of the pieces, not too many at a time."""
        start, end = 0, len(borders) - 1
        while start < end:
            batch = slice(start, min(start + self._batch, end))
            yield borders[batch], borders[batch.start + 1 : batch.stop + 1]
            start = batch.stop
            self._batch = min(2 * self._batch, BATCH)

    def _look_up(self, data: bytes, starts: Places, ends: Places) -> tuple[Numbers, Numbers]:
        """The numbers of some pieces, and how often each occurs; the caches learn the new ones."""
        places = zip(starts.tolist(), ends.tolist(), strict=True)
        counts = Counter([data[start:end] for start, end in places])
        known_before = len(self._known)
        numbers = [self._known[piece] for piece in counts]
        if len(self._known) > known_before:
            numbered = zip(counts, numbers, strict=True)
            new = [(piece, number) for piece, number in numbered if number >= known_before]
            for cache in self._caches:
                cache.learn(new)
        return np.array(numbers, np.int64), np.array([*counts.values()], np.int64)


class _KnownPieces(dict[bytes, int]):
    """Piece → number; asked for a new one, it gives the next number and finds the pretokens.

    A special token is a piece without pretokens. No other piece has the same bytes: where they
    stand, the token is found.
    """

    def __init__(self, pattern: Pattern, splitter: SpecialSplitter) -> None:
        self._pattern = pattern
        self._splitter = splitter
        self._new: list[list[bytes]] = []

    def __missing__(self, piece: bytes) -> int:
        self[piece] = number = len(self)
        self._new.append(self._pretokens(piece))
        return number

    def _pretokens(self, piece: bytes) -> list[bytes]:
        if self._splitter.bytes_regex.fullmatch(piece):
            return []
        text = to_text(piece)
        pretokens = self._pattern.split(text)
        return [piece] if pretokens == [text] else [to_bytes(pretoken) for pretoken in pretokens]

    def take_new(self) -> list[list[bytes]]:
        """The pretokens of the pieces that came since the last time, in order."""
        new, self._new = self._new, []
        return new


def _keep_freed_memory() -> None:
    """Have glibc keep what we free, instead of getting each array from the system anew.

    It does so for sizes up to the largest that has been freed; else half our time would go there.
    """
    np.empty(1 << 24, np.uint8)

"""The fast way to count: equal pieces of text have equal pretokens, so look at each once.

A chunk is cut into pieces, most of them one pretoken, without asking what they are. Caches
recognise the frequent ones; what they do not know is looked up in a dict; and only a piece that is
new even there is given to the pattern. New pieces are met in the order of the text, and so are
their pretokens: the order of first appearance costs nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from engine.counters.counter import ChunkCount, documents_in
from engine.counters.piece_cache import PADDING, Numbers, PieceCache, Words, words_of
from engine.counters.pieces import PieceCutter, Pieces
from engine.patterns import Pattern
from engine.pretokenize import SpecialSplitter, to_bytes, to_text

BATCH = 1 << 15
"""Pieces looked at together: few enough for the processor's cache."""


class PieceCounter:
    """Counts chunks piece by piece; for patterns that tell their borders."""

    def __init__(self, pattern: Pattern, splitter: SpecialSplitter) -> None:
        self._splitter = splitter
        self._cutter = PieceCutter(pattern, splitter)
        self._known = _KnownPieces(pattern)
        self._caches = (PieceCache(words=1), PieceCache(words=2))

    def count(self, data: bytes, continues: bool) -> ChunkCount:
        # The caches cannot tell a NUL at the end of a piece from no byte at all.
        caches = () if b"\0" in data else self._caches
        words = words_of(data + PADDING)
        counts = []
        for batch in _batches(self._cutter.cut(data)):
            unknown = _recognise(words, batch, caches)
            counts.append(self._look_up(data, unknown))
        counts += [cache.drain() for cache in caches]
        return ChunkCount(
            self._known.take_new(),
            np.concatenate([numbers for numbers, _ in counts]).tobytes(),
            np.concatenate([occurrences for _, occurrences in counts]).tobytes(),
            documents_in(data, continues, self._splitter),
        )

    def _look_up(self, data: bytes, pieces: Pieces) -> tuple[Numbers, Numbers]:
        """The numbers of some pieces, and how often each occurs; the caches learn the new ones."""
        places = zip(pieces.starts.tolist(), pieces.ends.tolist(), strict=True)
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
    """Piece → number; asked for a new one, it gives the next number and finds the pretokens."""

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern
        self._new: list[list[bytes]] = []

    def __missing__(self, piece: bytes) -> int:
        self[piece] = number = len(self)
        pretokens = self._pattern.split(to_text(piece))
        self._new.append([piece] if len(pretokens) == 1 else [to_bytes(p) for p in pretokens])
        return number

    def take_new(self) -> list[list[bytes]]:
        """The pretokens of the pieces that came since the last time, in order."""
        new, self._new = self._new, []
        return new


def _batches(pieces: Pieces) -> Iterator[Pieces]:
    for start in range(0, len(pieces.starts), BATCH):
        batch = slice(start, start + BATCH)
        yield Pieces(pieces.starts[batch], pieces.ends[batch])


def _recognise(words: Words, pieces: Pieces, caches: Sequence[PieceCache]) -> Pieces:
    """Have the caches count the pieces that they know; the others, in order."""
    starts, ends = pieces
    for cache in caches:
        unknown = ~cache.recognise(words, starts, ends - starts)
        starts, ends = starts[unknown], ends[unknown]
    return Pieces(starts, ends)

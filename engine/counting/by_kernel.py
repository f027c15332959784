"""`NativePieceCounter`: what `by_pieces` does, by the compiled kernel, and without numpy."""

from __future__ import annotations

from engine.counting.plain import ChunkCount
from engine.native.counting import KernelCounter
from engine.text.cutting import cutter_for
from engine.text.patterns import BorderTables, Pattern
from engine.text.pretokenize import SpecialSplitter, is_blank


class NativePieceCounter:
    """Has the kernel cut chunks into pieces, count them, and cut new ones into pretokens."""

    def __init__(self, pattern: Pattern, splitter: SpecialSplitter) -> None:
        self._cut = cutter_for(pattern)
        self._splitter = splitter
        longest_first = sorted(splitter.tokens, key=len, reverse=True)
        self._counter = KernelCounter(BorderTables.of(pattern.borders).packed, longest_first)

    def count(self, data: bytes, continues: bool) -> ChunkCount:
        """See `ChunkCounter.count`."""
        pieces = self._counter.count(data)
        lengths, sizes = self._cut(pieces.new, pieces.new_sizes)
        documents = pieces.filled
        documents += sum(not is_blank(data[start:end]) for start, end in pieces.unclear)
        if continues:
            token = self._splitter.bytes_regex.search(data)
            documents -= not is_blank(data[: token.start()] if token else data)
        return ChunkCount(
            *(pieces.new, lengths.tobytes(), sizes.tobytes()),
            *(pieces.numbers, pieces.counts, documents),
        )

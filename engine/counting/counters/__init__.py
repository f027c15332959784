"""Counting chunk by chunk: `by_pieces` where a pattern tells its borders, else `plain`."""

from __future__ import annotations

from engine.counting.counters.plain import ChunkCount, ChunkCounter
from engine.text.patterns import Pattern
from engine.text.pretokenize import SpecialSplitter

__all__ = ["ChunkCount", "ChunkCounter", "counter_for"]


def counter_for(pattern: Pattern, splitter: SpecialSplitter) -> ChunkCounter:
    """The fastest counter that is exact for the pattern; its modules are loaded when needed."""
    if pattern.borders:
        from engine.counting.counters.by_pieces import PieceCounter

        return PieceCounter(pattern, splitter)
    from engine.counting.counters.plain import PlainCounter

    return PlainCounter(pattern, splitter)

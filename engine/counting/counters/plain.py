"""The plain way to count: the pattern runs over all of the text. Right for every pattern."""

from __future__ import annotations

from array import array
from collections import Counter
from itertools import islice, repeat

from engine.counting.counters.counter import ChunkCount, documents_in
from engine.text.patterns import Pattern
from engine.text.pretokenize import SpecialSplitter, to_bytes, to_text


class PlainCounter:
    """Here each pretoken is a piece of its own."""

    def __init__(self, pattern: Pattern, splitter: SpecialSplitter) -> None:
        self._pattern = pattern
        self._splitter = splitter
        self._numbers: dict[bytes, int] = {}

    def count(self, data: bytes, continues: bool) -> ChunkCount:
        counts = count_pretokens_of(data, self._pattern, self._splitter)
        known = len(self._numbers)
        numbers = [self._numbers.setdefault(pretoken, len(self._numbers)) for pretoken in counts]
        new = list(islice(self._numbers, known, None))
        return ChunkCount(
            new,
            array("q", repeat(1, len(new))).tobytes(),
            array("q", numbers).tobytes(),
            array("q", counts.values()).tobytes(),
            documents_in(data, continues, self._splitter),
        )


def count_pretokens_of(
    data: bytes, pattern: Pattern, splitter: SpecialSplitter
) -> dict[bytes, int]:
    """The pretokens of a text, in order of first appearance."""
    counts: Counter[str] = Counter()
    for document in splitter.documents(data):
        counts.update(pattern.split(to_text(document)))
    return {to_bytes(pretoken): count for pretoken, count in counts.items()}

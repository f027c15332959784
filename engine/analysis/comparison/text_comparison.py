"""One text under several tokenizers: how many tokens, and where the cuts differ."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from engine.analysis.comparison.differences import Differences, differences
from engine.analysis.comparison.edges import edges_of_all
from engine.analysis.comparison.fertility import ScriptFertility, fertility
from engine.core.arrays import Ints
from engine.encoding.tokenizer import Tokenizer


class TextComparison:
    """A text cut by each of some tokenizers.

    Attributes:
        data: the text.
        edges: for each tokenizer the edges of its tokens, in bytes.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}
    >>> pairs, single = Tokenizer(vocab, [(b"a", b"b")]), Tokenizer(vocab, [])
    >>> comparison = TextComparison([pairs, single], b"abc")
    >>> comparison.token_counts, [(d.start, d.end) for d in comparison.differences]
    ((2, 3), [(0, 2)])
    """

    def __init__(self, tokenizers: Sequence[Tokenizer], data: bytes) -> None:
        self.data = data
        self.edges = edges_of_all(tokenizers, data)

    @property
    def token_counts(self) -> tuple[int, ...]:
        return tuple(len(edges) - 1 for edges in self.edges)

    @property
    def bytes_per_token(self) -> tuple[float, ...]:
        """The compression by each; 0 for an empty text."""
        return tuple(len(self.data) / count if count else 0.0 for count in self.token_counts)

    @cached_property
    def differences(self) -> Differences:
        """The stretches that are not cut alike by all."""
        return differences(self.edges, len(self.data))

    @cached_property
    def differing_bytes(self) -> int:
        """Bytes of the text that stand in a difference."""
        spans = self.differences.spans
        return int((spans[:, 1] - spans[:, 0]).sum())

    @cached_property
    def _agreed(self) -> Ints:
        """Where all cut."""
        marks = np.zeros(len(self.data) + 1, dtype=np.int64)
        for edges in self.edges:
            marks[edges] += 1
        return np.flatnonzero(marks == len(self.edges))

    def agreed_before(self, place: int) -> int:
        """The last place up to this one, in bytes, where all cut."""
        return int(self._agreed[np.searchsorted(self._agreed, place, side="right") - 1])

    def agreed_after(self, place: int) -> int:
        """The first place from this one on where all cut."""
        return int(self._agreed[np.searchsorted(self._agreed, place)])

    @cached_property
    def fertility(self) -> list[ScriptFertility]:
        """Tokens a word, script by script."""
        return fertility(self.data, self.edges)

"""Texts → `Lattices`, in batches.

A batch has so many edges that numpy works at full speed and a screen still gets its turn between
the levels. Texts go in by their length, so that those of a batch have about equally many levels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from engine.unigram.lattices import Lattices
from engine.unigram.sliced import Progress, Work

BATCH = 50_000
"""Edges a batch has, about: numpy takes some 5 ms to sweep them."""
LONGEST_TEXT = 4096
"""Longer texts are put in as parts of this length: levels are slow where there are few edges.

SentencePiece leaves sentences of more than 4,192 bytes out.
"""
CHARACTERS_A_SLICE = 2048


def lattices_of(
    texts: Mapping[str, int], ids: Mapping[str, int], longest: int
) -> Work[list[Lattices]]:
    """The lattices of texts; their numbers go by the order in the mapping.

    Args:
        texts: text → how often it occurs.
        ids: the piece of each text; every character has one.
        longest: how many characters a piece has, at the most.

    >>> from engine.unigram.sliced import finished
    >>> (batch,) = finished(lattices_of({"ab": 3}, {"a": 0, "b": 1, "ab": 2}, longest=2))
    >>> batch.pieces.tolist(), batch.sources.tolist(), batch.targets.tolist()
    ([0, 2, 1], [0, 0, 1], [1, 2, 2])
    """
    batches: list[Lattices] = []
    batch = _Batch(ids, longest)
    done = slice_ = 0
    for number, text, count in _by_length(texts):
        batch.add(number, text, count)
        done, slice_ = done + 1, slice_ + len(text)
        if len(batch.pieces) >= BATCH:
            batches.append(batch.packed())
            batch = _Batch(ids, longest)
        if slice_ >= CHARACTERS_A_SLICE:
            slice_ = 0
            yield Progress("building the lattices", min(done, len(texts)), len(texts))
    if batch.pieces:
        batches.append(batch.packed())
    return batches


def _by_length(texts: Mapping[str, int]) -> Iterator[tuple[int, str, int]]:
    """Number, text and count of the texts, the shortest first; long ones in parts."""
    by_number = list(texts)
    lengths = np.fromiter(map(len, by_number), dtype=np.int64, count=len(by_number))
    for number in np.argsort(lengths, kind="stable").tolist():
        text = by_number[number]
        count = texts[text]
        for start in range(0, len(text), LONGEST_TEXT):
            yield number, text[start : start + LONGEST_TEXT], count


class _Batch:
    """Lattices in the making, edges in the order of their first nodes."""

    def __init__(self, ids: Mapping[str, int], longest: int) -> None:
        self._ids = ids
        self._longest = longest
        self.pieces: list[int] = []
        self._sources: list[int] = []
        self._lengths: list[int] = []
        self._texts: list[int] = []
        self._counts: list[int] = []
        self._first_nodes: list[int] = []
        self._last_nodes: list[int] = []

    def add(self, number: int, text: str, count: int) -> None:
        first = self._last_nodes[-1] + 1 if self._last_nodes else 0
        self._texts.append(number)
        self._counts.append(count)
        self._first_nodes.append(first)
        self._last_nodes.append(first + len(text))
        find, longest, characters = self._ids.get, self._longest, len(text)
        for start in range(characters):
            for end in range(start + 1, min(start + longest, characters) + 1):
                piece = find(text[start:end])
                if piece is not None:
                    self.pieces.append(piece)
                    self._sources.append(first + start)
                    self._lengths.append(end - start)

    def packed(self) -> Lattices:
        sources = np.array(self._sources, dtype=np.int32)
        targets = sources + np.array(self._lengths, dtype=np.int32)
        first_nodes = np.array(self._first_nodes)
        texts_of_edges = np.searchsorted(first_nodes, sources, side="right") - 1
        levels = targets - first_nodes[texts_of_edges] - 1
        order = np.lexsort((sources, targets, levels))
        return Lattices(
            np.array(self.pieces, dtype=np.int32)[order],
            sources[order],
            targets[order],
            np.bincount(levels),
            np.array(self._texts),
            np.array(self._counts, dtype=np.float64),
            first_nodes,
            np.array(self._last_nodes),
        )

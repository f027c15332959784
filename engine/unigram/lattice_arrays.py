"""The lattices of many texts in flat arrays, swept all at once.

A step of a sweep takes the edges that end at the k-th node of *every* text: one level. The nodes
of a level do not depend on each other, so numpy works on all of them together. The number of steps
is the length of the longest text, not the number of texts.

**Shares and flow.** Forward–backward needs no backward sums here. The sweep to the right gives each
edge its share: the part of the probability at its end node that arrives by this edge. The sweep to
the left lets the count of a text flow in at its last node, and divides it among the edges by their
shares, node by node; the flow through an edge is its expected count. With a share of 1 for the best
edge at each node and 0 for the others, the flow counts the best segmentations.

Every node of every text must have an edge that ends there: all characters must be pieces.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from engine.core.arrays import Floats, Ints, SmallInts
from engine.core.events import Work, WorkProgress

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Lattices:
    """The lattices of some texts.

    Edges are sorted by level, then by the node they end at, then by the node they start from;
    nodes are numbered through all texts.

    Attributes:
        pieces, sources, targets: each edge's piece, first node and last node.
        level_sizes: number of edges of each level.
        texts: the number of each text.
        counts: occurrences of each text.
        first_nodes, last_nodes: first and last node of each text.
    """

    pieces: SmallInts
    sources: SmallInts
    targets: SmallInts
    level_sizes: Ints
    texts: Ints
    counts: Floats
    first_nodes: Ints
    last_nodes: Ints

    @cached_property
    def _groups(self) -> Ints:
        """Start of the edges that end at each node, and the end of the last ones."""
        changes = np.flatnonzero(np.diff(self.targets)) + 1
        return np.concatenate(([0], changes, [len(self.targets)])).astype(np.int64)

    @cached_property
    def _levels(self) -> list[tuple[int, int, int, int]]:
        """For each level its range of edges and its range of groups, each as start and end."""
        ends = np.concatenate(([0], np.cumsum(self.level_sizes)))
        groups = np.searchsorted(self._groups, ends)
        both = zip(pairwise(ends.tolist()), pairwise(groups.tolist()), strict=True)
        return [(*edges, *of_groups) for edges, of_groups in both]

    @property
    def nodes(self) -> int:
        """Number of nodes of all texts."""
        return int(self.last_nodes[-1]) + 1

    def keeping(self, alive: Flags) -> Lattices:
        """Return the lattices without the edges of pieces that are not alive."""
        edges = alive[self.pieces]
        levels = np.repeat(np.arange(len(self.level_sizes)), self.level_sizes)
        return Lattices(
            self.pieces[edges],
            self.sources[edges],
            self.targets[edges],
            np.bincount(levels[edges]),
            self.texts,
            self.counts,
            self.first_nodes,
            self.last_nodes,
        )

    def shares(self, scores: Floats) -> Work[tuple[Floats, Floats]]:
        """Compute the shares of the edges, and the log-probability of each text.

        `scores` has the log-probability of each piece.
        """
        shares = scores[self.pieces]
        forward = np.zeros(self.nodes)
        for low, high, group, next_group in self._levels:
            starts = self._groups[group:next_group] - low
            nodes = self.targets[self._groups[group:next_group]]
            sizes = np.diff(self._groups[group : next_group + 1])
            ways = shares[low:high]  # a view: changes go into the result
            ways += forward[self.sources[low:high]]
            greatest = np.maximum.reduceat(ways, starts)
            ways -= np.repeat(greatest, sizes)
            np.exp(ways, out=ways)
            sums = np.add.reduceat(ways, starts)
            ways /= np.repeat(sums, sizes)
            forward[nodes] = greatest + np.log(sums)
            yield WorkProgress("summing over all segmentations", high, len(shares))
        return shares, forward[self.last_nodes]

    def best_shares(
        self, scores: Floats, barred: Flags | None = None
    ) -> Work[tuple[Floats, Floats]]:
        """Compute shares of 1 for the best edge at each node, else 0, and each text's best score.

        Args:
            scores: the log-probability of each piece.
            barred: edges that must not be used.
        """
        ways = scores[self.pieces]
        if barred is not None:
            ways[barred] = -np.inf
        shares = np.zeros(len(ways))
        best = np.zeros(self.nodes)
        for low, high, group, next_group in self._levels:
            starts = self._groups[group:next_group]
            nodes = self.targets[starts]
            sizes = np.diff(self._groups[group : next_group + 1])
            level = ways[low:high] + best[self.sources[low:high]]
            greatest = np.maximum.reduceat(level, starts - low)
            best[nodes] = greatest
            equal = np.flatnonzero(level == np.repeat(greatest, sizes)) + low
            # Of equals the first: it starts furthest left.
            shares[equal[np.searchsorted(equal, starts)]] = 1
            yield WorkProgress("finding the best segmentations", high, len(ways))
        return shares, best[self.last_nodes]

    def flow(self, shares: Floats) -> Work[Floats]:
        """Compute the flow through each edge if the texts' counts flow in at their last nodes."""
        through = np.zeros(self.nodes)
        through[self.last_nodes] = self.counts
        flow = np.zeros(len(shares))
        for low, high, _, _ in reversed(self._levels):
            flow[low:high] = through[self.targets[low:high]] * shares[low:high]
            # Two edges of a level never share a source: they would be the same piece.
            through[self.sources[low:high]] += flow[low:high]
            yield WorkProgress(
                "dividing the counts among the edges", len(shares) - low, len(shares)
            )
        return flow


# -- texts → `Lattices`, in batches
#
# A batch is large enough for numpy's full speed, and small enough to let a screen draw between the
# levels. Texts are sorted by length, so that those of a batch have about equally many levels.

BATCH = 50_000
"""Approximate number of edges of a batch: numpy takes some 5 ms to sweep them."""
LONGEST_TEXT = 4096
"""Longest text, in characters; longer ones are cut into parts, since levels of few edges are slow.

SentencePiece leaves out sentences of more than 4,192 bytes.
"""
CHARACTERS_A_SLICE = 2048


def lattices_of(
    texts: Mapping[str, int], ids: Mapping[str, int], longest: int
) -> Work[list[Lattices]]:
    """Build the lattices of texts, which are numbered in the order of the mapping.

    Args:
        texts: text → number of occurrences.
        ids: text → piece; every character has a piece.
        longest: largest number of characters of a piece.

    >>> from engine.core.events import finished
    >>> (batch,) = finished(lattices_of({"ab": 3}, {"a": 0, "b": 1, "ab": 2}, longest=2))
    >>> batch.pieces.tolist(), batch.sources.tolist(), batch.targets.tolist()
    ([0, 2, 1], [0, 0, 1], [1, 2, 2])
    """
    batches: list[Lattices] = []
    batch = _Batch(ids, longest)
    done = slice_ = 0
    by_number = list(texts)
    lengths = np.fromiter(map(len, by_number), dtype=np.int64, count=len(by_number))
    for number in np.argsort(lengths, kind="stable").tolist():
        text = by_number[number]
        for start in range(0, len(text), LONGEST_TEXT):
            part = text[start : start + LONGEST_TEXT]
            batch.add(number, part, texts[text])
            done, slice_ = done + 1, slice_ + len(part)
            if len(batch.pieces) >= BATCH:
                batches.append(batch.packed())
                batch = _Batch(ids, longest)
            if slice_ >= CHARACTERS_A_SLICE:
                slice_ = 0
                yield WorkProgress("building the lattices", min(done, len(texts)), len(texts))
    if batch.pieces:
        batches.append(batch.packed())
    return batches


@dataclass
class _Batch:
    """A builder of lattices; its edges are in the order of their first nodes."""

    _ids: Mapping[str, int]
    _longest: int
    pieces: list[int] = field(default_factory=list)
    _sources: list[int] = field(default_factory=list)
    _lengths: list[int] = field(default_factory=list)
    _texts: list[int] = field(default_factory=list)
    _counts: list[int] = field(default_factory=list)
    _first_nodes: list[int] = field(default_factory=list)
    _last_nodes: list[int] = field(default_factory=list)

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

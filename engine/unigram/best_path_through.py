"""Why a piece is not used: the best path that has it, against the best of all.

The best path through an edge is the best path to its start, the edge, and the best path from its
end: the Viterbi algorithm from both sides (Rabiner 1989) gives all of them at once.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.unigram.lattice import Lattice, Path
from engine.unigram.pieces import Edge


class Through(NamedTuple):
    """An edge, the best path that has it, and by how much the best of all is better."""

    edge: Edge
    path: Path
    behind: float


def best_through_each(lattice: Lattice) -> list[Through]:
    """For every edge the best path through it, the least beaten first.

    >>> from engine.unigram.pieces import PieceTable
    >>> table = PieceTable(["h", "u", "g", "hu", "ug", "hug"], [-2.0, -1.5, -1.6, -2.8, -2.3, -3.9])
    >>> for edge, path, behind in best_through_each(Lattice("hug", table)):
    ...     print(table.texts[edge.piece], [table.texts[i] for i in path.pieces], round(behind, 1))
    hug ['hug'] 0.0
    h ['h', 'ug'] 0.4
    ug ['h', 'ug'] 0.4
    hu ['hu', 'g'] 0.5
    g ['hu', 'g'] 0.5
    u ['h', 'u', 'g'] 1.2
    """
    before, after = lattice.best_scores, _best_edges_on(lattice)
    best = before[-1]
    found = []
    for edges in lattice.arriving:
        for edge in edges:
            path = _path(lattice, edge, after)
            found.append(Through(edge, path, max(best - path.score, 0.0)))
    found.sort(key=lambda through: through.behind)
    return found


def _best_edges_on(lattice: Lattice) -> list[Edge | None]:
    """For each node the first edge of the best path from it to the end; none for the last."""
    scores = [float("-inf")] * len(lattice.text) + [0.0]
    best: list[Edge | None] = [None] * len(scores)
    for edges in reversed(lattice.arriving):
        for edge in edges:
            if edge.score + scores[edge.end] > scores[edge.start]:
                scores[edge.start] = edge.score + scores[edge.end]
                best[edge.start] = edge
    return best


def _path(lattice: Lattice, through: Edge, after: list[Edge | None]) -> Path:
    edges = [through]
    while edges[0].start:
        edges.insert(0, lattice.best_edge(edges[0].start))
    while (on := after[edges[-1].end]) is not None:
        edges.append(on)
    return Path(tuple(edges), sum(edge.score for edge in edges))

"""The lattice of one text: every way to cut it into pieces, the best of them, and all at once.

Nodes are the places between characters, 0 … n; an edge is a piece that stands between two of them;
a path from node 0 to node n is a segmentation, and its score the sum of the scores of its edges.
All edges lead to the right, so one sweep from left to right meets every edge after all paths to
its start are known. No node has more edges than the longest piece has characters: the lattice
takes room, and a sweep time, in proportion to the text.

Ties: of several best edges that arrive at a node the one that starts furthest left wins, as in
SentencePiece and Hugging Face.

`UnigramEncoder` gives the ids of paths: of the best, of the n best, or of one by chance. Ids are
those of `tokenizers.models.Unigram` and of SentencePiece for the same pieces and scores.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, inf, log
from random import Random
from typing import NamedTuple, Protocol

from engine.core.errors import UnigramError
from engine.encoding.piece_encoder import BoundedMemo
from engine.unigram.pieces import Edge, PieceTable


class PieceSource(Protocol):
    """What a lattice is made from: it finds the pieces in a text, the shortest first."""

    def edges_from(self, text: str, start: int) -> Iterator[Edge]:
        """The pieces that begin at a place of the text."""


@dataclass(frozen=True)
class Path:
    """A segmentation and its score, the logarithm of its probability."""

    edges: tuple[Edge, ...]
    score: float

    @property
    def pieces(self) -> tuple[int, ...]:
        """The ids of its pieces."""
        return tuple(edge.piece for edge in self.edges)


class Lattice:
    """The pieces of a model that stand in a text.

    Attributes:
        arriving: for each node the edges that end there, from the one that starts furthest left.

    >>> from engine.unigram.pieces import PieceTable
    >>> table = PieceTable(["h", "u", "g", "hu", "ug", "hug"], [-2.0, -1.5, -1.6, -2.7, -2.3, -3.9])
    >>> hug = Lattice("hug", table)
    >>> [[(edge.start, edge.piece) for edge in edges] for edges in hug.arriving]
    [[], [(0, 0)], [(0, 3), (1, 1)], [(0, 5), (1, 4), (2, 2)]]
    >>> hug.spelled(hug.best)
    ['hug']
    >>> [(hug.spelled(path), round(path.score, 1)) for path in hug.n_best(3)]
    [(['hug'], -3.9), (['h', 'ug'], -4.3), (['hu', 'g'], -4.3)]
    """

    def __init__(self, text: str, table: PieceSource) -> None:
        self.text = text
        self.arriving: list[list[Edge]] = [[] for _ in range(len(text) + 1)]
        for start in range(len(text)):
            for edge in table.edges_from(text, start):
                self.arriving[edge.end].append(edge)

    def spelled(self, path: Path) -> list[str]:
        """The texts of a path's pieces."""
        return [self.text[edge.start : edge.end] for edge in path.edges]

    @cached_property
    def best_scores(self) -> list[float]:
        """For each node the score of the best path from the left to it; 0 for the first."""
        scores = [0.0]
        for edges in self.arriving[1:]:
            scores.append(max(scores[edge.start] + edge.score for edge in edges))
        return scores

    def best_edge(self, node: int) -> Edge:
        """The last edge of the best path to a node, which is not the first."""
        scores = self.best_scores
        # `max` keeps the first of equals, and the edges come from the left.
        return max(self.arriving[node], key=lambda edge: scores[edge.start] + edge.score)

    @property
    def best(self) -> Path:
        """The best path, by the Viterbi algorithm: the best edges followed back from the end."""
        edges = []
        node = len(self.text)
        while node:
            edge = self.best_edge(node)
            edges.append(edge)
            node = edge.start
        return Path(tuple(reversed(edges)), self.best_scores[-1])

    def n_best(self, wanted: int) -> list[Path]:
        """The best paths, the best first; fewer if there are not so many.

        The n best paths to a node end with an edge after one of the n best paths to its start. So
        a sweep that keeps n paths a node is exact, whatever the scores, and its room is bounded
        where that of a search with an agenda is not.
        """
        if wanted < 1:
            return []
        ranked: list[list[_Ranked]] = [[_Ranked(0.0, None, 0)]]
        for edges in self.arriving[1:]:
            longer = [
                _Ranked(before.score + edge.score, edge, rank)
                for edge in edges
                for rank, before in enumerate(ranked[edge.start])
            ]
            longer.sort(key=lambda way: -way.score)  # stable: ties stay in their order
            ranked.append(longer[:wanted])
        return [self._followed_back(ranked, rank) for rank in range(len(ranked[-1]))]

    def _followed_back(self, ranked: list[list[_Ranked]], rank: int) -> Path:
        way = ranked[-1][rank]
        score = way.score
        edges = []
        while way.edge is not None:
            edges.append(way.edge)
            way = ranked[way.edge.start][way.rank_before]
        return Path(tuple(reversed(edges)), score)


@dataclass(frozen=True, slots=True)
class _Ranked:
    """One of the best paths to a node: its last edge, and the rank at that edge's start."""

    score: float
    edge: Edge | None
    rank_before: int


# -- why a piece is not used: the best path that has it, against the best of all


class PathThrough(NamedTuple):
    """An edge, the best path that has it, and by how much the best of all is better."""

    edge: Edge
    path: Path
    behind: float


def best_paths_through_edges(lattice: Lattice) -> list[PathThrough]:
    """For every edge the best path through it, the least beaten first.

    The best path through an edge is the best path to its start, the edge, and the best path from
    its end: the Viterbi algorithm from both sides (Rabiner 1989) gives all of them at once.

    >>> from engine.unigram.pieces import PieceTable
    >>> table = PieceTable(["h", "u", "g", "hu", "ug", "hug"], [-2.0, -1.5, -1.6, -2.8, -2.3, -3.9])
    >>> for edge, path, behind in best_paths_through_edges(Lattice("hug", table)):
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
            found.append(PathThrough(edge, path, max(best - path.score, 0.0)))
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


# -- all segmentations at once
#
# There are exponentially many paths, but the sums over them factor at every node. `forward[v]` is
# the logarithm of the total probability of all paths from the left to node v, `backward[v]` of all
# from it to the right; both come from one sweep (Rabiner 1989; Kudo 2018, section 3.2). Then
#
#     log Z                    = forward[n] = backward[0]            the probability of the text
#     P(edge u → v | the text) = exp(forward[u] + score + backward[v] − log Z)
#
# and the sum of this over the places where a piece stands is the piece's *expected count*: how
# often it would be used on average if segmentations were drawn by their probability.


def log_sum_exp(values: Iterable[float]) -> float:
    """log Σ exp(value), without leaving the range of floats.

    >>> round(log_sum_exp([log(0.2), log(0.3)]), 4) == round(log(0.5), 4)
    True
    >>> round(log_sum_exp([-2000.0, -2000.0]), 4)  # exp(−2000) itself is 0 for a float
    -1999.3069
    """
    values = list(values)
    greatest = max(values, default=-inf)
    if greatest == -inf:
        return -inf
    return greatest + log(sum(exp(value - greatest) for value in values))


class ForwardBackward:
    """The sums over all paths of a lattice.

    Args:
        lattice: the text and its pieces.
        sharpness: what each score is multiplied with (α in Kudo 2018): 0 makes all segmentations
            equally probable, 1 keeps the model's probabilities, much more leaves only the best.

    >>> from engine.unigram.pieces import PieceTable
    >>> ab = Lattice("ab", PieceTable(["a", "b", "ab"], [log(0.5), log(0.4), log(0.1)]))
    >>> sums = ForwardBackward(ab)
    >>> round(exp(sums.log_total), 3)  # 0.5 × 0.4 + 0.1
    0.3
    >>> {piece: round(count, 3) for piece, count in sums.expected_counts().items()}
    {0: 0.667, 2: 0.333, 1: 0.667}
    """

    def __init__(self, lattice: Lattice, sharpness: float = 1.0) -> None:
        if not 0 <= sharpness < inf:
            raise UnigramError(f"a sharpness of {sharpness} makes no sense; it is 0 or more")
        self.lattice = lattice
        self.sharpness = sharpness

    @cached_property
    def forward(self) -> list[float]:
        """For each node the log-probability of all paths from the left to it."""
        sums = [0.0]
        for edges in self.lattice.arriving[1:]:
            sums.append(
                log_sum_exp(sums[edge.start] + self.sharpness * edge.score for edge in edges)
            )
        return sums

    @cached_property
    def backward(self) -> list[float]:
        """For each node the log-probability of all paths from it to the right."""
        nodes = len(self.lattice.arriving)
        ways: list[list[float]] = [[] for _ in range(nodes)]
        ways[-1].append(0.0)
        sums = [0.0] * nodes
        for node in range(nodes - 1, -1, -1):
            sums[node] = log_sum_exp(ways[node])
            for edge in self.lattice.arriving[node]:
                ways[edge.start].append(sums[node] + self.sharpness * edge.score)
            ways[node].clear()
        return sums

    @property
    def log_total(self) -> float:
        """log Z: the log-probability of the text, all its segmentations together."""
        return self.forward[-1]

    def probability(self, edge: Edge) -> float:
        """How probable it is that a segmentation of this text uses this edge."""
        before, after = self.forward[edge.start], self.backward[edge.end]
        return exp(before + self.sharpness * edge.score + after - self.log_total)

    def expected_counts(self) -> dict[int, float]:
        """Piece → its expected count in this text."""
        counts: dict[int, float] = {}
        for edges in self.lattice.arriving:
            for edge in edges:
                counts[edge.piece] = counts.get(edge.piece, 0.0) + self.probability(edge)
        return counts

    def sample(self, random: Random) -> Path:
        """A segmentation drawn by its probability: forward filtering, backward sampling
        (Kudo 2018, section 3.3).

        From the end back, the edge that arrives at a node is drawn by the share that the paths
        through it have in all paths to the node. The score of the path is the model's, unsharpened.
        """
        edges: list[Edge] = []
        node = len(self.lattice.text)
        while node:
            arriving = self.lattice.arriving[node]
            shares = [
                exp(self.forward[edge.start] + self.sharpness * edge.score - self.forward[node])
                for edge in arriving
            ]
            (edge,) = random.choices(arriving, shares)
            edges.append(edge)
            node = edge.start
        edges.reverse()
        return Path(tuple(edges), sum(edge.score for edge in edges))


# -- the encoder


MEMORY = 1 << 24
"""Bytes that a generation of remembered pretokens may take; there are two."""


class Arrival(NamedTuple):
    """A way to reach a node: its last edge, and the score of the best path that ends with it."""

    edge: Edge
    score: float


@dataclass(frozen=True)
class Reached:
    """The sweep to the right has come to a node.

    Attributes:
        node: which place in the text, from 1.
        arrivals: the edges that end there, from the one that starts furthest left.
        best: the one that is kept: the first of those with the greatest score.
    """

    node: int
    arrivals: tuple[Arrival, ...]
    best: Arrival


@dataclass(frozen=True)
class TracedBack:
    """The way back from the end has come to the node `taken.end`, and takes its best edge."""

    taken: Edge


ViterbiStep = Reached | TracedBack


class UnigramEncoder:
    """Encodes pretokens with the pieces of a Unigram model.

    Args:
        pieces: text and score of each id; scores are log-probabilities.
        unknown: the id of the unknown token; `None` if there is none.
        special: ids that stand for no text: text that looks like them is text.

    Raises:
        UnigramError: two pieces have the same text, one is empty, or there is no such id. Encoding
            raises it at a character that is no piece if there is no unknown token.

    >>> pieces = [("<unk>", 0.0), ("h", -2.0), ("u", -1.5), ("g", -1.6), ("ug", -2.3), ("hu", -2.9)]
    >>> encoder = UnigramEncoder(pieces)
    >>> encoder.encode("hug"), encoder.encode("hu??")
    ((1, 4), (5, 0))
    >>> [(ids, round(score, 1)) for ids, score in encoder.n_best("hug", 2)]
    [((1, 4), -4.3), ((5, 3), -4.5)]
    >>> encoder.sample("hug", Random(2), sharpness=0.2)
    (1, 2, 3)
    """

    def __init__(
        self,
        pieces: Sequence[tuple[str, float]],
        unknown: int | None = 0,
        special: Collection[int] = (),
    ) -> None:
        texts = [text for text, _ in pieces]
        self.table = PieceTable(texts, [score for _, score in pieces], unknown, special)
        self._remembered = BoundedMemo(self._best_ids, MEMORY)

    def lattice(self, text: str) -> Lattice:
        """All segmentations of a text."""
        return Lattice(text, self.table)

    def encode(self, text: str) -> tuple[int, ...]:
        """The ids of the best segmentation."""
        return self._remembered[text]

    def n_best(self, text: str, wanted: int) -> list[tuple[tuple[int, ...], float]]:
        """The ids and the scores of the best segmentations, the best first."""
        paths = self.lattice(text).n_best(wanted)
        return [(self.ids_of(path), path.score) for path in paths]

    def sample(self, text: str, random: Random, sharpness: float = 1.0) -> tuple[int, ...]:
        """The ids of a segmentation drawn by chance (subword regularization, Kudo 2018).

        `sharpness` is what scores are multiplied with: 0 for all alike, more for the better ones.
        """
        return self.ids_of(ForwardBackward(self.lattice(text), sharpness).sample(random))

    def steps(self, text: str) -> Iterator[ViterbiStep]:
        """The Viterbi algorithm: node by node to the right, then edge by edge back."""
        return viterbi_steps(self.lattice(text))

    def ids_of(self, path: Path) -> tuple[int, ...]:
        """The ids of a segmentation, unknown characters side by side as one."""
        ids: list[int] = []
        for piece in path.pieces:
            if piece != self.table.unknown or ids[-1:] != [piece]:
                ids.append(piece)
        return tuple(ids)

    def _best_ids(self, text: str) -> tuple[int, ...]:
        return self.ids_of(self.lattice(text).best)


def viterbi_steps(lattice: Lattice) -> Iterator[ViterbiStep]:
    """The Viterbi algorithm on a lattice: node by node to the right, then edge by edge back."""
    for node in range(1, len(lattice.text) + 1):
        yield _reached(lattice, node)
    for edge in reversed(lattice.best.edges):
        yield TracedBack(edge)


def _reached(lattice: Lattice, node: int) -> Reached:
    before = lattice.best_scores
    edges = lattice.arriving[node]
    arrivals = tuple(Arrival(edge, before[edge.start] + edge.score) for edge in edges)
    return Reached(node, arrivals, arrivals[edges.index(lattice.best_edge(node))])

"""`UnigramEncoder`: a text → the ids of its best segmentation, of the n best, or of one by chance.

Ids are those of `tokenizers.models.Unigram` and of SentencePiece for the same pieces and scores.
Both join unknown characters that stand side by side to one unknown token, and so does this.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from engine.encoding.piece_encoder import BoundedMemo
from engine.unigram.lattice import ForwardBackward, Lattice, Path
from engine.unigram.pieces import Edge, PieceTable

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

"""The pieces of a Unigram model: texts with scores, and what stands in for a character without one.

The score of a piece is its log-probability. A character that is no piece of its own would leave a
text without a segmentation; so at that character the unknown token is an edge, with the score of
the worst piece less 10 (`kUnkPenalty` in SentencePiece, `K_UNK_PENALTY` in Hugging Face).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from engine.core.errors import UnigramError

UNKNOWN_PENALTY = 10.0
"""How much worse than the worst piece the unknown token is."""


class Edge(NamedTuple):
    """A piece at a place: it leads from the node `start` to the node `end` of a lattice."""

    start: int
    end: int
    piece: int
    score: float


class PieceTable:
    """Texts and scores of the pieces, by their ids.

    Args:
        texts: the piece of each id.
        scores: its score.
        unknown: the id of the unknown token; `None` if there is none, as while training, where
            every character is a piece.
        silent: ids that stand for no text, as special tokens do. The unknown token is one.
        unknown_is_text: it is none, but a piece like any other, too, as in Hugging Face's library.

    Raises:
        UnigramError: two pieces have the same text, one is empty, or there is no such id.

    >>> table = PieceTable(["<unk>", "a", "b", "ab"], [0.0, -1.0, -2.0, -2.5], unknown=0)
    >>> [(edge.start, edge.end, edge.piece) for edge in table.edges_from("abc", 0)]
    [(0, 1, 1), (0, 2, 3)]
    >>> list(table.edges_from("abc", 2))
    [Edge(start=2, end=3, piece=0, score=-12.5)]
    """

    def __init__(
        self,
        texts: Sequence[str],
        scores: Sequence[float],
        unknown: int | None = None,
        silent: Collection[int] = (),
        unknown_is_text: bool = False,
    ) -> None:
        self.texts = texts
        self.scores = scores
        self.unknown = unknown
        _check_ids({*silent} if unknown is None else {*silent, unknown}, len(texts))
        quiet = {*silent} if unknown is None or unknown_is_text else {*silent, unknown}
        self.ids = {text: id_ for id_, text in enumerate(texts) if id_ not in quiet}
        if "" in self.ids or len(self.ids) + len(quiet) != len(texts):
            raise UnigramError(f"piece {_odd_one(texts, quiet)!r} is empty or stands there twice")
        self.longest = max(map(len, self.ids), default=1)
        worst = min((scores[id_] for id_ in self.ids.values()), default=0.0)
        self.unknown_score = worst - UNKNOWN_PENALTY

    def edges_from(self, text: str, start: int) -> Iterator[Edge]:
        """The pieces that begin at a place of a text, the shortest first.

        Raises:
            UnigramError: the character there is no piece, and there is no unknown token.
        """
        find, scores = self.ids.get, self.scores
        single = find(text[start])
        if single is not None:
            yield Edge(start, start + 1, single, scores[single])
        elif self.unknown is not None:
            yield Edge(start, start + 1, self.unknown, self.unknown_score)
        else:
            raise UnigramError(
                f"the character {text[start]!r} is no piece, and there is no unknown token for it"
            )
        for end in range(start + 2, min(start + self.longest, len(text)) + 1):
            piece = find(text[start:end])
            if piece is not None:
                yield Edge(start, end, piece, scores[piece])


def _check_ids(ids: Collection[int], size: int) -> None:
    for id_ in ids:
        if not 0 <= id_ < size:
            raise UnigramError(f"there is no piece {id_}; the ids go from 0 to {size - 1}")


def _odd_one(texts: Sequence[str], quiet: Collection[int]) -> str:
    """The first text that is empty or was there before."""
    seen = {""}
    for id_, text in enumerate(texts):
        if id_ not in quiet:
            if text in seen:
                return text
            seen.add(text)
    return ""

"""The pieces of a Unigram model: texts with scores, and the unknown token.

The score of a piece is its log-probability. A text with a character that is no piece would have no
segmentation, so at such a character the unknown token is an edge. Its score is that of the worst
piece minus 10 (`kUnkPenalty` in SentencePiece, `K_UNK_PENALTY` in Hugging Face).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from engine.core.arrays import Bools, Floats, Ints
from engine.core.errors import UnigramError
from engine.core.slow_modules import np
from engine.text.pretokenize import to_text
from engine.unigram.units import SPACE

# Unigram models spell pretokens with the visible character ▁ (U+2581) for a space.
#
# SentencePiece does this so that no piece has a blank and joined pieces give the text back. It also
# puts a ▁ before the first word of a text; this module does not, so that pieces have exactly the
# characters of the text. A ▁ in the text itself becomes a space when decoded.


def spelled(text: str) -> str:
    """Return a text with ▁ for each space.

    >>> spelled(" a cat")
    '▁a▁cat'
    """
    return text.replace(" ", SPACE)


def unspelled(text: str) -> str:
    """Return a text with a space for each ▁.

    >>> unspelled("▁a▁cat")
    ' a cat'
    """
    return text.replace(SPACE, " ")


def spelled_counts(counts: Mapping[bytes, int]) -> dict[str, int]:
    """Return the counts of pretokens spelled with ▁, the most frequent first.

    >>> spelled_counts({b" the": 3, b"a": 7, "▁the".encode(): 1})
    {'a': 7, '▁the': 4}
    """
    words: Counter[str] = Counter()
    for pretoken, count in counts.items():
        words[spelled(to_text(pretoken))] += count
    return dict(words.most_common())


UNKNOWN_PENALTY = 10.0
"""Score of the worst piece minus that of the unknown token."""


class Edge(NamedTuple):
    """A piece at a place: an edge of a lattice from the node `start` to the node `end`."""

    start: int
    end: int
    piece: int
    score: float


class PieceTable:
    """Texts and scores of the pieces by id.

    Args:
        texts: the piece of each id.
        scores: the score of each id.
        unknown: the id of the unknown token; `None` if there is none, as in training, where every
            character is a piece.
        unknown_is_text: whether the unknown token matches its text, too, as in Hugging Face's
            library.

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
        unknown_is_text: bool = False,
    ) -> None:
        self.texts = texts
        self.scores = scores
        self.unknown = unknown
        if unknown is not None and not 0 <= unknown < len(texts):
            raise UnigramError(
                f"there is no piece {unknown}; the ids go from 0 to {len(texts) - 1}"
            )
        silent = None if unknown_is_text else unknown
        self.ids = {text: id_ for id_, text in enumerate(texts) if id_ != silent}
        if "" in self.ids or len(self.ids) + (silent is not None) != len(texts):
            found = Counter(text for id_, text in enumerate(texts) if id_ != silent)
            wrong = next(text for text, count in found.items() if count > 1 or not text)
            raise UnigramError(f"piece {wrong!r} is empty or occurs twice")
        self.longest = max(map(len, self.ids), default=1)
        worst = min((scores[id_] for id_ in self.ids.values()), default=0.0)
        self.unknown_score = worst - UNKNOWN_PENALTY

    def edges_from(self, text: str, start: int) -> Iterator[Edge]:
        """Yield the pieces that begin at a place of a text, the shortest first.

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


# -- the pieces of one step of a training, by the numbers that the seed gave them
#
# To build a dictionary of all pieces takes too long for a single step on the screen. So all steps
# share one dictionary of the seed's pieces. Only the scores differ, which are one array: a removed
# piece has no score (NaN).


UNKNOWN = -1
"""The number of the unknown token, for a character that the corpus does not have."""


def joined(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    """Join adjacent unknown characters of a path into one unknown token.

    SentencePiece and Hugging Face's library do the same; only a lattice has an edge for each.

    >>> joined([Edge(0, 1, 7, -2.0), Edge(1, 2, UNKNOWN, -19.0), Edge(2, 3, UNKNOWN, -19.0)])
    (Edge(start=0, end=1, piece=7, score=-2.0), Edge(start=1, end=3, piece=-1, score=-38.0))
    """
    tokens: list[Edge] = []
    for edge in edges:
        if tokens and edge.piece == UNKNOWN == tokens[-1].piece:
            before = tokens.pop()
            edge = Edge(before.start, edge.end, UNKNOWN, before.score + edge.score)
        tokens.append(edge)
    return tuple(tokens)


class NumberedPieces:
    """Some of the seed's pieces, with scores.

    Args:
        columns: all pieces of the seed.
        numbers: the pieces that are there.
        scores: their log-probabilities.

    >>> columns = PieceColumns(["a", "b", "ab"])
    >>> pieces = NumberedPieces(columns, np.array([0, 1]), np.array([-1.0, -2.0]))
    >>> [(edge.end, edge.piece) for edge in pieces.edges_from("abc", 0)]
    [(1, 0)]
    >>> list(pieces.edges_from("abc", 2))
    [Edge(start=2, end=3, piece=-1, score=-12.0)]
    """

    def __init__(self, columns: PieceColumns, numbers: Ints, scores: Floats) -> None:
        self._columns = columns
        self._scores = np.full(len(columns.number_of), np.nan)
        self._scores[numbers] = scores
        self.unknown_score = float(scores.min(initial=0.0)) - UNKNOWN_PENALTY

    def edges_from(self, text: str, start: int) -> Iterator[Edge]:
        """Yield the pieces that begin at a place of a text, the shortest first."""
        find, score_of = self._columns.number_of.get, self._scores.item
        for end in range(start + 1, min(start + self._columns.longest, len(text)) + 1):
            number = find(text[start:end])
            score = np.nan if number is None else score_of(number)
            # NaN differs from itself: the piece is removed.
            if number is not None and score == score:
                yield Edge(start, end, number, score)
            elif end == start + 1:
                yield Edge(start, end, UNKNOWN, self.unknown_score)


class PieceColumns:
    """The constant columns of the seed's pieces, each computed when it is first used.

    Attributes:
        number_of: text → number of each piece.
        longest: characters of the longest piece.

    >>> columns = PieceColumns(["a", "A", "▁a", "b"])
    >>> columns.lengths.tolist(), columns.alphabetical.tolist()
    ([1, 1, 2, 1], [1, 0, 3, 2])
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self.number_of: Mapping[str, int] = {text: number for number, text in enumerate(texts)}
        self.longest = max(map(len, texts), default=1)

    @cached_property
    def lengths(self) -> Ints:
        """Characters of each piece."""
        return np.fromiter(map(len, self._texts), dtype=np.int64, count=len(self._texts))

    @cached_property
    def alphabetical(self) -> Ints:
        """The place of each piece in the alphabetical order of all."""
        places = np.empty(len(self._texts), dtype=np.int64)
        order = sorted(range(len(self._texts)), key=self._texts.__getitem__)
        places[order] = np.arange(len(self._texts))
        return places

    @cached_property
    def are_runs(self) -> Bools:
        """Bools of the pieces that repeat one character, such as `!!!!`."""
        are = (len(text) > 1 and text == text[0] * len(text) for text in self._texts)
        return np.fromiter(are, dtype=np.bool_, count=len(self._texts))

    @cached_property
    def are_partial(self) -> Bools:
        """Bools of the pieces with a byte that is invalid in UTF-8."""
        are = (
            not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)
            for text in self._texts
        )
        return np.fromiter(are, dtype=np.bool_, count=len(self._texts))

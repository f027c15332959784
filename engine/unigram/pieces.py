"""The pieces of a Unigram model: texts with scores, and what stands in for a character without one.

The score of a piece is its log-probability. A character that is no piece of its own would leave a
text without a segmentation; so at that character the unknown token is an edge, with the score of
the worst piece less 10 (`kUnkPenalty` in SentencePiece, `K_UNK_PENALTY` in Hugging Face).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from engine.core.arrays import Floats, Ints
from engine.core.errors import UnigramError
from engine.text.pretokenize import to_text
from engine.unigram.lattices import Flags

# Pretokens as Unigram models spell them: a space is the visible character ▁ (U+2581).
#
# SentencePiece does so, that no piece holds a blank and pieces joined give the text back; it also
# puts a ▁ before the first word of a text, and this does not: a piece stands for the very
# characters that the text has. A ▁ of the text's own comes back as a space.


SPACE = "▁"


def spelled(text: str) -> str:
    """A text with ▁ for each space.

    >>> spelled(" a cat")
    '▁a▁cat'
    """
    return text.replace(" ", SPACE)


def unspelled(text: str) -> str:
    """A text with a space for each ▁.

    >>> unspelled("▁a▁cat")
    ' a cat'
    """
    return text.replace(SPACE, " ")


def spelled_counts(counts: Mapping[bytes, int]) -> dict[str, int]:
    """How often each pretoken occurs, spelled so, the most frequent first.

    >>> spelled_counts({b" the": 3, b"a": 7, "▁the".encode(): 1})
    {'a': 7, '▁the': 4}
    """
    words: Counter[str] = Counter()
    for pretoken, count in counts.items():
        words[spelled(to_text(pretoken))] += count
    return dict(words.most_common())


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


# -- the pieces of one step of a training, by the numbers that the seed gave them
#
# Building a dictionary of all pieces takes its time, and somebody may step on at any moment. So all
# steps share one dictionary of the seed's pieces. What differs is the scores, and they are one
# array: a piece that is gone has none (NaN).


UNKNOWN = -1
"""The number of the unknown token: it stands in for a character that the corpus does not have."""


def joined(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    """The tokens that a path becomes: unknown characters side by side are one unknown token.

    So it is in SentencePiece and in Hugging Face's library; only a lattice has an edge for each.

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


class Numbering:
    """text → number of all pieces of the seed, and how long the longest is."""

    def __init__(self, texts: list[str]) -> None:
        self.number_of: Mapping[str, int] = {text: number for number, text in enumerate(texts)}
        self.longest = max(map(len, texts), default=1)


class NumberedPieces:
    """Some of the seed's pieces, with scores.

    Args:
        numbering: of all pieces of the seed.
        numbers: those that are there.
        scores: their log-probabilities.

    >>> numbering = Numbering(["a", "b", "ab"])
    >>> pieces = NumberedPieces(numbering, np.array([0, 1]), np.array([-1.0, -2.0]))
    >>> [(edge.end, edge.piece) for edge in pieces.edges_from("abc", 0)]
    [(1, 0)]
    >>> list(pieces.edges_from("abc", 2))
    [Edge(start=2, end=3, piece=-1, score=-12.0)]
    """

    def __init__(self, numbering: Numbering, numbers: Ints, scores: Floats) -> None:
        self._numbering = numbering
        self._scores = np.full(len(numbering.number_of), np.nan)
        self._scores[numbers] = scores
        self.unknown_score = float(scores.min(initial=0.0)) - UNKNOWN_PENALTY

    def edges_from(self, text: str, start: int) -> Iterator[Edge]:
        """The pieces that begin at a place of a text, the shortest first."""
        find, score_of = self._numbering.number_of.get, self._scores.item
        for end in range(start + 1, min(start + self._numbering.longest, len(text)) + 1):
            number = find(text[start:end])
            score = np.nan if number is None else score_of(number)
            if number is not None and score == score:  # NaN equals nothing: the piece is gone
                yield Edge(start, end, number, score)
            elif end == start + 1:
                yield Edge(start, end, UNKNOWN, self.unknown_score)


# -- columns of the pieces of the seed: what never changes about them


class PieceColumns:
    """Columns of the pieces `texts`, each made when it is first asked for.

    >>> columns = PieceColumns(["a", "A", "▁a", "b"])
    >>> columns.lengths.tolist(), columns.alphabetical.tolist()
    ([1, 1, 2, 1], [1, 0, 3, 2])
    >>> columns.have_twins(np.array([True, True, False, True])).tolist()
    [True, True, False, False]
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts

    @cached_property
    def lengths(self) -> Ints:
        """Characters of each piece."""
        return np.fromiter(map(len, self._texts), dtype=np.int64, count=len(self._texts))

    @cached_property
    def alphabetical(self) -> Ints:
        """The place of each piece among all of them sorted."""
        places = np.empty(len(self._texts), dtype=np.int64)
        order = sorted(range(len(self._texts)), key=self._texts.__getitem__)
        places[order] = np.arange(len(self._texts))
        return places

    @cached_property
    def are_runs(self) -> Flags:
        """Which pieces are one character again and again, such as `!!!!`."""
        are = (len(text) > 1 and text == text[0] * len(text) for text in self._texts)
        return np.fromiter(are, dtype=np.bool_, count=len(self._texts))

    @cached_property
    def are_partial(self) -> Flags:
        """Which pieces hold a byte that is no UTF-8."""
        return np.fromiter(map(_is_partial, self._texts), dtype=np.bool_, count=len(self._texts))

    def have_twins(self, alive: Flags) -> Flags:
        """Which of the pieces alive differ from another only by case, or by a ▁ in front."""
        groups = self._case_groups
        sizes = np.bincount(groups[alive], minlength=len(groups))
        found = alive & (sizes[groups] > 1)
        spaced, bare = self._with_and_without_space
        both = alive[spaced] & alive[bare]
        found[spaced[both]] = found[bare[both]] = True
        return found

    @cached_property
    def _case_groups(self) -> Ints:
        """A group for each piece; pieces that are alike in lower case share one."""
        group_of: dict[str, int] = {}
        groups = (group_of.setdefault(text.lower(), len(group_of)) for text in self._texts)
        return np.fromiter(groups, dtype=np.int64, count=len(self._texts))

    @cached_property
    def _with_and_without_space(self) -> tuple[Ints, Ints]:
        """The pieces with a ▁ in front of another piece, and these others."""
        number_of = {text: number for number, text in enumerate(self._texts)}
        pairs = [
            (number, number_of[text[1:]])
            for text, number in number_of.items()
            if text.startswith(SPACE) and text[1:] in number_of
        ]
        spaced, bare = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        return spaced, bare


def _is_partial(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)

"""The seed vocabulary: every character, and the substrings that cover most of the corpus.

The worth of a substring is its frequency times its length: the characters that it would cover. A
candidate has at least two characters, occurs at least twice, and is *branching*: the next character
within the pretoken varies. Else the longer substring is as frequent and covers more.

SentencePiece and Hugging Face take the inner nodes of a suffix tree, which branch, too. But there
the end of a pretoken is a character, so a word that is always followed by a space is no candidate;
here the end is no character. Hugging Face counts each distinct pretoken once; here, as in
SentencePiece, every occurrence counts.

Algorithm: all substrings of length k, one starting at each place, get class numbers in the order of
the alphabet. The class of length k + 1 is the pair (class of length k, next character). A place
whose substring occurs once is dropped (a substring is never more frequent than its beginning: the
Apriori rule). This takes one sort a length, and memory in proportion to the pretokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from engine.core.arrays import Floats, Ints
from engine.core.events import Work, WorkProgress

LEAST_COUNT = 2


class Seeds(NamedTuple):
    """The pieces at the start of a training.

    Attributes:
        texts: the characters, the most frequent first, then the substrings, the worthiest first.
        scores: log-probabilities, with worth as probability.
        characters: the number of characters.
    """

    texts: list[str]
    scores: Floats
    characters: int


def seed_pieces(
    counts: Mapping[str, int], size: int, longest: int, reserved: frozenset[str] = frozenset()
) -> Work[Seeds]:
    """Find all characters and the best substrings.

    Args:
        counts: pretoken → number of occurrences, at least 1; no pretoken is empty.
        size: largest number of pieces; all characters are kept in any case.
        longest: largest number of characters of a piece.
        reserved: texts that must not become pieces, such as special tokens.

    Of pieces of the same worth the shorter comes first, then the first by code points.

    >>> from engine.core.events import finished
    >>> finished(seed_pieces({"hug": 10, "pug": 5, "hugs": 5}, 8, longest=4)).texts
    ['g', 'u', 'h', 'p', 's', 'hug', 'ug', 'hugs']
    """
    corpus = "".join(counts)
    codes = np.frombuffer(corpus.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    lengths = np.fromiter(map(len, counts), dtype=np.int64, count=len(counts))
    weights = np.fromiter(counts.values(), dtype=np.int64, count=len(counts))
    room = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(codes))
    places = _Places(codes.astype(np.int64), np.repeat(weights, lengths), room)
    characters = _classes(places.codes, np.arange(len(places.codes)), places.weights)
    order = np.lexsort((characters.keys, -characters.counts))
    texts = [corpus[place] for place in characters.first[order]]
    worth = [characters.counts[order]]

    candidates = yield from _candidates(places, characters, longest)
    best = np.argsort(-candidates.worth, kind="stable")[: max(0, size - len(texts))]
    found = [
        (corpus[place : place + length], gain)
        for place, length, gain in zip(
            candidates.first[best].tolist(),
            candidates.length[best].tolist(),
            candidates.worth[best].tolist(),
            strict=True,
        )
    ]
    found = [(text, gain) for text, gain in found if text not in reserved]
    worth.append(np.array([gain for _, gain in found], dtype=np.int64))
    scores: Floats = np.log(np.concatenate(worth).astype(np.float64))
    total = np.log(max(1, np.concatenate(worth).sum()))
    return Seeds(texts + [text for text, _ in found], scores - total, len(order))


class _Places(NamedTuple):
    """The places in the pretokens: character, count of the pretoken, characters to its end."""

    codes: Ints
    weights: Ints
    room: Ints


class _Classes(NamedTuple):
    """Classes of equal substrings: sorted keys, first places, counts; the class of each place."""

    keys: Ints
    first: Ints
    counts: Ints
    of_place: Ints


class _Candidates(NamedTuple):
    first: Ints
    length: Ints
    worth: Ints


def _classes(keys: Ints, at: Ints, weights: Ints) -> _Classes:
    distinct, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    counts = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(counts, inverse, weights[at])
    return _Classes(distinct, at[first], counts, inverse)


def _candidates(places: _Places, characters: _Classes, longest: int) -> Work[_Candidates]:
    """Find the branching substrings of two characters and more, by length and then alphabet."""
    none = np.zeros(0, dtype=np.int64)
    found = [_Candidates(none, none, none)]
    alphabet = len(characters.keys)
    at, classes = np.arange(len(places.codes)), characters
    for length in range(1, longest + 1):
        yield WorkProgress("looking for frequent substrings", length, longest)
        goes_on = places.room[at] > length
        goes_on &= classes.counts[classes.of_place] >= LEAST_COUNT
        longer_at = at[goes_on]
        keys = classes.of_place[goes_on] * alphabet + characters.of_place[longer_at + length]
        longer = _classes(keys, longer_at, places.weights)
        if length > 1:
            # Keep the classes that occur often enough, and more often than any extension of them.
            often = classes.counts >= LEAST_COUNT
            if length < longest:
                most = np.zeros(len(classes.counts), dtype=np.int64)
                np.maximum.at(most, longer.keys // alphabet, longer.counts)
                often &= classes.counts > most
            lengths = np.full(np.count_nonzero(often), length, dtype=np.int64)
            worth = classes.counts[often] * length
            found.append(_Candidates(classes.first[often], lengths, worth))
        at, classes = longer_at, longer
    return _Candidates(*(np.concatenate(column) for column in zip(*found, strict=True)))

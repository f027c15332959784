"""Cutting a chunk into pieces at C speed, at the borders its bytes give away."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.borders import BorderTables
from engine.patterns import Pattern
from engine.pretokenize import SpecialSplitter

Places = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]


class Pieces(NamedTuple):
    """Where the pieces of a text start and end: all of it but the special tokens, in order."""

    starts: Places
    ends: Places


class PieceCutter:
    """Cuts text into pieces, each of which can be pretokenized by itself.

    >>> from engine.patterns import PATTERNS
    >>> cutter = PieceCutter(PATTERNS["gpt2"], SpecialSplitter(["<s>"]))
    >>> text = b"low, lower<s>  'twas"
    >>> [text[start:end] for start, end in zip(*cutter.cut(text))]
    [b'low', b',', b' lower', b' ', b" 'twas"]
    """

    def __init__(self, pattern: Pattern, splitter: SpecialSplitter) -> None:
        self._tables = BorderTables.of(pattern.borders)
        self._splitter = splitter

    def cut(self, data: bytes) -> Pieces:
        """The pieces of `data`, which is not empty."""
        borders, before_left = self._borders(data)
        special = [match.span() for match in self._splitter.bytes_regex.finditer(data)]
        if not special:
            borders[:-1] |= before_left
            places = np.flatnonzero(borders)
            return Pieces(places[:-1], places[1:])
        starts, ends = np.array(special, np.intp).T
        before_left[starts - 1] = False  # a document ends there: no text follows the space
        borders[:-1] |= before_left
        for inside in range(1, int((ends - starts).max())):
            borders[np.minimum(starts + inside, ends)] = False
        borders[starts] = borders[ends] = True
        places = np.flatnonzero(borders)
        is_text = np.ones(len(places) - 1, np.bool_)
        is_text[np.searchsorted(places, starts)] = False
        return Pieces(places[:-1][is_text], places[1:][is_text])

    def _borders(self, data: bytes) -> tuple[Flags, Flags]:
        """At which bytes a border stands, the end included; and those for `before_left`, apart."""
        tables = self._tables
        left = np.frombuffer(data.translate(tables.left), np.uint8)
        right = np.frombuffer(data.translate(tables.right), np.uint8)
        told = left[:-1] & right[1:]
        borders = np.ones(len(data) + 1, np.bool_)
        np.not_equal(told & ~np.uint8(tables.before_left), 0, out=borders[1:-1])
        before_left = np.zeros(len(data), np.bool_)
        np.not_equal(told & np.uint8(tables.before_left), 0, out=before_left[:-1])
        return borders, before_left

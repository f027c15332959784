"""Cutting a chunk into pieces at C speed, at the borders its bytes give away."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.borders import BorderTables
from engine.patterns import Pattern
from engine.pretokenize import SpecialSplitter

Places = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]


class PieceCutter:
    """Cuts text into pieces: special tokens, and such as can be pretokenized by themselves.

    >>> import itertools
    >>> from engine.patterns import PATTERNS
    >>> cutter = PieceCutter(PATTERNS["gpt2"], SpecialSplitter(["<s>"]))
    >>> text = b"low, lower<s>  'twas"
    >>> [text[start:end] for start, end in itertools.pairwise(cutter.borders(text))]
    [b'low', b',', b' lower', b'<s>', b' ', b" 'twas"]
    """

    def __init__(self, pattern: Pattern, splitter: SpecialSplitter) -> None:
        self._tables = BorderTables.of(pattern.borders)
        self._splitter = splitter

    def borders(self, data: bytes) -> Places:
        """Where the pieces begin, and the end of the last one."""
        told, before_left = self._told_by_bytes(data)
        spans = [match.span() for match in self._splitter.bytes_regex.finditer(data)]
        if spans:
            starts, ends = np.array(spans, np.intp).T
            # The document ends at `starts`: no text follows a space there. (Of a token at the very
            # beginning this is -1, the last byte, which nothing follows either.)
            before_left[starts - 1] = False
        told[:-1] |= before_left
        if spans:
            for inside in range(1, self._splitter.longest):
                told[np.minimum(starts + inside, ends)] = False
            told[starts] = told[ends] = True
        return np.flatnonzero(told)

    def _told_by_bytes(self, data: bytes) -> tuple[Flags, Flags]:
        """At which bytes there is a border, both ends included; those for `before_left` apart."""
        tables = self._tables
        left = np.frombuffer(data.translate(tables.left), np.uint8)
        right = np.frombuffer(data.translate(tables.right), np.uint8)
        rules = left[:-1] & right[1:]
        told = np.ones(len(data) + 1, np.bool_)
        np.not_equal(rules & ~np.uint8(tables.before_left), 0, out=told[1:-1])
        before_left = np.zeros(len(data), np.bool_)
        np.not_equal(rules & np.uint8(tables.before_left), 0, out=before_left[:-1])
        return told, before_left

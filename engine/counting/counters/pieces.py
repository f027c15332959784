"""Cutting a chunk into pieces at C speed, at the borders its bytes give away."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.text.borders import BorderTables
from engine.text.patterns import Pattern
from engine.text.pretokenize import SpecialSplitter, is_blank

Places = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]

_VISIBLE = (np.arange(256) > ord(" ")) & (np.arange(256) < 0x7F)


class Spans(NamedTuple):
    """Where some stretches of a text start and end."""

    starts: Places
    ends: Places


def special_tokens_in(data: bytes, splitter: SpecialSplitter) -> Spans:
    spans = [match.span() for match in splitter.bytes_regex.finditer(data)]
    return Spans(*np.array(spans, np.intp).reshape(-1, 2).T)


def documents_between(data: bytes, tokens: Spans, continues: bool) -> int:
    """How many documents begin in a chunk: as `documents_in`, if the special tokens are known."""
    starts = np.append(0, tokens.ends)
    ends = np.append(tokens.starts, len(data))
    if continues and not is_blank(data[: ends[0]]):
        starts, ends = starts[1:], ends[1:]
    filled = starts < ends
    starts, ends = starts[filled], ends[filled]
    # Most begin with a letter, perhaps behind newlines; only the others need a closer look.
    first_bytes = np.minimum(starts + np.arange(4)[:, np.newaxis], ends - 1)
    is_text = _VISIBLE[np.frombuffer(data, np.uint8)[first_bytes]].any(axis=0)
    unclear = zip(starts[~is_text].tolist(), ends[~is_text].tolist(), strict=True)
    return int(is_text.sum()) + sum(not is_blank(data[start:end]) for start, end in unclear)


class PieceCutter:
    """Cuts text into pieces: special tokens, and such as can be pretokenized by themselves.

    >>> import itertools
    >>> from engine.text.patterns import PATTERNS
    >>> text = b"low, lower<s>  'twas"
    >>> tokens = special_tokens_in(text, SpecialSplitter(["<s>"]))
    >>> borders = PieceCutter(PATTERNS["gpt2"]).borders(text, tokens)
    >>> [text[start:end] for start, end in itertools.pairwise(borders)]
    [b'low', b',', b' lower', b'<s>', b' ', b" 'twas"]
    """

    def __init__(self, pattern: Pattern) -> None:
        self._tables = BorderTables.of(pattern.borders)

    def borders(self, data: bytes, tokens: Spans) -> Places:
        """Where the pieces begin, and the end of the last one."""
        told, before_left = self._told_by_bytes(data)
        starts, ends = tokens
        # The document ends at `starts`: no text follows a space there. (Of a token at the very
        # beginning this is -1, the last byte, which nothing follows either.)
        before_left[starts - 1] = False
        told[:-1] |= before_left
        for inside in range(1, int((ends - starts).max(initial=0))):
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

"""Counting by pieces: equal pieces of text have equal pretokens, so each is cut only once.

A chunk is cut into pieces by its bytes, without the pattern; most pieces are one pretoken. Caches
recognise the frequent pieces, a dict has the others, and the pattern cuts only those that are new.
New pieces are met in the order of the text, so pretokens come in order of first appearance.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain, compress, count
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.core.arrays import Bools, Ints
from engine.counting.plain import ChunkCount, joined
from engine.text.patterns import BorderTables, Pattern
from engine.text.pretokenize import SpecialSplitter, is_blank, pretokens_of_piece

Places = npt.NDArray[np.intp]

_VISIBLE = (np.arange(256) > ord(" ")) & (np.arange(256) < 0x7F)


class Spans(NamedTuple):
    """The starts and ends of some stretches of a text."""

    starts: Places
    ends: Places


def special_tokens_in(data: bytes, splitter: SpecialSplitter) -> Spans:
    """Find the special tokens of a chunk."""
    spans = [match.span() for match in splitter.bytes_regex.finditer(data)]
    return Spans(*np.array(spans, np.intp).reshape(-1, 2).T)


def documents_between(data: bytes, tokens: Spans, continues: bool) -> int:
    """Count the documents that begin in a chunk, given its special tokens; see `documents_in`."""
    starts = np.append(0, tokens.ends)
    ends = np.append(tokens.starts, len(data))
    if continues and not is_blank(data[: ends[0]]):
        starts, ends = starts[1:], ends[1:]
    filled = starts < ends
    starts, ends = starts[filled], ends[filled]
    # Most documents begin with a letter, perhaps after newlines; only the others are read.
    first_bytes = np.minimum(starts + np.arange(4)[:, np.newaxis], ends - 1)
    is_text = _VISIBLE[np.frombuffer(data, np.uint8)[first_bytes]].any(axis=0)
    unclear = zip(starts[~is_text].tolist(), ends[~is_text].tolist(), strict=True)
    return int(is_text.sum()) + sum(not is_blank(data[start:end]) for start, end in unclear)


class PieceCutter:
    """A cutter of text into special tokens and pieces that can be pretokenized alone.

    It cuts at C speed, where two neighbouring bytes show that a pretoken must end.

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
        """Return the starts of the pieces, and the end of the last piece."""
        tables = self._tables
        left = np.frombuffer(data.translate(tables.left), np.uint8)
        right = np.frombuffer(data.translate(tables.right), np.uint8)
        rules = left[:-1] & right[1:]
        is_border = np.ones(len(data) + 1, np.bool_)  # before each byte, and at the end
        np.not_equal(rules & ~np.uint8(tables.before_left), 0, out=is_border[1:-1])
        # The borders of the rule `before_left` are one byte earlier.
        before_left = np.zeros(len(data), np.bool_)
        np.not_equal(rules & np.uint8(tables.before_left), 0, out=before_left[:-1])
        starts, ends = tokens
        # A document ends at `starts`, so no text follows a space there. (For a token at offset 0
        # this sets -1, the last byte, which no text follows either.)
        before_left[starts - 1] = False
        is_border[:-1] |= before_left
        for inside in range(1, int((ends - starts).max(initial=0))):
            is_border[np.minimum(starts + inside, ends)] = False
        is_border[starts] = is_border[ends] = True
        return np.flatnonzero(is_border)


MachineWords = npt.NDArray[np.uint64]

WORD = 8
PADDING = bytes(2 * WORD)
"""Bytes that must follow a text, so that 64-bit words can be read up to its end."""

SLOT_BITS = 16
_NO_PIECE = -1
_NO_LAST_WORD = np.uint64(1)
_NOTHING = np.zeros(0, np.intp)
_SCRAMBLER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio
_TO_SLOT = np.uint64(64 - SLOT_BITS)


def words_of(padded: bytes) -> MachineWords:
    """Return the 64-bit word that begins at each byte of a text with its `PADDING`."""
    return np.ndarray((len(padded) - WORD + 1,), "<u8", padded, strides=(1,))


class PieceCache:
    """A cache that recognises frequent short pieces, thousands at a time.

    The bytes of a piece are read as 64-bit words; bytes beyond its end are shifted out of the last
    word. A hash of the words chooses the slot of the piece. A slot holds one piece, the first that
    came; frequent pieces come early in most texts.

    The text must have no NUL, since `\\0a` would have the words of `a`. Then the last byte of the
    last word belongs to the piece, and is never 0.

    Args:
        words: number of words of its pieces: 2 for pieces of 9 to 16 bytes.
    """

    def __init__(self, words: int) -> None:
        self.longest = words * WORD
        self._later_words = range(WORD, self.longest, WORD)
        self._keys = [np.full(1 << SLOT_BITS, _NO_LAST_WORD) for _ in range(words)]
        self._numbers = np.full(1 << SLOT_BITS, _NO_PIECE, np.int64)
        self._hits: list[Places] = []  # the slots of the pieces recognised since the last `drain`

    def recognise(self, words: MachineWords, starts: Places, lengths: Places) -> Bools:
        """Return whether each piece is known, and count the known ones for the next `drain`."""
        key, slots = self._key(words, starts, lengths)
        known: Bools = self._keys[0][slots] == key[0]
        for stored, word in zip(self._keys[1:], key[1:], strict=True):
            known &= stored[slots] == word
        self._hits.append(slots[known])
        return known

    def learn(self, pieces: Sequence[bytes], first_number: int) -> None:
        """Give each piece of a suitable length its slot, if that is free.

        Args:
            first_number: the number of the first piece; the others follow.
        """
        lengths = np.fromiter(map(len, pieces), np.intp, len(pieces))
        starts = np.cumsum(lengths) - lengths
        key, slots = self._key(words_of(b"".join(pieces) + PADDING), starts, lengths)
        free = np.flatnonzero((key[-1] != 0) & (self._numbers[slots] == _NO_PIECE))
        free = free[::-1]  # of several pieces for one slot, the first is written last
        for stored, word in zip(self._keys, key, strict=True):
            stored[slots[free]] = word[free]
        self._numbers[slots[free]] = first_number + free

    def _key(
        self, words: MachineWords, starts: Places, lengths: Places
    ) -> tuple[list[MachineWords], Places]:
        """Return the words of pieces, and their slots.

        The last word is 0 for a piece of another length.
        """
        key = [words[starts]] + [words[starts + place] for place in self._later_words]
        key[-1] <<= (8 * (self.longest - lengths)).view(np.uint64)
        scrambled = key[0] * _SCRAMBLER
        for word in key[1:]:
            scrambled = (scrambled ^ word) * _SCRAMBLER
        return key, (scrambled >> _TO_SLOT).astype(np.intp)

    def drain(self) -> tuple[Ints, Ints]:
        """Return the numbers and counts of the pieces recognised since the last call."""
        totals = np.bincount(np.concatenate([*self._hits, _NOTHING]))
        self._hits = []
        used = np.flatnonzero(totals)
        return self._numbers[used], totals[used]


REUSED = 1 << 24
"""Bytes freed once: glibc reuses memory up to that size. Else allocation takes half of the time."""
BATCH = 1 << 15
"""Number of pieces handled together: they fit into the processor's cache."""


class PieceCounter:
    """A counter by pieces, for patterns with known borders."""

    def __init__(self, pattern: Pattern, splitter: SpecialSplitter) -> None:
        self._pattern = pattern
        self._splitter = splitter
        self._cutter = PieceCutter(pattern)
        self._numbers = defaultdict[bytes, int](count().__next__)  # a new piece gets the next one
        self._caches = (PieceCache(words=1), PieceCache(words=2))
        self._new_pretokens: list[bytes] = []
        self._new_sizes: list[int] = []
        np.empty(REUSED, np.uint8)

    def count(self, data: bytes, continues: bool) -> ChunkCount:
        """See `ChunkCounter.count`."""
        # The caches take a NUL for the end of a piece.
        caches = () if b"\0" in data else self._caches
        words = words_of(data + PADDING)
        tokens = special_tokens_in(data, self._splitter)
        found = []
        borders = self._cutter.borders(data, tokens)
        all_starts, all_ends = borders[:-1], borders[1:]
        for first in range(0, len(all_starts), BATCH):
            batch = slice(first, first + BATCH)
            starts, ends = all_starts[batch], all_ends[batch]
            for cache in caches:
                unknown = ~cache.recognise(words, starts, ends - starts)
                starts, ends = starts[unknown], ends[unknown]
            found.append(self._look_up(data, starts, ends, caches))
        found += [cache.drain() for cache in caches]
        new_pretokens, self._new_pretokens = self._new_pretokens, []
        new_sizes, self._new_sizes = self._new_sizes, []
        return ChunkCount(
            *joined(new_pretokens),
            np.array(new_sizes, np.int64).tobytes(),
            np.concatenate([numbers for numbers, _ in found]).tobytes(),
            np.concatenate([counts for _, counts in found]).tobytes(),
            documents_between(data, tokens, continues),
        )

    def _look_up(
        self, data: bytes, starts: Places, ends: Places, caches: Sequence[PieceCache]
    ) -> tuple[Ints, Ints]:
        """Return the numbers and counts of some pieces, and learn the new ones."""
        places = zip(starts.tolist(), ends.tolist(), strict=True)
        counts = Counter([data[start:end] for start, end in places])
        known = len(self._numbers)
        numbers = np.fromiter(map(self._numbers.__getitem__, counts), np.int64, len(counts))
        new = list(compress(counts, numbers >= known))
        # Wherever the bytes of a special token occur, it is one: no other piece equals it.
        special = self._splitter.tokens
        pretokens = [
            [] if piece in special else pretokens_of_piece(self._pattern, piece) for piece in new
        ]
        self._new_pretokens += chain.from_iterable(pretokens)
        self._new_sizes += map(len, pretokens)
        for cache in caches:
            cache.learn(new, first_number=known)
        return numbers, np.fromiter(counts.values(), np.int64, len(counts))

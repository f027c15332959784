r"""A cache that recognises the frequent short pieces, thousands at a time.

The bytes of a piece are read as 64-bit words, what is beyond its end shifted out of the last one.
Scrambled, the words say in which slot the piece stands, if it is there at all: a slot holds one
piece, whoever came first, and frequent pieces come early in any text.

There must be no NUL in the text: `\0a` would have the words of `a`. Then the last byte of the last
word is that of the piece, and never 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
Places = npt.NDArray[np.intp]
Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

WORD = 8
PADDING = bytes(2 * WORD)
"""Has to follow a text, so that words can be read up to its end."""

SLOT_BITS = 16
_NOBODY = -1
_NO_LAST_WORD = np.uint64(1)
_NOTHING = np.zeros(0, np.intp)
_SCRAMBLER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio
_TO_SLOT = np.uint64(64 - SLOT_BITS)


def words_of(padded: bytes) -> Words:
    """The word that begins at each byte of a text with its `PADDING`."""
    return np.ndarray((len(padded) - WORD + 1,), "<u8", padded, strides=(1,))


class PieceCache:
    """Recognises pieces of a certain number of words: with 2, those of 9 to 16 bytes."""

    def __init__(self, words: int) -> None:
        self.longest = words * WORD
        self._later_words = range(WORD, self.longest, WORD)
        self._keys = [np.full(1 << SLOT_BITS, _NO_LAST_WORD) for _ in range(words)]
        self._numbers = np.full(1 << SLOT_BITS, _NOBODY, np.int64)
        self._hits: list[Places] = []  # the slots of the pieces recognised since the last `drain`

    def recognise(self, words: Words, starts: Places, lengths: Places) -> Flags:
        """Which of the pieces are known. Each is counted, until the next `drain`."""
        key = self._key(words, starts, lengths)
        slots = _slots(key)
        known: Flags = self._keys[0][slots] == key[0]
        for stored, word in zip(self._keys[1:], key[1:], strict=True):
            known &= stored[slots] == word
        self._hits.append(slots[known])
        return known

    def learn(self, pieces: Sequence[bytes], first_number: int) -> None:
        """Give each piece of the right length a slot, if it is free; their numbers go up by 1."""
        lengths = np.fromiter(map(len, pieces), np.intp, len(pieces))
        starts = np.cumsum(lengths) - lengths
        key = self._key(words_of(b"".join(pieces) + PADDING), starts, lengths)
        slots = _slots(key)
        free = np.flatnonzero((key[-1] != 0) & (self._numbers[slots] == _NOBODY))
        free = free[::-1]  # of several for one slot, the first comes to stay
        for stored, word in zip(self._keys, key, strict=True):
            stored[slots[free]] = word[free]
        self._numbers[slots[free]] = first_number + free

    def _key(self, words: Words, starts: Places, lengths: Places) -> list[Words]:
        """The words of pieces; the last one is 0 if there is no byte in it, or more would be."""
        key = [words[starts]] + [words[starts + place] for place in self._later_words]
        key[-1] <<= (8 * (self.longest - lengths)).view(np.uint64)
        return key

    def drain(self) -> tuple[Numbers, Numbers]:
        """The numbers of the pieces recognised since the last time, and how often each was."""
        totals = np.bincount(np.concatenate([*self._hits, _NOTHING]))
        self._hits = []
        used = np.flatnonzero(totals)
        return self._numbers[used], totals[used]


def _slots(key: Sequence[Words]) -> Places:
    scrambled = key[0] * _SCRAMBLER
    for word in key[1:]:
        scrambled = (scrambled ^ word) * _SCRAMBLER
    return (scrambled >> _TO_SLOT).astype(np.intp)

"""Which split of a token is its merge, for all tokens of a rank file at once.

Tokens are named by their places in order of rank, so of two the younger has the greater number.
Whether the parts of a split come to stand side by side is found by undoing, as in
`engine.recording.vocabulary.token_table`, and for that the merges of the parts have to be known.
They are shorter: so the tokens are gone through by length, all of one length together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.core.arrays import Ints
from engine.core.number_table import NOT_THERE, NumberTable
from engine.formats.token_splits import Splits, splits_of

NONE = -1
"""Stands for a part where there is none."""


def sound_splits(tokens: Sequence[bytes]) -> tuple[Ints, Ints]:
    """The two parts of each token, both older, that encoding leads to; `NONE` where there are none.

    It holds for a token if all older ones have such parts or are made by no merge, and if the
    parts' bytes are the token's: see `token_splits`.

    >>> sound_splits([b"a", b"b", b"c", b"bc", b"abc"])
    (array([-1, -1, -1,  1,  0]), array([-1, -1, -1,  2,  3]))
    """
    splits = splits_of(tokens)
    lengths = np.fromiter(map(len, tokens), dtype=np.int64, count=len(tokens))
    undoing = _Undoing(splits, lengths)
    older = np.maximum(splits.left, splits.right) < splits.whole
    whole, left, right = (column[older] for column in splits)
    order = np.argsort(lengths[whole], kind="stable")
    for wave in np.split(order, np.flatnonzero(np.diff(lengths[whole[order]])) + 1):
        undoing.settle(whole[wave], left[wave], right[wave])
    return undoing.left, undoing.right


class _Undoing:
    """The merges known so far, and what they say of two neighbours."""

    def __init__(self, splits: Splits, lengths: Ints) -> None:
        tokens = len(lengths)
        self.left = np.full(tokens, NONE, dtype=np.int64)
        self.right = np.full(tokens, NONE, dtype=np.int64)
        self._tokens = tokens
        self._stands = lengths == 1  # what a merge makes will be added
        self._age = np.where(lengths == 1, NONE, np.arange(tokens, dtype=np.int64))
        self._joined = NumberTable(splits.left * tokens + splits.right, splits.whole)

    def settle(self, whole: Ints, left: Ints, right: Ints) -> None:
        """Keep the sound ones of some splits, all merges of their parts being known."""
        possible = np.flatnonzero(self._stands[left] & self._stands[right])
        sound = possible[self._come_together(left[possible], right[possible])]
        self.left[whole[sound]], self.right[whole[sound]] = left[sound], right[sound]
        self._stands[whole[sound]] = True

    def _come_together(self, left: Ints, right: Ints) -> npt.NDArray[np.bool_]:
        """Whether two tokens, encoded as one text, come to stand side by side."""
        sound = np.ones(len(left), dtype=np.bool_)
        open_splits = np.arange(len(left))
        while len(open_splits):
            left_age, right_age = self._age[left], self._age[right]
            left_is_younger = left_age > right_age
            # Of equal merges the left one is made first, so one across the split comes before.
            limit = np.where(left_is_younger, left_age, right_age + 1)
            left, right = (
                np.where(left_is_younger, self.right[left], left),
                np.where(left_is_younger | (right_age == NONE), right, self.left[right]),
            )
            joined = self._joined.of(left * self._tokens + right)
            broken = (joined != NOT_THERE) & (joined < limit)
            sound[open_splits[broken]] = False
            bytes_only = (self._age[left] == NONE) & (self._age[right] == NONE)
            go_on = np.flatnonzero(~broken & ~bytes_only)
            open_splits, left, right = open_splits[go_on], left[go_on], right[go_on]
        return sound

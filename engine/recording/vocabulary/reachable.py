"""Which tokens does encoding ever give?

A token is unreachable if its own bytes, encoded as one pretoken, give something else: on the way
another merge of lower rank took a byte across the border of its two parts. Encoding all tokens
one by one would take seconds, so all are looked at together.

The trick: two tokens come to stand side by side unless a merge across their border comes first.
What stood next to the border before is found by undoing: of the two tokens there, the one made
later comes apart. Each pair met on the way must not merge earlier than that undone merge, or it
would have happened instead; nor at the same rank if the undone one is right of the border, because
of equal merges the leftmost is made first. A merge is sound if this holds down to single bytes,
and a token is reachable if its merge is sound and its parts are reachable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from engine.core.arrays import Bools, Ints
from engine.core.number_table import NOT_THERE, NumberTable
from engine.encoding.encoders.cached import Cached
from engine.recording.vocabulary.merge_columns import NONE, Merges

if TYPE_CHECKING:
    from engine.recording.vocabulary.token_table import TokenTable

NEVER = np.iinfo(np.int64).max
"""The rank of a pair that does not merge."""


def reachable(table: TokenTable) -> Bools:
    """Whether encoding its bytes as one pretoken gives the token; special tokens always are."""
    merges, maker = table.merges, table.maker.copy()
    older = np.maximum(table.ranks[merges.left], table.ranks[merges.right])
    if np.any(merges.rank <= older):
        return _by_encoding(table, range(len(table)), maker)  # a part is made after the whole
    ambiguous = np.flatnonzero(np.bincount(merges.made, minlength=len(table)) > 1)
    found = table.is_special.copy()
    found[table.base_rows] = True
    if len(ambiguous):
        found[ambiguous] = _by_encoding(table, ambiguous.tolist(), maker)[ambiguous]
    is_made = maker != NONE
    is_made[ambiguous] = False
    made = np.flatnonzero(is_made)
    sound = np.zeros(len(table), dtype=np.bool_)
    sound[made] = _sound(merges, maker)[maker[made]]
    left, right = merges.left[maker[made]], merges.right[maker[made]]
    while True:
        now = found[made] | (sound[made] & found[left] & found[right])
        if np.array_equal(now, found[made]):
            return found
        found[made] = now


def _by_encoding(table: TokenTable, rows: Sequence[int], maker: Ints) -> Bools:
    """The answer for some rows by encoding them; corrects `maker` to the merge that is made."""
    merges, ids = table.merges, table.ids
    pairs = list(zip(ids[merges.left].tolist(), ids[merges.right].tolist(), strict=True))
    made = zip(merges.rank.tolist(), ids[merges.made].tolist(), strict=True)
    encoder = Cached(table.alphabet, dict(zip(pairs, made, strict=True)))
    place = {pair: number for number, pair in enumerate(pairs)}
    found = table.is_special.copy()
    for row in rows:
        token = table.tokens[row]
        if list(encoder.encode(token)) == [ids[row]]:
            found[row] = True
            if steps := list(encoder.steps(token)):
                maker[row] = place[steps[-1].pair]
    return found


class _Ranks:
    """The ranks of many pairs at once."""

    def __init__(self, merges: Merges, tokens: int) -> None:
        self._tokens = tokens
        self._table = NumberTable(merges.left * tokens + merges.right, merges.rank)

    def of(self, left: Ints, right: Ints) -> Ints:
        found = self._table.of(left * self._tokens + right)
        return np.where(found == NOT_THERE, NEVER, found)


def _sound(merges: Merges, maker: Ints) -> Bools:
    """For each merge whether its two parts, encoded as one text, come to stand side by side."""
    sound = np.ones(len(merges), dtype=np.bool_)
    ranks = _Ranks(merges, len(maker))
    rank = np.where(maker == NONE, NONE, merges.rank[maker]) if len(merges) else maker
    open_merges = np.arange(len(merges))
    left, right, limit = merges.left, merges.right, merges.rank
    while len(open_merges):
        broken = ranks.of(left, right) < limit
        sound[open_merges[broken]] = False
        bytes_only = (maker[left] == NONE) & (maker[right] == NONE)
        go_on = ~broken & ~bytes_only
        open_merges, left, right = open_merges[go_on], left[go_on], right[go_on]
        left_is_younger = rank[left] > rank[right]
        limit = np.where(left_is_younger, rank[left], rank[right] + 1)
        left, right = (
            np.where(left_is_younger, merges.right[maker[left]], left),
            np.where(left_is_younger, right, merges.left[maker[right]]),
        )
    return sound

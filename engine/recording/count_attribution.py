"""Who is behind the changes of a merge: for every pair whose count changed, the pretokens.

A merge changes counts only inside the pretokens that hold its pair. Count the pairs of each of
them before and after: the difference, times how often the pretoken occurs, is its part of the
change. A pair without the new token can only lose and one with it only gain, so parts never cancel
each other, and no pretoken behind a change is missing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from engine.core.events import Pair

if TYPE_CHECKING:
    from engine.recording.affected_pretokens import TouchedPretoken


class Contribution(NamedTuple):
    """A pretoken's part of the change of a pair's count."""

    word: TouchedPretoken
    change: int


class Ledger:
    """The changes of one merge by the pretokens behind them, read in slices of time.

    >>> from engine import Timeline, Trainer
    >>> counts = {b"low": 5, b"lower": 2}
    >>> ledger = Timeline(counts, Trainer(counts, 257).steps()).seek(1).ledger
    >>> ledger.read()
    True
    >>> [(part.word.pretoken, part.change) for part in ledger.behind((ord("o"), ord("w")))]
    [(b'low', -5), (b'lower', -2)]
    """

    def __init__(self, touched: Iterator[TouchedPretoken]) -> None:
        self._touched = touched
        self._behind: defaultdict[Pair, list[Contribution]] = defaultdict(list)

    def read(self, seconds: float = 3600.0) -> bool:
        """Look at pretokens for so long; whether all have been looked at by now."""
        deadline = monotonic() + seconds
        for word in self._touched:
            for pair, change in pair_changes(word).items():
                self._behind[pair].append(Contribution(word, change))
            if monotonic() > deadline:
                return False
        return True

    def behind(self, pair: Pair) -> list[Contribution]:
        """The pretokens that changed the pair's count, of those read, most frequent first."""
        return self._behind.get(pair, [])


def pair_changes(word: TouchedPretoken) -> dict[Pair, int]:
    """What a merge in one pretoken does to the counts of pairs; no zeros."""
    changes: dict[Pair, int] = {}
    for pair in pairwise(word.after):
        changes[pair] = changes.get(pair, 0) + word.count
    for pair in pairwise(word.before):
        changes[pair] = changes.get(pair, 0) - word.count
    return {pair: change for pair, change in changes.items() if change}

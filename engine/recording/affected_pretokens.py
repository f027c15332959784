"""The pretokens that a merge changed: each searched for once, however many ask."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice, pairwise
from time import monotonic
from typing import NamedTuple, Protocol

from engine.core.events import Pair
from engine.recording.merge_record import PairStep
from engine.recording.segmentation import Segments

# Which pretokens hold certain bytes: one search through all of them, at C speed.


class PretokenIndex:
    """Distinct pretokens in their order, joined to one string of bytes.

    >>> list(PretokenIndex([b"new", b"low", b"slow"]).containing(b"ow"))
    [(1, b'low'), (2, b'slow')]
    """

    def __init__(self, pretokens: Sequence[bytes]) -> None:
        self._pretokens = pretokens

    @cached_property
    def _joined(self) -> bytes:
        return b"".join(self._pretokens)

    @cached_property
    def _starts(self) -> list[int]:
        starts, position = [], 0
        for pretoken in self._pretokens:
            starts.append(position)
            position += len(pretoken)
        return starts

    def containing(self, needle: bytes, before: int | None = None) -> Iterator[tuple[int, bytes]]:
        """The places and pretokens that hold `needle`, each once; only places before `before`."""
        whole = before is None or before >= len(self._starts)
        limit = len(self._joined) if whole else self._starts[before or 0]
        position = self._joined.find(needle, 0, limit)
        while position >= 0:
            place = bisect_right(self._starts, position) - 1
            end = self._starts[place] + len(self._pretokens[place])
            # A hit may run across the border of two pretokens.
            if position + len(needle) <= end:
                yield place, self._pretokens[place]
                position = self._joined.find(needle, end, limit)
            else:
                position = self._joined.find(needle, position + 1, limit)


LONGEST_TAKEN_APART = 1 << 15
"""Bytes of a pretoken that is looked at: to take apart a longer one would take seconds."""


@dataclass(frozen=True)
class TouchedPretoken:
    """A pretoken that a merge changed: its tokens before and after."""

    pretoken: bytes
    count: int
    before: tuple[int, ...]
    after: tuple[int, ...]


class Corpus(Protocol):
    """What the search asks of a run: its pretokens, and their tokens at any step."""

    counts: Mapping[bytes, int]
    segmenter: Segments

    @property
    def by_count(self) -> PretokenIndex: ...


class TouchedPretokens:
    """Those of one merge, most frequent first, found as far as somebody asks."""

    def __init__(self, run: Corpus, merge: PairStep | None) -> None:
        self._found: list[TouchedPretoken] = []
        self._search = iter(()) if merge is None else _search(run, merge)

    def __iter__(self) -> Iterator[TouchedPretoken]:
        for place in count():
            if place == len(self._found):
                word = next(self._search, None)
                if word is None:
                    return
                self._found.append(word)
            yield self._found[place]

    def first(self, limit: int, seconds: float) -> tuple[list[TouchedPretoken], bool]:
        """The first so many, as far as they are found in so long; and whether they all are."""
        deadline = monotonic() + seconds
        found = []
        for word in islice(self, limit):
            found.append(word)
            if monotonic() > deadline:
                return found, False
        return found, True


def _search(run: Corpus, merge: PairStep) -> Iterator[TouchedPretoken]:
    left, tokens_at = merge.pretokens, run.segmenter.tokens_at
    for _, pretoken in run.by_count.containing(merge.covers):
        if len(pretoken) > LONGEST_TAKEN_APART:
            continue
        after = tokens_at(pretoken, merge.index + 1)
        if merge.new_id in after:
            before = tokens_at(pretoken, merge.index)
            yield TouchedPretoken(pretoken, run.counts[pretoken], before, after)
            left -= 1
            if not left:
                return


# Who is behind the changes of a merge: for every pair whose count changed, the pretokens.
#
# A merge changes counts only inside the pretokens that hold its pair. Count the pairs of each of
# them before and after: the difference, times how often the pretoken occurs, is its part of the
# change. A pair without the new token can only lose and one with it only gain, so parts never
# cancel each other, and no pretoken behind a change is missing.


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

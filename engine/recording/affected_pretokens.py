"""The pretokens that a merge changed: each searched for once, however many ask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.recording.merge_record import PairStep
    from engine.recording.merge_timeline import MergeTimeline

LONGEST_TAKEN_APART = 1 << 15
"""Bytes of a pretoken that is looked at: to take apart a longer one would take seconds."""


@dataclass(frozen=True)
class TouchedPretoken:
    """A pretoken that a merge changed: its tokens before and after."""

    pretoken: bytes
    count: int
    before: tuple[int, ...]
    after: tuple[int, ...]


class TouchedPretokens:
    """Those of one merge, most frequent first, found as far as somebody asks."""

    def __init__(self, timeline: MergeTimeline[Any], merge: PairStep | None) -> None:
        self._found: list[TouchedPretoken] = []
        self._search = iter(()) if merge is None else _search(timeline, merge)

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


def _search(timeline: MergeTimeline[Any], merge: PairStep) -> Iterator[TouchedPretoken]:
    left, tokens_at = merge.pretokens, timeline.segmenter.tokens_at
    for _, pretoken in timeline.by_count.containing(merge.covers):
        if len(pretoken) > LONGEST_TAKEN_APART:
            continue
        after = tokens_at(pretoken, merge.index + 1)
        if merge.new_id in after:
            before = tokens_at(pretoken, merge.index)
            yield TouchedPretoken(pretoken, timeline.counts[pretoken], before, after)
            left -= 1
            if not left:
                return

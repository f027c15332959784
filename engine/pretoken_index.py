"""Which pretokens hold certain bytes: one search through all of them, at C speed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cached_property


class PretokenIndex:
    """The distinct pretokens, most frequent first, joined to one string of bytes.

    >>> list(PretokenIndex({b"low": 5, b"slow": 2, b"new": 6}).containing(b"ow"))
    [b'low', b'slow']
    """

    def __init__(self, counts: Mapping[bytes, int]) -> None:
        self._counts = counts

    @cached_property
    def _by_count(self) -> list[bytes]:
        return sorted(self._counts, key=self._counts.__getitem__, reverse=True)

    @cached_property
    def _joined(self) -> bytes:
        return b"".join(self._by_count)

    @cached_property
    def _starts(self) -> list[int]:
        starts, position = [], 0
        for pretoken in self._by_count:
            starts.append(position)
            position += len(pretoken)
        return starts

    def containing(self, needle: bytes) -> Iterator[bytes]:
        """The pretokens that hold `needle`, each once, most frequent first."""
        position = self._joined.find(needle)
        while position >= 0:
            place = bisect_right(self._starts, position) - 1
            end = self._starts[place] + len(self._by_count[place])
            # A hit may run across the border of two pretokens.
            if position + len(needle) <= end:
                yield self._by_count[place]
                position = self._joined.find(needle, end)
            else:
                position = self._joined.find(needle, position + 1)

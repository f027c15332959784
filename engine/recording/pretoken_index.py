"""Which pretokens hold certain bytes: one search through all of them, at C speed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property


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

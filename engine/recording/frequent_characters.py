"""The frequent characters of a corpus that have the bytes of a token."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from itertools import islice

MOST_PRETOKENS = 100_000
"""Most pretokens, those that the corpus has first, that are searched for characters."""
_PART = re.compile(rb"[\xc0-\xff][\x80-\xbf]*|[\x80-\xbf]+")


class FrequentCharacters:
    """The characters of several bytes in a corpus, most frequent first.

    >>> frequent = FrequentCharacters({"我们".encode(): 3, "成".encode(): 2})
    >>> frequent.with_part(b"\\xe6\\x88"), frequent.with_part(b"ab")
    (('我', '成'), ())
    """

    def __init__(self, counts: Mapping[bytes, int]) -> None:
        found = Counter[str]()
        for pretoken, count in islice(counts.items(), MOST_PRETOKENS):
            if not pretoken.isascii():
                for character in pretoken.decode("utf-8", "ignore"):
                    found[character] += count
        several = (each for each, _ in found.most_common() if not each.isascii())
        self._spelled = [(each.encode(), each) for each in several]
        self._known: dict[bytes, tuple[str, ...]] = {}

    def with_part(self, token: bytes) -> tuple[str, ...]:
        """Return characters that the longest broken part of a token belongs to.

        Empty for a token that holds no part of a character.
        """
        if token.isascii():
            return ()
        if (known := self._known.get(token)) is None:
            parts = [part for part in _PART.findall(token) if _is_broken(part)]
            part = max(parts, key=len, default=b"")
            # A part is the beginning of a character, or all that follows to its end.
            holds = bytes.startswith if part >= b"\xc0" else bytes.__contains__
            known = self._known[token] = tuple(
                each for spelled, each in self._spelled if part and holds(spelled, part)
            )
        return known


def _is_broken(part: bytes) -> bool:
    try:
        part.decode()
    except UnicodeDecodeError:
        return True
    return False

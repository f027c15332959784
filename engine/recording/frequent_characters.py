"""The frequent characters of a corpus that have the bytes of a token."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice

from engine.core.characters import characters_at
from engine.core.wording import is_partial
from engine.recording.affected_pretokens import PretokenIndex

MOST_PRETOKENS = 100_000
"""Most pretokens, those that the corpus has first, that are searched for characters."""
MOST_PLACES = 1000
"""Most pretokens in which the characters are read that a token holds parts of."""
_PART = re.compile(rb"[\xc0-\xff][\x80-\xbf]*|[\x80-\xbf]+")


class FrequentCharacters:
    """The characters of several bytes in a corpus, most frequent first.

    >>> frequent = FrequentCharacters({"我们".encode(): 3, "成".encode(): 2})
    >>> frequent.with_part(b"\\xe6\\x88"), frequent.with_part(b"ab")
    (('我', '成'), ())

    Attributes:
        pretokens: those with characters of several bytes.
    """

    def __init__(self, counts: Mapping[bytes, int]) -> None:
        searched = islice(counts.items(), MOST_PRETOKENS)
        counted = [(pretoken, count) for pretoken, count in searched if not pretoken.isascii()]
        self.pretokens = PretokenIndex([pretoken for pretoken, _ in counted])
        found = Counter[str]()
        for pretoken, count in counted:
            for character in pretoken.decode("utf-8", "ignore"):
                found[character] += count
        several = (each for each, _ in found.most_common() if not each.isascii())
        self._spelled = [(each.encode(), each) for each in several]
        self._known: dict[bytes, tuple[str, ...]] = {}

    def with_part(self, token: bytes) -> tuple[str, ...]:
        """Return characters that the longest broken part of a token belongs to.

        Each is so in a pretoken with the whole token. Empty for a token that holds no part of a
        character.
        """
        if token.isascii():
            return ()
        if (known := self._known.get(token)) is None:
            known = self._known[token] = tuple(self._with_part(token))
        return known

    def _with_part(self, token: bytes) -> Iterator[str]:
        parts = [part for part in _PART.finditer(token) if is_partial(part[0])]
        if not parts:
            return
        part = max(parts, key=lambda each: len(each[0]))
        # A part is the beginning of a character, or all that follows to its end.
        holds = bytes.startswith if part[0] >= b"\xc0" else bytes.__contains__
        around = None if part[0] == token else self._characters_at(token, part.start())
        for spelled, each in self._spelled:
            if holds(spelled, part[0]) and (around is None or each in around):
                yield each

    def _characters_at(self, token: bytes, start: int) -> set[str]:
        """Return the characters at a byte of a token, in pretokens that contain the token."""
        found = set()
        for _, pretoken in islice(self.pretokens.containing(token), MOST_PLACES):
            at = pretoken.index(token) + start
            found.add(characters_at(pretoken, at, at + 1).decode("utf-8", "ignore"))
        return found

"""Token ids as people write them, and the text of those that the vocabulary has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from engine.core.errors import TokenIdsError

_BETWEEN = re.compile(r"[\s,;\[\]()]+")
_ID = re.compile("[0-9]{1,18}")
"""More digits than any vocabulary needs would only be slow to read."""
SHOWN = 40


def read_ids(text: str) -> list[int]:
    """The ids in a text: blanks, newlines, commas and brackets part them, as in a printed list.

    >>> read_ids("116 104"), read_ids("[116, 104]"), read_ids("116,\\n104\\n"), read_ids(" [] ")
    ([116, 104], [116, 104], [116, 104], [])

    Raises:
        TokenIdsError: names the first word that is no id.
    """
    words = list(filter(None, _BETWEEN.split(text)))
    for word in words:
        if not _ID.fullmatch(word):
            raise TokenIdsError(
                f"{word[:SHOWN]!r} is no token id; ids are whole numbers from 0", word[:SHOWN]
            )
    return [int(word) for word in words]


@dataclass(frozen=True)
class DecodedIds:
    """Ids in a row that all have a token or all have none; `text` is `None` of the latter."""

    ids: Sequence[int]
    text: str | None


def decode_known(
    ids: Sequence[int], has: Callable[[int], bool], decode: Callable[[Sequence[int]], str]
) -> Iterator[DecodedIds]:
    """The text of the ids; those that no token has part it and spoil nothing else.

    Args:
        has: whether the vocabulary has an id.
        decode: the text of ids that it has.

    >>> texts = {1: "a", 2: "b"}
    >>> known = lambda ids: "".join(texts[each] for each in ids)
    >>> [part.text for part in decode_known([1, 2, 9, 1], texts.__contains__, known)]
    ['ab', None, 'a']
    """
    for is_known, run in groupby(ids, has):
        found = list(run)
        yield DecodedIds(found, decode(found) if is_known else None)

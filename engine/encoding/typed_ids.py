"""Token ids as people type them, and the text of those that the vocabulary has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from engine.core.errors import TokenIdsError, UnknownTokenIdError

_BETWEEN = re.compile(r"[\s,;\[\]()]+")
_ID = re.compile("[0-9]{1,18}")
"""No vocabulary needs more digits; reading them would be slow."""
SHOWN = 40


def read_ids(text: str) -> list[int]:
    """Read the ids in a text, separated by blanks, newlines, commas and brackets.

    >>> read_ids("116 104"), read_ids("[116, 104]"), read_ids("116,\\n104\\n"), read_ids(" [] ")
    ([116, 104], [116, 104], [116, 104], [])

    Raises:
        TokenIdsError: a word is not an id; the message names the first.
    """
    words = list(filter(None, _BETWEEN.split(text)))
    for word in words:
        if not _ID.fullmatch(word):
            raise TokenIdsError(
                f"{word[:SHOWN]!r} is no token id; ids are whole numbers from 0", word[:SHOWN]
            )
    return [int(word) for word in words]


class DecodedIds(NamedTuple):
    """Adjacent ids that all have a token, or repetitions of one id that has none.

    Attributes:
        text: their text; `None` if there is no token.
        problem: the error message if there is no token; else empty.
    """

    ids: Sequence[int]
    text: str | None
    problem: str = ""


def decode_known(
    ids: Sequence[int], decode: Callable[[Sequence[int]], str]
) -> Iterator[DecodedIds]:
    """Yield the text of the ids; an id without a token is an item of its own.

    Args:
        decode: returns the text of ids; raises an `UnknownTokenIdError` for an id without a token.

    >>> from engine.encoding.tokenizer import Tokenizer
    >>> bytes_only = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [])
    >>> [part.text for part in decode_known([104, 105, 999, 104], bytes_only.decode)]
    ['hi', None, 'h']
    """
    try:
        yield DecodedIds(ids, decode(ids))
    except UnknownTokenIdError:
        problems = dict.fromkeys(ids, "")
        for token_id in problems:
            try:
                decode([token_id])
            except UnknownTokenIdError as error:
                problems[token_id] = str(error)
        for problem, run in groupby(ids, problems.__getitem__):
            row = list(run)
            yield DecodedIds(row, None if problem else decode(row), problem)

"""Finding tokens by a piece of text or by a regular expression.

A substring is looked for in all tokens at once. A regular expression has to be tried on one token
after the other, because `$` and `(?!…)` look at the token's end; that takes longer, so the result
comes in batches and whoever waits for it can stop between two. Some expressions take for ever on
some tokens: each try on a token of any length worth speaking of has a time limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import regex

from engine.core.arrays import Ints
from engine.core.errors import PatternError, QueryError
from engine.text.pretokenize import to_bytes, to_text
from engine.text.typed_regex import compile_typed

if TYPE_CHECKING:
    from engine.recording.vocabulary.token_table import TokenTable

BATCH = 2000
SIGNS: Final = frozenset(r".^$*+?{}[]\|()")
"""What makes a text an expression."""
SHORT = 12
"""Bytes of a token on which no expression takes long; asking for a time limit costs more."""
SECONDS_A_TOKEN = 0.05


@dataclass(frozen=True)
class Query:
    """What was typed, and how it is read.

    `expression` is `None` for plain text. `problem` says why a text that looks like an expression
    is read as plain text after all.
    """

    text: str
    expression: regex.Pattern[str] | None = None
    problem: str | None = None

    @classmethod
    def read(cls, text: str) -> Query:
        """An expression if it has one of its signs and is well formed, plain text if not.

        >>> Query.read("th").expression, Query.read("^th").expression.pattern
        (None, '^th')
        >>> Query.read("f(x").problem
        'missing ) at position 3'
        """
        if not SIGNS.intersection(text):
            return cls(text)
        try:
            return cls(text, compile_typed(text))
        except PatternError as error:
            place = "" if error.position is None else f" at position {error.position}"
            return cls(text, problem=f"{error}{place}")

    def as_plain_text(self, problem: str) -> Query:
        """The same text, not read as an expression, and why."""
        return Query(self.text, problem=problem)


def search(table: TokenTable, query: Query, rows: Ints) -> Iterator[Ints]:
    """Those of `rows` whose tokens match, in their order, in batches.

    Raises:
        QueryError: the expression takes too long on some token.
    """
    if not query.text:
        yield rows
    elif query.expression is None:
        holds = np.zeros(len(table), dtype=np.bool_)
        holds[rows_with(table, to_bytes(query.text))] = True
        yield rows[holds[rows]]
    else:
        for start in range(0, len(rows), BATCH):
            yield _matching(table, query.expression, rows[start : start + BATCH])


def rows_with(table: TokenTable, piece: bytes) -> Ints:
    """The rows of the tokens that hold the piece, ascending, some of them more than once."""
    joined = table.joined
    places = np.flatnonzero(joined[: max(len(joined) - len(piece) + 1, 0)] == piece[0])
    for offset, byte in enumerate(piece[1:], start=1):
        places = places[joined[places + offset] == byte]
    rows = np.searchsorted(table.ends, places, side="right")
    # Where the piece begins in one token and ends in the next, no token holds it.
    return rows[places + len(piece) <= table.ends[rows]]


def _matching(table: TokenTable, expression: regex.Pattern[str], rows: Ints) -> Ints:
    found = []
    tokens, matches = table.tokens, expression.search
    for row in rows.tolist():
        token = tokens[row]
        match = matches(to_text(token)) if len(token) <= SHORT else _in_time(expression, token)
        if match is not None:
            found.append(row)
    return np.array(found, dtype=np.int64)


def _in_time(expression: regex.Pattern[str], token: bytes) -> regex.Match[str] | None:
    try:
        return expression.search(to_text(token), timeout=SECONDS_A_TOKEN)
    except TimeoutError:
        raise QueryError(
            "this expression takes too long on some tokens; say it with fewer nested repeats"
        ) from None

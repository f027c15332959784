"""Which tokens differ from another only by case, or only by one leading space?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from engine.change_log import Ints
from engine.pretokenize import to_text

NO_TWIN = np.iinfo(np.int64).max


def least_twins(tokens: Sequence[bytes]) -> Ints:
    """For each token the first row that holds a twin of it, `NO_TWIN` without one.

    So a token has a twin among the first n tokens just if this is less than n.
    """
    first_row: dict[bytes, int] = {}
    for row, token in enumerate(tokens):
        first_row.setdefault(token, row)
    twins = np.full(len(tokens), NO_TWIN, dtype=np.int64)
    for row, twin in (*_by_case(first_row), *_by_space(first_row)):
        twins[row] = min(twins[row], twin)
        twins[twin] = min(twins[twin], row)
    # Tokens of the same bytes have the same twins.
    return twins[np.array([first_row[token] for token in tokens], dtype=np.int64)]


def _by_case(first_row: dict[bytes, int]) -> Iterator[tuple[int, int]]:
    """Each token with the first of those that are the same in lower case."""
    first: dict[str, int] = {}
    for token, row in first_row.items():
        twin = first.setdefault(to_text(token).lower(), row)
        if twin != row:
            yield row, twin


def _by_space(first_row: dict[bytes, int]) -> Iterator[tuple[int, int]]:
    for token, row in first_row.items():
        if len(token) > 1 and token.startswith(b" "):
            twin = first_row.get(token[1:])
            if twin is not None:
                yield row, twin

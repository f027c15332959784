"""Which tokens differ from another only by case, or only by a sign before it?

In BPE's tokens that is a space, before a word; in WordPiece's `##`, inside of one.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

import numpy as np

from engine.core.arrays import Ints
from engine.text.pretokenize import to_text

NO_TWIN = np.iinfo(np.int64).max


def least_twins(tokens: Sequence[bytes], sign: bytes) -> Ints:
    """For each token the first row that holds a twin of it, `NO_TWIN` without one.

    Twins are the same in lower case, or but for one `sign` at the beginning.

    So a token has a twin among the first n tokens just if this is less than n.
    """
    first_row = _first_rows(tokens)
    twins = np.full(len(tokens), NO_TWIN, dtype=np.int64)
    for rows, others in (_by_case(tokens, first_row), _by_sign(first_row, sign)):
        np.minimum.at(twins, rows, others)
        np.minimum.at(twins, others, rows)
    if len(first_row) == len(tokens):
        return twins
    # Tokens of the same bytes have the same twins.
    return twins[np.array([first_row[token] for token in tokens], dtype=np.int64)]


Token = TypeVar("Token", bound=Hashable)


def _first_rows(tokens: Sequence[Token]) -> dict[Token, int]:
    """The first row of each."""
    # Of equal keys the last stays: go through them from the end, so that it is the first.
    return dict(zip(reversed(tokens), reversed(range(len(tokens))), strict=True))


def _by_case(tokens: Sequence[bytes], first_row: dict[bytes, int]) -> tuple[Ints, Ints]:
    """The rows of some tokens, and of each the first that is the same in lower case."""
    rows = np.array(sorted(first_row.values()), dtype=np.int64)
    lower = [to_text(tokens[row]).lower() for row in rows.tolist()]
    first = _first_rows(lower)
    twins = rows[np.fromiter(map(first.__getitem__, lower), dtype=np.int64, count=len(lower))]
    differ = twins != rows
    return rows[differ], twins[differ]


def _by_sign(first_row: dict[bytes, int], sign: bytes) -> tuple[Ints, Ints]:
    """The rows of some tokens that begin with the sign, and of the same ones without it."""
    signed = [
        (row, token.removeprefix(sign))
        for token, row in first_row.items()
        if token.startswith(sign)
    ]
    pairs = [(row, first_row[bare]) for row, bare in signed if bare and bare in first_row]
    rows, twins = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return rows, twins

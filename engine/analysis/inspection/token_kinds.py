"""What the tokens are made of: the script of their letters, or digits, spaces, symbols, bytes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.core.arrays import Ints
from engine.text.pretokenize import to_text
from engine.text.scripts import DIGIT, KIND_NAMES, SHARED, SPACE, STRAY, SYMBOL, ScriptTable

# How long are the tokens? In whatever they are measured.

Histogram = list[tuple[int, int]]
"""(length, how many tokens have it), ascending."""


def histogram(lengths: Ints) -> Histogram:
    """How many have each length.

    >>> histogram(np.array([1, 3, 1]))
    [(1, 2), (3, 1)]
    """
    counts = np.bincount(lengths)
    return [(length, int(counts[length])) for length in np.flatnonzero(counts).tolist()]


def mean_of(lengths: Histogram) -> float:
    """The mean length; 0 where there is none.

    >>> mean_of([(1, 2), (4, 1)])
    2.0
    """
    total = sum(count for _, count in lengths)
    return sum(length * count for length, count in lengths) / total if total else 0.0


MIXED, PART = len(KIND_NAMES), len(KIND_NAMES) + 1
"""Kinds of tokens beyond those of characters: several scripts; bytes of a character, no letter."""

TOKEN_KIND_NAMES = (*KIND_NAMES, "several scripts", "parts of characters")

_NO_SCRIPT = 255


def token_kinds(tokens: Sequence[bytes], table: ScriptTable) -> npt.NDArray[np.uint8]:
    r"""The kind of each token, a place in `TOKEN_KIND_NAMES`. No token may be empty.

    Letters go before everything else: ` 漢1` is Han. Letters that several scripts share count only
    where there are no others. Without letters stray bytes go before digits, digits before symbols,
    and whitespace is what is left of a token that holds nothing else.

    >>> kinds = token_kinds([b" the", b" 12", b"\n", b"\xe4\xb8", "aя".encode()], ScriptTable())
    >>> [TOKEN_KIND_NAMES[kind] for kind in kinds]
    ['Latin', 'digits', 'whitespace', 'parts of characters', 'several scripts']
    """
    if not tokens:
        return np.zeros(0, dtype=np.uint8)
    texts = [to_text(token) for token in tokens]
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    starts = np.cumsum(lengths) - lengths
    kinds = table.kinds("".join(texts))
    has_script = kinds > SHARED
    greatest = np.maximum.reduceat(np.where(has_script, kinds, 0), starts)
    least = np.minimum.reduceat(np.where(has_script, kinds, _NO_SCRIPT), starts)

    def some(kind: int) -> npt.NDArray[np.bool_]:
        return np.logical_or.reduceat(kinds == kind, starts)

    # From the weakest claim to the strongest; the last assignment stays.
    result = np.full(len(tokens), SPACE, dtype=np.uint8)
    for kind, name in ((SYMBOL, SYMBOL), (DIGIT, DIGIT), (STRAY, PART), (SHARED, SHARED)):
        result[some(kind)] = name
    has_script_letter = greatest > 0
    result[has_script_letter] = greatest[has_script_letter]
    result[has_script_letter & (least != greatest)] = MIXED
    return result


def kind_counts(tokens: Sequence[bytes]) -> list[tuple[str, int]]:
    """(script or other kind, tokens of that kind), the most frequent first; no token is empty.

    >>> kind_counts([b"the", b"12", b"a"])
    [('Latin', 2), ('digits', 1)]
    """
    counts = np.bincount(token_kinds(tokens, ScriptTable()), minlength=len(TOKEN_KIND_NAMES))
    named = zip(TOKEN_KIND_NAMES, counts.tolist(), strict=True)
    return sorted(((name, count) for name, count in named if count), key=lambda pair: -pair[1])

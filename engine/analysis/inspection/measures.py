"""What inspections of all models measure: lengths, kinds of tokens, and how numbers are cut.

The kind of a token is the script of its letters, or digits, spaces, symbols, bytes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.core.arrays import Ints
from engine.text.patterns import Pattern
from engine.text.pretokenize import to_texts
from engine.text.scripts import DIGIT, KIND_NAMES, SHARED, SPACE, STRAY, SYMBOL, ScriptTable

# -- lengths, in bytes or characters

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


# -- kinds of tokens

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
    texts = to_texts(tokens)
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


# -- numbers: how far the pattern cuts them, and which of them are tokens

PROBE = "1234567890123456789"
LONGEST = 4
_DIGIT = re.compile(rb"[0-9]")


@dataclass(frozen=True)
class Numbers:
    """How numbers are cut: by the pattern, and by what the vocabulary has.

    Attributes:
        longest: how many digits the pattern leaves in one pretoken; `None` if any number of them.
        from_right: whether the rest comes first: `1 234 567` instead of `123 456 7`.
        known: number of digits → (how many such numbers are tokens, how many there are).
        has_digits: whether any token holds one.
    """

    longest: int | None
    from_right: bool
    known: dict[int, tuple[int, int]]
    has_digits: bool

    @property
    def policy(self) -> str:
        """In words.

        >>> from engine.text.patterns import PATTERNS
        >>> numbers_of(PATTERNS["qwen2"], [b"0", b"1"]).policy
        'every digit alone'
        >>> numbers_of(PATTERNS["whitespace"], [b"hug"]).policy
        'no token holds a digit: numbers are unknown'
        """
        if not self.has_digits:
            return "no token holds a digit: numbers are unknown"
        if self.longest == 1:
            return "every digit alone"
        whole = [n for n, (have, of) in self.known.items() if have == of]
        most = max(whole, default=0)
        if self.longest is not None:
            side = "right" if self.from_right else "left"
            cut = f"groups of up to {self.longest} digits, from the {side}"
            return cut if most >= self.longest else f"{cut}; not all are tokens"
        if any(have for digits, (have, _) in self.known.items() if digits > 1):
            return "whole numbers, cut as the vocabulary has it"
        return "every digit alone, since no token joins digits"


def numbers_of(pattern: Pattern, tokens: Collection[bytes]) -> Numbers:
    """How a pattern and these tokens cut numbers."""
    pieces = [piece for piece in pattern.split(PROBE) if piece]
    longest = max(map(len, pieces))
    known = {}
    have = frozenset(tokens)
    for digits in range(1, LONGEST + 1):
        count = sum(b"%0*d" % (digits, value) in have for value in range(10**digits))
        known[digits] = count, 10**digits
    uncut = longest == len(PROBE)
    has_digits = any(map(_DIGIT.search, have))
    return Numbers(None if uncut else longest, len(pieces[0]) < longest, known, has_digits)

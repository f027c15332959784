"""How does a tokenizer cut numbers? What the pattern allows, and what the vocabulary has."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from engine.text.patterns import Pattern

PROBE = "1234567890123456789"
LONGEST = 4
_DIGIT = re.compile(rb"[0-9]")


@dataclass(frozen=True)
class Numbers:
    """The pattern's part and the vocabulary's.

    Attributes:
        longest: how many digits the pattern leaves in one pretoken; `None` if any number of them.
        from_right: whether the rest comes first: `1 234 567` instead of `123 456 7`.
        known: of how many digits → (such numbers that are tokens, such numbers there are).
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
    """What a pattern and a vocabulary do with numbers."""
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

"""Tokens and merges by their bytes, as sentences quote them.

A token may be any bytes, so the caller says how it is written: `spell` gives GPT-2's spelling, in
which a space is `Ġ`; a screen has its own way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from engine.core.events import Pair
from engine.encoding.rules import EncodingRules

Show = Callable[[bytes], str]
"""How a token is written in a sentence."""


@dataclass(frozen=True)
class Part:
    """A token with the rank of the merge that makes it; `None` for bytes and special tokens."""

    token: bytes
    rank: int | None

    def describe(self, show: Show) -> str:
        return show(self.token) if self.rank is None else f"{show(self.token)} (rank {self.rank:,})"


@dataclass(frozen=True)
class Merge:
    """A merge with the bytes of its tokens."""

    rank: int
    left: bytes
    right: bytes

    def describe(self, show: Show) -> str:
        return f"{show(self.left)} + {show(self.right)} (rank {self.rank:,})"


def parts_of(rules: EncodingRules, tokens: Iterable[int]) -> tuple[Part, ...]:
    """Token ids with their bytes and ranks."""
    made = ((token, rules.made_by(token)) for token in tokens)
    return tuple(Part(rules.vocab[token], by.rank if by else None) for token, by in made)


def merge_of(rules: EncodingRules, rank: int, pair: Pair) -> Merge:
    """A merge by its rank and the ids of its parts."""
    return Merge(rank, rules.vocab[pair[0]], rules.vocab[pair[1]])


def merge_making(rules: EncodingRules, token_id: int) -> Merge | None:
    """The first merge that makes a token; `None` for bytes and special tokens."""
    if (made := rules.made_by(token_id)) is None:
        return None
    return merge_of(rules, made.rank, made.pair)


def describe_parts(parts: Iterable[Part], show: Show) -> str:
    """The tokens with their ranks: `un (rank 87) + b + le (rank 112)`."""
    return " + ".join(part.describe(show) for part in parts)

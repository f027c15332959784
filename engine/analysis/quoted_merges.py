"""Tokens and merges as explanations quote them, by their bytes.

`RankedToken` and `Merge` hold the bytes; the caller of `describe` decides how bytes are written.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from engine.core.characters import whole_characters
from engine.core.events import Pair
from engine.core.wording import ENGLISH, Messages, ShowBytes, Words, describe, is_partial, text_of
from engine.encoding.rules import EncodingRules


class RankedToken(NamedTuple):
    """A token with the rank of the merge that makes it; `None` for bytes and special tokens."""

    token: bytes
    rank: int | None

    def words(self, messages: Messages = ENGLISH) -> Words:
        """Return the words of `un (merge 88)`, or only `b`."""
        template = " (merge {rank})"
        return (
            (self.token,)
            if self.rank is None
            else (self.token, text_of(messages, template, rank=f"{self.rank + 1:,}"))
        )


class Merge(NamedTuple):
    """A merge with the bytes of its tokens."""

    rank: int
    left: bytes
    right: bytes

    def describe(self, show: ShowBytes, messages: Messages = ENGLISH) -> str:
        """Return `u + n (merge 88)`."""
        template = "{left} + {right} (merge {rank})"
        return text_of(
            messages,
            template,
            left=show(self.left),
            right=show(self.right),
            rank=f"{self.rank + 1:,}",
        )


def ranked_tokens(rules: EncodingRules, tokens: Iterable[int]) -> tuple[RankedToken, ...]:
    """Return the bytes and ranks of token ids."""
    made = ((token, rules.makers.get(token)) for token in tokens)
    return tuple(RankedToken(rules.vocab[token], by.rank if by else None) for token, by in made)


def merge_of(rules: EncodingRules, rank: int, pair: Pair) -> Merge:
    """Return a merge by its rank and the ids of its parts."""
    return Merge(rank, rules.vocab[pair[0]], rules.vocab[pair[1]])


def merge_making(rules: EncodingRules, token_id: int) -> Merge | None:
    """Return the first merge that makes a token; `None` for bytes and special tokens."""
    if (made := rules.makers.get(token_id)) is None:
        return None
    return merge_of(rules, made.rank, made.pair)


def merge_to_come(rules: EncodingRules, token: bytes) -> Merge | None:
    """Return the merge of a later step that makes a token; `None` if none is known to."""
    if token not in rules.later:
        return None
    first, rank = rules.merges, rules.merges + rules.later.index(token)
    pairs = [pair for pair, (at, _) in rules.table.items() if at == rank]
    if not pairs:  # the table of a replay ends at its step
        return None
    left, right = pairs[0]
    made = {token: at for at, token in rules.table.values() if token in (left, right)}
    parts = (rules.vocab.get(part) or rules.later[made[part] - first] for part in (left, right))
    return Merge(rank, *parts)


def words_of_ranked(parts: Iterable[RankedToken], messages: Messages = ENGLISH) -> Words:
    """Return the words of tokens with their merges: `un (merge 88) + b + le (merge 113)`.

    Tokens that cut characters follow the characters in brackets: `我 (<E6 88> (merge 7) + <91>)`.
    """
    words: list[str | bytes] = []
    ranked, start = list(parts), 0
    for together in whole_characters(part.token for part in ranked):
        shown: list[str | bytes] = []
        for part in ranked[start : start + len(together)]:
            shown += (" + ", *part.words(messages))
        start += len(together)
        characters = b"".join(together)
        if len(together) > 1 and not is_partial(characters):
            shown = [" + ", characters, " (", *shown[1:], ")"]
        words += shown
    return tuple(words[1:])


def describe_ranked(
    parts: Iterable[RankedToken], show: ShowBytes, messages: Messages = ENGLISH
) -> str:
    """Return tokens with their merges as text."""
    return describe(words_of_ranked(parts, messages), show)


def describe_tokens(tokens: Iterable[bytes], show: ShowBytes, messages: Messages = ENGLISH) -> str:
    """Return tokens as text, without their merges: `un + b + le`."""
    return describe_ranked((RankedToken(token, None) for token in tokens), show)

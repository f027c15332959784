"""Tokens and merges as explanations quote them, by their bytes.

They are sentences with the bytes of tokens, so who shows them decides how bytes are written.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from engine.core.characters import whole_characters
from engine.core.events import Pair
from engine.core.wording import Sentence, is_partial, say
from engine.encoding.rules import EncodingRules


class RankedToken(NamedTuple):
    """A token with the rank of the merge that makes it; `None` for bytes and special tokens."""

    token: bytes
    rank: int | None

    @property
    def sentence(self) -> Sentence:
        """The token as it is quoted: `un (merge 88)`, or only `b`."""
        if self.rank is None:
            return say("{token}", token=self.token)
        return say("{token} (merge {n})", token=self.token, n=f"{self.rank + 1:,}")


class Merge(NamedTuple):
    """A merge with the bytes of its tokens."""

    rank: int
    left: bytes
    right: bytes

    @property
    def sentence(self) -> Sentence:
        """The merge as it is quoted: `u + n (merge 88)`."""
        return say(
            "{left} + {right} (merge {n})", left=self.left, right=self.right, n=f"{self.rank + 1:,}"
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


def quoted(parts: Iterable[RankedToken]) -> Sentence:
    """Quote tokens with their merges: `un (merge 88) + b + le (merge 113)`.

    Tokens that cut characters follow the characters in brackets: `我 (<E6 88> (merge 7) + <91>)`.
    """
    ranked = list(parts)
    values: dict[str, Any] = {f"part{n}": part.sentence for n, part in enumerate(ranked)}
    groups: list[str] = []
    start = 0
    for together in whole_characters(part.token for part in ranked):
        group = " + ".join(f"{{part{n}}}" for n in range(start, start + len(together)))
        characters = b"".join(together)
        if len(together) > 1 and not is_partial(characters):
            values[f"whole{start}"] = characters
            group = f"{{whole{start}}} ({group})"
        groups.append(group)
        start += len(together)
    return say(" + ".join(groups), **values)

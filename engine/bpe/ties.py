"""Tie rules: which of several pairs with the same top count merges.

A rule gives every pair a key; the *least* key wins. Four of the five keys depend on the pair alone.
`first-seen` depends on where the pair stands in the corpus now, so its keys change from step to
step; `TieRule.static` tells the two kinds apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.core.events import Pair
from engine.core.gpt2_bytes import BYTE_TO_CHAR
from engine.core.registry import Registry, registry_of
from engine.recording.numbering import TokensById

Key = Any
"""Something comparable; two keys of one rule always compare."""

PairKey = Callable[[Pair], Key]
FirstSeen = Callable[[Pair], tuple[int, int]]
"""Where a pair first stands now: (index of the pretoken, position in it)."""


def never_seen(pair: Pair) -> tuple[int, int]:
    """The `first_seen` of a static rule, which never asks."""
    raise AssertionError("a static tie rule does not ask where a pair stands")


@dataclass(frozen=True)
class TieRule:
    """A named rule. `make_key(vocab, first_seen)` gives the key function for one run.

    `vocab` may grow while the key function is in use; `first_seen` is called by rules that are not
    static, and only by them.
    """

    name: str
    summary: str
    make_key: Callable[[TokensById, FirstSeen], PairKey]
    static: bool = True


class _Descending(dict[int, str]):
    """token id → a string that sorts the other way round than the token's bytes.

    Each byte is turned upside down, and a character above all of them ends the string, so that a
    prefix sorts *after* what it begins. Strings compare in C, which a class of our own would not.
    """

    _FLIPPED = bytes(255 - byte for byte in range(256))

    def __init__(self, vocab: TokensById) -> None:
        self._vocab = vocab

    def __missing__(self, token_id: int) -> str:
        flipped = self._vocab[token_id].translate(self._FLIPPED).decode("latin-1") + "\u0100"
        self[token_id] = flipped
        return flipped


def _greatest_bytes(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    descending = _Descending(vocab)
    return lambda pair: (descending[pair[0]], descending[pair[1]])


def _first_seen(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    return first_seen


def _smallest_ids(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    return lambda pair: pair


def _huggingface(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    if not _begins_with_bytes(vocab):
        return lambda pair: pair  # characters are numbered by their code points already
    by_char = sorted(range(256), key=lambda byte: BYTE_TO_CHAR[byte])
    base_id = {byte: place for place, byte in enumerate(by_char)}
    return lambda pair: (base_id.get(pair[0], pair[0]), base_id.get(pair[1], pair[1]))


def _begins_with_bytes(vocab: TokensById) -> bool:
    try:
        return all(vocab[byte] == bytes((byte,)) for byte in range(256))
    except LookupError:
        return False


def _shortest_piece(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    def key(pair: Pair) -> Key:
        left, right = vocab[pair[0]], vocab[pair[1]]
        return len(left) + len(right), left + right, len(left)

    return key


TIE_RULES: Registry[TieRule] = registry_of(
    "tie rule",
    TieRule(
        "lexicographic",
        "the greater (left bytes, right bytes) wins; Stanford CS336's rule",
        _greatest_bytes,
    ),
    TieRule(
        "first-seen",
        "the pair met first in the corpus as it is now wins; minbpe's rule",
        _first_seen,
        static=False,
    ),
    TieRule(
        "smallest-ids",
        "the smaller (left id, right id) wins; rustbpe's rule",
        _smallest_ids,
    ),
    TieRule(
        "huggingface",
        "the smaller ids win, bytes numbered by their printable stand-ins (Ġ late)",
        _huggingface,
    ),
    TieRule(
        "sentencepiece",
        "the shorter joined token wins, then the smaller bytes",
        _shortest_piece,
    ),
)

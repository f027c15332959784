"""Tie rules: the choice among several pairs that share the top count.

A rule gives every pair a key; the *least* key wins. Most keys depend on the pair alone. The key of
`first-seen` is the pair's first occurrence in the present corpus, so it changes from step to step;
`TieRule.static` is false for such a rule.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from engine.core.events import Pair
from engine.core.gpt2_bytes import BYTE_TO_CHAR
from engine.core.registry import Registry, registry_of
from engine.core.wording import Sentence, say
from engine.recording.merge_record import TokensById
from engine.text.pretokenize import to_text

TieKey = Any
"""Any value; two keys of one rule can be compared."""

PairKey = Callable[[Pair], TieKey]
FirstSeen = Callable[[Pair], tuple[int, int]]
"""Returns the first occurrence of a pair now: (index of the pretoken, position in it)."""


def never_seen(pair: Pair) -> tuple[int, int]:
    """A `first_seen` for static rules, which never call it."""
    raise AssertionError("a static tie rule does not ask where a pair occurs")


Explain = Callable[[TokensById, Pair, Pair], Sentence]
"""Returns the reason why a rule takes the first pair before the second, as a clause."""


TieRuleName = Literal["lexicographic", "first-seen", "smallest-ids", "huggingface", "sentencepiece"]


class TieRule(NamedTuple):
    """A named tie rule.

    Attributes:
        summary: one sentence about the pair that wins.
        make_key: `make_key(vocab, first_seen)` returns the key function for one run. `vocab` may
            grow while it is in use. Only rules that are not static call `first_seen`.
        explain: `explain(vocab, winner, rival)` returns the reason why the winner is first:
            `s is later in byte order than e`.
        static: whether the keys never change.
        left_first: whether a key is (key of the left token, key of the right token).
        used_by: who uses it, if its name does not say so.
    """

    name: str
    summary: str
    make_key: Callable[[TokensById, FirstSeen], PairKey]
    explain: Explain | None = None
    static: bool = True
    left_first: bool = False
    used_by: str = ""

    @property
    def title(self) -> str:
        """Its name, and who uses it: `first-seen (minbpe)`."""
        return f"{self.name} ({self.used_by})" if self.used_by else self.name

    @property
    def in_short(self) -> str:
        """The first clause of the summary."""
        return self.summary.split(";")[0]

    def reason(self, vocab: TokensById, winner: Pair, rival: Pair) -> Sentence:
        """Return the reason why the rule takes `winner` before `rival`, as a clause."""
        if self.explain is None:
            return say(self.in_short)
        return self.explain(vocab, winner, rival)


class _Descending(dict[int, str]):
    """token id → a string that sorts in the reverse order of the token's bytes.

    Each byte b becomes 255 − b, and a character above all of them ends the string, so a prefix
    sorts *after* the longer token. Strings are compared in C, unlike a class of our own.
    """

    _FLIPPED = bytes(255 - byte for byte in range(256))

    def __init__(self, vocab: TokensById) -> None:
        self._vocab = vocab

    def __missing__(self, token_id: int) -> str:
        flipped = self._vocab[token_id].translate(self._FLIPPED).decode("latin-1") + "\u0100"
        self[token_id] = flipped
        return flipped


# Keys and reasons are functions with names, so that a step can be pickled with its rule.


def _by_ids(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    return lambda pair: pair


def _first_seen(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    return first_seen


def _seen_first(vocab: TokensById, winner: Pair, rival: Pair) -> Sentence:
    return say("it occurs first in the corpus as it is now")


def _greatest_bytes(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    descending = _Descending(vocab)
    return lambda pair: (descending[pair[0]], descending[pair[1]])


def _huggingface(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    if not _begins_with_bytes(vocab):
        return lambda pair: pair  # characters are already numbered by their code points
    by_char = sorted(range(256), key=lambda byte: BYTE_TO_CHAR[byte])
    base_id = {byte: place for place, byte in enumerate(by_char)}
    return lambda pair: (base_id.get(pair[0], pair[0]), base_id.get(pair[1], pair[1]))


def _begins_with_bytes(vocab: TokensById) -> bool:
    try:
        return all(vocab[byte] == bytes((byte,)) for byte in range(256))
    except LookupError:
        return False


def _shortest_piece(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    """Return the key by length: in bytes, or in characters as SentencePiece does."""
    in_bytes = _begins_with_bytes(vocab)

    def key(pair: Pair) -> TieKey:
        left, right = vocab[pair[0]], vocab[pair[1]]
        joined = left + right
        return len(joined if in_bytes else to_text(joined)), joined, len(left)

    return key


# -- reasons why a rule takes one pair before another of the same count, as clauses


def _later_bytes(vocab: TokensById, winner: Pair, rival: Pair) -> Sentence:
    if vocab[winner[0]] != vocab[rival[0]]:
        at, template = 0, "{more} is later in byte order than {less}"
    else:
        at, template = 1, "same left token, and {more} is later in byte order than {less}"
    return say(template, more=vocab[winner[at]], less=vocab[rival[at]])


def _smaller_id(vocab: TokensById, winner: Pair, rival: Pair) -> Sentence:
    if winner[0] != rival[0]:
        at, template = 0, "its left id {less} is smaller than {more}"
    else:
        at, template = 1, "same left token, and its right id {less} is smaller than {more}"
    return say(template, less=str(winner[at]), more=str(rival[at]))


def _earlier_stand_in(vocab: TokensById, winner: Pair, rival: Pair) -> Sentence:
    if winner[0] != rival[0]:
        at = 0
        template = "{less} has a smaller id than {more} where bytes are numbered as GPT-2 does"
    else:
        at = 1
        template = (
            "same left token, and {less} has a smaller id than {more} where bytes are numbered as "
            "GPT-2 does"
        )
    return say(template, less=vocab[winner[at]], more=vocab[rival[at]])


def _shorter_piece(vocab: TokensById, winner: Pair, rival: Pair) -> Sentence:
    joined, other = (vocab[left] + vocab[right] for left, right in (winner, rival))
    length, longer, template = len(joined), len(other), "{few} bytes joined, fewer than {many}"
    if not _begins_with_bytes(vocab):
        length, longer = len(to_text(joined)), len(to_text(other))
        template = "{few} characters joined, fewer than {many}"
    if length != longer:
        return say(template, few=f"{length:,}", many=f"{longer:,}")
    if joined != other:
        return say("as long, and {one} is earlier than {other}", one=joined, other=other)
    return say("the same bytes joined, and its left token is the shorter one")


TIE_RULES: Registry[TieRuleName, TieRule] = registry_of(
    "tie rule",
    TieRule(
        "lexicographic",
        "later in byte order wins, left tokens first; Stanford CS336's rule",
        _greatest_bytes,
        _later_bytes,
        left_first=True,
        used_by="CS336",
    ),
    TieRule(
        "first-seen",
        "the pair met first in the corpus as it is now wins; minbpe's rule",
        _first_seen,
        _seen_first,
        static=False,
        used_by="minbpe",
    ),
    TieRule(
        "smallest-ids",
        "the smaller (left id, right id) wins; rustbpe's rule",
        _by_ids,
        _smaller_id,
        left_first=True,
        used_by="rustbpe",
    ),
    TieRule(
        "huggingface",
        "the smaller ids win, bytes numbered by their printable stand-ins (Ġ late)",
        _huggingface,
        _earlier_stand_in,
        left_first=True,
    ),
    TieRule(
        "sentencepiece",
        "the shorter joined token wins, then the smaller bytes",
        _shortest_piece,
        _shorter_piece,
    ),
)

"""Tie rules that nobody means to use, but that slip in; a check tries them beside `TIE_RULES`."""

from __future__ import annotations

from collections.abc import Callable

from engine.bpe.ties import TIE_RULES, FirstSeen, Key, PairKey, TieRule
from engine.core.events import Pair
from engine.core.gpt2_bytes import spell
from engine.recording.numbering import TokensById


def _smallest(key_of: Callable[[bytes], Key]) -> Callable[[TokensById, FirstSeen], PairKey]:
    """The rule whose winner has the smallest (left, right), each token seen through a function."""

    def make_key(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
        return lambda pair: (key_of(vocab[pair[0]]), key_of(vocab[pair[1]]))

    return make_key


def _greatest(text_of: Callable[[bytes], str]) -> Callable[[TokensById, FirstSeen], PairKey]:
    """The rule whose winner has the greatest (left, right), each token as a text."""
    return _smallest(lambda token: turned(text_of(token)))


def turned(text: str) -> tuple[int, ...]:
    """A key that sorts texts the other way round: a prefix comes behind what it begins.

    >>> min(["a", "ab", "b"], key=turned), min(["a", "ab"], key=turned)
    ('b', 'ab')
    """
    return (*(-ord(char) for char in text), 1)


def _greatest_ids(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    return lambda pair: (-pair[0], -pair[1])


def _greatest_joined(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    return lambda pair: turned((vocab[pair[0]] + vocab[pair[1]]).decode("latin-1"))


def _first_counted(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    entered: dict[Pair, Key] = {}

    def key(pair: Pair) -> Key:
        # A pair is asked for when it is counted first: at the merge that made its younger token.
        if pair not in entered:
            entered[pair] = max(*pair, 255), first_seen(pair)
        return entered[pair]

    return key


STRAY_ORDERS = (
    TieRule("smallest bytes", "the smaller (left bytes, right bytes) wins", _smallest(lambda t: t)),
    TieRule(
        "first counted",
        "the pair that entered the dict of counts first wins, as with max(counts, key=counts.get)",
        _first_counted,
    ),
    TieRule("greatest ids", "the greater (left id, right id) wins", _greatest_ids),
    TieRule(
        "greatest spelling",
        "the greater pair of strings in GPT-2's spelling (Ġ for a space) wins, not of bytes",
        _greatest(spell),
    ),
    TieRule(
        "smallest spelling",
        "the smaller pair of strings in GPT-2's spelling (Ġ for a space) wins, not of bytes",
        _smallest(spell),
    ),
    TieRule(
        "greatest text",
        "the greater pair of strings decoded from UTF-8 wins, not of bytes",
        _greatest(lambda token: token.decode("utf-8", "replace")),
    ),
    TieRule("greatest joined", "the pair whose joined bytes are greater wins", _greatest_joined),
)

ORDERS = (*TIE_RULES.values(), *STRAY_ORDERS)

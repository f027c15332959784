"""Tie rules and patterns that nobody means to use, but that slip in.

A check tries them beside `TIE_RULES` and `PATTERNS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import regex

from engine.bpe.ties import TIE_RULES, FirstSeen, PairKey, TieKey, TieRule
from engine.core.events import Pair
from engine.core.gpt2_bytes import spell
from engine.recording.merge_record import TokensById
from engine.text.pretokenize import to_bytes


def _smallest(key_of: Callable[[bytes], TieKey]) -> Callable[[TokensById, FirstSeen], PairKey]:
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


def _greatest_right(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    return lambda pair: (_latin(vocab[pair[1]]), _latin(vocab[pair[0]]))


def _longest(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    def key(pair: Pair) -> TieKey:
        left, right = vocab[pair[0]], vocab[pair[1]]
        return -len(left) - len(right), _latin(left), _latin(right)

    return key


def _latin(token: bytes) -> tuple[int, ...]:
    return turned(token.decode("latin-1"))


def _greatest_joined(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    return lambda pair: _latin(vocab[pair[0]] + vocab[pair[1]])


def _first_counted(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    entered: dict[Pair, TieKey] = {}

    def key(pair: Pair) -> TieKey:
        # A pair is asked for when it is counted first: at the merge that made its younger token.
        if pair not in entered:
            entered[pair] = max(*pair, 255), first_seen(pair)
        return entered[pair]

    return key


def _last_seen(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    def key(pair: Pair) -> TieKey:
        pretoken, position = first_seen(pair)
        return -pretoken, -position

    return key


ORDERS = (
    *TIE_RULES.values(),
    TieRule("smallest bytes", "the smaller (left bytes, right bytes) wins", _smallest(lambda t: t)),
    TieRule(
        "first counted",
        "the pair that entered the dict of counts first wins, as with max(counts, key=counts.get)",
        _first_counted,
    ),
    TieRule(
        "last seen",
        "the pair met last in the corpus as it is now wins, as with >= in a loop for the greatest",
        _last_seen,
        static=False,
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
    TieRule(
        "greatest repr",
        "the greater pair of reprs wins, where b'\\n' is spelled with a backslash, not of bytes",
        _greatest(repr),
    ),
    TieRule("right first", "the greater (right bytes, left bytes) wins", _greatest_right),
    TieRule(
        "longest token",
        "the longer joined token wins, then the greater (left bytes, right bytes)",
        _longest,
    ),
    TieRule("greatest joined", "the pair whose joined bytes are greater wins", _greatest_joined),
)


@dataclass(frozen=True)
class StrayPattern:
    """A regex of which only the matches are counted: what stands between them is lost.

    Python's own `re` and `regex` mean the same by all of these.
    """

    source: str

    def count(self, texts: Iterable[str]) -> Counter[bytes]:
        r"""How often each match occurs in these texts.

        >>> StrayPattern(r"\w+").count(["low, low"])
        Counter({b'low': 2})
        """
        compiled = regex.compile(self.source)
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(match.group() for match in compiled.finditer(text))
        return Counter({to_bytes(text): count for text, count in counts.items() if text})


STRAY_PATTERNS = tuple(
    map(
        StrayPattern,
        (
            r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+",
            r"'(?:[sdmt]|ll|ve|re)| ?[a-zA-Z]+| ?[0-9]+| ?[^\sa-zA-Z0-9]+|\s+(?!\S)|\s+",
            r"'(?:[sdmt]|ll|ve|re)|\p{L}+|\p{N}+|[^\s\p{L}\p{N}]+|\s+",
            r" ?\w+| ?[^\s\w]+|\s+(?!\S)|\s+",
            r" ?\w+| ?[^\s\w]+|\s+",
            r" ?\w+| ?[^\s\w]+",
            r" ?\w+|[^\s\w]+",
            r"\w+|[^\w\s]+|\s+",
            r"\w+|[^\w\s]+",
            r"\w+|[^\w\s]",
            r"\w+|\W+",
            r"\w+",
            r" ?\S+",
            r"\S+",
            r"[^ ]+",
        ),
    )
)

"""The greedy longest match, compared with BPE: the first token that only it takes, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.analysis.quoted_merges import Merge, RankedToken, merge_of, quoted, ranked_tokens
from engine.core.wording import Sentence, say
from engine.encoding.alphabet import Alphabet
from engine.encoding.rules import HasRules, first_merge_across

GreedyToken = tuple[int, int]
"""A token that the greedy match takes: its id, and where it ends in bytes."""


class Greedy:
    """The greedy longest match: from the left, always take the longest token that fits.

    This is how WordPiece is applied (Schuster and Nakajima 2012, and BERT after them). Many take it
    for byte-pair encoding, but it ignores the order of the merges, so its ids often differ.

    Args:
        ids: token → id, for ordinary tokens.
        alphabet: spells the text where no token begins.
        ending_ids: token → id, for tokens that only occur at the end. They are tried first there.

    >>> from engine.encoding.alphabet import ByteAlphabet
    >>> ids = {b"a": 0, b"b": 1, b"c": 2, b"ab": 3, b"bc": 4}
    >>> list(Greedy(ids, ByteAlphabet(range(256))).takes(b"abc"))
    [(3, 2), (2, 3)]
    """

    name = "greedy"

    def __init__(
        self,
        ids: Mapping[bytes, int],
        alphabet: Alphabet,
        ending_ids: Mapping[bytes, int] = MappingProxyType({}),
    ) -> None:
        self._ids = ids
        self._alphabet = alphabet
        self._ending_ids = ending_ids
        self._lengths = sorted({1, *map(len, (*ids, *ending_ids))} - {0}, reverse=True)

    def takes(self, pretoken: bytes) -> Iterator[GreedyToken]:
        """Yield the tokens from left to right."""
        if not self._alphabet.spell(pretoken):
            return
        start = 0
        while start < len(pretoken):
            near = pretoken[start : start + self._lengths[0]]
            is_rest = start + len(near) == len(pretoken)
            if is_rest and (ending := self._ending_ids.get(near)) is not None:
                yield ending, len(pretoken)
                return
            token = next((near[:n] for n in self._lengths if near[:n] in self._ids), None)
            if token is not None:
                token_id, end = self._ids[token], start + len(token)
            else:  # no token begins here
                rest, inside = pretoken[start:], self._alphabet.inside
                if not inside.spell(rest):  # the rest has no token
                    return
                token_id, end = inside.spell(rest)[0], start + inside.edges(rest)[1]
            yield token_id, end
            start = end
        if self._alphabet.marker is not None:
            yield self._alphabet.marker, start


@dataclass(frozen=True)
class TooGreedy:
    """Greedy takes `token`; the merges go across its end with `merge`, or leave it in `parts`."""

    token: bytes
    merge: Merge | None
    parts: tuple[RankedToken, ...]

    @property
    def sentence(self) -> Sentence:
        """The sentence about the token that greedy takes, and about the merges."""
        token, merge = self.token, self.merge
        if merge is None:
            return say(NO_MERGE, token=token, parts=quoted(self.parts))
        return say(ACROSS, token=token, merge=merge.sentence)


ACROSS = (
    "The greedy longest match takes {token} here; the merges join {merge} across its end, so "
    "{token} never forms."
)
NO_MERGE = (
    "The greedy longest match takes {token} here; the merges make {parts} of its bytes, and no "
    "merge goes on."
)


def where_greedy_differs(source: HasRules, pretoken: bytes) -> TooGreedy | None:
    """Return the first token that greedy takes and the merges do not end with; else `None`.

    Args:
        source: a tokenizer or a frame.

    >>> from engine.encoding.tokenizer import Tokenizer
    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"bc", 257: b"ab"}
    >>> tokenizer = Tokenizer(vocab, [(b"b", b"c"), (b"a", b"b")])
    >>> print(where_greedy_differs(tokenizer, b"abc").sentence.describe())
    The greedy longest match takes ab here; the merges join b + c (merge 1) across its end, \
so ab never forms.
    """
    rules = source.rules
    taken = list(Greedy(rules.ids, rules.alphabet, rules.ending_ids).takes(pretoken))
    end = rules.tokens_of(pretoken)
    if tuple(token_id for token_id, _ in taken) == tuple(end):
        return None
    place = next(place for place, (token_id, _) in enumerate(taken) if token_id != end[place])
    token_id, border = taken[place]
    token = rules.vocab[token_id]
    if (across := first_merge_across(rules, pretoken, [border])) is not None:
        return TooGreedy(token, merge_of(rules, across.rank, across.pair), ())
    # Greedy's token is the longest that fits, so the merges' tokens there lie inside it.
    return TooGreedy(token, None, ranked_tokens(rules, rules.tokens_alone(token_id)))

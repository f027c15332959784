"""Several ways to encode one pretoken, step by step side by side, up to where they part.

The ways that apply merges (all in order, the rank loop, the cache) take the same steps if the
merges were learnt in their order. The greedy longest match takes tokens from the left instead. It
parts from them with the first token that the merges do not end with: they either join its last
byte to the next one, or leave it in parts. The lockstep stops where this can be seen on both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from types import MappingProxyType

from engine.core.events import EncodeStep, Pair
from engine.core.gpt2_bytes import spell
from engine.core.wording import ShowBytes
from engine.encoding.alphabet import Alphabet
from engine.encoding.encoders import Cached, MergeOrder, RankLoop
from engine.encoding.rules import (
    EncodingRules,
    HasRules,
    Merge,
    RankedToken,
    describe_ranked,
    first_merge_across,
    merge_of,
    ranked_tokens,
)

# Greedy longest match: not byte-pair encoding, but what many take it for.
#
# From the left, take the longest token of the vocabulary that the text goes on with, and again from
# its end: how WordPiece is applied (Schuster and Nakajima 2012, and BERT after them). It looks at
# the vocabulary alone and never at the merges' order, so its ids often differ from those of
# byte-pair encoding with the very same vocabulary. That is why it is not among `ENCODERS`, which
# all agree; it stands beside them so that the difference can be shown.


class Greedy:
    """Takes the longest token, again and again.

    Args:
        ids: token → id, for ordinary tokens.
        alphabet: what spells a place at which no token begins.
        ending_ids: the same for tokens that can only stand at the end, which go first there.

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
        self._longest = max(map(len, (*ids, *ending_ids)), default=1)

    def takes(self, pretoken: bytes) -> Iterator[tuple[int, int]]:
        """The tokens that it takes, from left to right: each id with where it ends, in bytes."""
        if not self._alphabet.spell(pretoken):
            return
        start = 0
        while start < len(pretoken):
            if len(pretoken) - start <= self._longest:
                ending = self._ending_ids.get(pretoken[start:])
                if ending is not None:
                    yield ending, len(pretoken)
                    return
            token_id, end = self._longest_at(pretoken, start)
            yield token_id, end
            start = end
        if self._alphabet.marker is not None:
            yield self._alphabet.marker, start

    def _longest_at(self, pretoken: bytes, start: int) -> tuple[int, int]:
        """The longest token from here on, and where it ends."""
        end = min(start + self._longest, len(pretoken))
        while (token_id := self._ids.get(pretoken[start:end])) is None and end > start + 1:
            end -= 1
        if token_id is not None:
            return token_id, end
        rest, inside = pretoken[start:], self._alphabet.inside
        return inside.spell(rest)[0], start + inside.edges(rest)[1]


Taken = tuple[int, int]
"""A token that greedy takes: its id, and where it ends in bytes."""


@dataclass(frozen=True)
class Move:
    """What one way to encode does in one step.

    Attributes:
        note: what it does, in words.
        tokens: what it has then; what it has not come to yet stands there in single bytes.
        pair, taken: the pair that it merges, or the token that it takes, if any.
    """

    note: str
    tokens: tuple[int, ...]
    pair: Pair | None = None
    taken: int | None = None


@dataclass(frozen=True)
class Lane:
    """One way to encode: `moves[0]` is how it starts, `moves[k]` its k-th step."""

    name: str
    moves: tuple[Move, ...]

    def at(self, step: int) -> Move:
        """Its last move by a step; at its end it stays as it is."""
        return self.moves[min(step, len(self.moves) - 1)]


@dataclass(frozen=True)
class GoesBack:
    """The rank loop comes to `merge`, which merge order has passed: only odd lists have this."""

    step: int
    merge: Merge

    def describe(self, show: ShowBytes = spell) -> str:
        merge = self.merge.describe(show)
        return (
            f"The rank loop goes back to {merge}, whose parts a later merge made; merge order "
            "tries each merge once and has passed it."
        )


@dataclass(frozen=True)
class TooGreedy:
    """Greedy took `token`; the merges go across its end with `merge`, or leave it in `parts`."""

    step: int
    token: bytes
    merge: Merge | None
    parts: tuple[RankedToken, ...]

    def describe(self, show: ShowBytes = spell) -> str:
        token = show(self.token)
        took = f"greedy took {token}, the longest token that fits; the merges"
        if self.merge is None:
            parts = describe_ranked(self.parts, show)
            return f"{took} make {parts} of its bytes, and no merge goes on."
        return f"{took} join {self.merge.describe(show)} across its end, so {token} never forms."


Parting = GoesBack | TooGreedy


@dataclass(frozen=True)
class Lockstep:
    """The lanes, where they part if they do, and how many steps there are until then."""

    lanes: tuple[Lane, ...]
    parting: Parting | None

    @property
    def steps(self) -> int:
        """How many steps there are, up to where the lanes part."""
        if self.parting is not None:
            return self.parting.step
        return max((len(lane.moves) for lane in self.lanes), default=1) - 1


def lockstep(source: HasRules, pretoken: bytes, seen_before: bool = False) -> Lockstep:
    """The ways to encode a pretoken, step by step, up to where they part.

    Args:
        source: a tokenizer or a frame.
        seen_before: the cache has the pretoken's ids already.

    >>> from engine.encoding.tokenizer import Tokenizer
    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"bc", 257: b"ab"}
    >>> both = lockstep(Tokenizer(vocab, [(b"b", b"c"), (b"a", b"b")]), b"abc")
    >>> print(both.steps, both.parting.describe())
    1 greedy took ab, the longest token that fits; the merges join b + c (rank 0) across its end, \
so ab never forms.
    """
    rules = source.rules
    start = Move(f"single {rules.alphabet.unit}s", tuple(rules.alphabet.spell(pretoken)))
    in_order = list(_steps_in_order(rules, pretoken))
    loop = list(rules.steps(pretoken))
    end = loop[-1].after if loop else start.tokens
    taken = list(Greedy(rules.ids, rules.alphabet, rules.ending_ids).takes(pretoken))
    moves = {
        MergeOrder.name: _moves_in_order(in_order),
        RankLoop.name: [_loop_move(step) for step in loop],
        Cached.name: [Move("found in the cache", end)] if seen_before else _first_time(loop),
        Greedy.name: _greedy_moves(rules, pretoken, taken),
    }
    partings: list[Parting | None] = [
        _where_orders_part(rules, in_order, loop),
        _where_greed_parts(rules, pretoken, taken, loop),
    ]
    found = [parting for parting in partings if parting is not None]
    return Lockstep(
        tuple(Lane(name, (start, *made)) for name, made in moves.items()),
        min(found, key=lambda parting: parting.step, default=None),
    )


def _steps_in_order(rules: EncodingRules, pretoken: bytes) -> Iterator[EncodeStep]:
    table = dict(islice(rules.table.items(), rules.merges))
    return MergeOrder(rules.alphabet, table).steps(pretoken)


def _moves_in_order(steps: Iterable[EncodeStep]) -> list[Move]:
    moves, last = [], -1
    for step in steps:
        tried = f"tries ranks {last + 1:,} to {step.rank:,}"
        note = "the same merge, further right" if step.rank == last else tried
        moves.append(Move(note, step.after, step.pair))
        last = step.rank
    return moves


def _loop_move(step: EncodeStep) -> Move:
    return Move(f"lowest rank here: {step.rank:,}", step.after, step.pair)


def _first_time(steps: Iterable[EncodeStep]) -> list[Move]:
    return [Move("not cached: rank loop", step.after, step.pair) for step in steps]


def _greedy_moves(rules: EncodingRules, pretoken: bytes, taken: Sequence[Taken]) -> list[Move]:
    moves, ids = [], [token_id for token_id, _ in taken]
    spelled = list(
        zip(rules.alphabet.spell(pretoken), rules.alphabet.edges(pretoken), strict=False)
    )
    for count, (token_id, end) in enumerate(taken, start=1):
        # The last token has taken the mark of the end, too, which has no bytes to tell it by.
        rest = [symbol for symbol, start in spelled if start >= end and count < len(taken)]
        moves.append(Move("takes the longest", (*ids[:count], *rest), taken=token_id))
    return moves


def _where_orders_part(
    rules: EncodingRules, in_order: Sequence[EncodeStep], loop: Sequence[EncodeStep]
) -> GoesBack | None:
    for number, (ordered, looped) in enumerate(zip_longest(in_order, loop), start=1):
        if ordered != looped:
            # Both choose the lowest rank that is there, and merge order among those not passed:
            # so the loop has a step where they differ.
            return GoesBack(number, merge_of(rules, looped.rank, looped.pair))
    return None


def _where_greed_parts(
    rules: EncodingRules, pretoken: bytes, taken: Sequence[Taken], loop: Sequence[EncodeStep]
) -> TooGreedy | None:
    """The first token from the left that greedy takes and the merges do not end with."""
    end = loop[-1].after if loop else tuple(rules.alphabet.spell(pretoken))
    if tuple(token_id for token_id, _ in taken) == end:
        return None
    place = next(place for place, (token_id, _) in enumerate(taken) if token_id != end[place])
    taken_id = taken[place][0]
    token = rules.vocab[taken_id]
    across = first_merge_across(rules, pretoken, [taken[place][1]])
    if across is not None:
        merge = merge_of(rules, across.rank, across.pair)
        return TooGreedy(max(place + 1, across.number), token, merge, ())
    # Greedy's token is the longest that fits, so what the merges have in its place lies inside it.
    return TooGreedy(
        max(place + 1, len(loop)), token, None, ranked_tokens(rules, rules.tokens_alone(taken_id))
    )

"""Several ways to encode one pretoken, compared step by step until two of them disagree.

Three ways apply merges: all in order, the rank loop, the cache. They take the same steps if the
merges were learnt in their order. The greedy longest match takes tokens from the left instead. It
disagrees at the first token that the merges do not end with: they either join its last byte to the
next one, or leave it in parts. The lockstep stops where this can be seen on both sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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

GreedyToken = tuple[int, int]
"""A token that the greedy match takes: its id, and where it ends in bytes."""


class Greedy:
    """The greedy longest match: from the left, always take the longest token that fits.

    This is how WordPiece is applied (Schuster and Nakajima 2012, and BERT after them). Many take it
    for byte-pair encoding, but it ignores the order of the merges, so its ids often differ. That is
    why it is not one of `ENCODERS`, which all agree.

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
        self._longest = max(map(len, (*ids, *ending_ids)), default=1)

    def takes(self, pretoken: bytes) -> Iterator[GreedyToken]:
        """Yield the tokens from left to right."""
        if not self._alphabet.spell(pretoken):
            return
        start = 0
        while start < len(pretoken):
            if len(pretoken) - start <= self._longest:
                ending = self._ending_ids.get(pretoken[start:])
                if ending is not None:
                    yield ending, len(pretoken)
                    return
            end = min(start + self._longest, len(pretoken))
            while (token_id := self._ids.get(pretoken[start:end])) is None and end > start + 1:
                end -= 1
            if token_id is None:  # no token begins here
                rest, inside = pretoken[start:], self._alphabet.inside
                token_id, end = inside.spell(rest)[0], start + inside.edges(rest)[1]
            yield token_id, end
            start = end
        if self._alphabet.marker is not None:
            yield self._alphabet.marker, start


@dataclass(frozen=True)
class EncoderState:
    """The tokens that one way to encode has after a step.

    Attributes:
        note: a few words on what the step did.
        tokens: the tokens now; text that was not reached yet is in single bytes.
        pair, taken: the pair that the step merged, or the token that it took; else `None`.
    """

    note: str
    tokens: tuple[int, ...]
    pair: Pair | None = None
    taken: int | None = None


@dataclass(frozen=True)
class EncoderRun:
    """One way to encode: `states[0]` is its start, `states[k]` follows its k-th step."""

    name: str
    states: tuple[EncoderState, ...]

    def at(self, step: int) -> EncoderState:
        """Return the state after a step; the last state stays once the run has ended."""
        return self.states[min(step, len(self.states) - 1)]


@dataclass(frozen=True)
class GoesBack:
    """The rank loop applies `merge`, which merge order has passed: only unordered merges do so."""

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


Disagreement = GoesBack | TooGreedy


@dataclass(frozen=True)
class Lockstep:
    """The runs of all encoders, and their first disagreement; `None` if they all agree."""

    runs: tuple[EncoderRun, ...]
    disagreement: Disagreement | None

    @property
    def steps(self) -> int:
        """Number of steps up to the disagreement, or of the longest run."""
        if self.disagreement is not None:
            return self.disagreement.step
        return max((len(run.states) for run in self.runs), default=1) - 1


def lockstep(source: HasRules, pretoken: bytes, seen_before: bool = False) -> Lockstep:
    """Encode a pretoken in all ways, step by step, up to their first disagreement.

    Args:
        source: a tokenizer or a frame.
        seen_before: whether the cache has the pretoken's ids already.

    >>> from engine.encoding.tokenizer import Tokenizer
    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"bc", 257: b"ab"}
    >>> both = lockstep(Tokenizer(vocab, [(b"b", b"c"), (b"a", b"b")]), b"abc")
    >>> print(both.steps, both.disagreement.describe())
    1 greedy took ab, the longest token that fits; the merges join b + c (merge 1) across its end, \
so ab never forms.
    """
    rules = source.rules
    start = EncoderState(f"single {rules.alphabet.unit}s", tuple(rules.alphabet.spell(pretoken)))
    merges = dict(islice(rules.table.items(), rules.merges))
    in_order = list(MergeOrder(rules.alphabet, merges).steps(pretoken))
    loop = list(rules.steps(pretoken))
    taken = list(Greedy(rules.ids, rules.alphabet, rules.ending_ids).takes(pretoken))
    if seen_before:
        end = loop[-1].after if loop else start.tokens
        cached = [EncoderState("found in the cache", end)]
    else:
        cached = [EncoderState("not cached: rank loop", step.after, step.pair) for step in loop]
    states = {
        MergeOrder.name: _states_in_order(in_order),
        RankLoop.name: [
            EncoderState(f"earliest here: merge {step.rank + 1:,}", step.after, step.pair)
            for step in loop
        ],
        Cached.name: cached,
        Greedy.name: _greedy_states(rules, pretoken, taken),
    }
    possible: list[Disagreement | None] = [
        _order_disagreement(rules, in_order, loop),
        _greedy_disagreement(rules, pretoken, taken, loop),
    ]
    found = [disagreement for disagreement in possible if disagreement is not None]
    return Lockstep(
        tuple(EncoderRun(name, (start, *made)) for name, made in states.items()),
        min(found, key=lambda disagreement: disagreement.step, default=None),
    )


def _states_in_order(steps: Sequence[EncodeStep]) -> list[EncoderState]:
    states, last = [], -1
    for step in steps:
        tried = f"tries merges {last + 2:,} to {step.rank + 1:,}"
        note = "the same merge, further right" if step.rank == last else tried
        states.append(EncoderState(note, step.after, step.pair))
        last = step.rank
    return states


def _greedy_states(
    rules: EncodingRules, pretoken: bytes, taken: Sequence[GreedyToken]
) -> list[EncoderState]:
    states, ids = [], [token_id for token_id, _ in taken]
    spelled = list(
        zip(rules.alphabet.spell(pretoken), rules.alphabet.edges(pretoken), strict=False)
    )
    for count, (token_id, end) in enumerate(taken, start=1):
        # The last token includes the mark of the word's end, which has no bytes of its own.
        rest = [symbol for symbol, start in spelled if start >= end and count < len(taken)]
        states.append(EncoderState("takes the longest", (*ids[:count], *rest), taken=token_id))
    return states


def _order_disagreement(
    rules: EncodingRules, in_order: Sequence[EncodeStep], loop: Sequence[EncodeStep]
) -> GoesBack | None:
    for number, (ordered, looped) in enumerate(zip_longest(in_order, loop), start=1):
        if ordered != looped:
            # Both choose the lowest rank present; merge order only among those it has not passed.
            # So the loop has a step where they differ.
            return GoesBack(number, merge_of(rules, looped.rank, looped.pair))
    return None


def _greedy_disagreement(
    rules: EncodingRules,
    pretoken: bytes,
    taken: Sequence[GreedyToken],
    loop: Sequence[EncodeStep],
) -> TooGreedy | None:
    """Find the first token from the left that greedy takes and the merges do not end with."""
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
    # Greedy's token is the longest that fits, so the merges' tokens there lie inside it.
    return TooGreedy(
        max(place + 1, len(loop)), token, None, ranked_tokens(rules, rules.tokens_alone(taken_id))
    )

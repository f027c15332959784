"""Encoding by events: merges and removals of tokens, in the order in which a training made them.

A removal takes a token apart wherever it is, so ranks of merges alone do not say what a pretoken
becomes: a pair may merge, fall apart, and merge again. The events are gone through in their order,
as PickyBPE does it (Chizhov and others, arXiv 2409.04599).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise, takewhile

from engine.core.events import Pair
from engine.encoding.alphabet import Alphabet
from engine.encoding.merging import merge_pair

EventState = tuple[int, Pair | int | None, tuple[int, ...]]
"""(step, the pair that merged or the token that went, the tokens after it)."""
A_STEP = 4
"""Events that a step has room for: its merge, then the removals, two at the most."""


class EventOrder:
    """The events of a training.

    Args:
        alphabet: spells a pretoken before any event.

    Attributes:
        steps: the number of steps whose events are known.

    >>> from engine.encoding.alphabet import BYTES
    >>> order = EventOrder(BYTES)
    >>> order.add((97, 98), 256, [])  # a b → ab
    >>> order.add((256, 99), 257, [(256, (97, 98))])  # ab c → abc; ab goes
    >>> [order.encode(text, 2) for text in (b"ab", b"abc")], order.encode(b"ab", 1)
    ([(97, 98), (257,)], (256,))
    """

    def __init__(self, alphabet: Alphabet) -> None:
        self.alphabet = alphabet
        self.steps = 0
        self._merges: defaultdict[Pair, list[int]] = defaultdict(list)
        self._removals: defaultdict[int, list[int]] = defaultdict(list)
        self._made: dict[Pair, int] = {}
        self._parts: dict[int, Sequence[int]] = {}  # event → what the token falls into

    def add(self, pair: Pair, made: int, removals: Sequence[tuple[int, Sequence[int]]]) -> None:
        """Add the next step: a merge, then removals of tokens, each with the parts of it."""
        event = self.steps * A_STEP
        self._merges[pair].append(event)
        self._made[pair] = made
        for number, (token_id, parts) in enumerate(removals, event + 1):
            self._removals[token_id].append(number)
            self._parts[number] = parts
        self.steps += 1

    def encode(self, pretoken: bytes, steps: int) -> tuple[int, ...]:
        """Return the tokens of a pretoken after the events of the first `steps` steps."""
        tokens: tuple[int, ...] = ()
        for step, _, after in self.states(pretoken):
            if step >= steps:
                break
            tokens = after
        return tokens

    def states(self, pretoken: bytes) -> Iterator[EventState]:
        """Yield the tokens before any event, as of step −1, and after each that changes them."""
        tokens, event = tuple(self.alphabet.spell(pretoken)), -1
        yield -1, None, tokens
        while (found := self._next(tokens, event)) is not None:
            event, where = found
            if isinstance(where, tuple):
                tokens = tuple(merge_pair(tokens, where, self._made[where]))
            else:
                parts = self._parts[event]
                apart = (parts if token == where else (token,) for token in tokens)
                tokens = tuple(each for several in apart for each in several)
            yield event // A_STEP, where, tokens

    def _next(self, tokens: Sequence[int], after: int) -> tuple[int, Pair | int] | None:
        """Return the first event behind `after` that changes the tokens, and its pair or token."""
        found: list[tuple[int, Pair | int]] = []
        for pair in set(pairwise(tokens)):
            if (event := _behind(self._merges.get(pair, ()), after)) is not None:
                found.append((event, pair))
        for token in set(tokens):
            if (event := _behind(self._removals.get(token, ()), after)) is not None:
                found.append((event, token))
        return min(found, key=lambda each: each[0], default=None)


def _behind(events: Sequence[int], after: int) -> int | None:
    place = bisect_right(events, after)
    return events[place] if place < len(events) else None


class EventAlphabet(Alphabet):
    """An alphabet that encodes a pretoken at once, by the events of the first steps.

    Args:
        order: the events.
        steps: the number of steps whose events count.
        token_ids: the ids of the tokens that exist then.
        tokens: id → bytes, also of tokens that do not exist any more.
    """

    def __init__(
        self, order: EventOrder, steps: int, token_ids: Sequence[int], tokens: Sequence[bytes]
    ) -> None:
        self.order, self.steps, self.token_ids = order, steps, token_ids
        self._tokens = tokens
        self.unit = order.alphabet.unit

    def token(self, token_id: int) -> bytes:
        """Return the bytes of a token that exists, or existed before."""
        return self._tokens[token_id]

    def states(self, pretoken: bytes) -> list[EventState]:
        """Return the tokens of a pretoken before any event, and after each that changes them."""
        states = self.order.states(pretoken)
        return list(takewhile(lambda state: state[0] < self.steps, states))

    @property
    def beginning(self) -> str:
        return "merges and removals are gone through in the order in which they were made"

    def spell(self, pretoken: bytes) -> list[int]:
        return list(self.order.encode(pretoken, self.steps))

    def edges(self, pretoken: bytes) -> Sequence[int]:
        lengths = (len(self._tokens[token_id]) for token_id in self.spell(pretoken))
        return list(accumulate(lengths, initial=0))

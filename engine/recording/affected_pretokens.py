"""The pretokens that a merge changed, and their share in the changes of pair counts.

They are not recorded but searched on demand: all pretokens are searched for the bytes of the new
token, at C speed, and the tokens of the hits are compared before and after the merge.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, count, pairwise
from time import monotonic
from typing import NamedTuple, Protocol

from engine.core.events import Pair
from engine.encoding.alphabet import Alphabet
from engine.encoding.encoders import Encoder, MergeTable
from engine.encoding.merging import merge_pair

# The tokens of a pretoken at any step need no log. Encode the pretoken once with all known merges.
# For its tokens after k merges, split every token that a later merge made into its two parts, again
# and again.

CACHE_SIZE = 1 << 16
EARLY = 16
"""Most merges that are made one by one, which is faster than taking all later ones apart."""


class TokensAtStep(Protocol):
    """A source of the tokens of pretokens at any step."""

    def tokens_at(self, pretoken: bytes, step: int) -> tuple[int, ...]: ...


class Segmenter:
    """The tokens of pretokens at any step of a run.

    Args:
        alphabet: spells a pretoken at step 0.
        table: the merges known so far; it may grow.
        pair_of: rank of a merge → the pair that it merged.
        rank_of: token → rank of the merge that made it; negative if none did.
    """

    def __init__(
        self,
        alphabet: Alphabet,
        table: MergeTable,
        pair_of: Callable[[int], Pair],
        rank_of: Callable[[int], int],
    ) -> None:
        self._table = table
        self._pair_of = pair_of
        self._rank_of = rank_of
        self._alphabet = alphabet
        self._encoder = Encoder(alphabet, table)
        # pretoken → (number of merges known, its tokens then)
        self._known: dict[bytes, tuple[int, Sequence[int]]] = {}

    def tokens_at(self, pretoken: bytes, step: int) -> tuple[int, ...]:
        """Return the token ids of the pretoken after the first `step` merges."""
        if step <= min(EARLY, len(self._table)):
            made: Sequence[int] = self._alphabet.spell(pretoken)
            for pair in map(self._pair_of, range(step)):
                made = merge_pair(made, pair, self._table[pair][1])
            return tuple(made)
        merges, tokens = self._known.get(pretoken, (-1, ()))
        if merges < min(step, len(self._table)):
            tokens = self.encode(pretoken)
        return self._taken_apart(tokens, step)

    def encode(self, pretoken: bytes) -> Sequence[int]:
        """Return the token ids of the pretoken after all merges known so far, and cache them."""
        if len(self._known) >= CACHE_SIZE:
            self._known.clear()
        merges = len(self._table)
        tokens = self._encoder.encode(pretoken)
        self._known[pretoken] = merges, tokens
        return tokens

    def _taken_apart(self, tokens: Sequence[int], step: int) -> tuple[int, ...]:
        result: list[int] = []
        waiting = list(reversed(tokens))
        while waiting:
            token = waiting.pop()
            rank = self._rank_of(token)
            if rank < step:
                result.append(token)
            else:
                left, right = self._pair_of(rank)
                waiting.append(right)
                waiting.append(left)
        return tuple(result)


@dataclass
class PretokenIndex:
    """Distinct pretokens in order, joined to one string of bytes that can be searched.

    >>> list(PretokenIndex([b"new", b"low", b"slow"]).containing(b"ow"))
    [(1, b'low'), (2, b'slow')]
    """

    pretokens: Sequence[bytes]

    @cached_property
    def _joined_and_starts(self) -> tuple[bytes, list[int]]:
        return b"".join(self.pretokens), list(accumulate(map(len, self.pretokens), initial=0))

    def containing(self, needle: bytes, before: int | None = None) -> Iterator[tuple[int, bytes]]:
        """Yield the pretokens that contain `needle`, with their indices below `before`."""
        joined, starts = self._joined_and_starts
        limit = len(joined) if before is None else starts[before]
        position = joined.find(needle, 0, limit)
        while position >= 0:
            index = bisect_right(starts, position) - 1
            end = starts[index + 1]
            # A hit may run across the border of two pretokens.
            if position + len(needle) <= end:
                yield index, self.pretokens[index]
                position = joined.find(needle, end, limit)
            else:
                position = joined.find(needle, position + 1, limit)


LONGEST_TAKEN_APART = 1 << 15
"""Most bytes of a pretoken that is searched; to find the tokens of a longer one takes seconds."""


@dataclass(frozen=True)
class AffectedPretoken:
    """A pretoken that a merge changed.

    Attributes:
        count: its number of occurrences in the corpus.
        before, after: the ids of its tokens before and after the merge.
    """

    pretoken: bytes
    count: int
    before: tuple[int, ...]
    after: tuple[int, ...]


@dataclass
class AffectedPretokens:
    """The pretokens that one merge changed, most frequent first, searched only as far as needed."""

    _search: Iterator[AffectedPretoken]
    _found: list[AffectedPretoken] = field(default_factory=list)

    def __iter__(self) -> Iterator[AffectedPretoken]:
        # Several iterators may run at once: the first one searches, the others read its results.
        for index in count():
            if index == len(self._found):
                pretoken = next(self._search, None)
                if pretoken is None:
                    return
                self._found.append(pretoken)
            yield self._found[index]


class Contribution(NamedTuple):
    """The share of one pretoken in the change of a pair's count."""

    affected: AffectedPretoken
    change: int


@dataclass
class CountAttribution:
    """The changes of pair counts that one merge made, by the pretokens behind them.

    A merge changes counts only inside the pretokens that contain its pair. The share of such a
    pretoken in a change is the difference of the pair's occurrences in it, times its count. A pair
    without the new token can only lose and a pair with it only gain. So shares never cancel out,
    and no pretoken behind a change is missing.

    `read` works in slices of time, for a screen that must not wait.

    >>> from engine import Timeline, Trainer
    >>> counts = {b"low": 5, b"lower": 2}
    >>> attribution = Timeline(counts, Trainer(counts, 257).steps()).seek(1).attribution
    >>> attribution.read()
    True
    >>> parts = attribution.behind((ord("o"), ord("w")))
    >>> [(part.affected.pretoken, part.change) for part in parts]
    [(b'low', -5), (b'lower', -2)]
    """

    affected: Iterator[AffectedPretoken]
    _behind: defaultdict[Pair, list[Contribution]] = field(
        default_factory=lambda: defaultdict(list), init=False
    )

    def read(self, seconds: float = 3600.0) -> bool:
        """Read pretokens for some seconds; return whether all have been read."""
        deadline = monotonic() + seconds
        for affected in self.affected:
            for pair, change in pair_changes(affected).items():
                self._behind[pair].append(Contribution(affected, change))
            if monotonic() > deadline:
                return False
        return True

    def behind(self, pair: Pair) -> list[Contribution]:
        """Return the pretokens read so far that changed the pair's count, most frequent first."""
        return self._behind.get(pair, [])


def pair_changes(affected: AffectedPretoken) -> dict[Pair, int]:
    """Count how a merge in one pretoken changes the counts of pairs; zeros are left out."""
    changes: dict[Pair, int] = {}
    for pair in pairwise(affected.after):
        changes[pair] = changes.get(pair, 0) + affected.count
    for pair in pairwise(affected.before):
        changes[pair] = changes.get(pair, 0) - affected.count
    return {pair: change for pair, change in changes.items() if change}

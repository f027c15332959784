"""Which pretokens a merge changed, and what each of them did to the counts of pairs.

No list of them is recorded. They are found again when somebody asks: a search through all
pretokens for the bytes of the new token, at C speed, then a look at those that hold it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice, pairwise
from time import monotonic
from typing import NamedTuple, Protocol

from engine.core.events import Pair
from engine.encoding.alphabet import Alphabet
from engine.encoding.encoders import LONG, MergeTable, RankHeap, RankLoop
from engine.encoding.merging import merge_pair
from engine.recording.merge_record import PairStep

# The tokens of a pretoken at any step.
#
# No log is needed for that. Encode the pretoken with all merges known, once; to see it as it was
# after k merges, take every token that is younger apart into its two parts, again and again. From
# one step to the next there is still less to do: make the one merge, or take its token apart.


CACHE_SIZE = 1 << 16
NEAR = 4
"""So many steps from the one asked for last, each merge is made by itself; the next step is most
often one."""


class TokensAtStep(Protocol):
    """Tells the tokens of pretokens at any step."""

    def tokens_at(self, pretoken: bytes, step: int) -> tuple[int, ...]: ...


class Segmenter:
    """Tokens of pretokens at any step of a run.

    Args:
        alphabet: spells a pretoken at step 0.
        table: the merges known so far; it may grow.
        pair_of: the parts of the token that a merge made, by the merge's rank.
        rank_of: the rank of the merge that made a token; negative for one that none did.
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
        # These two look into the table anew each time, and so see it grow.
        self._loop = RankLoop(alphabet, table)
        self._heap = RankHeap(alphabet, table)
        # pretoken → (how many merges were known, its tokens then)
        self._known: dict[bytes, tuple[int, Sequence[int]]] = {}
        # pretoken → (the step that was asked for last, its tokens then)
        self._last: dict[bytes, tuple[int, tuple[int, ...]]] = {}

    def tokens_at(self, pretoken: bytes, step: int) -> tuple[int, ...]:
        """The token ids of the pretoken after the first `step` merges."""
        at, last = self._last.get(pretoken, (-1, ()))
        if at == step:
            return last
        if at > step:
            tokens = self._taken_apart(last, step)
        elif at >= 0 and step <= min(at + NEAR, len(self._table)):
            tokens = self._merged(last, at, step)
        else:
            merges, known = self._known.get(pretoken, (-1, ()))
            tokens = self._taken_apart(known if merges >= step else self.encode(pretoken), step)
        if len(self._last) >= CACHE_SIZE:
            self._last.clear()
        self._last[pretoken] = step, tokens
        return tokens

    def encode(self, pretoken: bytes) -> Sequence[int]:
        """The token ids of the pretoken after all merges known so far, which are remembered."""
        if len(self._known) >= CACHE_SIZE:
            self._known.clear()
        encoder = self._heap if len(pretoken) > LONG else self._loop
        tokens = encoder.encode(pretoken)
        self._known[pretoken] = len(self._table), tokens
        return tokens

    def _merged(self, tokens: tuple[int, ...], start: int, stop: int) -> tuple[int, ...]:
        """What the merges from step `start` up to step `stop` make of the tokens."""
        for rank in range(start, stop):
            pair = self._pair_of(rank)
            if pair[0] in tokens and pair[1] in tokens:
                tokens = tuple(merge_pair(tokens, pair, self._table[pair][1]))
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


class PretokenIndex:
    """Distinct pretokens in their order, joined to one string of bytes.

    >>> list(PretokenIndex([b"new", b"low", b"slow"]).containing(b"ow"))
    [(1, b'low'), (2, b'slow')]
    """

    def __init__(self, pretokens: Sequence[bytes]) -> None:
        self._pretokens = pretokens

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._pretokens)

    @cached_property
    def _joined(self) -> bytes:
        return b"".join(self._pretokens)

    @cached_property
    def _starts(self) -> list[int]:
        starts, position = [], 0
        for pretoken in self._pretokens:
            starts.append(position)
            position += len(pretoken)
        return starts

    def containing(self, needle: bytes, before: int | None = None) -> Iterator[tuple[int, bytes]]:
        """The pretokens that hold `needle`, with their indices; only those below `before`."""
        whole = before is None or before >= len(self._starts)
        limit = len(self._joined) if whole else self._starts[before or 0]
        position = self._joined.find(needle, 0, limit)
        while position >= 0:
            index = bisect_right(self._starts, position) - 1
            end = self._starts[index] + len(self._pretokens[index])
            # A hit may run across the border of two pretokens.
            if position + len(needle) <= end:
                yield index, self._pretokens[index]
                position = self._joined.find(needle, end, limit)
            else:
                position = self._joined.find(needle, position + 1, limit)


LONGEST_TAKEN_APART = 1 << 15
"""In bytes. Longer pretokens are left out: to find the tokens of one would take seconds."""


@dataclass(frozen=True)
class AffectedPretoken:
    """A pretoken that a merge changed.

    Attributes:
        count: how often the corpus has it.
        before, after: the ids of its tokens before the merge and after it.
    """

    pretoken: bytes
    count: int
    before: tuple[int, ...]
    after: tuple[int, ...]


class SegmentedRun(Protocol):
    """What the search asks of a run: its pretokens, and their tokens at any step."""

    counts: Mapping[bytes, int]
    segmenter: TokensAtStep

    @property
    def by_count(self) -> PretokenIndex: ...


class AffectedPretokens:
    """The pretokens that one merge changed, most frequent first, found as far as somebody asks.

    `merge` is `None` at step 0, where nothing has changed.
    """

    def __init__(self, run: SegmentedRun, merge: PairStep | None) -> None:
        self._found: list[AffectedPretoken] = []
        self._search = iter(()) if merge is None else _search(run, merge)

    def __iter__(self) -> Iterator[AffectedPretoken]:
        # Several iterators may run at once; whoever is first finds, the others read what is found.
        for index in count():
            if index == len(self._found):
                pretoken = next(self._search, None)
                if pretoken is None:
                    return
                self._found.append(pretoken)
            yield self._found[index]

    def first(self, limit: int, seconds: float) -> tuple[list[AffectedPretoken], bool]:
        """The first `limit` of them that are found in so many seconds; whether time sufficed."""
        deadline = monotonic() + seconds
        found = []
        for pretoken in islice(self, limit):
            found.append(pretoken)
            if monotonic() > deadline:
                return found, False
        return found, True


def _search(run: SegmentedRun, merge: PairStep) -> Iterator[AffectedPretoken]:
    left, tokens_at = merge.pretokens, run.segmenter.tokens_at
    for _, pretoken in run.by_count.containing(merge.covers):
        if len(pretoken) > LONGEST_TAKEN_APART:
            continue
        after = tokens_at(pretoken, merge.index + 1)
        if merge.new_id in after:
            before = tokens_at(pretoken, merge.index)
            yield AffectedPretoken(pretoken, run.counts[pretoken], before, after)
            left -= 1
            if not left:
                return


class Contribution(NamedTuple):
    """What one pretoken did to the count of a pair."""

    affected: AffectedPretoken
    change: int


class CountAttribution:
    """The changes of counts that one merge made, by the pretokens behind them.

    A merge changes counts only inside the pretokens that hold its pair. The pairs of each of them
    are counted before and after: the difference, times how often the pretoken occurs, is its part.
    A pair without the new token can only lose and one with it only gain, so parts never cancel each
    other, and no pretoken behind a change is missing.

    It is read in slices of time, for a screen that must not wait.

    >>> from engine import Timeline, Trainer
    >>> counts = {b"low": 5, b"lower": 2}
    >>> attribution = Timeline(counts, Trainer(counts, 257).steps()).seek(1).attribution
    >>> attribution.read()
    True
    >>> parts = attribution.behind((ord("o"), ord("w")))
    >>> [(part.affected.pretoken, part.change) for part in parts]
    [(b'low', -5), (b'lower', -2)]
    """

    def __init__(self, affected: Iterator[AffectedPretoken]) -> None:
        self._affected = affected
        self._behind: defaultdict[Pair, list[Contribution]] = defaultdict(list)

    def read(self, seconds: float = 3600.0) -> bool:
        """Look at pretokens for so long; whether all have been looked at by now."""
        deadline = monotonic() + seconds
        for affected in self._affected:
            for pair, change in pair_changes(affected).items():
                self._behind[pair].append(Contribution(affected, change))
            if monotonic() > deadline:
                return False
        return True

    def behind(self, pair: Pair) -> list[Contribution]:
        """The pretokens that changed the pair's count, of those read, most frequent first."""
        return self._behind.get(pair, [])


def pair_changes(affected: AffectedPretoken) -> dict[Pair, int]:
    """What a merge in one pretoken does to the counts of pairs; no zeros."""
    changes: dict[Pair, int] = {}
    for pair in pairwise(affected.after):
        changes[pair] = changes.get(pair, 0) + affected.count
    for pair in pairwise(affected.before):
        changes[pair] = changes.get(pair, 0) - affected.count
    return {pair: change for pair, change in changes.items() if change}

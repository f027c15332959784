"""The linked lists of the trainer `linked` at one step, and its bigrams: best, active, inactive.

The trainer keeps each distinct pretoken as a doubly linked list of tokens (see
`engine.bpe.trainers.linked`). All this follows from the record of a run, whichever trainer made it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import pairwise
from time import monotonic
from typing import NamedTuple

from engine.bpe.active_set import ActiveSet
from engine.bpe.record import MergeStep
from engine.bpe.run import Run
from engine.core.arguments import checked_methods
from engine.core.arrays import Integers
from engine.core.errors import UnfinishedError
from engine.core.events import Pair
from engine.core.slow_modules import np
from engine.recording.affected_pretokens import LONGEST_TAKEN_APART
from engine.recording.place_tally import PlaceTally

NO_ID = -1
"""No token."""


class BigramState(Enum):
    """The part of a bigram in the search for the best one."""

    BEST = "best"
    ACTIVE = "active"
    INACTIVE = "inactive"


@dataclass(frozen=True)
class Bigram:
    """A pair of neighbouring tokens, as the trainer `linked` knows it.

    Attributes:
        counted: the count that the trainer found last.
        count: the true count.
    """

    pair: Pair
    state: BigramState
    counted: int
    count: int

    @property
    def in_doubt(self) -> bool:
        """Whether a merge has changed the count since the trainer counted it."""
        return self.counted != self.count


class Place(NamedTuple):
    """A place where a bigram occurs.

    Attributes:
        number: the number of the pretoken in the order of first appearance, from 1.
        node: the number of the left token's node in the list, from 1.
        pretoken: the pretoken.
    """

    number: int
    node: int
    pretoken: bytes


@dataclass
class Places:
    """The places of a bigram in the order of the corpus, searched only as far as needed.

    A pretoken of more than `LONGEST_TAKEN_APART` bytes is left out.

    Attributes:
        found: the places found so far.
        is_over: whether these are all.
    """

    _search: Iterator[list[Place]]
    found: list[Place] = field(default_factory=list)
    is_over: bool = False

    def read(self, limit: int, seconds: float = 3600.0) -> bool:
        """Search for some seconds; return whether `limit` places are found, or all."""
        deadline = monotonic() + seconds
        while not self.is_over and len(self.found) < limit:
            if (more := next(self._search, None)) is None:
                self.is_over = True
                break
            self.found += more
            if monotonic() > deadline:
                break
        return self.is_over or len(self.found) >= limit


@dataclass(frozen=True)
class ListNode:
    """A node of a pretoken's list.

    Attributes:
        unit: the token that the node held before any merge.
        token: the token that it holds now; `None` if a merge has unlinked it.
        is_new: whether the merge of this step wrote the token, or unlinked the node.
    """

    unit: int
    token: int | None
    is_new: bool


class Neighbour(NamedTuple):
    """A bigram beside the merged one that went, and the bigrams that came in its place.

    Attributes:
        out: the bigram that went; `None` where the merged pair overlapped itself, as in `aaa`.
        lost: the number of its occurrences in the corpus that went.
        came: the bigrams with the new token that came, with their counts.
    """

    out: Pair | None
    lost: int
    came: tuple[tuple[Pair, int], ...]


@checked_methods
class LinkedLists:
    """The state of the trainer `linked` after some merges, when it has searched the next pair.

    Args:
        run: a run whose merges were chosen by the tie rule.
        step: the number of merges made.
        best: the pair that merges next; `None` if no merge follows.

    Attributes:
        merge: the merge that led here; `None` at step 0.

    >>> from engine import Timeline, Trainer
    >>> counts = {b"low": 5, b"lower": 2}
    >>> lists = Timeline(counts, Trainer(counts, 300).steps()).seek(1).linked
    >>> lists.active, lists.inactive, lists.best.pair, lists.places((108, 256)).found
    (3, 0, (108, 256), [])
    >>> lists.places((108, 256)).read(2), lists.places((108, 256)).found[1]
    (True, Place(number=2, node=1, pretoken=b'lower'))
    """

    def __init__(self, run: Run, step: int, best: Pair | None) -> None:
        self._run = run
        self._step = step
        self._pairs = run.record.pairs
        self._set: ActiveSet = run.active_sets.at(step)
        self._places: dict[Pair, Places] = {}
        self._units: dict[int, int] = {}
        self._best = best
        self.merge: MergeStep | None = run.record[step - 1] if step else None

    # -- the bigrams

    @property
    def active(self) -> int:
        """Number of bigrams among which the best one was searched, itself included."""
        return self._set.active

    @property
    def inactive(self) -> int:
        """Number of bigrams that were left out of the search."""
        return self._set.inactive

    @property
    def refreshed_at(self) -> int:
        """The step at which the trainer chose the active bigrams the last time."""
        return self._set.refreshed_at

    @property
    def best(self) -> Bigram | None:
        """The bigram that merges next; `None` if no merge follows."""
        return None if self._best is None else self.bigram(self._best)

    def bigram(self, pair: Pair) -> Bigram | None:
        """Return a pair as a bigram; `None` if the trainer does not know it."""
        number = self._pairs.number_of(pair)
        if number is None or number >= len(self._set.counts):
            return None
        found = self._bigram(number)
        return found if found.counted else None

    def most_frequent(self, state: BigramState, limit: int) -> list[Bigram]:
        """Return the bigrams in a state by the counts that the trainer knows, highest first.

        Equal ones are in the order in which they first appeared.

        Args:
            state: active ones do not include the best one.
            limit: largest number of bigrams to return.
        """
        if state is BigramState.BEST:
            best = self.best
            return [] if best is None else [best][:limit]
        if state is BigramState.INACTIVE:
            return list(map(self._bigram, _highest(self._set.inactive_counts, limit)))
        found = map(self._bigram, _highest(self._set.active_counts, limit + 1))
        return [bigram for bigram in found if bigram.pair != self._best][:limit]

    def _bigram(self, number: int) -> Bigram:
        pair, count = self._pairs[number], int(self._set.counts[number])
        counted, state = int(self._set.active_counts[number]), BigramState.ACTIVE
        if number < len(self._set.counts_then) and self._set.inactive_counts[number]:
            counted, state = int(self._set.inactive_counts[number]), BigramState.INACTIVE
        return Bigram(pair, BigramState.BEST if pair == self._best else state, counted, count)

    # -- where they occur

    def places(self, pair: Pair) -> Places:
        """Return the places of a pair; `read` them first. Overlapping ones all count."""
        if self._pairs.number_of(pair) is None:
            return Places(iter(()))
        if (known := self._places.get(pair)) is None:
            covers = self._run.record.covers
            needle = covers(pair[0]) + covers(pair[1])
            known = self._places[pair] = Places(self._search(needle, lambda at: at == pair))
        return known

    @cached_property
    def merged_places(self) -> Places:
        """The places that the merge of this step replaced; `read` them first."""
        merge = self.merge
        if merge is None:
            return Places(iter(()))
        return Places(self._search(merge.covers, lambda at: at[0] == merge.new_id))

    def _search(self, needle: bytes, fits: Callable[[Pair], bool]) -> Iterator[list[Place]]:
        """Yield the places that fit in one pretoken after the other, also if there are none.

        `fits` gets two neighbouring tokens; after the last token is `NO_ID`.
        """
        run = self._run
        for index, pretoken in run.by_appearance.containing(needle):
            found: list[Place] = []
            if len(pretoken) <= LONGEST_TAKEN_APART:
                node = 1
                for tokens in pairwise((*run.segmenter.tokens_at(pretoken, self._step), NO_ID)):
                    if fits(tokens):
                        found.append(Place(index + 1, node, pretoken))
                    node += self._units_in(tokens[0])
            yield found

    def nodes(self, pretoken: bytes, start: int = 1, stop: int | None = None) -> list[ListNode]:
        """Return the nodes of a pretoken's list, also those that merges have unlinked.

        Args:
            pretoken: the pretoken; the corpus need not contain it.
            start: the number of the first node to return, from 1.
            stop: the number of the first node after those to return; `None` for all.

        >>> from engine import Timeline, Trainer
        >>> counts = {b"low": 5, b"lower": 2}
        >>> lists = Timeline(counts, Trainer(counts, 300).steps()).seek(1).linked
        >>> [(chr(node.unit), node.token) for node in lists.nodes(b"low")]
        [('l', 108), ('o', 256), ('w', None)]
        """
        tokens_at = self._run.segmenter.tokens_at
        units = tokens_at(pretoken, 0)
        stop = len(units) + 1 if stop is None else stop
        fresh, left = (self.merge.new_id, self.merge.pair[0]) if self.merge else (NO_ID, NO_ID)
        nodes: list[ListNode] = []
        number = 1
        for token in tokens_at(pretoken, self._step):
            size = self._units_in(token)
            # Of the two nodes that the merge joined, the second is unlinked.
            new = (0, self._units_in(left)) if token == fresh else ()
            for place in range(max(start - number, 0), min(size, stop - number)):
                unit = units[number + place - 1]
                nodes.append(ListNode(unit, None if place else token, place in new))
            number += size
            if number >= stop:
                break
        return nodes

    def _units_in(self, token: int) -> int:
        """Return the number of tokens of step 0 in a token."""
        if (known := self._units.get(token)) is None:
            record, waiting, known = self._run.record, [token], 0
            while waiting:
                rank = record.rank_of(waiting.pop())
                if rank < 0:
                    known += 1
                else:
                    waiting += record.pair_of(rank)
            self._units[token] = known
        return known

    # -- the merge

    @cached_property
    def neighbours(self) -> list[Neighbour]:
        """The bigrams beside the merged one that went and that came, the largest loss first.

        >>> from engine import Timeline, Trainer
        >>> counts = {b"low": 5, b"lower": 2}
        >>> lists = Timeline(counts, Trainer(counts, 300).steps()).seek(1).linked
        >>> for out, lost, came in lists.neighbours:
        ...     print(out, lost, came)
        (108, 111) 7 (((108, 256), 7),)
        (119, 101) 2 (((256, 101), 2),)
        """
        merge = self.merge
        if merge is None:
            return []
        (left, right), new = merge.pair, merge.new_id
        lost: dict[Pair | None, int] = {}
        came: defaultdict[Pair | None, list[tuple[Pair, int]]] = defaultdict(list)
        for pair, before, after in merge.changes:
            if new in pair:
                out = right if pair[0] == new else pair[0], left if pair[1] == new else pair[1]
                came[None if out == merge.pair else out].append((pair, after - before))
            elif pair != merge.pair:
                lost[pair] = before - after
        rows = [
            Neighbour(out, lost.get(out, 0), tuple(came.get(out, ())))
            for out in dict.fromkeys((*lost, *came))
        ]
        return sorted(rows, key=lambda row: (row.out is None, -row.lost))

    @property
    def has_long_pretoken(self) -> bool:
        """Whether a pretoken is too long to be taken apart, so that no places are counted."""
        return self._run.place_tally.too_long

    def count_places(self, seconds: float = 3600.0) -> bool:
        """Count the places that merges touched, for some seconds; return whether it is done.

        It is never done if the corpus `has_long_pretoken`.
        """
        return self._run.place_tally.read(max(self._step, len(self._run)), seconds)

    @property
    def touched(self) -> int:
        """Number of places that the merge replaced, in distinct pretokens; `count_places` first."""
        return int(self._counted.replaced[self._step - 1]) if self._step else 0

    @property
    def places_before(self) -> int:
        """Number of places, pairs of neighbouring tokens, before it; `count_places` first."""
        return int(self._counted.places[max(self._step - 1, 0)])

    @property
    def _counted(self) -> PlaceTally:
        if len(self._run.place_tally.places) <= self._step:
            raise UnfinishedError("the places are not counted yet; call count_places first")
        return self._run.place_tally


def _highest(counts: Integers, limit: int) -> list[int]:
    """Return the numbers of the highest counts above 0, equal ones in the order of their numbers.

    Hundreds of thousands may be equal, so only those that are needed are sorted.
    """
    limit = min(limit, int(np.count_nonzero(counts)))
    if limit <= 0:
        return []
    least = np.partition(counts, len(counts) - limit)[len(counts) - limit]
    above = np.flatnonzero(counts > least)
    equal = np.flatnonzero(counts == least)[: limit - len(above)]
    above = above[np.argsort(-counts[above].astype(np.int64), kind="stable")]
    return [*above.tolist(), *equal.tolist()]

"""`PairQueue`: the pairs of a run at one step as the trainer's queue, with what is stale in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from itertools import pairwise

from engine.bpe.heap_replay import HeapMove, Loss, losses_of
from engine.bpe.run import Run
from engine.bpe.ties import TIE_RULES, PairKey, never_seen
from engine.bpe.trainers.pseudocode import Move
from engine.core.arrays import Integers
from engine.core.events import Pair
from engine.core.slow_modules import np
from engine.recording.affected_pretokens import LONGEST_TAKEN_APART


@dataclass(frozen=True)
class QueueEntry:
    """An entry of the heap.

    Attributes:
        recorded: the count that the entry claims.
        count: the true count of the pair.
        delta: the change of the count by the last merge.
        tied: whether the pair shares the highest true count with another pair.
        position: index in the heap's array; −1 if it was not requested.
        forbidden: whether a fork forbids the pair to merge.
    """

    pair: Pair
    recorded: int
    count: int
    delta: int
    tied: bool
    position: int = -1
    forbidden: bool = False

    @property
    def stale(self) -> bool:
        return self.recorded != self.count


class PairQueue:
    """The pairs after the first `step` merges of a run.

    Attributes:
        highest_count: the count of the most frequent pair; 0 if no pair is left.
        forbidden: the pairs forbidden for the next merge and their counts, most frequent first.
    """

    def __init__(self, run: Run, step: int) -> None:
        self._run = run
        self._record = record = run.record
        self._step = step
        self._counts = self._counts_to_choose_by = record.counts.at(step)
        self.highest_count = self._top_count = int(self._counts.max(initial=0))
        self.forbidden: tuple[tuple[Pair, int], ...] = ()
        if record.fork_rules is not None:
            self.forbidden = tuple(record.forbidden_pairs(step))
            self._counts_to_choose_by = record.counts_to_choose_by(step)
            self._top_count = int(self._counts_to_choose_by.max(initial=0))
        self._forbidden = {pair for pair, _ in self.forbidden}
        # Late in a run thousands of pairs are tied, and ordering them takes most of a step's time.
        self._known_entries: dict[tuple[int, int], list[QueueEntry]] = {}

    @cached_property
    def _counts_before(self) -> Integers:
        counts = self._record.counts
        return self._counts if self._step == counts.first else counts.at(self._step - 1)

    @cached_property
    def _claims(self) -> Integers:
        # A fork that prescribes merges has no heap: every entry is true.
        return self._run.heap.claims(self._step) if self._record.by_rule else self._counts

    def prepare(self, seconds: float) -> float:
        """Replay the heap towards this step for some seconds; return the part done, 1.0 for all."""
        return self._run.heap.replay(self._step, seconds) if self._record.by_rule else 1.0

    def count_of(self, pair: Pair) -> int:
        """Return the number of occurrences of the pair."""
        number = self._record.pairs.number_of(pair)
        if number is None or number >= len(self._counts):
            return 0
        return int(self._counts[number])

    @cached_property
    def pair_count(self) -> int:
        """Number of different pairs that occur."""
        return int(np.count_nonzero(self._counts))

    @cached_property
    def size(self) -> int:
        """Number of entries in the heap."""
        return int(np.count_nonzero(self._claims))

    @cached_property
    def stale_count(self) -> int:
        """Number of stale entries in the heap."""
        return int(np.count_nonzero(self._claims != self._counts))

    @cached_property
    def tied(self) -> tuple[Pair, ...]:
        """The pairs that share the top count before the next merge, without forbidden pairs."""
        if not self._top_count:
            return ()
        return tuple(self._record.pairs_with_count(self._counts_to_choose_by, self._top_count))

    @cached_property
    def choices(self) -> dict[str, Pair]:
        """Name of a tie rule → the tied pair that it chooses.

        A rule that would have to search a pretoken of more than `LONGEST_TAKEN_APART` bytes is left
        out.

        >>> from engine import Timeline, Trainer
        >>> counts = {b"ab": 2, b"cd": 2}
        >>> Timeline(counts, Trainer(counts, 258).steps()).frame.queue.choices["smallest-ids"]
        (97, 98)
        """
        if not self.tied:
            return {}
        tokens, tied = self._record.ids.tokens, self.tied
        chosen = {
            name: min(tied, key=rule.make_key(tokens, never_seen))
            if rule.static
            else self._first(tied)
            for name, rule in TIE_RULES.items()
        }
        return {name: pair for name, pair in chosen.items() if pair is not None}

    def _first(self, pairs: tuple[Pair, ...]) -> Pair | None:
        """Return the pair that occurs first in the present corpus.

        None if that needs the tokens of a pretoken of more than `LONGEST_TAKEN_APART` bytes.
        """
        run, covers = self._run, self._record.covers
        first: tuple[int, int, Pair] | None = None  # (pretoken, position, pair)
        for pair in pairs:
            # A pretoken after the best one so far need not be searched.
            before = None if first is None else first[0] + 1
            spelled = covers(pair[0]) + covers(pair[1])
            for number, pretoken in run.by_appearance.containing(spelled, before):
                if len(pretoken) > LONGEST_TAKEN_APART:
                    return None
                adjacent = list(pairwise(run.segmenter.tokens_at(pretoken, self._step)))
                if pair in adjacent:
                    found = number, adjacent.index(pair), pair
                    first = found if first is None else min(first, found)
                    break
        assert first is not None  # each pair occurs
        return first[2]

    def top(self, limit: int) -> list[tuple[Pair, int]]:
        """Return the pairs of highest count, ties in the order of the rule."""
        counts = self._counts
        return [
            (self._record.pairs[number], int(counts[number]))
            for number in self._best(counts, limit)
        ]

    def best(self) -> Pair | None:
        """Return the pair that merges next by the tie rule; `None` if there is none."""
        best = self._best(self._counts_to_choose_by, 1)
        return self._record.pairs[best[0]] if best else None

    def entries(self, limit: int, moves: int = 0) -> list[QueueEntry]:
        """Return the best entries by their claims, after `moves` moves of the next merge."""
        if (known := self._known_entries.get((limit, moves))) is not None:
            return known
        claims = self._claims
        if moves:
            made = self.moves()[:moves]
            new = sum(move.move is Move.PUSH for move in made)
            claims = np.append(claims, np.zeros(new, dtype=claims.dtype))
            for move in made:
                number = self._record.pairs.number_of(move.pair)
                assert number is not None  # it is in the heap
                is_out = move.move in (Move.POP, Move.POP_STALE)
                claims[number] = 0 if is_out else move.claimed
        entries = [self._entry(n, int(claims[n])) for n in self._best(claims, limit)]
        self._known_entries[limit, moves] = entries
        return entries

    def entry_of(self, pair: Pair) -> QueueEntry | None:
        """Return the entry of a pair; `None` if it has none."""
        number = self._record.pairs.number_of(pair)
        known = number is not None and number < len(self._claims)
        claim = int(self._claims[number]) if known else 0
        return self._entry(number, claim) if number is not None and claim else None

    def losses(self, entry: QueueEntry) -> tuple[Loss, ...]:
        """Return the merges that made an entry stale: each with the occurrences it took.

        >>> from engine import Timeline, Trainer
        >>> counts = {b"low": 5, b"lower": 2}
        >>> frame = Timeline(counts, Trainer(counts, 258).steps()).seek(1)
        >>> entry = next(entry for entry in frame.queue.entries(9) if entry.stale)
        >>> entry.pair, entry.recorded, frame.queue.losses(entry)  # l o: `ow` took all seven
        ((108, 111), 7, (Loss(step=1, taken=7),))
        """
        number = self._record.pairs.number_of(entry.pair)
        if number is None or not entry.stale:
            return ()
        return losses_of(self._record.counts, number, entry.recorded, self._step)

    # -- the heap's own array

    def array(self, limit: int, moves: int = 0) -> list[QueueEntry]:
        """Return the first entries of the heap's array, after `moves` moves of the next merge."""
        entries = self._run.heap.entries(self._step, moves)
        return [
            self._entry(number, -claim, position)
            for position, (claim, _, number) in enumerate(entries[:limit])
        ]

    def moves(self) -> list[HeapMove]:
        """Return the moves of the next merge in the heap; empty if it is not recorded."""
        if self._step == len(self._run) or not self._record.has_heap_array:
            return []
        return self._run.heap.moves(self._step)

    def _entry(self, number: int, claim: int, position: int = -1) -> QueueEntry:
        # A pair that the next merge makes has no count yet; its claim is true.
        is_known = number < len(self._counts)
        count = int(self._counts[number]) if is_known else claim
        before = int(self._counts_before[number]) if number < len(self._counts_before) else 0
        is_top = is_known and self._counts_to_choose_by[number] == self._top_count
        tied = bool(is_top) and len(self.tied) > 1
        pair = self._record.pairs[number]
        forbidden = pair in self._forbidden
        return QueueEntry(pair, claim, count, count - before, tied, position, forbidden)

    def _best(self, counts: Integers, limit: int) -> list[int]:
        """Return the numbers of the pairs with the highest of these counts, best first."""
        if limit <= 0:
            return []
        highest = self.highest_count if counts is self._counts else int(counts.max(initial=0))
        found = _most_frequent(counts, limit, highest)
        if not len(found):
            return []
        rule, key, pairs = self._record.tie_rule, self._record.tie_key, self._record.pairs
        if not rule.static:
            nowhere = len(self._run.counts), 0
            key = rule.make_key(
                self._record.ids.tokens, lambda pair: self._first_places.get(pair, nowhere)
            )
        values = counts[found]
        least = int(values.min())
        surely: list[int] = found[values > least].tolist()
        surely.sort(key=lambda number: (-int(counts[number]), key(pairs[number])))
        return surely + self._first_by(key, found[values == least], limit - len(surely))

    def _first_by(self, key: PairKey, numbers: Integers, limit: int) -> list[int]:
        """Return the numbers of the first pairs by a key of the tie rule.

        A hundred thousand may have the least count, of which a few are needed. Each of these begins
        with one of the first left tokens, if the rule compares left tokens first.
        """
        record = self._record
        if record.tie_rule.left_first and limit < len(numbers):
            lefts = record.pairs.lefts(numbers)
            occurs = np.zeros(int(lefts.max()) + 1, dtype=np.bool_)
            occurs[lefts] = True
            different = np.flatnonzero(occurs)
            keys = list(map(record.left_key, different.tolist()))
            last = nsmallest(limit, keys)[-1]  # two tokens with the same bytes have the same key
            occurs[different] = [left_key <= last for left_key in keys]
            numbers = numbers[occurs[lefts]]
        return nsmallest(limit, numbers.tolist(), key=lambda number: key(record.pairs[number]))

    @cached_property
    def _first_places(self) -> dict[Pair, tuple[int, int]]:
        """The first occurrence of each pair now, from one pass over all pretokens."""
        first: dict[Pair, tuple[int, int]] = {}
        tokens_at = self._run.segmenter.tokens_at
        for index, pretoken in enumerate(self._run.counts):
            for position, pair in enumerate(pairwise(tokens_at(pretoken, self._step))):
                first.setdefault(pair, (index, position))
        return first


def _most_frequent(counts: Integers, limit: int, highest: int) -> Integers:
    """Return the numbers of the `limit` highest counts and of all equal to the least; no zeros.

    It selects counts near the highest first, so there is little to sort. Late in a run the pairs
    tied for the highest are enough; those of half its count are a hundred thousand.
    """
    least = max(highest - 1, 0)
    found = np.flatnonzero(counts > least)
    while least and len(found) < limit:
        least //= 2
        found = np.flatnonzero(counts > least)
    if len(found) > limit:
        values = counts[found]
        found = found[values >= np.partition(values, len(values) - limit)[len(values) - limit]]
    return found

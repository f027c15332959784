"""Trainers that go wrong in one way: the deviations that a student's merges are compared with.

A right trainer counts every pair of neighbours, replaces the best from left to right, and keeps the
counts true. `Habits` says which of these three things is done otherwise; the rest is done right. A
word that holds the merged pair is recounted as a whole: slower than `PairIndex`, but each mistake
is then one small function.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.alphabets.merging import merge_pair
from engine.analysis.check.taken import Taken
from engine.bpe.trainers.heap import queue_of
from engine.bpe.trainers.problem import Problem
from engine.core.events import Pair

Word = Sequence[int]
PairsOf = Callable[[Word], Iterator[Pair]]
Change = tuple[Pair, int]
"""A pair whose count changes, and by how much."""
Changes = Callable[[Word, Word, Pair, int], Iterator[Change]]
"""(word before, word after, merged pair, new id) → the pairs whose counts change, and by what."""


def pairs_apart(word: Word) -> Iterator[Pair]:
    """The pairs of neighbours, a pair that overlaps itself counted without overlap.

    >>> list(pairs_apart([7, 7, 7]))
    [(7, 7)]
    """
    last: Pair | None = None
    for pair in pairwise(word):
        if pair == last:
            last = None
        else:
            yield pair
            last = pair


def merge_from_the_right(word: Word, pair: Pair, new_id: int) -> list[int]:
    """Replace the pair from right to left.

    >>> merge_from_the_right([6, 6, 6], (6, 6), 300)
    [6, 300]
    """
    return merge_pair(word[::-1], pair[::-1], new_id)[::-1]


def merge_first_only(word: Word, pair: Pair, new_id: int) -> list[int]:
    """Replace only the first occurrence, as `list.index` finds it."""
    for place, adjacent in enumerate(pairwise(word)):
        if adjacent == pair:
            return [*word[:place], new_id, *word[place + 2 :]]
    return list(word)


def recounted(pairs_of: PairsOf) -> Changes:
    """The changes if a word is counted anew."""

    def changes(before: Word, after: Word, pair: Pair, new_id: int) -> Iterator[Change]:
        yield from ((gone, -1) for gone in pairs_of(before))
        yield from ((come, +1) for come in pairs_of(after))

    return changes


def only_new_pairs(before: Word, after: Word, pair: Pair, new_id: int) -> Iterator[Change]:
    """New pairs are counted; the pairs that they took tokens from keep their old counts."""
    return ((come, +1) for come in pairwise(after) if new_id in come)


def only_old_pairs(before: Word, after: Word, pair: Pair, new_id: int) -> Iterator[Change]:
    """Old pairs are counted down; those with the new token are never counted."""
    yield from ((gone, -1) for gone in pairwise(before))
    yield from ((left, +1) for left in pairwise(after) if new_id not in left)


def nothing(before: Word, after: Word, pair: Pair, new_id: int) -> Iterator[Change]:
    """The counts stay as they were at the start."""
    return iter(())


def neighbours_before(before: Word, after: Word, pair: Pair, new_id: int) -> Iterator[Change]:
    """The neighbours of each occurrence are read from the word as it was.

    Where two occurrences stand side by side (`abab`) the neighbour is about to merge, too: pairs
    are counted that will not be there, and the pair of the two new tokens is not.
    """
    position, last = 0, len(before) - 2
    while position <= last:
        if (before[position], before[position + 1]) != pair:
            position += 1
            continue
        yield pair, -1
        if position:
            yield (before[position - 1], pair[0]), -1
            yield (before[position - 1], new_id), +1
        if position < last:
            yield (pair[1], before[position + 2]), -1
            yield (new_id, before[position + 2]), +1
        position += 2


exactly = recounted(pairwise)


@dataclass(frozen=True)
class Habits:
    """How a trainer counts, merges and keeps its counts; by default rightly.

    `skips_gone`: a pair that stands nowhere any more is passed over, though it is still counted.
    """

    pairs_of: PairsOf = pairwise
    merge_word: Callable[[Word, Pair, int], list[int]] = merge_pair
    changes: Changes = exactly
    skips_gone: bool = False


class HabitualIndex:
    """The words of a problem and the counts that a trainer with such habits believes in."""

    def __init__(self, problem: Problem, habits: Habits) -> None:
        self._habits = habits
        self._words: list[list[int]] = problem.words()
        self._word_counts = list(problem.counts.values())
        self.counts: Counter[Pair] = Counter()
        self._places: defaultdict[Pair, set[int]] = defaultdict(set)
        for place, (word, count) in enumerate(zip(self._words, self._word_counts, strict=True)):
            for pair in habits.pairs_of(word):
                self.counts[pair] += count
                self._places[pair].add(place)

    def stands(self, pair: Pair) -> bool:
        """Whether the pair stands side by side anywhere."""
        words = (self._words[place] for place in self._places.get(pair, ()))
        return any(pair in pairwise(word) for word in words)

    def first_seen(self, pair: Pair) -> tuple[int, int]:
        """(index of the pretoken, position in it); behind all others if it stands nowhere."""
        for place in sorted(self._places.get(pair, ())):
            for position, adjacent in enumerate(pairwise(self._words[place])):
                if adjacent == pair:
                    return place, position
        return len(self._words), 0

    def merge(self, pair: Pair, new_id: int) -> list[Pair]:
        """Merge and correct the counts, by habit; the pairs to choose from anew."""
        deltas: Counter[Pair] = Counter()
        for place in list(self._places.get(pair, ())):
            before = self._words[place]
            after = self._habits.merge_word(before, pair, new_id)
            if len(after) == len(before):
                continue
            self._words[place] = after
            for changed, by in self._habits.changes(before, after, pair, new_id):
                deltas[changed] += by * self._word_counts[place]
            for adjacent in pairwise(after):
                if new_id in adjacent:
                    self._places[adjacent].add(place)
        for changed, by in deltas.items():
            self.counts[changed] += by
            if self.counts[changed] <= 0:
                del self.counts[changed]
        if not self.stands(pair):
            self.counts.pop(pair, None)
        again = (changed for changed, by in deltas.items() if by > 0 or changed == pair)
        return [changed for changed in again if changed in self.counts]


def trained(problem: Problem, habits: Habits) -> Iterator[Taken]:
    """The merges of a trainer with these habits, with the counts that it believes in.

    >>> from engine.analysis.check.assignment import Assignment
    >>> aaaa = Assignment(lambda: b"aaaa").problem()
    >>> [next(trained(aaaa, habits)).count for habits in (Habits(), Habits(pairs_of=pairs_apart))]
    [3, 2]
    """
    index = HabitualIndex(problem, habits)
    queue, choose = queue_of(problem, index.counts, index.first_seen)
    made: dict[bytes, int] = {}
    while (best := queue.pop_best(choose)) is not None:
        pair, vocab = best[0], problem.vocab
        if habits.skips_gone and not index.stands(pair):
            continue
        yield Taken(vocab[pair[0]], vocab[pair[1]], index.counts[pair])
        token = vocab[pair[0]] + vocab[pair[1]]
        if token not in made:  # a pair that is merged in part only comes again
            made[token] = problem.join(pair)
        for changed in index.merge(pair, made[token]):
            queue.push(changed)

"""A trainer that may be wrong in one way: counting, merging, or keeping its counts.

A right trainer does three things: it counts every pair of neighbours, replaces the best from left
to right, and keeps the counts true. `Habits` says which of them this one does in another way. A
word that holds the merged pair is counted again as a whole. That is slower than `PairIndex`, but a
mistake is then one small function. `STRAY_ORDERS` are tie rules that nobody means to use, but that
slip in.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.analysis.check.steps_file import ClaimedStep
from engine.bpe.ties import TIE_RULES, FirstSeen, Key, PairKey, TieRule
from engine.bpe.trainers.heap import queue_of
from engine.bpe.trainers.problem import Problem
from engine.core.events import Pair
from engine.core.gpt2_bytes import spell
from engine.encoding.merging import merge_pair
from engine.recording.numbering import TokensById

Word = Sequence[int]
PairsOf = Callable[[Word], Iterator[Pair]]
Change = tuple[Pair, int]
"""A pair whose count changes, and by how much."""
Changes = Callable[[Word, Word, Pair, int], Iterator[Change]]
"""(word before, word after, merged pair, new id) → the pairs whose counts change, and by what."""


def recounted(pairs_of: PairsOf) -> Changes:
    """The right way to keep counts: the pairs of the old word go, those of the new one come."""

    def changes(before: Word, after: Word, pair: Pair, new_id: int) -> Iterator[Change]:
        yield from ((gone, -1) for gone in pairs_of(before))
        yield from ((come, +1) for come in pairs_of(after))

    return changes


EXACTLY = recounted(pairwise)
"""Every pair of neighbours is counted, before and after."""


@dataclass(frozen=True)
class Habits:
    """How a trainer counts, merges and keeps its counts; by default rightly.

    Attributes:
        pairs_of: the pairs that it counts in a word at the start.
        merge_word: how it replaces a pair in a word by the new id.
        changes: how it corrects its counts after that.
        skips_gone: it passes over a pair that stands nowhere any more, though it still counts it.
    """

    pairs_of: PairsOf = pairwise
    merge_word: Callable[[Word, Pair, int], list[int]] = merge_pair
    changes: Changes = EXACTLY
    skips_gone: bool = False


class HabitualIndex:
    """The words of a problem, and the counts that a trainer with such habits believes in."""

    def __init__(self, problem: Problem, habits: Habits) -> None:
        self._habits = habits
        self._words: list[list[int]] = problem.spelled()
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
        """Merge a pair and correct the counts by habit; returns the pairs whose counts rose."""
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


def merges_with_habits(problem: Problem, habits: Habits) -> Iterator[ClaimedStep]:
    """The merges of a trainer with these habits, with the counts that it believes in.

    >>> from engine.analysis.check.assignment import Assignment
    >>> aaaa = Assignment(lambda: b"aaaa").problem()
    >>> next(merges_with_habits(aaaa, Habits()))
    ClaimedStep(left=b'a', right=b'a', count=3, new_id=None)
    """
    index = HabitualIndex(problem, habits)
    queue, choose = queue_of(problem, index.counts, index.first_seen)
    made: dict[bytes, int] = {}
    while (best := queue.pop_best(choose)) is not None:
        pair, vocab = best[0], problem.vocab
        if habits.skips_gone and not index.stands(pair):
            continue
        yield ClaimedStep(vocab[pair[0]], vocab[pair[1]], index.counts[pair])
        token = vocab[pair[0]] + vocab[pair[1]]
        if token not in made:  # a pair that is merged in part only comes again
            made[token] = problem.join(pair)
        for changed in index.merge(pair, made[token]):
            queue.push(changed)


def _smallest(key_of: Callable[[bytes], Key]) -> Callable[[TokensById, FirstSeen], PairKey]:
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


def _greatest_joined(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    return lambda pair: turned((vocab[pair[0]] + vocab[pair[1]]).decode("latin-1"))


def _first_counted(vocab: TokensById, first_seen: FirstSeen) -> PairKey:
    entered: dict[Pair, Key] = {}

    def key(pair: Pair) -> Key:
        # A pair is asked for when it is counted first: at the merge that made its younger token.
        if pair not in entered:
            entered[pair] = max(*pair, 255), first_seen(pair)
        return entered[pair]

    return key


STRAY_ORDERS = (
    TieRule("smallest bytes", "the smaller (left bytes, right bytes) wins", _smallest(lambda t: t)),
    TieRule(
        "first counted",
        "the pair that entered the dict of counts first wins, as with max(counts, key=counts.get)",
        _first_counted,
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
    TieRule("greatest joined", "the pair whose joined bytes are greater wins", _greatest_joined),
)

ORDERS = (*TIE_RULES.values(), *STRAY_ORDERS)

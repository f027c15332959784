"""An index pair → pretokens, so that a merge touches only the pretokens that hold the pair.

Counts are exact after every merge. The index may name a pretoken that held the pair once and no
longer does; a merge finds nothing there and passes on. Taking such names out would cost more than
they do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise
from typing import Protocol

from engine.alphabets.merging import count_pairs
from engine.bpe.record import Merge
from engine.core.events import Pair


class WordsProblem(Protocol):
    """What the index needs of a training problem: words in tokens, and a way to report a step."""

    counts: Mapping[bytes, int]

    def words(self) -> list[list[int]]: ...

    def mergeable(self, pairs: Mapping[Pair, int]) -> Mapping[Pair, int]: ...

    def merge(
        self, pair: Pair, count: int, after: Mapping[Pair, int], occurrences: int, pretokens: int
    ) -> Merge: ...


class PairIndex:
    """The words of a problem with the counts and places of their pairs, kept true by `merge`.

    `words_visited` counts the words gone through, `tokens_read` the tokens in them, each time.
    """

    def __init__(self, problem: WordsProblem) -> None:
        self._problem = problem
        self.words = problem.words()
        self.word_counts = list(problem.counts.values())
        self.counts = dict(problem.mergeable(count_pairs(self.words, self.word_counts)))
        self.words_visited = self.tokens_read = 0
        self._places: defaultdict[Pair, set[int]] = defaultdict(set)
        for place, word in enumerate(self.words):
            for pair in pairwise(word):
                self._places[pair].add(place)

    def merge(self, pair: Pair, new_id: int) -> Merge:
        """Replace the pair by `new_id` everywhere and bring the counts up to date."""
        count = self.counts[pair]
        deltas: defaultdict[Pair, int] = defaultdict(int)
        occurrences = pretokens = tokens = 0
        places = self._places.pop(pair)
        for place in places:
            tokens += len(self.words[place])
            replaced = self._merge_word(place, pair, new_id, deltas)
            if replaced:
                occurrences += replaced * self.word_counts[place]
                pretokens += 1
        self.words_visited += len(places)
        self.tokens_read += tokens
        return self._problem.merge(pair, count, self._apply(deltas), occurrences, pretokens)

    def _merge_word(
        self, place: int, pair: Pair, new_id: int, deltas: defaultdict[Pair, int]
    ) -> int:
        """Merge in one word, add to `deltas` what that does to the pairs; how many replaced."""
        word, count = self.words[place], self.word_counts[place]
        left, right = pair
        merged: list[int] = []
        made_at: list[int] = []  # where in `merged` the new tokens stand
        position, end, last_end = 0, len(word), -1
        while position < end:
            token = word[position]
            if token == left and position + 1 < end and word[position + 1] == right:
                deltas[pair] -= count
                # Two replaced side by side share the pair between them; it goes only once.
                if position and last_end != position:
                    deltas[word[position - 1], left] -= count
                if position + 2 < end:
                    deltas[right, word[position + 2]] -= count
                made_at.append(len(merged))
                merged.append(new_id)
                position += 2
                last_end = position
            else:
                merged.append(token)
                position += 1
        for at in made_at:
            if at:
                self._add((merged[at - 1], new_id), place, count, deltas)
            if at + 1 < len(merged) and merged[at + 1] != new_id:
                self._add((new_id, merged[at + 1]), place, count, deltas)
        self.words[place] = merged
        return len(made_at)

    def _add(self, pair: Pair, place: int, count: int, deltas: defaultdict[Pair, int]) -> None:
        deltas[pair] += count
        self._places[pair].add(place)

    def _apply(self, deltas: defaultdict[Pair, int]) -> dict[Pair, int]:
        """Bring the counts up to date; the new count of each pair that changed."""
        after: dict[Pair, int] = {}
        for pair, delta in self._problem.mergeable(deltas).items():
            now = after[pair] = self.counts.get(pair, 0) + delta
            if now:
                self.counts[pair] = now
            else:
                del self.counts[pair]
                self._places.pop(pair, None)
        return after

    def first_seen(self, pair: Pair) -> tuple[int, int]:
        """Where the pair first stands now: (index of the pretoken, position in it)."""
        for place in sorted(self._places[pair]):
            for position, adjacent in enumerate(pairwise(self.words[place])):
                if adjacent == pair:
                    return place, position
        raise KeyError(pair)

"""Counts kept up to date through an index; the best pair found by looking at all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Protocol

from engine.alphabets.merging import count_pairs
from engine.bpe.record import Merge
from engine.bpe.trainers.problem import Algorithm, CodeLine, Phase, Problem
from engine.core.events import Pair

# An index pair → pretokens, so that a merge touches only the pretokens that hold the pair.
#
# Counts are exact after every merge. The index may name a pretoken that held the pair once and no
# longer does; a merge finds nothing there and passes on. Taking such names out would cost more than
# they do.


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


def indexed(problem: Problem) -> Iterator[Merge]:
    index, work = PairIndex(problem), problem.work
    key = problem.tie_key(index.first_seen)
    while index.counts:
        work.pairs_scanned += len(index.counts)
        top = max(index.counts.values())
        if top < problem.min_count:
            return
        pair = min((pair for pair, count in index.counts.items() if count == top), key=key)
        merge = index.merge(pair, problem.join(pair))
        work.pretokens_visited, work.tokens_read = index.words_visited, index.tokens_read
        yield merge


PSEUDOCODE = (
    CodeLine("count all pairs; note their pretokens"),
    CodeLine("while there are pairs:"),
    CodeLine("  best ← scan for the top count", (Phase.CHOOSE,)),
    CodeLine("  new ← join best", (Phase.JOIN,)),
    CodeLine("  for each pretoken noted for best:", (Phase.REPLACE,)),
    CodeLine("    replace best by new", (Phase.REPLACE,)),
    CodeLine("  correct counts beside it", (Phase.CORRECT,)),
    CodeLine("  note the pretokens of pairs with new", (Phase.ENTER,)),
)

ALGORITHM = Algorithm(
    "indexed",
    "an index of pairs; a scan of all pairs finds the best",
    indexed,
    PSEUDOCODE,
    ("pairs_scanned", "pretokens_visited", "tokens_read"),
)

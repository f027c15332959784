"""What the fast trainer knows of the pairs that stand: numbers, counts, and where they start."""

from __future__ import annotations

from dataclasses import dataclass

from engine.pair_numbers import STRIDE
from engine.record import Merge
from engine.trainers.occurrences import Grouped, Groups, Occurrences
from engine.trainers.problem import Problem


@dataclass(slots=True)
class Beside:
    """The new tokens of a step by the tokens on one side of them, pretoken borders left out.

    `weights` says how often each of `tokens` stands there in the corpus, `starts` has the cells
    where the pairs of it and the new token start.
    """

    tokens: list[int]
    weights: list[int]
    starts: Groups


@dataclass(slots=True)
class Replaced:
    """What replacing a pair came to. Of two new tokens side by side only `after` tells."""

    before: Beside
    after: Beside
    occurrences: int
    pretokens: int


class FlatIndex:
    """The tokens of a problem and its pairs, kept true by `replaced`.

    Attributes:
        symbols: the tokens, in one flat array.
        pairs: the numbers of the pairs.
        counts: number → how often the pair stands.
        occurrences: number → where the pair starts.
        sizes: token id → its length in bytes.
    """

    def __init__(self, problem: Problem) -> None:
        self.symbols = problem.symbols
        self.pairs = problem.pairs
        self.counts = list(problem.start)
        self.occurrences = Occurrences()
        self.occurrences.add(Grouped(*self.symbols.byte_pair_starts()), len(self.counts))
        self.sizes = [len(token) for token in problem.vocab]

    def merged(self, number: int, new_id: int, replaced: Replaced) -> Merge:
        """Bring counts and occurrences up to date after a pair has been replaced."""
        left, right = self.pairs[number]
        before, after = replaced.before, replaced.after
        count, weights = self.counts[number], after.weights + before.weights
        # The right token was followed by what follows the new one now, or by another such pair.
        broken = [
            right * STRIDE + (left if token == new_id else token) for token in after.tokens
        ] + [token * STRIDE + left for token in before.tokens]
        left_over = self._take_away(number, broken, weights)
        keys = [new_id * STRIDE + token for token in after.tokens]
        keys += [token * STRIDE + new_id for token in before.tokens]
        first = self.pairs.add_new(keys)
        self.counts += weights
        self.occurrences.add(after.starts, len(after.tokens))
        self.occurrences.add(before.starts, len(before.tokens))
        return Merge(
            number,
            count,
            [*left_over, *range(first, first + len(keys))],
            [*left_over.values(), *weights],
            replaced.occurrences,
            replaced.pretokens,
        )

    def _take_away(self, number: int, broken: list[int], weights: list[int]) -> dict[int, int]:
        """Lower the counts of the pairs broken up, given by key; number → what is left."""
        counts = self.counts
        left_over = {number: 0}
        numbers = map(self.pairs.number_of_key.__getitem__, broken)
        # A dict, as one pair can stand on both sides: (b, a) in b[ab] and in [ab]a.
        for old, weight in zip(numbers, weights, strict=True):
            left_over[old] = counts[old] = counts[old] - weight
        # Where the pair overlapped itself, the loop has met only part of it.
        left_over[number] = counts[number] = 0
        return left_over

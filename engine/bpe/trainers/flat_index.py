"""What the fast trainer knows of the pairs that stand: numbers, counts, and where they start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.bpe.record import Merge
from engine.bpe.trainers.occurrences import Grouped, Groups, Occurrences
from engine.bpe.trainers.problem import Problem
from engine.recording.pair_numbers import STRIDE, key_of


@dataclass(slots=True)
class Beside:
    """The new tokens of a step by the tokens on one side of them, pretoken borders left out.

    `weights` are (token, how often the new token stands beside it in the corpus); `starts` has for
    each of them the cells where the pairs of the two start.
    """

    weights: list[tuple[int, int]]
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
        self._longest = problem.max_token_length

    def merged(self, number: int, new_id: int, replaced: Replaced) -> Merge:
        """Bring counts and occurrences up to date after a pair has been replaced."""
        left, right = self.pairs[number]
        counts, number_of_key = self.counts, self.pairs.number_of_key
        count = counts[number]
        # A dict, as one pair can be broken up on both sides: (b, a) in b[ab] and in [ab]a.
        left_over = {number: 0}
        if self._longest is not None:
            room = self._longest - self.sizes[new_id]
            replaced = self._without_too_long(number, room, new_id, replaced, left_over)
        keys: list[int] = []
        born: list[int] = []
        for token, weight in replaced.after.weights:
            # The right token was followed by what follows the new one now, or by another pair.
            old = number_of_key[right * STRIDE + (left if token == new_id else token)]
            left_over[old] = counts[old] = counts[old] - weight
            keys.append(new_id * STRIDE + token)
            born.append(weight)
        for token, weight in replaced.before.weights:
            old = number_of_key[token * STRIDE + left]
            left_over[old] = counts[old] = counts[old] - weight
            keys.append(token * STRIDE + new_id)
            born.append(weight)
        # Where the pair overlapped itself, the loops have met only part of it.
        left_over[number] = counts[number] = 0
        changed = [*left_over, *self.pairs.add_new(keys)]
        counts += born
        for beside in (replaced.after, replaced.before):
            self.occurrences.add(beside.starts, len(beside.weights))
        now = [*left_over.values(), *born]
        return Merge(number, count, changed, now, replaced.occurrences, replaced.pretokens)

    def _without_too_long(
        self, number: int, room: int, new_id: int, replaced: Replaced, left_over: dict[int, int]
    ) -> Replaced:
        """Leave out neighbours longer than the room that the new token has left beside it.

        The pairs that stood in their place lose their counts here, where they had one.
        """
        left, right = self.pairs[number]

        def short_only(beside: Beside, old_key: Callable[[int], int]) -> Beside:
            kept: list[int] = []
            for place, (token, weight) in enumerate(beside.weights):
                if self.sizes[token] <= room:
                    kept.append(place)
                elif (old := self.pairs.number_of_key.get(old_key(token))) is not None:
                    left_over[old] = self.counts[old] = self.counts[old] - weight
            weights, starts = beside.weights, beside.starts
            return Beside([weights[place] for place in kept], [starts[place] for place in kept])

        after = short_only(
            replaced.after, lambda token: key_of((right, left if token == new_id else token))
        )
        before = short_only(replaced.before, lambda token: key_of((token, left)))
        return Replaced(before, after, replaced.occurrences, replaced.pretokens)

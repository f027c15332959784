"""`Learner`: the state of a training, and what happens to it: EM iterations and prunes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.core.arrays import Floats, Ints
from engine.unigram.em import RARE
from engine.unigram.lattices import Flags
from engine.unigram.record import EmStep, PruneRule, PruneStep, Record
from engine.unigram.removals import Estimate, Problem, Removals
from engine.unigram.seed import Seeds
from engine.unigram.sliced import Work


class Learner:
    """A model that is being learnt; whatever happens to it goes into the record.

    Args:
        seeds: the pieces at the start.
        problem: the corpus, with all of them.
        start: how they do on the corpus.
        record: where the steps are written down.
        log_probabilities: expected counts → scores.
    """

    def __init__(
        self,
        seeds: Seeds,
        problem: Problem,
        start: Estimate,
        record: Record,
        log_probabilities: Callable[[Floats], Floats],
    ) -> None:
        self.record = record
        self._scores = seeds.scores
        self._is_character: Flags = np.arange(len(seeds.texts)) < seeds.characters
        self._alive: Flags = np.ones(len(seeds.texts), dtype=np.bool_)
        self._problem = problem
        self._estimate = start
        self._log_probabilities = log_probabilities

    @property
    def size(self) -> int:
        """How many pieces are left."""
        return int(np.count_nonzero(self._alive))

    def iterate(self, round_: int, iteration: int) -> Work[EmStep]:
        """One iteration of EM: scores from the expected counts (M), then new counts (E)."""
        expected = self._estimate.expected
        vanished = np.flatnonzero(self._alive & ~self._is_character & (expected < RARE))
        vanished = vanished[np.argsort(expected[vanished], kind="stable")]
        yield from self._remove(vanished)
        # Only characters can be rarer and still there.
        counts = np.maximum(expected[self._alive], RARE)
        self._scores = np.full(len(expected), -np.inf)
        self._scores[self._alive] = self._log_probabilities(counts)
        self._estimate = yield from self._problem.estimate(self._scores)
        index = self.record.append(vanished, expected[vanished], self._scores, self._estimate)
        step = EmStep(self.record, index, round_, iteration)
        self.record.steps.append(step)
        return step

    def prune(self, round_: int, rule: PruneRule, size: int) -> Work[PruneStep]:
        """Remove pieces until there are `size` of them; by loss, unused ones beyond that, too."""
        found = yield from self._problem.removals(self._alive, self._scores)
        chosen = self._by_loss(found, size) if rule is PruneRule.LOSS else self._by_score(size)
        yield from self._remove(chosen)
        self._estimate = yield from self._problem.estimate(self._scores)
        increases = found.loss_increases[chosen]
        index = self.record.append(chosen, increases, None, self._estimate)
        step = PruneStep(self.record, index, round_, rule)
        self.record.steps.append(step)
        return step

    def _remove(self, numbers: Ints) -> Work[None]:
        self._alive = self._alive.copy()
        self._alive[numbers] = False
        self._problem = yield from self._problem.keeping(self._alive)

    def _by_loss(self, found: Removals, size: int) -> Ints:
        """The pieces that no best segmentation uses, then those of the least loss increase."""
        removable = self._alive & ~self._is_character
        unused = np.flatnonzero(removable & ~found.used)
        used = _least_first(found.loss_increases, removable & found.used)
        return np.concatenate((unused, used[: max(0, self.size - len(unused) - size)]))

    def _by_score(self, size: int) -> Ints:
        """The pieces with the lowest scores."""
        removable = self._alive & ~self._is_character
        return _least_first(self._scores, removable)[: max(0, self.size - size)]


def _least_first(values: Floats, among: Flags) -> Ints:
    """The numbers of those flagged, by their values; of equals the one seeded last is first."""
    numbers = np.flatnonzero(among)[::-1]
    order: Ints = numbers[np.argsort(values[numbers], kind="stable")]
    return order

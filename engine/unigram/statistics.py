"""A Unigram training in numbers: one array for each question that a chart answers.

Series over steps have an entry for each step 0, 1, …, so that an index is a step.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.core.arrays import Floats, Ints
from engine.recording.statistics import PretokenStatistics
from engine.unigram.record import Record


class UnigramStatistics(PretokenStatistics[str]):
    """The series of one run, trained on the pretokens `words`, spelled with ▁.

    >>> from engine.unigram.frame import UnigramTimeline
    >>> from engine.unigram.trainer import UnigramTrainer
    >>> words = {"hug": 10, "pug": 5, "hugs": 5, "bun": 4}
    >>> trainer = UnigramTrainer(words, 10)
    >>> steps = list(trainer.steps())
    >>> statistics = UnigramTimeline(trainer.record, steps, words=words).statistics
    >>> statistics.sizes(3).tolist(), statistics.removed(3).tolist()
    ([15, 12, 11, 9], [3, 1, 2])
    >>> statistics.fertility(3).round(2).tolist()
    [1.06, 1.0, 1.0, 1.54]
    >>> statistics.lengths(3).tolist()  # seven characters and two pieces of three
    [0, 7, 0, 2]
    """

    def __init__(self, record: Record, words: Mapping[str, int]) -> None:
        super().__init__(words)
        self._record = record
        self._tokens: list[float] = []

    def losses(self, steps: int) -> Floats:
        """The loss at steps 0 … `steps`, in nats a pretoken."""
        return np.array([self._record.loss_at(step) for step in range(steps + 1)])

    def sizes(self, steps: int) -> Ints:
        """How many pieces there are."""
        return np.array([self._record.size_at(step) for step in range(steps + 1)], dtype=np.int64)

    def removed(self, steps: int) -> Ints:
        """How many pieces each of the first `steps` steps took away."""
        return -np.diff(self.sizes(steps))

    def fertility(self, steps: int) -> Floats:
        """Tokens a pretoken takes on average over all its segmentations: at least 1.

        What is called fertility in the literature counts the best segmentation only.
        """
        for step in range(len(self._tokens), steps + 1):
            self._tokens.append(float(self._record.expected_at(step).sum()))
        return np.array(self._tokens[: steps + 1]) / max(self._record.problem.pretokens, 1)

    def sorted_scores(self, step: int) -> Floats:
        """The log-probabilities of the pieces at a step, the greatest first."""
        return np.sort(self._record.scores_at(step))[::-1]

    def lengths(self, step: int) -> Ints:
        """How many pieces have so many characters at a step, by the length; that of 0 is 0."""
        there = self._record.columns.lengths[self._record.alive_at(step)]
        return np.bincount(there, minlength=1).astype(np.int64)

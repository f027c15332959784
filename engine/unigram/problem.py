"""The problem that training solves: a corpus and the pieces that are left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.core.arrays import Floats
from engine.core.events import WorkProgress
from engine.unigram.em import expected_counts
from engine.unigram.lattices import Flags, Lattices, lattices_of
from engine.unigram.removals import Removals, removals
from engine.unigram.sliced import Work


class Estimate(NamedTuple):
    """How a model does on the corpus: the expected count of each piece, and the loss.

    The loss is −Σ count · log P(pretoken) ÷ number of pretokens, in nats, as SentencePiece logs it.
    """

    expected: Floats
    loss: float


@dataclass(frozen=True)
class Problem:
    """The lattices of a corpus; pieces keep their numbers when others go.

    Attributes:
        corpus: the lattices of the pretokens.
        pretokens: how many there are, each as often as it occurs.
        texts: the text of each number, whether its piece is still there or not.
    """

    corpus: Sequence[Lattices]
    pretokens: int
    texts: Sequence[str]

    @classmethod
    def of(cls, counts: Mapping[str, int], texts: Sequence[str], longest: int) -> Work[Problem]:
        """The problem of all these pieces, on pretokens that occur so often.

        `longest` is how many characters a piece has, at the most.
        """
        ids = {text: number for number, text in enumerate(texts)}
        corpus = yield from lattices_of(counts, ids, longest)
        return cls(corpus, sum(counts.values()), texts)

    def keeping(self, alive: Flags) -> Work[Problem]:
        """The problem without the pieces that are not alive."""
        corpus = []
        for lattices in self.corpus:
            corpus.append(lattices.keeping(alive))
            yield WorkProgress("taking pieces away", len(corpus), len(self.corpus))
        return Problem(corpus, self.pretokens, self.texts)

    def estimate(self, scores: Floats) -> Work[Estimate]:
        """The expected counts and the loss under these log-probabilities."""
        sums = yield from expected_counts(self.corpus, scores)
        return Estimate(sums.counts, -sums.log_probability / max(1, self.pretokens))

    def removals(self, alive: Flags, scores: Floats) -> Work[Removals]:
        """What removing each of the pieces that are alive would do."""
        pieces = {self.texts[number]: number for number in np.flatnonzero(alive).tolist()}
        return (yield from removals(self.corpus, pieces, scores, self.pretokens))

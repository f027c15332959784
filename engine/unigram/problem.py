"""The problem that training solves: a corpus and the pieces that are left, as lattices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.unigram.lattice_building import lattices_of
from engine.unigram.lattices import Flags, Floats, Lattices
from engine.unigram.removals import Removals, removals
from engine.unigram.sweeps import expected_counts
from engine.unigram.work import Work


class Estimate(NamedTuple):
    """How a model does on the corpus: the expected count of each piece, and the loss.

    The loss is −Σ count · log P(pretoken) ÷ number of pretokens, in nats, as SentencePiece logs it.
    """

    expected: Floats
    loss: float


@dataclass(frozen=True)
class Problem:
    """Lattices of the pretokens and of the pieces; pieces keep their numbers when others go.

    Attributes:
        corpus: the lattices of the pretokens.
        own: the lattices of the pieces themselves; the number of a text is that of its piece.
        pretokens: how many there are, each as often as it occurs.
    """

    corpus: Sequence[Lattices]
    own: Sequence[Lattices]
    pretokens: int

    @classmethod
    def of(cls, counts: Mapping[str, int], pieces: Sequence[str], longest: int) -> Work[Problem]:
        """The problem of all `pieces`, on pretokens that occur so often.

        `longest` is how many characters a piece has, at the most.
        """
        ids = {text: number for number, text in enumerate(pieces)}
        corpus = yield from lattices_of(counts, ids, longest)
        own = yield from lattices_of(dict.fromkeys(pieces, 1), ids, longest)
        return cls(corpus, own, sum(counts.values()))

    def keeping(self, alive: Flags) -> Problem:
        """The problem without the pieces that are not alive."""
        corpus = [lattices.keeping(alive) for lattices in self.corpus]
        own = [lattices.keeping(alive, texts=alive) for lattices in self.own]
        return Problem(corpus, own, self.pretokens)

    def estimate(self, scores: Floats) -> Work[Estimate]:
        """The expected counts and the loss under these log-probabilities."""
        sums = yield from expected_counts(self.corpus, scores)
        return Estimate(sums.counts, -sums.log_probability / max(1, self.pretokens))

    def removals(self, scores: Floats) -> Work[Removals]:
        """What removing each piece would do."""
        return (yield from removals(self.corpus, self.own, scores, self.pretokens))

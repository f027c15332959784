"""EM on a whole corpus: expected counts from scores (E), new scores from expected counts (M).

**The E-step** computes how often each piece would be used on average if every text were segmented
at random, each segmentation by its probability. All texts are swept at once.

**The M-step** makes scores from these counts. Plain maximum likelihood makes the probability of a
piece its share of the counts. That is EM (Dempster, Laird & Rubin 1977), and it never makes the
corpus less probable. SentencePiece takes exp(ψ(count)) / exp(ψ(sum)) instead, ψ being the digamma
function: the update of variational Bayes under a sparse Dirichlet prior (Liang & Klein 2007,
tutorial "Structured Bayesian Nonparametric Models with Variational Inference"; Beal 2003). As
exp(ψ(c)) is about c − ½ above 1 and far less below, rare pieces lose more than frequent ones, and
disappear sooner.

As long as no piece is dropped and no count is raised (see `RARE`), these never rise:

- with `plain`, the loss, −Σ count · log Z: this is the theorem of EM;
- with `digamma`, the free energy of variational Bayes, from the first M-step on (the seed's scores
  come from no counts): the loss under the scores s, plus a cost for counts c far from the prior,
  log Γ(Σ c) − Σ log Γ(cᵢ) + Σ cᵢ sᵢ. The loss alone may rise a little: the probabilities sum to
  less than 1, and the rarer the pieces, the lower the sum.

**Removals.** The value of a piece is the growth of the loss if it were removed. To retrain without
each piece in turn would take too long. SentencePiece estimates the growth (Kudo 2018, section 3.2;
`PruneSentencePieces`), and so does this module: wherever the best segmentation of the corpus uses
the piece, it would use the second best segmentation of the piece itself, its *alternative*. Let
c(x) be the uses of x in the best segmentations, C the sum of these counts, N the number of
pretokens, and a₁ … aₙ the alternative of x:

    before = log c(x) − log C
    after  = Σ ( log(c(aᵢ) + c(x)) − log(C + (n − 1) · c(x)) )
    loss increase = c(x) / N · (before − after)

The increase is 0 for a piece that no best segmentation uses. It is infinite for a character, which
has no alternative. It may be negative: the others gain more than is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import NamedTuple

import numpy as np

from engine.core.arrays import Floats, Ints
from engine.core.events import Work, WorkProgress
from engine.unigram.lattice_arrays import Flags, Lattices, lattices_of

# -- the E-step


Sweep = Callable[[Lattices, Floats], Work[tuple[Floats, Floats]]]
"""Lattices and scores → the share of each edge, the log-probability of each text."""


def expected_counts(
    corpus: Sequence[Lattices], scores: Floats, sweep: Sweep = Lattices.shares
) -> Work[tuple[Floats, float]]:
    """Count the average uses of each piece over all segmentations: the E-step.

    Also return the log-probability of the corpus, Σ count of text · log P(text).

    Args:
        corpus: the lattices of all texts.
        scores: the log-probability of each piece.
        sweep: `Lattices.best_shares` counts the uses in the best segmentations alone.

    >>> from engine.unigram.lattice_arrays import lattices_of
    >>> from engine.core.events import finished
    >>> corpus = finished(lattices_of({"ab": 3}, {"a": 0, "b": 1, "ab": 2}, longest=2))
    >>> counts, log_probability = finished(expected_counts(corpus, np.log([0.5, 0.4, 0.1])))
    >>> counts.round(6).tolist(), round(np.exp(log_probability / 3), 6).item()
    ([2.0, 2.0, 1.0], 0.3)
    """
    counts = np.zeros(len(scores))
    log_probability = 0.0
    for lattices in corpus:
        shares, log_probabilities = yield from sweep(lattices, scores)
        flow = yield from lattices.flow(shares)
        np.add.at(counts, lattices.pieces, flow)
        log_probability += float(log_probabilities @ lattices.counts)
    return counts, log_probability


# -- the M-step

RARE = 0.5
"""Least expected count of a piece; rarer pieces are dropped, as in SentencePiece and Hugging Face.

Rarer characters stay with this count, so that every text keeps a segmentation. (SentencePiece
drops them, too, and puts them back at the end with about the worst score.)
"""


ENOUGH = 7
"""From this value on the series of ψ has about ten decimals."""
SERIES = 1 / 24, -7 / 960, 31 / 8064, -127 / 30720
"""Coefficients of the series, for the powers of 1 / (x − ½)² from the first on."""


def digamma(values: Floats) -> Floats:
    """Return ψ(x) = d log Γ(x) / dx for x > 0, to about ten decimals.

    ψ(x) = ψ(x + 1) − 1/x until x is at least `ENOUGH`, then the asymptotic series in x − ½
    (Abramowitz & Stegun 1964, 6.3.5 and 6.3.18), as SentencePiece's `Digamma`.

    >>> digamma(np.array([1.0, 10.0])).round(6).tolist()  # −0.577216 is minus Euler's constant
    [-0.577216, 2.251753]
    """
    x = values.astype(np.float64)
    result = np.zeros_like(x)
    while (small := x < ENOUGH).any():
        result[small] -= 1 / x[small]
        x[small] += 1
    x -= 0.5
    square = 1 / (x * x)
    total: Floats = result + np.log(x) + square * np.polyval(SERIES[::-1], square)
    return total


def log_probabilities(counts: Floats) -> Floats:
    """Turn expected counts into scores by variational Bayes: rare pieces lose more."""
    return digamma(counts) - digamma(counts.sum(keepdims=True))


# -- what removing a piece would cost


class Cost(NamedTuple):
    """The arithmetic of a loss increase, in the letters of the module's formula.

    Attributes:
        uses: c(x), the uses of the piece in the best segmentations.
        total: C, the uses of all pieces together.
        pretokens: N, the number of pretokens.
        alternative: a₁ … aₙ, the pieces that would replace it.
        before, after: the log-probability of one use, and of its replacement.
        loss_increase: growth of the loss, in nats a pretoken.
    """

    uses: float
    total: float
    pretokens: int
    alternative: tuple[int, ...]
    before: float
    after: float
    loss_increase: float


@dataclass(frozen=True, eq=False)
class PieceRemovals:
    """The effects of removing each piece, by the numbers of the pieces.

    Attributes:
        counts: uses of each piece in the best segmentations of the corpus.
        loss_increases: growth of the loss without the piece.
    """

    counts: Floats
    loss_increases: Floats
    _owners: Ints
    _parts: Ints

    def alternative_of(self, piece: int) -> tuple[int, ...]:
        """Return the pieces that would replace a piece; none for a character."""
        low, high = np.searchsorted(self._owners, [piece, piece + 1])
        return tuple(self._parts[low:high].tolist())

    def cost_of(self, piece: int, pretokens: int) -> Cost | None:
        """Return the arithmetic of a removal; `None` for unused pieces and characters."""
        parts, count = self.alternative_of(piece), float(self.counts[piece])
        if not parts or not count:
            return None
        total = float(self.counts.sum())
        grown = log(total + (len(parts) - 1) * count)
        before = log(count) - log(total)
        after = sum(log(float(self.counts[part]) + count) - grown for part in parts)
        increase = count / pretokens * (before - after)
        return Cost(count, total, pretokens, parts, before, after, increase)


def _alternatives(pieces: Mapping[str, int], scores: Floats) -> Work[tuple[Ints, Ints]]:
    """Find the alternatives of all pieces as (owner, part), sorted by owner, parts from the left.

    The texts of the lattices are here the pieces themselves.
    """
    none = np.zeros(0, dtype=np.int64)
    owners, parts, places = [none], [none], [none]
    numbers = np.fromiter(pieces.values(), dtype=np.int64, count=len(pieces))
    longest = max(map(len, pieces), default=1)
    for lattices in (yield from lattices_of(dict.fromkeys(pieces, 1), pieces, longest)):
        at = np.searchsorted(lattices.first_nodes, lattices.sources, side="right") - 1
        owner = numbers[lattices.texts[at]]
        whole = lattices.pieces == owner
        shares, _ = yield from lattices.best_shares(scores, barred=whole)
        flow = yield from lattices.flow(shares)
        # A character has only the barred edge, so no alternative.
        used = np.flatnonzero((flow > 0) & ~whole)
        owners.append(owner[used])
        parts.append(lattices.pieces[used].astype(np.int64))
        places.append(lattices.sources[used].astype(np.int64))
    order = np.lexsort((np.concatenate(places), np.concatenate(owners)))
    return np.concatenate(owners)[order], np.concatenate(parts)[order]


# -- the corpus under the pieces that are left


class Estimate(NamedTuple):
    """The fit of a model to the corpus: the expected count of each piece, and the loss.

    The loss is −Σ count · log P(pretoken) ÷ number of pretokens, in nats, as SentencePiece logs it.
    """

    expected: Floats
    loss: float


@dataclass(frozen=True)
class TrainingCorpus:
    """The lattices of a corpus; pieces keep their numbers when others are removed.

    Attributes:
        lattices: the lattices of the pretokens.
        pretokens: number of occurrences of all pretokens.
        texts: the text of each number, also of removed pieces.
    """

    lattices: Sequence[Lattices]
    pretokens: int
    texts: Sequence[str]

    @classmethod
    def of(
        cls, counts: Mapping[str, int], texts: Sequence[str], longest: int
    ) -> Work[TrainingCorpus]:
        """Build the lattices of pretokens.

        Args:
            counts: pretoken → number of occurrences.
            texts: all pieces.
            longest: largest number of characters of a piece.
        """
        ids = {text: number for number, text in enumerate(texts)}
        lattices = yield from lattices_of(counts, ids, longest)
        return cls(lattices, sum(counts.values()), texts)

    def keeping(self, alive: Flags) -> Work[TrainingCorpus]:
        """Return the corpus without the pieces that are not alive."""
        kept = []
        for lattices in self.lattices:
            kept.append(lattices.keeping(alive))
            yield WorkProgress("taking pieces away", len(kept), len(self.lattices))
        return TrainingCorpus(kept, self.pretokens, self.texts)

    def estimate(self, scores: Floats) -> Work[Estimate]:
        """Compute the expected counts and the loss under these log-probabilities."""
        counts, log_probability = yield from expected_counts(self.lattices, scores)
        return Estimate(counts, -log_probability / max(1, self.pretokens))

    def removals(self, alive: Flags, scores: Floats) -> Work[PieceRemovals]:
        """Estimate the effect of removing each piece that is alive."""
        pieces = {self.texts[number]: number for number in np.flatnonzero(alive).tolist()}
        counts, _ = yield from expected_counts(self.lattices, scores, Lattices.best_shares)
        all_owners, all_parts = yield from _alternatives(pieces, scores)
        increases = np.full(len(counts), np.inf)
        increases[all_owners] = 0.0
        in_use = counts[all_owners] > 0
        if in_use.any():
            # The module's formula, for all pieces at once.
            owners, parts = all_owners[in_use], all_parts[in_use]
            lengths = np.bincount(owners, minlength=len(counts))
            x = np.flatnonzero(lengths)
            count, length, total = counts[x], lengths[x], counts.sum()
            logs = np.bincount(owners, np.log(counts[parts] + counts[owners]), len(counts))
            before = np.log(count) - np.log(total)
            after = logs[x] - length * np.log(total + (length - 1) * count)
            increases[x] = count / self.pretokens * (before - after)
        return PieceRemovals(counts, increases, all_owners, all_parts)

"""The corpus under the pieces that are left, and what each of them is worth.

A piece is worth as much as the loss would grow if it were removed.
To retrain without each piece in turn would take for ever. SentencePiece estimates it (Kudo 2018,
section 3.2; `PruneSentencePieces`), and so does this: wherever the best segmentation of the corpus
uses the piece, it would use the second best segmentation of the piece itself, its *alternative*,
instead. With c(x) how often the best segmentations use x, C the sum of these counts, N the number
of pretokens, and a₁ … aₙ the alternative of x:

    before = log c(x) − log C
    after  = Σ ( log(c(aᵢ) + c(x)) − log(C + (n − 1) · c(x)) )
    loss increase = c(x) / N · (before − after)

It is 0 for a piece that no best segmentation uses, and infinite for a character: there is nothing
to put in its place. It may be negative: the others gain more than is lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import NamedTuple

import numpy as np

from engine.core.arrays import Floats, Ints
from engine.core.events import Work, WorkProgress
from engine.unigram.em import best_counts, expected_counts
from engine.unigram.lattices import Flags, Lattices, lattices_of


class Cost(NamedTuple):
    """The arithmetic behind a loss increase, in the letters of the module's formula.

    Attributes:
        uses: c(x), how often the best segmentations use the piece.
        total: C, the same of all pieces together.
        pretokens: N.
        alternative: a₁ … aₙ, what would stand in its place.
        before, after: the log-probability of one use, and of what stands in its place.
    """

    uses: float
    total: float
    pretokens: int
    alternative: tuple[int, ...]
    before: float
    after: float

    @property
    def loss_increase(self) -> float:
        """By how much the loss would grow, in nats a pretoken."""
        return self.uses / self.pretokens * (self.before - self.after)


@dataclass(frozen=True, eq=False)
class Removals:
    """What removing pieces would do, by the numbers of the pieces.

    Attributes:
        counts: how often the best segmentations of the corpus use each piece.
        loss_increases: by how much the loss would grow without it.
    """

    counts: Floats
    loss_increases: Floats
    _owners: Ints
    _parts: Ints

    @property
    def used(self) -> Flags:
        """Which pieces any best segmentation uses."""
        return self.counts > 0

    def alternative_of(self, piece: int) -> tuple[int, ...]:
        """The pieces that would stand in a piece's place; none for a character."""
        low, high = np.searchsorted(self._owners, [piece, piece + 1])
        return tuple(self._parts[low:high].tolist())

    def cost_of(self, piece: int, pretokens: int) -> Cost | None:
        """Why a removal costs what it costs; `None` for what is unused, or cannot be removed."""
        parts, count = self.alternative_of(piece), float(self.counts[piece])
        if not parts or not count:
            return None
        total = float(self.counts.sum())
        grown = log(total + (len(parts) - 1) * count)
        after = sum(log(float(self.counts[part]) + count) - grown for part in parts)
        return Cost(count, total, pretokens, parts, log(count) - log(total), after)


def removals(
    corpus: Sequence[Lattices],
    pieces: Mapping[str, int],
    scores: Floats,
    pretokens: int,
) -> Work[Removals]:
    """What removing each piece would do.

    Args:
        corpus: the lattices of the pretokens.
        pieces: text → number of the pieces there are.
        scores: the log-probability of each number.
        pretokens: how many there are, each as often as it occurs.
    """
    counts = (yield from best_counts(corpus, scores)).counts
    owners, parts = yield from _alternatives(pieces, scores)
    increases = _loss_increases(counts, owners, parts, pretokens)
    return Removals(counts, increases, owners, parts)


def _alternatives(pieces: Mapping[str, int], scores: Floats) -> Work[tuple[Ints, Ints]]:
    """The alternatives of all pieces as (owner, part), sorted by owner, parts from the left.

    For that the pieces themselves are the texts of lattices.
    """
    none = np.zeros(0, dtype=np.int64)
    owners, parts, places = [none], [none], [none]
    numbers = np.fromiter(pieces.values(), dtype=np.int64, count=len(pieces))
    longest = max(map(len, pieces), default=1)
    for lattices in (yield from lattices_of(dict.fromkeys(pieces, 1), pieces, longest)):
        owner = numbers[lattices.of_edges(np.arange(len(lattices.pieces)))]
        whole = lattices.pieces == owner
        shares, _ = yield from lattices.best_shares(scores, barred=whole)
        flow = yield from lattices.flow(shares)
        # A character has no edge but the barred one, and so no alternative.
        used = np.flatnonzero((flow > 0) & ~whole)
        owners.append(owner[used])
        parts.append(lattices.pieces[used].astype(np.int64))
        places.append(lattices.sources[used].astype(np.int64))
    order = np.lexsort((np.concatenate(places), np.concatenate(owners)))
    return np.concatenate(owners)[order], np.concatenate(parts)[order]


def _loss_increases(counts: Floats, owners: Ints, parts: Ints, pretokens: int) -> Floats:
    increases = np.full(len(counts), np.inf)
    increases[owners] = 0.0
    in_use = counts[owners] > 0
    if not in_use.any():
        return increases
    owners, parts = owners[in_use], parts[in_use]
    lengths = np.bincount(owners, minlength=len(counts))
    x = np.flatnonzero(lengths)
    count, length, total = counts[x], lengths[x], counts.sum()
    logs = np.bincount(owners, np.log(counts[parts] + counts[owners]), len(counts))
    before = np.log(count) - np.log(total)
    after = logs[x] - length * np.log(total + (length - 1) * count)
    increases[x] = count / pretokens * (before - after)
    return increases


# -- the corpus under the pieces that are left


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

    def words_using(self, wanted: Flags, scores: Floats) -> Work[int]:
        """In how many distinct pretokens the best segmentation uses a piece that is wanted."""
        words = [np.zeros(0, dtype=np.int64)]
        for lattices in self.corpus:
            shares, _ = yield from lattices.best_shares(scores)
            flow = yield from lattices.flow(shares)
            words.append(lattices.of_edges(np.flatnonzero((flow > 0) & wanted[lattices.pieces])))
        return len(np.unique(np.concatenate(words)))

"""The record of a training, readable at any place, and the events that make it grow.

A place is a state: the seed is place 0, and step k leads from place k to place k + 1. Pieces have
the numbers that the seed gave them. A removed piece never comes back, so one number a piece, the
step that removed it, gives the pieces of every place. Scores and expected counts are kept for these
only: 16 bytes a piece and place. A prune changes no score, so it keeps none.

The record only grows. A reader in another thread never sees an incomplete place, if it reads only
places that it knows of.

A trainer yields the events: `Seeded` when place 0 is complete, then an `EmStep` or a `PruneStep`
for each further place. Steps are thin views of the record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from math import isinf
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from engine.core.arrays import Floats, Ints, SmallInts
from engine.core.errors import TimelineError
from engine.core.events import Work
from engine.recording.statistics import PretokenStatistics
from engine.unigram.em import Estimate, PieceRemovals, TrainingCorpus
from engine.unigram.lattice import Lattice, LatticeMaker, Path
from engine.unigram.lattice_arrays import Flags
from engine.unigram.pieces import NumberedPieces, PieceColumns
from engine.unigram.seed import Seeds

NEVER = np.iinfo(np.int32).max


class UnigramRecord:
    """The record of one run.

    Args:
        seeds: the pieces at the start.
        corpus: the corpus with all these pieces.
        start: the fit of these pieces to the corpus.
        unknown: the text of the unknown token.
        special_tokens: they follow the unknown token in the vocabulary.
        vocab_size: the size of the vocabulary at the end.

    Attributes:
        steps: the trainer's `EmStep` or `PruneStep` for each step.
        between: the text between two pieces of a decoded text.
        LOSS_UNIT: the unit of the loss.
        PIECE: the word for a piece.
        TEXT, TEXTS: the word for the texts that are cut into pieces: for one, for several.
    """

    LOSS_UNIT: ClassVar[str] = "nats a pretoken"
    PIECE: ClassVar[str] = "piece"
    TEXT: ClassVar[str] = "pretoken"
    TEXTS: ClassVar[str] = "pretokens"

    def __init__(
        self,
        seeds: Seeds,
        corpus: TrainingCorpus,
        start: Estimate,
        unknown: str,
        special_tokens: Sequence[str],
        vocab_size: int,
    ) -> None:
        self.texts = seeds.texts
        self.columns = PieceColumns(seeds.texts)
        self.characters = seeds.characters
        self.corpus = corpus
        self.unknown = unknown
        self.special_tokens = tuple(special_tokens)
        self.vocab_size = vocab_size
        self.between = ""
        self._gone_at: SmallInts = np.full(len(seeds.texts), NEVER, dtype=np.int32)
        self._scores: list[Floats | None] = [seeds.scores]
        self._expected: list[Floats] = [start.expected]
        self._losses: list[float] = [start.loss]
        self._removed: list[tuple[SmallInts, Floats]] = []
        self.steps: list[Any] = []

    def __len__(self) -> int:
        """Return the number of steps; there is one place more."""
        return len(self._removed)

    def __getitem__(self, index: int) -> Any:
        return self.steps[index]

    def append(
        self, removed: Ints, measures: Floats, scores: Floats | None, estimate: Estimate
    ) -> int:
        """Record a step, and return its index.

        Args:
            removed: the numbers of the removed pieces, in the order to show them.
            measures: the number for which each of them was removed.
            scores: the scores of all numbers; `None` if none changed.
            estimate: the fit of the remaining pieces to the corpus.
        """
        index = len(self)
        self._gone_at[removed] = index
        alive = self._gone_at > index
        self._scores.append(None if scores is None else scores[alive])
        self._expected.append(estimate.expected[alive])
        self._losses.append(estimate.loss)
        self._removed.append((removed.astype(np.int32), measures))
        return index

    def alive_at(self, place: int) -> Flags:
        """Return a flag for each number: whether its piece is there.

        Raises:
            TimelineError: there is no such place.
        """
        self._check(place)
        alive: Flags = self._gone_at >= place
        return alive

    def _check(self, place: int) -> None:
        if not 0 <= place <= len(self):
            raise TimelineError(
                f"there is no place {place:,}; the places go from 0 to {len(self):,}"
            )

    def numbers_at(self, place: int) -> Ints:
        """Return the numbers of the pieces at a place, ascending: characters first."""
        return np.flatnonzero(self.alive_at(place))

    def size_at(self, place: int) -> int:
        """Count the pieces at a place."""
        self._check(place)
        return len(self._expected[place])

    def scores_at(self, place: int) -> Floats:
        """Return the pieces' log-probabilities, by ascending number."""
        alive = self.alive_at(place)
        kept = place
        while (scores := self._scores[kept]) is None:
            kept -= 1
        return scores if kept == place else scores[alive[self._gone_at >= kept]]

    def expected_at(self, place: int) -> Floats:
        """Return the pieces' expected counts in the corpus, by ascending number."""
        self._check(place)
        return self._expected[place]

    def loss_at(self, place: int) -> float:
        """Return the loss at a place, in nats a pretoken."""
        self._check(place)
        return self._losses[place]

    def mean_loss_at(self, place: int) -> float:
        """Return the loss of a pretoken on average, in nats."""
        return self.loss_at(place)

    def pieces_at(self, place: int) -> list[tuple[str, float]]:
        """Return text and score of each id of the vocabulary at a place; the best pieces first.

        The unknown token has the id 0, and the special tokens follow; they have no score.
        """
        numbers, scores = self.numbers_at(place), self.scores_at(place)
        order = np.argsort(-scores, kind="stable")
        no_score = [(token, 0.0) for token in (self.unknown, *self.special_tokens)]
        texts = [self.texts[number] for number in numbers[order].tolist()]
        return no_score + list(zip(texts, scores[order].tolist(), strict=True))

    def removed_by(self, step: int) -> Iterator[tuple[int, str, float, float]]:
        """Yield number, text, last score and measure of each piece that a step removed."""
        numbers, measures = self._removed[step]
        scores = self.scores_at(step)[np.searchsorted(self.numbers_at(step), numbers)]
        texts = [self.texts[number] for number in numbers.tolist()]
        return zip(numbers.tolist(), texts, scores.tolist(), measures.tolist(), strict=True)

    def steps_removing(self, numbers: Ints) -> Ints:
        """Return the index of the step that removes each piece; `NEVER` if none has so far."""
        return self._gone_at[numbers].astype(np.int64)

    # -- texts and the corpus under the pieces of a place

    def lattices_at(self, place: int) -> LatticeMaker:
        """Return a function that makes the lattice of a text with the pieces of a place."""
        # Much quicker to make than an encoder.
        table = NumberedPieces(self.columns, self.numbers_at(place), self.scores_at(place))
        return lambda text: Lattice(text, table)

    def alternative(self, text: str, lattices: LatticeMaker) -> Path | None:
        """Return the best segmentation of a piece's text without the piece; `None` if none is."""
        paths = lattices(text).n_best(2)
        return next((path for path in paths if len(path.edges) > 1), None)

    def removals_at(self, place: int) -> Work[PieceRemovals]:
        """Estimate the effect of removing each piece of a place."""
        alive = self.alive_at(place)
        scores = np.full(len(alive), -np.inf)
        scores[alive] = self.scores_at(place)
        corpus = yield from self.corpus.keeping(alive)
        return (yield from corpus.removals(alive, scores))


# -- the events


class PruneRule(Enum):
    """A rule that chooses the pieces to prune; the value describes it."""

    LOSS = "the smallest loss increases go"
    SCORE = "the lowest scores go, down to the final size"
    ONE = "the one n-gram goes whose loss costs least"


class Vanished(NamedTuple):
    """A piece whose expected count became too small; `score` is its last score."""

    number: int
    text: str
    score: float
    expected_count: float


class Pruned(NamedTuple):
    """A piece that was pruned; `loss_increase` is the estimate for its removal."""

    number: int
    text: str
    score: float
    loss_increase: float


RemovedT = TypeVar("RemovedT", Vanished, Pruned)


@dataclass(frozen=True)
class Seeded:
    """The event that the seed is found: the record begins with place 0."""

    record: UnigramRecord


@dataclass(eq=False)
class UnigramStep(Generic[RemovedT]):
    """A step of the training: from one place of the record to the next.

    Attributes:
        index: the place before the step.
        round: the number of prunes before the step.
        loss_before: loss before the step, in nats a pretoken.
        loss_after: loss with the new scores and without the removed pieces.
        size_before: number of pieces before the step, without the unknown and the special tokens.
        size_after: number of pieces after the step.
        REMOVED: the class of its removed pieces.
    """

    REMOVED: ClassVar[type[Any]]

    record: UnigramRecord
    index: int
    round: int
    loss_before: float = field(init=False)
    loss_after: float = field(init=False)
    size_before: int = field(init=False)
    size_after: int = field(init=False)

    def __post_init__(self) -> None:
        record, before, after = self.record, self.index, self.index + 1
        self.loss_before, self.loss_after = record.loss_at(before), record.loss_at(after)
        self.size_before, self.size_after = record.size_at(before), record.size_at(after)

    @property
    def removed(self) -> tuple[RemovedT, ...]:
        """The removed pieces, in the order in which they were chosen; by EM, the rarest first."""
        return tuple(self.REMOVED(*row) for row in self.record.removed_by(self.index))

    def as_dict(self) -> dict[str, object]:
        """Return the step as plain values for JSON."""
        removed = [piece._asdict() for piece in self.removed]
        for facts in removed:
            if isinf(facts["score"]):  # the probability 0, which JSON has no logarithm for
                facts["score"] = None
        return {
            "index": self.index,
            "round": self.round,
            "loss_before": self.loss_before,
            "loss_after": self.loss_after,
            "size_before": self.size_before,
            "size_after": self.size_after,
            "removed": removed,
        }


@dataclass(eq=False)
class EmStep(UnigramStep[Vanished]):
    """One iteration of EM: the expected counts of the place before become scores.

    Attributes:
        iteration: its number within the round, from 0.
    """

    REMOVED = Vanished
    iteration: int

    def as_dict(self) -> dict[str, object]:
        return {"kind": "em", "iteration": self.iteration, **super().as_dict()}


@dataclass(eq=False)
class PruneStep(UnigramStep[Pruned]):
    """The removal of some pieces; the scores of the others stay.

    Attributes:
        rule: the rule that chose them.
    """

    REMOVED = Pruned
    rule: PruneRule

    def as_dict(self) -> dict[str, object]:
        return {"kind": "prune", "rule": self.rule.value, **super().as_dict()}


class UnigramStatistics(PretokenStatistics[str]):
    """The series of one run for charts; `words` are its pretokens, spelled with ▁.

    Series over steps have an entry for each step 0, 1, …, so that an index is a step.

    >>> from engine.unigram.frame import UnigramTimeline
    >>> from engine.unigram.trainer import UnigramTrainer
    >>> words = {"hug": 10, "pug": 5, "hugs": 5, "bun": 4}
    >>> trainer = UnigramTrainer(words, 10)
    >>> steps = list(trainer.steps())
    >>> statistics = UnigramTimeline(trainer.record, steps, words=words).run.statistics
    >>> statistics.sizes(3).tolist()
    [15, 12, 11, 9]
    >>> statistics.fertility(3).round(2).tolist()
    [1.06, 1.0, 1.0, 1.54]
    >>> statistics.token_lengths(3).tolist()  # seven characters and two pieces of three
    [0, 7, 0, 2]
    """

    def __init__(self, record: UnigramRecord, words: Mapping[str, int]) -> None:
        super().__init__(words)
        self._record = record
        self._tokens: list[float] = []

    def losses(self, steps: int) -> Floats:
        """Return the loss at steps 0 … `steps`, in nats a pretoken."""
        return np.array([self._record.loss_at(step) for step in range(steps + 1)])

    def sizes(self, steps: int) -> Ints:
        """Return the number of pieces at steps 0 … `steps`."""
        return np.array([self._record.size_at(step) for step in range(steps + 1)], dtype=np.int64)

    def fertility(self, steps: int) -> Floats:
        """Return the average number of tokens of a pretoken over all its segmentations.

        In the literature, fertility counts only the best segmentation.
        """
        for step in range(len(self._tokens), steps + 1):
            self._tokens.append(float(self._record.expected_at(step).sum()))
        return np.array(self._tokens[: steps + 1]) / max(self._record.corpus.pretokens, 1)

    def token_lengths(self, step: int) -> Ints:
        """Count the pieces of each length at a step; index 0 is 0."""
        there = self._record.columns.lengths[self._record.alive_at(step)]
        return np.bincount(there, minlength=1).astype(np.int64)

"""The record of a training, readable at any place, and the events that make it grow.

A place is a state: the seed is place 0, and step k leads from place k to place k + 1. Pieces have
the numbers that the seed gave them. A piece goes once and never comes back, so one number a piece,
the step that removed it, tells for every place which pieces are there. Scores and expected counts
are kept for these only: 16 bytes a piece and place. A prune changes no score, so it keeps none.

The record only grows. A reader in another thread never sees a place half-made, as long as it
stays with places that it knows of.

The events are what a trainer yields: `Seeded` when place 0 is there, then an `EmStep` or a
`PruneStep` for each further place. Steps are thin views of the record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from engine.core.arrays import Floats, Ints, SmallInts
from engine.core.errors import TimelineError
from engine.core.events import Work
from engine.recording.statistics import PretokenStatistics
from engine.unigram.em import Estimate, Removals, TrainingCorpus
from engine.unigram.lattices import Flags
from engine.unigram.pieces import Numbering, PieceColumns
from engine.unigram.seed import Seeds

NEVER = np.iinfo(np.int32).max


class PieceHistory(NamedTuple):
    """A piece at the places 0, 1, … where it is there: its scores and its expected counts."""

    scores: Floats
    expected_counts: Floats


class UnigramRecord:
    """The record of one run.

    Args:
        seeds: the pieces at the start.
        corpus: the corpus, with all of them.
        start: how they do on the corpus.
        unknown: the text of the unknown token.
        special_tokens: come after it in the vocabulary.
        vocab_size: how large the vocabulary is to be.

    Attributes:
        steps: what the trainer says of each step: an `EmStep` or a `PruneStep`.
    """

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
        self.numbering = Numbering(seeds.texts)
        self.columns = PieceColumns(seeds.texts)
        self.characters = seeds.characters
        self.corpus = corpus
        self.unknown = unknown
        self.special_tokens = tuple(special_tokens)
        self.vocab_size = vocab_size
        self._gone_at: SmallInts = np.full(len(seeds.texts), NEVER, dtype=np.int32)
        self._scores: list[Floats | None] = [seeds.scores]
        self._expected: list[Floats] = [start.expected]
        self._losses: list[float] = [start.loss]
        self._removed: list[tuple[SmallInts, Floats]] = []
        self.steps: list[Any] = []

    def __len__(self) -> int:
        """How many steps there are; the places are one more."""
        return len(self._removed)

    def append(
        self, removed: Ints, measures: Floats, scores: Floats | None, estimate: Estimate
    ) -> int:
        """Write a step down; its index.

        Args:
            removed: the numbers of the pieces that go, in the order to tell them.
            measures: of each of them what it was removed for.
            scores: of all numbers; `None` if none changed.
            estimate: how the pieces that are left do on the corpus.
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
        """Of each number whether its piece is there.

        Raises:
            TimelineError: there is no such place.
        """
        if not 0 <= place <= len(self):
            raise TimelineError(
                f"there is no place {place:,}; the places go from 0 to {len(self):,}"
            )
        alive: Flags = self._gone_at >= place
        return alive

    def numbers_at(self, place: int) -> Ints:
        """The numbers of the pieces at a place, ascending: characters first."""
        return np.flatnonzero(self.alive_at(place))

    def size_at(self, place: int) -> int:
        """How many pieces there are at a place."""
        self.alive_at(place)
        return len(self._expected[place])

    def scores_at(self, place: int) -> Floats:
        """Their log-probabilities, in that order."""
        alive = self.alive_at(place)
        kept = place
        while (scores := self._scores[kept]) is None:
            kept -= 1
        return scores if kept == place else scores[alive[self._gone_at >= kept]]

    def expected_at(self, place: int) -> Floats:
        """Their expected counts in the corpus, in that order."""
        self.alive_at(place)
        return self._expected[place]

    def loss_at(self, place: int) -> float:
        """The loss: nats a pretoken."""
        self.alive_at(place)
        return self._losses[place]

    def pieces_at(self, place: int) -> list[tuple[str, float]]:
        """The vocabulary at a place, by id: text and score; the best pieces first.

        The unknown token has the id 0, the special tokens those after it, and none has a score.
        """
        numbers, scores = self.numbers_at(place), self.scores_at(place)
        order = np.argsort(-scores, kind="stable")
        no_score = [(token, 0.0) for token in (self.unknown, *self.special_tokens)]
        texts = [self.texts[number] for number in numbers[order].tolist()]
        return no_score + list(zip(texts, scores[order].tolist(), strict=True))

    def removed_by(self, step: int) -> Iterator[tuple[int, str, float, float]]:
        """The pieces that a step removed: number, text, last score, what it was removed for."""
        numbers, measures = self._removed[step]
        scores = self.scores_at(step)[np.searchsorted(self.numbers_at(step), numbers)]
        texts = [self.texts[number] for number in numbers.tolist()]
        return zip(numbers.tolist(), texts, scores.tolist(), measures.tolist(), strict=True)

    def numbers_removed_by(self, step: int) -> Ints:
        """The numbers of the pieces that a step removed."""
        return self._removed[step][0].astype(np.int64)

    def steps_removing(self, numbers: Ints) -> Ints:
        """The index of the step that removes each piece; `NEVER` if none has so far."""
        return self._gone_at[numbers].astype(np.int64)

    def history_of(self, number: int, last: int) -> PieceHistory:
        """A piece from the seed to where it goes, or to the place `last`."""
        last = min(last, int(self._gone_at[number]))
        scores: list[float] = []
        expected: list[float] = []
        for place in range(last + 1):
            index = int(np.count_nonzero(self._gone_at[:number] >= place))
            at_place = self._scores[place]
            # A prune changes no score.
            scores.append(scores[-1] if at_place is None else float(at_place[index]))
            expected.append(float(self._expected[place][index]))
        return PieceHistory(np.array(scores), np.array(expected))

    def removals_at(self, place: int) -> Work[Removals]:
        """What removing each piece at a place would do, computed anew from the corpus."""
        corpus, alive, scores = yield from self._corpus_at(place)
        return (yield from corpus.removals(alive, scores))

    def words_using(self, place: int, numbers: Ints) -> Work[int]:
        """In how many distinct pretokens the best segmentation at a place has one of the pieces."""
        corpus, alive, scores = yield from self._corpus_at(place)
        wanted = np.zeros(len(alive), dtype=bool)
        wanted[numbers] = True
        return (yield from corpus.words_using(wanted, scores))

    def _corpus_at(self, place: int) -> Work[tuple[TrainingCorpus, Flags, Floats]]:
        """The corpus under the pieces of a place, which ones these are, and the scores of all."""
        alive = self.alive_at(place)
        scores = np.full(len(alive), -np.inf)
        scores[alive] = self.scores_at(place)
        return (yield from self.corpus.keeping(alive)), alive, scores

    @property
    def nbytes(self) -> int:
        """Bytes that the places and steps take, without texts and lattices."""
        states = sum(c.nbytes for c in (*self._scores, *self._expected) if c is not None)
        removed = sum(n.nbytes + measures.nbytes for n, measures in self._removed)
        return self._gone_at.nbytes + states + removed


# -- the events


class PruneRule(Enum):
    """By what a prune chooses; the value says it in words."""

    LOSS = "the smallest loss increases go"
    SCORE = "the lowest scores go, to the size asked for"


class Vanished(NamedTuple):
    """A piece whose expected count became too small; `score` is the last it had."""

    number: int
    text: str
    score: float
    expected_count: float


class Pruned(NamedTuple):
    """A piece that was pruned; `loss_increase` is what was expected of its removal."""

    number: int
    text: str
    score: float
    loss_increase: float


@dataclass(frozen=True)
class Seeded:
    """The pieces to start with are found, and the record begins: there is a place 0."""

    record: UnigramRecord


@dataclass(frozen=True)
class UnigramStep:
    """A step of the training: from one place of the record to the next.

    Attributes:
        index: the place that it starts from.
        round: how many prunes there were before it.
    """

    record: UnigramRecord
    index: int
    round: int

    @property
    def loss_before(self) -> float:
        """The loss before it, in nats a pretoken."""
        return self.record.loss_at(self.index)

    @property
    def loss_after(self) -> float:
        """The loss with the new scores and without the pieces that went."""
        return self.record.loss_at(self.index + 1)

    @property
    def size_before(self) -> int:
        """How many pieces there were; the unknown and the special tokens are none of them."""
        return len(self.record.numbers_at(self.index))

    @property
    def size_after(self) -> int:
        """How many pieces are left."""
        return len(self.record.numbers_at(self.index + 1))

    @property
    def removed(self) -> tuple[Vanished, ...] | tuple[Pruned, ...]:
        """The pieces that went, in the order in which they were chosen."""
        raise NotImplementedError

    def as_dict(self) -> dict[str, object]:
        """The step as plain values for JSON."""
        return {
            "index": self.index,
            "round": self.round,
            "loss_before": self.loss_before,
            "loss_after": self.loss_after,
            "size_before": self.size_before,
            "size_after": self.size_after,
            "removed": [piece._asdict() for piece in self.removed],
        }


@dataclass(frozen=True)
class EmStep(UnigramStep):
    """One iteration of EM: the expected counts of the place before became scores.

    Attributes:
        iteration: which of its round, from 0.
    """

    iteration: int

    @property
    def vanished(self) -> tuple[Vanished, ...]:
        """The pieces that went, the rarest first."""
        return tuple(Vanished(*row) for row in self.record.removed_by(self.index))

    @property
    def removed(self) -> tuple[Vanished, ...]:
        return self.vanished

    def as_dict(self) -> dict[str, object]:
        return {"kind": "em", "iteration": self.iteration, **super().as_dict()}


@dataclass(frozen=True)
class PruneStep(UnigramStep):
    """Some pieces removed; the scores of the others stay as they are.

    Attributes:
        rule: by what they were chosen.
    """

    rule: PruneRule

    @property
    def pruned(self) -> tuple[Pruned, ...]:
        """The pieces that went, in the order in which they were chosen."""
        return tuple(Pruned(*row) for row in self.record.removed_by(self.index))

    @property
    def removed(self) -> tuple[Pruned, ...]:
        return self.pruned

    def as_dict(self) -> dict[str, object]:
        return {"kind": "prune", "rule": self.rule.value, **super().as_dict()}


class UnigramStatistics(PretokenStatistics[str]):
    """The series of one run, trained on the pretokens `words`, spelled with ▁: charts show them.

    Series over steps have an entry for each step 0, 1, …, so that an index is a step.

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

    def __init__(self, record: UnigramRecord, words: Mapping[str, int]) -> None:
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
        return np.array(self._tokens[: steps + 1]) / max(self._record.corpus.pretokens, 1)

    def sorted_scores(self, step: int) -> Floats:
        """The log-probabilities of the pieces at a step, the greatest first."""
        return np.sort(self._record.scores_at(step))[::-1]

    def lengths(self, step: int) -> Ints:
        """How many pieces have so many characters at a step, by the length; that of 0 is 0."""
        there = self._record.columns.lengths[self._record.alive_at(step)]
        return np.bincount(there, minlength=1).astype(np.int64)

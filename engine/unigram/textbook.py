"""Unigram as it is first taught: one removal a step, by brute force.

    seed: all n-grams of the sentences; P(x) = count of x ÷ sum of all counts
    until the vocabulary has its size:
        for every n-gram: the loss without it
        the one whose loss increases least goes        of equals, the one with the smallest bytes
        count all n-grams again, in the best segmentations without it

A sentence costs the sum of −log P over its best segmentation, and the loss is the sum of these
costs, in nats. A unit that no n-gram covers costs 10 nats, and is not counted. While the losses are
compared, no probability changes.

Nothing here is estimated, so it takes long: each step segments each sentence once for every n-gram
in it. A sentence whose best segmentation does not use an n-gram costs the same without it, so these
are left out. `UnigramTrainer`, with EM, is for large texts.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from math import inf, log
from typing import NamedTuple

import numpy as np

from engine.core.arguments import check_whole, checked
from engine.core.arrays import Floats
from engine.core.errors import UnigramError, VocabSizeError
from engine.core.events import Work, WorkProgress
from engine.recording.training_input import check_counts
from engine.text.pretokenize import to_bytes
from engine.unigram.em import Estimate, PieceRemovals, TrainingCorpus
from engine.unigram.grams import TIED, GramLattice, GramTable
from engine.unigram.lattice import LatticeMaker, Path
from engine.unigram.lattice_arrays import Flags
from engine.unigram.pieces import UNKNOWN, UNKNOWN_PENALTY, Edge, spelled
from engine.unigram.record import PruneRule, PruneStep, Seeded, UnigramRecord
from engine.unigram.seed import Seeds
from engine.unigram.trainer import PieceTrainer, UnigramStopReason
from engine.unigram.units import (
    DEFAULT_GRAM_UNITS,
    DEFAULT_NGRAM,
    GRAM_UNITS,
    GramUnits,
    GramUnitsName,
)

MOST_MOVES = 100_000_000
"""Most moves that a training may take: an n-gram, tried at a place of a sentence, is one."""
MOST_GRAMS = 50_000
MOST_VALUES = 10_000_000
"""Most n-grams of all steps together: each has three recorded numbers."""
BATCH = 50
"""Sentences to weigh between two reports of progress."""


class TextbookRecord(UnigramRecord):
    """The record of a textbook training, with the loss increase of every n-gram at every place.

    Args:
        seeds: the n-grams at the start; single units come first.
        start: their counts, and the loss.
        units: the units of the n-grams.
        ngram: units of the longest n-gram.
        sentences: sentence → number of occurrences.
        unknown: the text of the unknown token.
        special_tokens: they follow the unknown token in the vocabulary.
        vocab_size: the number of n-grams at the end.
    """

    LOSS_UNIT = "nats"
    PIECE = "n-gram"
    TEXT, TEXTS = "sentence", "sentences"

    def __init__(
        self,
        seeds: Seeds,
        start: Estimate,
        units: GramUnits,
        ngram: int,
        sentences: Mapping[str, int],
        unknown: str,
        special_tokens: Sequence[str],
        vocab_size: int,
    ) -> None:
        corpus = TrainingCorpus([], sum(sentences.values()), seeds.texts)
        super().__init__(seeds, corpus, start, unknown, special_tokens, vocab_size)
        self.units, self.ngram, self.between = units, ngram, units.between
        self._increases: list[Floats] = []

    def weigh(self, increases: Floats) -> None:
        """Keep the loss increases of the n-grams at the last place, by ascending number."""
        self._increases.append(increases)

    def increases_at(self, place: int) -> Floats:
        """Return the growth of the loss without each n-gram of a place, by ascending number."""
        return self._increases[place]

    def equals_at(self, place: int) -> list[str]:
        """Return the n-grams without which the loss grows least, the smallest bytes first."""
        increases = self.increases_at(place)
        equal = self.numbers_at(place)[increases <= increases.min(initial=inf) + TIED]
        return sorted((self.texts[number] for number in equal.tolist()), key=to_bytes)

    @property
    def length(self) -> str:
        """The length of the n-grams: `1 word`, `1 to 2 words`."""
        return self.units.length(self.ngram)

    def mean_loss_at(self, place: int) -> float:
        return self.loss_at(place) / max(1, self.corpus.pretokens)

    def lattices_at(self, place: int) -> LatticeMaker:
        numbers, scores = self.numbers_at(place), self.scores_at(place)
        table = GramTable(self.columns, numbers, scores, self.units, self.ngram)
        return lambda text: GramLattice(text, table)

    def alternative(self, text: str, lattices: LatticeMaker) -> Path | None:
        lattice = lattices(text)
        parts = [edge for edge in lattice.arriving[-1] if edge.start > 0]
        # Only a single unit has no parts: without it, it is unknown.
        lattice.arriving[-1] = parts or [Edge(0, len(text), UNKNOWN, -UNKNOWN_PENALTY)]
        return lattice.best

    def removals_at(self, place: int) -> Work[PieceRemovals]:
        alive = self.alive_at(place)
        counts, increases = np.zeros(len(alive)), np.full(len(alive), np.inf)
        counts[alive], increases[alive] = self.expected_at(place), self.increases_at(place)
        none = np.zeros(0, dtype=np.int64)
        yield from ()
        return PieceRemovals(counts, increases, none, none)


class _Sentence(NamedTuple):
    """A sentence and the n-grams in it.

    Attributes:
        times: number of occurrences.
        arriving: for each place between units the n-grams that end there, the longest first, as
            (start, number).
    """

    times: int
    arriving: list[list[tuple[int, int]]]


class _Cut(NamedTuple):
    """The best segmentation of a sentence: its cost, and the numbers of its n-grams."""

    cost: float
    grams: list[int]


def _best_cut(sentence: _Sentence, costs: Sequence[float]) -> _Cut:
    """Find the best segmentation of a sentence, by the Viterbi algorithm."""
    least: list[float] = [0.0]
    last: list[tuple[int, int]] = []
    for end, arriving in enumerate(sentence.arriving, 1):
        best = inf
        for start, gram in arriving:
            cost, number = costs[gram], gram
            if cost == inf and start == end - 1:
                cost, number = UNKNOWN_PENALTY, UNKNOWN
            if least[start] + cost < best - TIED:
                best, kept = least[start] + cost, (start, number)
        least.append(best)
        last.append(kept)
    grams, place = [], len(sentence.arriving)
    while place:
        place, number = last[place - 1]
        grams.append(number)
    return _Cut(least[-1], grams[::-1])


class TextbookTrainer(PieceTrainer[TextbookRecord]):
    """One training run.

    Args:
        counts: sentence → number of occurrences, as `{"我 喜欢 苹果": 1}`. Empty sentences, and
            those that occur 0 times, are left out.
        vocab_size: number of n-grams to end with, special tokens not counted. It may be smaller
            than the alphabet. `None` keeps half of the n-grams.
        special_tokens: they get the ids after the unknown token's, 0.
        unknown_token: it replaces units that no n-gram covers.
        ngram: units of the longest n-gram.
        units: a name in `GRAM_UNITS`.

    Raises:
        VocabSizeError: `vocab_size` is below 1.
        SpecialTokenError: a special token is empty or given twice.
        UnknownNameError: there are no such units.
        UnigramError: `ngram` is below 1. `steps` raises it for a text that would take too long.

    >>> lines = ["我 喜欢 苹果", "你 喜欢 香蕉", "他 喜欢 橙子"]
    >>> trainer = TextbookTrainer(dict.fromkeys(lines, 1), 5, ngram=1)
    >>> steps = [event for event in trainer.steps() if isinstance(event, PruneStep)]
    >>> [(step.removed[0].text, round(step.removed[0].loss_increase, 3)) for step in steps]
    [('他', 7.803), ('你', 7.921)]
    >>> [(text, round(score, 3)) for text, score in trainer.pieces[1:3]]  # log 3/7, log 1/7
    [('喜欢', -0.847), ('我', -1.946)]
    """

    @checked
    def __init__(
        self,
        counts: Mapping[str, int],
        vocab_size: int | None = None,
        special_tokens: Sequence[str] = (),
        *,
        unknown_token: str = "<unk>",
        ngram: int = DEFAULT_NGRAM,
        units: GramUnitsName = DEFAULT_GRAM_UNITS,
    ) -> None:
        super().__init__(vocab_size, special_tokens, unknown_token)
        check_whole(ngram=ngram)
        if vocab_size is not None and vocab_size < 1:
            raise VocabSizeError(
                f"a vocabulary of {vocab_size:,} n-grams cuts no text; ask for at least 1"
            )
        if ngram < 1:
            raise UnigramError(f"there are no n-grams of {ngram} units; ask for 1 or more")
        self.units, self.ngram = GRAM_UNITS[units], ngram
        texts: dict[str, int] = {}
        for text, times in counts.items():
            if times > 0 and self.units.read(text):
                texts[spelled(text)] = texts.get(spelled(text), 0) + times
        check_counts(texts, str)
        self._texts = texts

    @property
    def sentences(self) -> dict[str, int]:
        """The sentences spelled with ▁, the most frequent first."""
        return dict(sorted(self._texts.items(), key=lambda entry: -entry[1]))

    # -- the training

    def steps(self) -> Generator[WorkProgress | Seeded | PruneStep, None, None]:
        """Yield the events of the training, also `WorkProgress`. Call once; stop pulling to stop.

        Raises:
            UnigramError: the text would take too long; nothing is recorded then.
        """
        sentences, seeds, counts = yield from self._seed()
        size = self._size(len(seeds.texts))
        alive = np.ones(len(seeds.texts), dtype=np.bool_)
        costs = _costs_of(counts)
        cuts = [_best_cut(sentence, costs) for sentence in sentences]
        record = self._record = TextbookRecord(
            seeds=seeds,
            start=Estimate(counts, _loss(sentences, cuts)),
            units=self.units,
            ngram=self.ngram,
            sentences=self._texts,
            unknown=self.unknown_token,
            special_tokens=self.special_tokens,
            vocab_size=size,
        )
        increases = yield from _weigh(sentences, cuts, costs)
        record.weigh(increases[alive])
        yield Seeded(record)
        while alive.sum() > size:
            gone = _least(increases, alive, seeds.texts)
            alive[gone] = False
            costs[gone] = inf
            counts = _count(sentences, [_best_cut(each, costs) for each in sentences], len(alive))
            costs = _costs_of(counts)
            cuts = [_best_cut(sentence, costs) for sentence in sentences]
            estimate = Estimate(counts, _loss(sentences, cuts))
            scores = -np.array(costs)
            chosen = np.array([gone], dtype=np.int64)
            index = record.append(chosen, increases[chosen], scores, estimate)
            increases = yield from _weigh(sentences, cuts, costs)
            record.weigh(increases[alive])
            step = PruneStep(record, index, index, PruneRule.ONE)
            record.steps.append(step)
            yield step
        self.stop_reason = self._reason(len(seeds.texts))

    def _size(self, grams: int) -> int:
        """Return the number of n-grams to end with, for a seed of `grams`."""
        return (grams + 1) // 2 if self._asked_size is None else self._asked_size

    def _reason(self, grams: int) -> UnigramStopReason:
        if not grams:
            return UnigramStopReason.NO_TEXT
        if self._asked_size is None:
            return UnigramStopReason.HALF_LEFT
        reached = grams >= self._asked_size
        return UnigramStopReason.SIZE_REACHED if reached else UnigramStopReason.SMALL_SEED

    # -- the seed

    def _seed(self) -> Work[tuple[list[_Sentence], Seeds, Floats]]:
        """Find all n-grams with their counts, and their places in the sentences."""
        self._check_moves(1)
        words: list[tuple[list[str], int]] = []
        grams: dict[str, int] = {}
        singles: set[str] = set()
        for at, (text, times) in enumerate(self._texts.items()):
            if at % BATCH == 0:
                yield WorkProgress("finding n-grams", at, len(self._texts))
            units = [unit.text for unit in self.units.read(text)]
            words.append((units, times))
            singles.update(units)
            for _, _, gram in self._grams_of(units):
                grams[gram] = grams.get(gram, 0) + times
            if len(grams) > MOST_GRAMS:
                raise UnigramError(
                    f"the text has more than {MOST_GRAMS:,} n-grams of "
                    f"{self.units.length(self.ngram)}, and each step weighs all of them; {WAY_OUT}"
                )
        steps = len(grams) - self._size(len(grams))
        self._check_moves(steps)
        if len(grams) * (steps + 1) > MOST_VALUES:
            raise UnigramError(
                f"{len(grams):,} n-grams of {self.units.length(self.ngram)} in {steps:,} steps "
                f"are more than memory has room for; {WAY_OUT}"
            )
        texts = sorted(grams, key=lambda gram: (gram not in singles, to_bytes(gram)))
        number_of = {gram: number for number, gram in enumerate(texts)}
        sentences = []
        for units, times in words:
            arriving: list[list[tuple[int, int]]] = [[] for _ in units]
            for start, end, gram in self._grams_of(units):
                arriving[end - 1].append((start, number_of[gram]))
            sentences.append(_Sentence(times, arriving))
        counts = np.array([grams[text] for text in texts], dtype=np.float64)
        seeds = Seeds(texts, -np.array(_costs_of(counts)), len(singles))
        return sentences, seeds, counts

    def _grams_of(self, units: Sequence[str]) -> Iterator[tuple[int, int, str]]:
        """Yield start, end and text of the n-grams of a sentence, from the left."""
        between = self.units.between
        for start in range(len(units)):
            for end in range(start + 1, min(start + self.ngram, len(units)) + 1):
                yield start, end, between.join(units[start:end])

    def _check_moves(self, steps: int) -> None:
        """Raise `UnigramError` if this number of steps would take too long.

        A step segments a sentence again for each n-gram of its best segmentation. These are at most
        as many as it has units.
        """
        units, a_step = 0, 0
        for text in self._texts:
            length = len(self.units.read(text))
            units += length
            a_step += length * (length + 1) * min(self.ngram, length)
        moves = a_step * max(steps, 1)
        if moves > MOST_MOVES:
            about = round(moves, 2 - len(str(moves)))
            many = f"{steps:,} steps" if steps > 1 else "a step"
            raise UnigramError(
                f"{units:,} {self.units.many} in n-grams of {self.units.length(self.ngram)} take "
                f"about {about:,} moves for {many}; the textbook trainer makes at most "
                f"{MOST_MOVES:,}: {WAY_OUT}"
            )


WAY_OUT = "give it a shorter text or shorter n-grams (--units), or take --trainer em"


def _costs_of(counts: Floats) -> list[float]:
    """Return −log P of each n-gram; infinity for one that is not counted."""
    total = float(counts.sum())
    return [-log(count / total) if count else inf for count in counts.tolist()]


def _loss(sentences: Sequence[_Sentence], cuts: Sequence[_Cut]) -> float:
    return sum(
        (sentence.times * cut.cost for sentence, cut in zip(sentences, cuts, strict=True)), 0.0
    )


def _count(sentences: Sequence[_Sentence], cuts: Sequence[_Cut], size: int) -> Floats:
    """Count the n-grams in segmentations."""
    counts = np.zeros(size)
    for sentence, cut in zip(sentences, cuts, strict=True):
        for gram in cut.grams:
            if gram != UNKNOWN:
                counts[gram] += sentence.times
    return counts


def _weigh(
    sentences: Sequence[_Sentence], cuts: Sequence[_Cut], costs: list[float]
) -> Work[Floats]:
    """Compute the growth of the loss without each n-gram."""
    increases = np.zeros(len(costs))
    for at, (sentence, cut) in enumerate(zip(sentences, cuts, strict=True)):
        if at % BATCH == 0:
            yield WorkProgress("weighing n-grams", at, len(sentences))
        for gram in set(cut.grams) - {UNKNOWN}:
            cost, costs[gram] = costs[gram], inf
            increases[gram] += sentence.times * (_best_cut(sentence, costs).cost - cut.cost)
            costs[gram] = cost
    return increases


def _least(increases: Floats, alive: Flags, texts: Sequence[str]) -> int:
    """Return the n-gram whose loss increases least; of equals, the one with the smallest bytes."""
    numbers = np.flatnonzero(alive)
    least = increases[numbers].min() + TIED
    equal = numbers[increases[numbers] <= least].tolist()
    return int(min(equal, key=lambda number: to_bytes(texts[number])))

"""`UnigramTrainer`: turns pretoken counts into EM iterations and prunes, one at a time.

    seed vocabulary
    repeat:
        a few iterations of EM               E: expected counts; M: scores from them
        until there are at most 1.1 × vocab_size pieces
        prune: three quarters stay           the smallest loss increases go
    cut to vocab_size                        the lowest scores go

This is SentencePiece's `Trainer::Train`, with its constants. The characters of the corpus always
stay, so that every pretoken has a segmentation at every place.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from enum import Enum
from itertools import count
from typing import Generic, TypeVar

import numpy as np

from engine.core.arguments import checked
from engine.core.arrays import Floats, Ints
from engine.core.errors import UnigramError, VocabSizeError
from engine.core.events import Work, WorkProgress
from engine.recording.training_input import check_counts, check_size
from engine.text.pretokenize import check_special_tokens
from engine.unigram.em import RARE, Estimate, TrainingCorpus, log_probabilities
from engine.unigram.lattice_arrays import Flags
from engine.unigram.record import EmStep, PruneRule, PruneStep, Seeded, UnigramRecord
from engine.unigram.seed import Seeds, seed_pieces

Event = WorkProgress | Seeded | EmStep | PruneStep

SEED_SIZE = 1_000_000
"""Largest number of pieces to start with."""
LONGEST_PIECE = 16
"""Largest number of characters of a piece."""
ITERATIONS = 2
"""Iterations of EM before each prune."""
KEPT_SHARE = 0.75
"""The share of the pieces that a prune keeps."""
SPARE = 1.1
"""Pruning by loss stops at this multiple of the wanted size; scores decide the rest."""
SHARE_OF_SEED = 10
LARGEST_UNASKED = 10_000
"""Largest vocabulary if no size is given: see `UnigramTrainer`."""


class UnigramStopReason(Enum):
    """The reason why training ended; the value describes it."""

    SIZE_REACHED = "the vocabulary has the size asked for"
    NO_MORE_PIECES = "fewer pieces than asked for are used at all"
    SHARE_LEFT = "a tenth of the longer pieces is left at most, as no size was asked for"
    HALF_LEFT = "half of the n-grams are left, as no size was asked for"
    SMALL_SEED = "the text has fewer n-grams than asked for, so none goes"
    NO_TEXT = "the text has nothing to make pieces of"


RecordT = TypeVar("RecordT", bound=UnigramRecord)


class PieceTrainer(Generic[RecordT]):
    """The parts of a training run that do not depend on the algorithm.

    Attributes:
        stop_reason: the reason why training ended; `None` before.
    """

    def __init__(
        self, vocab_size: int | None, special_tokens: Sequence[str], unknown_token: str
    ) -> None:
        check_special_tokens([unknown_token, *special_tokens])
        if vocab_size is not None:
            check_size(vocab_size)
        self.special_tokens, self.unknown_token = tuple(special_tokens), unknown_token
        self._asked_size = vocab_size
        self._record: RecordT | None = None
        self.stop_reason: UnigramStopReason | None = None

    @property
    def vocab_size(self) -> int:
        """The wanted size; without one, the size that follows from the seed.

        Raises:
            UnigramError: no size was given, and the seed is not found yet.
        """
        return self.record.vocab_size if self._asked_size is None else self._asked_size

    @property
    def record(self) -> RecordT:
        """The record of the run.

        Raises:
            UnigramError: the seed is not found yet.
        """
        if self._record is None:
            raise UnigramError("there is no record yet; pull the steps up to `Seeded`")
        return self._record

    @property
    def pieces(self) -> list[tuple[str, float]]:
        """Text and score of each id of the vocabulary so far; the best pieces first."""
        return self.record.pieces_at(len(self.record))


class UnigramTrainer(PieceTrainer[UnigramRecord]):
    """One training run.

    Args:
        counts: pretoken → number of occurrences, as `{"▁the": 12}`. Pretokens that occur 0 times
            and the empty one are left out.
        vocab_size: largest number of unknown token + special tokens + pieces. `None` keeps a tenth
            of the longer pieces of the seed, and at most 10,000 tokens; so there is something to
            prune.
        special_tokens: they get the ids after the unknown token's, 0.
        unknown_token: it replaces characters that the corpus does not have.

    Raises:
        VocabSizeError: the characters and the special tokens alone exceed `vocab_size`.
        SpecialTokenError: a special token is empty or given twice.

    >>> trainer = UnigramTrainer({"hug": 10, "pug": 5, "hugs": 5, "bun": 4}, 10)
    >>> steps = [event for event in trainer.steps() if isinstance(event, (EmStep, PruneStep))]
    >>> [(type(step).__name__, step.size_after) for step in steps]
    [('EmStep', 12), ('EmStep', 11), ('PruneStep', 9)]
    >>> [text for text, score in trainer.pieces]
    ['<unk>', 'hug', 'pug', 'u', 'g', 'h', 'p', 's', 'b', 'n']
    """

    @checked
    def __init__(
        self,
        counts: Mapping[str, int],
        vocab_size: int | None = None,
        special_tokens: Sequence[str] = (),
        *,
        unknown_token: str = "<unk>",
    ) -> None:
        super().__init__(vocab_size, special_tokens, unknown_token)
        self._counts = {text: times for text, times in counts.items() if text and times > 0}
        check_counts(self._counts, str)
        self._reserved = 1 + len(special_tokens)  # tokens that are no pieces
        characters = len(set().union(*self._counts))
        if vocab_size is not None and characters + self._reserved > vocab_size:
            ending = "" if len(self.special_tokens) == 1 else "s"
            raise VocabSizeError(
                f"a vocabulary of {vocab_size:,} is too small: {characters:,} different "
                f"character{'' if characters == 1 else 's'}, {self.unknown_token!r} and "
                f"{len(self.special_tokens)} special token{ending} need at least "
                f"{characters + self._reserved:,}, as EM keeps every character, so that any text "
                "of them can be encoded; the textbook trainer (--trainer textbook) goes on below "
                "that"
            )

    def steps(self) -> Generator[Event, None, None]:
        """Yield the events of the training, also `WorkProgress`. Call once; stop pulling to stop.

        There is a record from `Seeded` on. A step is in the record when it is yielded.
        """
        learner = yield from self._seeded()
        yield Seeded(learner.record)
        pieces_wanted = self.vocab_size - self._reserved
        enough = int(SPARE * self.vocab_size)
        for round_ in count() if learner.size else ():
            for iteration in range(ITERATIONS):
                yield (yield from learner.iterate(round_, iteration))
            if learner.size <= enough:
                if learner.size > pieces_wanted:
                    yield (yield from learner.prune(round_, PruneRule.SCORE, pieces_wanted))
                break
            kept = max(enough, int(KEPT_SHARE * learner.size))
            yield (yield from learner.prune(round_, PruneRule.LOSS, kept))
        self.stop_reason = self._reason(learner.size)

    def _reason(self, pieces: int) -> UnigramStopReason:
        if not self._counts:
            return UnigramStopReason.NO_TEXT
        if self._asked_size is None:
            return UnigramStopReason.SHARE_LEFT
        reached = pieces == self._asked_size - self._reserved
        return UnigramStopReason.SIZE_REACHED if reached else UnigramStopReason.NO_MORE_PIECES

    def _seeded(self) -> Work[Learner]:
        reserved = frozenset((self.unknown_token, *self.special_tokens))
        seeds = yield from seed_pieces(self._counts, SEED_SIZE, LONGEST_PIECE, reserved)
        corpus = yield from TrainingCorpus.of(self._counts, seeds.texts, LONGEST_PIECE)
        start = yield from corpus.estimate(seeds.scores)
        least = seeds.characters + self._reserved
        longer = len(seeds.texts) - seeds.characters
        size = max(least, min(least + longer // SHARE_OF_SEED, LARGEST_UNASKED))
        size = self._asked_size or size
        self._record = UnigramRecord(
            seeds, corpus, start, self.unknown_token, self.special_tokens, size
        )
        return Learner(seeds, corpus, start, self._record)


# -- the model that is being learnt: EM iterations and prunes


class Learner:
    """A model during its training; every step goes into the record.

    Args:
        seeds: the pieces at the start.
        corpus: the corpus with all these pieces.
        start: the fit of these pieces to the corpus.
        record: the record of the steps.
    """

    def __init__(
        self, seeds: Seeds, corpus: TrainingCorpus, start: Estimate, record: UnigramRecord
    ) -> None:
        self.record = record
        self._scores = seeds.scores
        self._is_character: Flags = np.arange(len(seeds.texts)) < seeds.characters
        self._alive: Flags = np.ones(len(seeds.texts), dtype=np.bool_)
        self._corpus = corpus
        self._estimate = start

    @property
    def size(self) -> int:
        """Number of pieces that are left."""
        return int(np.count_nonzero(self._alive))

    def iterate(self, round_: int, iteration: int) -> Work[EmStep]:
        """Make an iteration of EM: scores from the expected counts (M), then new counts (E)."""
        expected = self._estimate.expected
        vanished = np.flatnonzero(self._alive & ~self._is_character & (expected < RARE))
        vanished = vanished[np.argsort(expected[vanished], kind="stable")]
        yield from self._remove(vanished)
        # Only characters can be rarer and stay.
        counts = np.maximum(expected[self._alive], RARE)
        self._scores = np.full(len(expected), -np.inf)
        self._scores[self._alive] = log_probabilities(counts)
        self._estimate = yield from self._corpus.estimate(self._scores)
        index = self.record.append(vanished, expected[vanished], self._scores, self._estimate)
        step = EmStep(self.record, index, round_, iteration)
        self.record.steps.append(step)
        return step

    def prune(self, round_: int, rule: PruneRule, size: int) -> Work[PruneStep]:
        """Remove pieces until `size` are left; by loss, all unused pieces, too."""
        found = yield from self._corpus.removals(self._alive, self._scores)
        removable, surplus = self._alive & ~self._is_character, self.size - size
        if rule is PruneRule.LOSS:
            in_use = found.counts > 0
            unused = np.flatnonzero(removable & ~in_use)
            used = _least_first(found.loss_increases, removable & in_use)
            chosen = np.concatenate((unused, used[: max(0, surplus - len(unused))]))
        else:
            chosen = _least_first(self._scores, removable)[:surplus]
        yield from self._remove(chosen)
        self._estimate = yield from self._corpus.estimate(self._scores)
        index = self.record.append(chosen, found.loss_increases[chosen], None, self._estimate)
        step = PruneStep(self.record, index, round_, rule)
        self.record.steps.append(step)
        return step

    def _remove(self, numbers: Ints) -> Work[None]:
        self._alive = self._alive.copy()
        self._alive[numbers] = False
        self._corpus = yield from self._corpus.keeping(self._alive)


def _least_first(values: Floats, among: Flags) -> Ints:
    """Return the flagged numbers sorted by value; of equals the one seeded last comes first."""
    numbers = np.flatnonzero(among)[::-1]
    order: Ints = numbers[np.argsort(values[numbers], kind="stable")]
    return order

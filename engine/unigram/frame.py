"""`UnigramFrame`: the state at one place of a training. Immutable; computed when asked."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from engine.unigram.encoder import UnigramEncoder
from engine.unigram.events import EmStep, PruneStep
from engine.unigram.lattices import Floats, Ints
from engine.unigram.removals import Removals
from engine.unigram.work import Work

if TYPE_CHECKING:
    from engine.unigram.record import Record


class UnigramFrame:
    """The pieces at one place, with every number about them.

    Arrays have an entry for each piece that is there, by ascending number: the characters first,
    then as seeded.

    Attributes:
        place: 0 is the seed, k what there is after k steps.
        step: the step that led here; `None` at the seed.
        next_step: the step that leads on; `None` if none is recorded yet. What it removes is what
            is about to go.
        last_place: how far the recording goes.
    """

    def __init__(
        self,
        record: Record,
        place: int,
        last_place: int,
        step: EmStep | PruneStep | None,
        next_step: EmStep | PruneStep | None,
    ) -> None:
        self._record = record
        self.place = place
        self.last_place = last_place
        self.step = step
        self.next_step = next_step

    @cached_property
    def numbers(self) -> Ints:
        """The numbers that the seed gave the pieces."""
        return self._record.numbers_at(self.place)

    @cached_property
    def scores(self) -> Floats:
        """Their log-probabilities."""
        return self._record.scores_at(self.place)

    @property
    def expected_counts(self) -> Floats:
        """How often the corpus uses each on average over all segmentations."""
        return self._record.expected_at(self.place)

    @property
    def loss(self) -> float:
        """−log P(pretoken) on average, in nats."""
        return self._record.loss_at(self.place)

    @property
    def size(self) -> int:
        """How many pieces there are, without the unknown and the special tokens."""
        return len(self.numbers)

    @cached_property
    def texts(self) -> list[str]:
        """The pieces."""
        return [self._record.texts[number] for number in self.numbers.tolist()]

    @cached_property
    def encoder(self) -> UnigramEncoder:
        """Encodes with the pieces of this place: id 0 is the unknown token, id i + 1 `texts[i]`."""
        scored = zip(self.texts, self.scores.tolist(), strict=True)
        return UnigramEncoder([(self._record.unknown, 0.0), *scored])

    def segment(self, text: str) -> list[str]:
        """The best segmentation of a text at this place."""
        lattice = self.encoder.lattice(text)
        return lattice.spelled(lattice.best)

    def removals(self) -> Work[Removals]:
        """What removing each piece would do, by its number; some 0.1 s for 1 MB of text."""
        return self._record.removals_at(self.place)

"""`MergeRun` and `MergeTimeline`: what the runs of all trainings that merge pairs share.

BPE takes the most frequent pair, WordPiece the one of the highest score; what a step leaves behind
is the same: a pair became a token. Ties, breakpoints and the way to a pair ask no more than this.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import Any, TypeVar

from engine.core.events import Pair
from engine.recording.affected_pretokens import PretokenIndex
from engine.recording.merge_record import MergeRecord, PairStep
from engine.recording.player import Player, Run
from engine.recording.segmentation import Segments
from engine.recording.tied_steps import TiedSteps
from engine.recording.vocabulary.vocabulary import Vocabulary
from engine.text.excerpt import Excerpt

FrameT = TypeVar("FrameT")


class MergeRun(Run[PairStep]):
    """Recorded merges, and what can be asked about any of them.

    Attributes:
        record: what wrote the steps down.
        counts: how often the corpus has each pretoken, in the order in which they first appear.
        table: pair → (index of its merge, id of the token made).
        excerpt: the beginning of the corpus, for frames to show.
        tokens_at_start: tokens that the corpus has at step 0.
        segmenter: tells the tokens of a pretoken at any step.
        ties: the steps whose pair shared the top with another.
        uncountable: why nothing is counted in any corpus, as a clause; `None` if it can be.
    """

    record: MergeRecord[Any]
    counts: Mapping[bytes, int]
    table: dict[Pair, tuple[int, int]]
    excerpt: Excerpt
    tokens_at_start: int
    segmenter: Segments
    ties: TiedSteps
    uncountable: str | None = None

    @cached_property
    def by_count(self) -> PretokenIndex:
        """The pretokens, most frequent first."""
        return PretokenIndex(sorted(self.counts, key=self.counts.__getitem__, reverse=True))

    @cached_property
    def by_appearance(self) -> PretokenIndex:
        """The pretokens in the order in which the corpus first has them."""
        return PretokenIndex(list(self.counts))

    @abstractmethod
    def vocabulary_at(self, step: int, recorded_steps: int) -> Vocabulary:
        """The tokens of a step in columns, of so many steps that are recorded."""

    def _keep(self, step: PairStep) -> None:
        self.table[step.pair] = (step.index, step.new_id)

    def step_at(self, index: int) -> PairStep:
        step: PairStep = self.record[index]
        return step

    def step_of(self, pair: Pair) -> int | None:
        """The step right after a pair merges; `None` if it has not been seen to merge."""
        known = self.table.get(pair)
        return None if known is None else known[0] + 1


class MergeTimeline(Player[FrameT]):
    """A run of merges and a cursor."""

    run: MergeRun

    @property
    def record(self) -> MergeRecord[Any]:
        """What wrote the steps down."""
        return self.run.record

    @property
    def counts(self) -> Mapping[bytes, int]:
        """How often the corpus has each pretoken, in the order in which they first appear."""
        return self.run.counts

    @property
    def ties(self) -> TiedSteps:
        """The steps whose pair shared the top with another."""
        return self.run.ties

    def step_of(self, pair: Pair) -> int | None:
        """The step right after a pair merges; `None` if it has not been seen to merge."""
        return self.run.step_of(pair)

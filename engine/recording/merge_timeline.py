"""`MergeTimeline`: what the timelines of all trainings that merge pairs share.

BPE takes the most frequent pair, WordPiece the one of the highest score; what a step leaves behind
is the same: a pair became a token. Ties, breakpoints and the way to a pair ask no more than this.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, TypeVar

from engine.core.errors import TimelineError
from engine.core.events import Pair
from engine.recording.affected_pretokens import PretokenIndex
from engine.recording.merge_record import MergeRecord, PairStep
from engine.recording.player import Player
from engine.recording.segmentation import Segments
from engine.recording.tied_steps import TiedSteps
from engine.recording.vocabulary.vocabulary import Vocabulary
from engine.text.excerpt import Excerpt

FrameT = TypeVar("FrameT")


class MergeTimeline(Player[FrameT]):
    """Recorded merges with a cursor. Steps may be added at the end at any time.

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

    def extend(self, steps: Iterable[PairStep]) -> None:
        """Add steps at the end.

        Raises:
            TimelineError: a step is of another run, or not the next one.
        """
        for step in steps:
            if step.record is not self.record or step.index != len(self):
                raise TimelineError(
                    f"step {step.index} does not follow the {len(self)} steps recorded"
                )
            self.table[step.pair] = (step.index, step.new_id)
            self._add_step()

    def extend_to(self, length: int) -> None:
        """Add the steps that the record has by now, so that there are so many."""
        self.extend(self.record[index] for index in range(len(self), length))

    def step_of(self, pair: Pair) -> int | None:
        """The step right after a pair merges; `None` if it has not been seen to merge."""
        known = self.table.get(pair)
        return None if known is None else known[0] + 1

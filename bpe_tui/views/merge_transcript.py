"""What the transcripts of all models share that merge pairs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TypeVar

from bpe_tui.views.transcript import LISTED, Transcript
from bpe_tui.widgets.visible import number, plural
from engine.core.events import CountChange, Pair
from engine.recording.merge_frame import AnyMergeFrame

MergeFrameT = TypeVar("MergeFrameT", bound=AnyMergeFrame)


class MergeTranscript(Transcript[MergeFrameT]):
    """Answers commands about recorded merges."""

    STEPS = "merge"

    @abstractmethod
    def narrate_tie(self) -> str:
        """Why this pair merged and no other."""

    @abstractmethod
    def told_pair(self, pair: Pair) -> str:
        """A pair within a sentence: `o and u`."""

    @abstractmethod
    def ranked(self, most: int) -> Iterator[str]:
        """The first pairs in the order in which they would merge now."""

    def tie(self, rest: str) -> Iterator[str]:
        step = self.frame.tied_step(-1 if rest == "back" else 1)
        if step is None:
            where = "before" if rest == "back" else "after"
            yield f"No merge {where} this one was tied."
            return
        self._player.seek(step)
        yield self.told()
        yield self.narrate_tie()

    def pairs(self, rest: str) -> Iterator[str]:
        wanted = self.number_in(rest or str(LISTED))
        if wanted is None:
            yield f"Say how many pairs to tell, like pairs {LISTED}."
            return
        place = 0
        for place, said in enumerate(self.ranked(wanted), 1):
            yield f"{place}. {said}"
        if not place:
            yield "There is no pair left."

    def told_changes(self, changes: Sequence[CountChange]) -> Iterator[str]:
        """The first counts that a merge changed."""
        for change in changes[:LISTED]:
            before, after = number(change.before), number(change.after)
            yield f"The count of {self.told_pair(change.pair)} went from {before} to {after}."
        if (more := len(changes) - LISTED) > 0:
            yield f"{plural(more, 'other count')} changed."

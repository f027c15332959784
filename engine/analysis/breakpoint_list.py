"""The breakpoints of a run, and the steps at which they stop.

Each breakpoint is tried on every merge once, in order, as far as the recording goes, in slices of
time. So a search is never repeated, and all stops found can be shown along the timeline.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.recording.playback import MergeTimeline

if TYPE_CHECKING:
    from engine.analysis.breakpoints import Breakpoint

MERGES_A_SLICE = 64
"""Number of merges between two looks at the clock."""


@dataclass
class WatchedBreakpoint:
    """A breakpoint of the list, with the steps found so far.

    Attributes:
        hits: the steps at which it stops, in order.
        examined: the number of merges that it was tried on.
    """

    breakpoint: Breakpoint
    hits: list[int] = field(default_factory=list)
    examined: int = 0


class Hit(NamedTuple):
    """A step to stop at, and the breakpoint that it meets."""

    step: int
    breakpoint: Breakpoint


@dataclass
class BreakpointList:
    """The breakpoints of a run, which can be added and removed.

    Attributes:
        watched: the breakpoints in the order in which they were added.
    """

    watched: list[WatchedBreakpoint] = field(default_factory=list)

    def add(self, line: str) -> None:
        """Add the breakpoint of a line, unless it is in the list.

        Raises:
            BreakpointError: the line is no breakpoint.
        """
        from engine.analysis.breakpoints import parse  # every session has an empty list

        wanted = parse(line)
        if all(watched.breakpoint != wanted for watched in self.watched):
            self.watched.append(WatchedBreakpoint(wanted))

    def restart(self) -> None:
        """Forget all stops found, since the merges are other ones now."""
        self.watched = [WatchedBreakpoint(w.breakpoint) for w in self.watched]

    def examine(self, timeline: MergeTimeline[Any], seconds: float) -> int:
        """Try merges for some seconds; return how many all breakpoints were tried on."""
        deadline = monotonic() + seconds
        for watched in self.watched:
            while watched.examined < len(timeline):
                if watched.examined % MERGES_A_SLICE == 0 and monotonic() > deadline:
                    break
                if watched.breakpoint.matches(timeline.record[watched.examined], timeline):
                    watched.hits.append(watched.examined + 1)
                watched.examined += 1
        return len(timeline) if self.examined is None else self.examined

    @property
    def examined(self) -> int | None:
        """Number of merges that all breakpoints were tried on, if any."""
        return min((watched.examined for watched in self.watched), default=None)

    def next_hit(self, step: int) -> Hit | None:
        """Return the first stop after a step, among the merges tried so far.

        >>> from engine import Timeline, Trainer
        >>> counts = {b"low": 5, b"lower": 2}
        >>> breakpoints = BreakpointList()
        >>> breakpoints.add("len>=3")
        >>> breakpoints.examine(Timeline(counts, Trainer(counts, 258).steps()), seconds=1)
        2
        >>> hit = breakpoints.next_hit(0)
        >>> hit.step, str(hit.breakpoint)
        (2, 'len>=3')
        """
        found = []
        for watched in self.watched:
            place = bisect_right(watched.hits, step)
            if place < len(watched.hits):
                found.append(Hit(watched.hits[place], watched.breakpoint))
        return min(found, key=lambda hit: hit.step, default=None)

    @property
    def hit_count(self) -> int:
        """Number of stops found; it changes whenever `hits` does."""
        return sum(len(watched.hits) for watched in self.watched)

    def hits(self) -> list[int]:
        """Return all steps to stop at, in order."""
        return sorted({step for watched in self.watched for step in watched.hits})

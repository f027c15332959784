"""The breakpoints of a run, and the steps at which they stop, found in slices of time.

Every merge is looked at once for each breakpoint, in order, as far as the recording goes. So a
search never starts anew, and what has been found can be shown along the timeline.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, NamedTuple

from engine.analysis.breakpoints.conditions import Breakpoint, parse
from engine.core.errors import BreakpointError
from engine.recording.playback import MergeTimeline

A_LOOK_AT_THE_CLOCK = 64
"""Merges between two looks at the clock."""


@dataclass
class Watched:
    """A breakpoint of the list.

    Attributes:
        enabled: whether anything stops at it.
        hits: the steps at which it stops, in order.
        examined: how many merges have been looked at.
        failure: why it was given up, if it was; it is not enabled then.
    """

    breakpoint: Breakpoint
    enabled: bool = True
    hits: list[int] = field(default_factory=list)
    examined: int = 0
    failure: str = ""

    def examine(self, timeline: MergeTimeline[Any], deadline: float) -> bool:
        """Look at the merges that have not been looked at; whether none is left."""
        while self.examined < len(timeline):
            if self.examined % A_LOOK_AT_THE_CLOCK == 0 and monotonic() > deadline:
                return False
            if self.breakpoint.matches(timeline.record[self.examined], timeline):
                self.hits.append(self.examined + 1)
            self.examined += 1
        return True


class Hit(NamedTuple):
    """A step to stop at, and the breakpoint that says so."""

    step: int
    breakpoint: Breakpoint


class BreakpointList:
    """Breakpoints to be added, switched off and on, and taken out again.

    `scored`: the merges have scores that can be stopped at.
    """

    def __init__(self, scored: bool = False) -> None:
        self._scored = scored
        self._watched: list[Watched] = []

    def __len__(self) -> int:
        return len(self._watched)

    def __getitem__(self, place: int) -> Watched:
        return self._watched[place]

    @property
    def enabled(self) -> list[Watched]:
        """Those at which anything stops."""
        return [watched for watched in self._watched if watched.enabled]

    def add(self, line: str) -> None:
        """Add the breakpoint that a line means, or switch it on if it is there.

        Raises:
            BreakpointError: the line means none.
        """
        wanted = parse(line, self._scored)
        for watched in self._watched:
            if watched.breakpoint == wanted:
                watched.enabled = not watched.failure
                return
        self._watched.append(Watched(wanted))

    def toggle(self, place: int) -> None:
        """Switch a breakpoint off or on; one that was given up stays off."""
        watched = self._watched[place]
        watched.enabled = not watched.enabled and not watched.failure

    def remove(self, place: int) -> None:
        """Take a breakpoint out."""
        del self._watched[place]

    def restart(self) -> None:
        """Forget what was found: the merges are others now."""
        self._watched = [Watched(w.breakpoint, w.enabled) for w in self._watched]

    def examine(self, timeline: MergeTimeline[Any], seconds: float) -> int:
        """Look at merges for so long; how many have been looked at for all that are enabled."""
        deadline = monotonic() + seconds
        for watched in self.enabled:
            try:
                watched.examine(timeline, deadline)
            except BreakpointError as error:
                watched.enabled, watched.failure = False, str(error)
        return min((watched.examined for watched in self.enabled), default=len(timeline))

    def next_hit(self, step: int) -> Hit | None:
        """The first stop after a step, among the merges looked at.

        >>> from engine import Timeline, Trainer
        >>> counts = {b"low": 5, b"lower": 2}
        >>> breakpoints = BreakpointList()
        >>> breakpoints.add("len>=3")
        >>> breakpoints.examine(Timeline(counts, Trainer(counts, 258).steps()), seconds=1)
        2
        >>> breakpoints.next_hit(0)
        Hit(step=2, breakpoint=TokenLength(least=3))
        """
        return min(self._hits_after(step), key=lambda hit: hit.step, default=None)

    def _hits_after(self, step: int) -> Iterator[Hit]:
        for watched in self.enabled:
            place = bisect_right(watched.hits, step)
            if place < len(watched.hits):
                yield Hit(watched.hits[place], watched.breakpoint)

    @property
    def hit_count(self) -> int:
        """How many stops are known; it changes whenever `hits` does."""
        return sum(len(watched.hits) for watched in self.enabled)

    def hits(self) -> list[int]:
        """All steps at which something stops, in order."""
        return sorted({step for watched in self.enabled for step in watched.hits})

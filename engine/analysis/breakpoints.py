"""Breakpoints of a recorded training: conditions on a merge.

To add a condition, write whether a merge meets it, and an entry in `KINDS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from engine.core.errors import BreakpointError
from engine.recording.merge_record import PairStep
from engine.recording.playback import MergeTimeline


def _is_tied(step: PairStep, timeline: MergeTimeline[Any], number: int) -> bool:
    """Whether several pairs shared the top count, or in WordPiece the top score."""
    return timeline.run.ties.is_tied(step.index + 1)


def _falls_below(step: PairStep, timeline: MergeTimeline[Any], limit: int) -> bool:
    """Whether the count of the merged pair falls below a limit.

    In BPE this happens once, as counts only fall. In WordPiece they rise and fall.
    """
    if step.count >= limit:
        return False
    return step.index == 0 or timeline.record[step.index - 1].count >= limit


def _is_as_long(step: PairStep, timeline: MergeTimeline[Any], least: int) -> bool:
    """Whether the new token has a number of bytes, or more."""
    return len(step.covers) >= least


def _is_at(step: PairStep, timeline: MergeTimeline[Any], number: int) -> bool:
    """Whether the step has a number."""
    return step.index + 1 == number


class Kind(NamedTuple):
    """A kind of breakpoint.

    Attributes:
        form: its line, with `{}` for its number if it has one.
        example: an example of the line.
        grammar: a regular expression for the line, with a group for the number.
        matches: whether to stop at this merge of the timeline, with that number.
    """

    form: str
    example: str
    grammar: str
    matches: Callable[[PairStep, MergeTimeline[Any], int], bool]


_NUMBER = r"([1-9]\d{0,17})"
KINDS = (
    Kind("tie", "tie", r"ties?()", _is_tied),
    Kind("count<{}", "count<50", rf"count\s*<\s*{_NUMBER}", _falls_below),
    Kind("len>={}", "len>=8", rf"len\s*>=\s*{_NUMBER}", _is_as_long),
    Kind("step {}", "step 1000", rf"step\s+{_NUMBER}", _is_at),
)
"""All kinds, in the order of their examples."""
EXAMPLES = tuple(kind.example for kind in KINDS)


class Breakpoint(NamedTuple):
    """A condition to stop at. Its `str` is a line of text that `parse` reads back."""

    kind: Kind
    number: int = 0

    def matches(self, step: PairStep, timeline: MergeTimeline[Any]) -> bool:
        """Whether to stop at this merge of the timeline."""
        return self.kind.matches(step, timeline, self.number)

    def __str__(self) -> str:
        return self.kind.form.format(self.number)


def parse(line: str) -> Breakpoint:
    """Read the breakpoint of a line.

    Args:
        line: for example one of `EXAMPLES`.

    >>> str(parse("count < 50"))
    'count<50'

    Raises:
        BreakpointError: it is no breakpoint.
    """
    for kind in KINDS:
        if found := re.fullmatch(kind.grammar, line.strip()):
            return Breakpoint(kind, int(found[1] or 0))
    raise BreakpointError("not a breakpoint; write one like  " + "   ".join(EXAMPLES))

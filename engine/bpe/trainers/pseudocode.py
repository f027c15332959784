"""The pseudocode of a training algorithm, for people to read, and the parts of its steps."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class StepPart(Enum):
    """A part of a step, which each step goes through once; the value describes it.

    `heap` alone has the moves of its heap instead; a step may have any number of them.
    """

    COUNT = "the pairs are counted"
    CHOOSE = "the best pair is found"
    JOIN = "its two tokens are joined to a new one"
    REPLACE = "the pair is replaced by it"
    CORRECT = "the counts are corrected"
    ENTER = "the new pairs wait for their turn"


class Move(Enum):
    """A single operation on the heap; the value describes it."""

    POP_STALE = "pop, stale"
    PUSH_BACK = "push back with the true count"
    POP = "pop, true: this pair merges"
    PUSH = "push a new pair"


PartOrMove = Move | StepPart


class CodeLine(NamedTuple):
    """A line of pseudocode; it is active in the parts of a step that `during` names."""

    text: str
    during: tuple[PartOrMove, ...] = ()


def parts_of_step(lines: tuple[CodeLine, ...]) -> list[PartOrMove]:
    """Return the parts of a step, in the order of the pseudocode's lines.

    >>> lines = CodeLine("find it", (StepPart.CHOOSE,)), CodeLine("join it", (StepPart.JOIN,))
    >>> [part.name for part in parts_of_step(lines)]
    ['CHOOSE', 'JOIN']
    """
    return list(dict.fromkeys(part for line in lines for part in line.during))

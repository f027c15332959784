"""What an algorithm does, in lines to be read, and which of them are at work at which moment.

A line says in which phases of a step it is at work. `heap` goes by the moves of its heap
(`engine.bpe.heap_walk`), of which a step has any number; the others go through the same few phases
once in every step.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from engine.bpe.heap_walk import Move


class Phase(Enum):
    """A part of a step; the value says it in words."""

    COUNT = "the pairs are counted"
    CHOOSE = "the best pair is found"
    JOIN = "its two tokens are joined to a new one"
    REPLACE = "the pair is replaced by it"
    CORRECT = "the counts are corrected"
    ENTER = "the new pairs wait for their turn"


Moment = Move | Phase


@dataclass(frozen=True)
class CodeLine:
    """A line of pseudocode; `during` are the moments at which it is at work."""

    text: str
    during: tuple[Moment, ...] = ()


def phases_of(lines: tuple[CodeLine, ...]) -> list[Moment]:
    """The moments of a step in the order of the lines.

    >>> lines = CodeLine("find it", (Phase.CHOOSE,)), CodeLine("join it", (Phase.JOIN,))
    >>> [phase.name for phase in phases_of(lines)]
    ['CHOOSE', 'JOIN']
    """
    return list(dict.fromkeys(moment for line in lines for moment in line.during))

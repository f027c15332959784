"""What a possible cause is: a mistake, and the trainers that make it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from engine.analysis.check.assignment import Assignment
from engine.analysis.check.claim import ClaimedStep
from engine.analysis.check.taken import Taken


@dataclass(frozen=True)
class Case:
    """What is to be explained: the steps of a trainer, and the first that is not by the rule.

    `is_tie` says that the trainer took a pair there that is as frequent as the rule's.
    """

    assignment: Assignment
    steps: Sequence[ClaimedStep]
    divergence: int
    is_tie: bool


@dataclass(frozen=True)
class Deviation:
    """A trainer with one mistake: what it does, in words, and the merges that it makes.

    `variant` names it among the deviations of its cause, where there are several.
    """

    sentence: str
    run: Callable[[], Iterator[Taken]]
    variant: str = ""


@dataclass(frozen=True)
class Cause:
    """A known mistake. `deviations` are the ways in which it may have been made in a case."""

    name: str
    sentence: str
    deviations: Callable[[Case], Iterator[Deviation]]

"""What a possible cause is: a mistake, and the trainers that make it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from engine.analysis.check.assignment import Assignment
from engine.analysis.check.claim import ClaimedStep
from engine.bpe.trainers.problem import Algorithm, Problem

# A merge that some trainer takes, by its bytes, with the count on which it was taken.


@dataclass(frozen=True, slots=True)
class Taken:
    """A merge and the count on which it was taken."""

    left: bytes
    right: bytes
    count: int


def taken_by(algorithm: Algorithm, problem: Problem) -> Iterator[Taken]:
    """The merges that an algorithm takes.

    >>> from engine.analysis.check.assignment import Assignment
    >>> from engine.bpe.trainers import TRAINERS
    >>> next(taken_by(TRAINERS["naive"], Assignment(lambda: b"low low").problem()))
    Taken(left=b'o', right=b'w', count=2)
    """
    for merge in algorithm.run(problem):
        left, right = problem.pairs[merge.number]
        yield Taken(problem.vocab[left], problem.vocab[right], merge.count)


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

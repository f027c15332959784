"""A merge that some trainer takes, by its bytes, with the count on which it was taken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.bpe.trainers.problem import Algorithm, Problem


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

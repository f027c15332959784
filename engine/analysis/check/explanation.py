"""Why do a trainer's merges part from the rule? Every known mistake is tried.

A cause is a hypothesis: *a trainer with this mistake makes these very merges.* So such a trainer is
run over the corpus from the first merge on. It explains as many of the merges behind the divergence
as it makes, too. A wrong hypothesis parts from the trainer early, and costs little.

Where no mistake explains everything, those that explain most are tried together with any other:
two mistakes are named if each of them is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from engine.analysis.check.claim import Assignment
from engine.analysis.check.mistaken_trainer import Way
from engine.analysis.check.steps_file import ClaimedStep

FURTHER = 1000
"""How many merges behind the divergence a hypothesis is run for, at the most."""
LARGEST_TRIED = 1 << 23
"""Bytes of the largest corpus on which what takes much time or memory is tried."""
COSTS = 0, 1, 2
TRIED_WITH_OTHERS = 2
"""How many of the mistakes that explain a part are tried together with any other."""


@dataclass(frozen=True)
class Case:
    """What is to be explained.

    Attributes:
        assignment: what the trainer was asked to do.
        steps: what it did.
        divergence: the first of them that is not by the rule, from 0.
        is_tie: whether the trainer took a pair there that is as frequent as the rule's.
    """

    assignment: Assignment
    steps: Sequence[ClaimedStep]
    divergence: int
    is_tie: bool


@dataclass(frozen=True)
class Deviation:
    """A trainer with one mistake.

    Attributes:
        sentence: what it does wrong, in words.
        change: how it goes about the assignment, made of another way to do so.
        variant: its name among the deviations of its cause, where there are several.
    """

    sentence: str
    change: Callable[[Way], Way]
    variant: str = ""

    def merges(self, way: Way) -> Iterator[ClaimedStep]:
        """The merges of a trainer that makes this mistake beside those of `way`."""
        return self.change(way).merges()


@dataclass(frozen=True)
class Slip:
    """A list of merges that is wrong, made by a trainer that is right.

    It is worth telling only if it explains all of them.

    Attributes:
        steps: the list.
        lines: by how many lines it is longer than it should be.
    """

    sentence: str
    steps: Sequence[ClaimedStep]
    lines: int
    variant: str = ""

    def merges(self, way: Way) -> Iterator[ClaimedStep]:
        """The list, whatever the way."""
        return iter(self.steps)


@dataclass(frozen=True)
class Cause:
    """A known mistake.

    Attributes:
        name, sentence: what it is called, and what it is.
        deviations: the trainers with this mistake that are worth trying in a case.
        cost: what it takes to try: 0 a moment, 1 counting the corpus again, 2 doing so often. The
            dearer are tried only if nothing cheaper explains everything.
    """

    name: str
    sentence: str
    deviations: Callable[[Case], Iterable[Deviation | Slip]]
    cost: int = 0


@dataclass(frozen=True)
class Explanation:
    """A mistake that makes the trainer's merges up to the divergence, and some from there on.

    Attributes:
        cause, sentence: the mistake; where two were made, both.
        merges: how many merges it makes as the trainer does, from the divergence on.
        all: whether these are all that the trainer made.
        alike: other variants of the mistake that explain as much.
        lines: see `Slip`; `None` for the mistakes of trainers.
    """

    cause: str
    sentence: str
    merges: int
    all: bool
    alike: tuple[str, ...] = ()
    lines: int | None = None

    @property
    def explains_enough(self) -> bool:
        """Whether it explains all that is tried of it."""
        return self.all or self.merges > FURTHER


_Found = list[tuple[Explanation, Deviation | Slip]]


def explain(case: Case, causes: Collection[Cause]) -> list[Explanation]:
    """The mistakes that explain the divergence, the one that explains most merges first.

    What explains all that is tried of it explains as much as what explains the whole list; of
    causes that explain as much, the earlier comes first.
    """
    by_rule = Way.by_rule(case.assignment)
    found: _Found = []
    for cost in COSTS:
        tried = [cause for cause in causes if cause.cost == cost]
        found = sorted([*found, *_explaining(case, tried, by_rule)], key=_reach)
        if found and found[0][0].explains_enough:
            return [explanation for explanation, _ in found]
    return [*_together(case, causes, found), *(explanation for explanation, _ in found)]


def _reach(found: tuple[Explanation, Deviation | Slip]) -> int:
    return -min(found[0].merges, FURTHER + 1)


def _explaining(case: Case, causes: Iterable[Cause], way: Way) -> _Found:
    """What each cause explains in its best variant, made beside the mistakes of `way`."""
    found: _Found = []
    for cause in causes:
        tried = [(_tried(case, cause, each, way), each) for each in cause.deviations(case)]
        best = max(tried, key=lambda each: each[0].merges, default=None)
        if best is None or not best[0].merges:
            continue
        alike = (
            deviation.variant
            for explanation, deviation in tried
            if explanation.merges == best[0].merges and deviation is not best[1]
        )
        found.append((replace(best[0], alike=tuple(alike)), best[1]))
    return found


def _together(case: Case, causes: Collection[Cause], found: _Found) -> Iterator[Explanation]:
    """Two mistakes that explain everything together, if there are such."""
    if len(case.assignment.text) > LARGEST_TRIED:
        return
    case = replace(case, is_tie=True)  # further on there may be ties
    for part, first in found[:TRIED_WITH_OTHERS]:
        if not isinstance(first, Deviation):
            continue
        others = [cause for cause in causes if cause.cost < 2 and cause.name != part.cause]
        way = first.change(Way.by_rule(case.assignment)).counted()
        for whole, _ in sorted(_explaining(case, others, way), key=_reach):
            if whole.explains_enough and whole.lines is None:
                cause, sentence = (
                    f"{part.cause} + {whole.cause}",
                    f"{part.sentence}; and {whole.sentence}",
                )
                yield replace(whole, cause=cause, sentence=sentence)
                return


def _tried(case: Case, cause: Cause, deviation: Deviation | Slip, way: Way) -> Explanation:
    """How many merges from the divergence on a trainer with the mistake makes, too."""
    lines = deviation.lines if isinstance(deviation, Slip) else None
    steps = case.steps if lines is not None else case.steps[: case.divergence + 1 + FURTHER]
    made = 0
    for step, taken in zip(steps, deviation.merges(way), strict=False):
        if taken.pair != step.pair or step.count not in (None, taken.count):
            break
        made += 1
    all_made = made == len(case.steps)
    merges = 0 if lines is not None and not all_made else max(0, made - case.divergence)
    return Explanation(cause.name, deviation.sentence, merges, all_made, lines=lines)

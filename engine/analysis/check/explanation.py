"""Why do a trainer's merges part from the rule? Every known mistake is tried.

A cause is a hypothesis: *a trainer with this mistake makes these very merges.* So such a trainer is
run over the corpus from the first merge on. It explains as many of the merges behind the divergence
as it makes, too. A wrong hypothesis parts from the trainer early, and costs little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from engine.analysis.check.assignment import Assignment
from engine.analysis.check.steps_file import ClaimedStep

FURTHER = 1000
"""How many merges behind the divergence a hypothesis is run for, at the most."""


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
        run: gives the merges that it makes, with the counts that it believes in.
        variant: its name among the deviations of its cause, where there are several.
        lines: by how many lines the list is longer, if the mistake is no trainer's, but a slip in
            the list of merges; such a one is worth telling only if it explains all of them.
    """

    sentence: str
    run: Callable[[], Iterator[ClaimedStep]]
    variant: str = ""
    lines: int | None = None


@dataclass(frozen=True)
class Cause:
    """A known mistake.

    Attributes:
        name, sentence: what it is called, and what it is.
        deviations: the trainers with this mistake that are worth trying in a case.
    """

    name: str
    sentence: str
    deviations: Callable[[Case], Iterator[Deviation]]


@dataclass(frozen=True)
class Explanation:
    """A mistake that makes the trainer's merges up to the divergence, and some from there on.

    Attributes:
        cause, sentence: the mistake.
        merges: how many merges it makes as the trainer does, from the divergence on.
        all: whether these are all that the trainer made.
        alike: other variants of the mistake that explain as much.
        lines: see `Deviation`.
    """

    cause: str
    sentence: str
    merges: int
    all: bool
    alike: tuple[str, ...] = ()
    lines: int | None = None


def explain(case: Case, causes: Iterable[Cause]) -> list[Explanation]:
    """The mistakes that explain the divergence, the one that explains most merges first.

    What explains all that is tried of it explains as much as what explains the whole list.
    """
    found = (_best_variant(case, cause) for cause in causes)
    return sorted(filter(None, found), key=lambda each: -min(each.merges, FURTHER + 1))


def _best_variant(case: Case, cause: Cause) -> Explanation | None:
    """What a cause explains in its best variant; `None` if it explains nothing."""
    tried = [(_tried(case, cause, each), each.variant) for each in cause.deviations(case)]
    if not tried:
        return None
    best = max((explanation for explanation, _ in tried), key=lambda each: each.merges)
    same = (variant for each, variant in tried if each.merges == best.merges and each is not best)
    return replace(best, alike=tuple(same)) if best.merges else None


def _tried(case: Case, cause: Cause, deviation: Deviation) -> Explanation:
    """How many merges from the divergence on a trainer with the mistake makes, too."""
    is_slip = deviation.lines is not None
    steps = case.steps if is_slip else case.steps[: case.divergence + 1 + FURTHER]
    made = 0
    for step, taken in zip(steps, deviation.run(), strict=False):
        if taken.pair != step.pair or step.count not in (None, taken.count):
            break
        made += 1
    all_made = made == len(case.steps)
    merges = 0 if is_slip and not all_made else max(0, made - case.divergence)
    return Explanation(cause.name, deviation.sentence, merges, all_made, lines=deviation.lines)

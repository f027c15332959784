"""Slips: the trainer is right, and a line of the list that it wrote is not.

A slip explains a divergence only if it explains everything: all merges but the lines in question
are the rule's, in its order. So the rule's own list is made as far as the trainer's goes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from engine.analysis.check.mistaken_trainer import DivergenceCase, Slip
from engine.analysis.check.steps_file import ClaimedStep

MOST_LINES = 50
"""Lines in a row that may be missing, or too many."""


def _place_of(step: ClaimedStep, steps: Sequence[ClaimedStep], start: int, end: int) -> int | None:
    """Find the step with the same pair between two places."""
    return next(
        (at for at, each in enumerate(steps[start:end], start) if each.pair == step.pair), None
    )


def missing(case: DivergenceCase) -> Iterator[Slip]:
    """Look for the trainer's pair a few lines further on in the rule's list."""
    first, steps = case.divergence, case.steps
    if case.is_tie and first == len(steps) - 1:
        return  # it took the other of two, and there is no later merge to confirm a slip
    rule = case.assignment.first_by_rule(len(steps) + MOST_LINES)
    last = _place_of(steps[first], rule, first + 1, first + 1 + MOST_LINES)
    if last is not None:
        made = chain(rule[:first], rule[last:])
        merges, are, _ = _wording(first, last)
        yield Slip(f"{merges} of the rule {are} missing from yours", list(made), first - last)


def too_many(case: DivergenceCase) -> Iterator[Slip]:
    """Look for the rule's pair a few lines further on in the trainer's list."""
    first, steps = case.divergence, case.steps
    rule = case.assignment.first_by_rule(len(steps))
    if first >= len(rule):
        return
    last = _place_of(rule[first], steps, first + 1, first + 1 + MOST_LINES)
    if last is not None:
        made = chain(rule[:first], steps[first:last], rule[first:])
        merges, are, lines = _wording(first, last)
        yield Slip(f"your {merges} {are} {lines} too many", list(made), last - first)


def swapped(case: DivergenceCase) -> Iterator[Slip]:
    """Swap the rule's merge with the one that the trainer took, wherever the rule has that."""
    first, steps = case.divergence, case.steps
    rule = case.assignment.first_by_rule(len(steps))
    other = _place_of(steps[first], rule, first + 1, len(steps))
    if other is not None:
        made = list(rule)
        made[first], made[other] = made[other], made[first]
        yield Slip(f"merges {first + 1:,} and {other + 1:,} are swapped", made, 0)


def _wording(first: int, last: int) -> tuple[str, str, str]:
    """Return (`merges 35 to 37`, `are`, `lines`) for `first` to before `last`, both from 0."""
    if last == first + 1:
        return f"merge {first + 1:,}", "is", "a line"
    return f"merges {first + 1:,} to {last:,}", "are", "lines"

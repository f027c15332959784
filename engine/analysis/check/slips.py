"""Slips in the list of merges: the trainer is right, and a line of what it wrote is not.

A slip explains a divergence only if it explains everything: all merges but the lines in question
are the rule's, in its order. So the rule's own list is made as far as the trainer's goes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from engine.analysis.check.explanation import Case, Cause, Slip
from engine.analysis.check.steps_file import ClaimedStep

MOST_LINES = 50
"""Lines in a row that may be missing, or too many."""


def _place_of(step: ClaimedStep, steps: Sequence[ClaimedStep], start: int, end: int) -> int | None:
    """Where a step's pair is among others."""
    return next(
        (at for at, each in enumerate(steps[start:end], start) if each.pair == step.pair), None
    )


def _missing(case: Case) -> Iterator[Slip]:
    """The pair that the trainer takes is the rule's some merges later."""
    first, steps = case.divergence, case.steps
    if case.is_tie and first == len(steps) - 1:
        return  # it took the other of two, and nothing behind it says more
    rule = case.assignment.first_by_rule(len(steps) + MOST_LINES)
    last = _place_of(steps[first], rule, first + 1, first + 1 + MOST_LINES)
    if last is not None:
        made = chain(rule[:first], rule[last:])
        sentence = f"{_lines(first, last)} of the rule {_are(last - first)} missing from yours"
        yield Slip(sentence, list(made), first - last)


def _too_many(case: Case) -> Iterator[Slip]:
    """The pair that the rule takes is the trainer's some merges later."""
    first, steps = case.divergence, case.steps
    rule = case.assignment.first_by_rule(len(steps))
    if first >= len(rule):
        return
    last = _place_of(rule[first], steps, first + 1, first + 1 + MOST_LINES)
    if last is not None:
        made = chain(rule[:first], steps[first:last], rule[first:])
        many = "a line" if last == first + 1 else "lines"
        sentence = f"your {_lines(first, last)} {_are(last - first)} {many} too many"
        yield Slip(sentence, list(made), last - first)


def _swapped(case: Case) -> Iterator[Slip]:
    """The trainer takes the rule's pair elsewhere, and there the rule takes the trainer's."""
    first, steps = case.divergence, case.steps
    rule = case.assignment.first_by_rule(len(steps))
    other = _place_of(steps[first], rule, first + 1, len(steps))
    if other is not None:
        made = list(rule)
        made[first], made[other] = made[other], made[first]
        sentence = f"merges {first + 1:,} and {other + 1:,} stand in each other's place"
        yield Slip(sentence, made, 0)


def _lines(first: int, last: int) -> str:
    """Merges from `first` to before `last`, both from 0: `merge 35`, `merges 35 to 37`."""
    one = last == first + 1
    return f"merge {first + 1:,}" if one else f"merges {first + 1:,} to {last:,}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


MISSING = Cause("missing-line", "lines of the list of merges are missing", _missing, cost=1)
TOO_MANY = Cause(
    "line-too-many", "the list of merges has lines that do not belong", _too_many, cost=1
)
SWAPPED = Cause("swapped-lines", "two lines of the list of merges are swapped", _swapped, cost=1)

"""The known mistakes: what each is called, and how a trainer that makes it is run.

To add one is to add an entry: a sentence, and the deviations to try.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from engine.analysis.check.assignment import Assignment, count_text
from engine.analysis.check.deviation import Case, Cause, Deviation, Taken, taken_by
from engine.analysis.check.habits import (
    DOCUMENTS_JOINED,
    ORDERS,
    OTHER_READINGS,
    SPECIAL_COUNTED,
    Habits,
    Reading,
    merge_first_only,
    merge_from_the_right,
    neighbours_before,
    nothing,
    only_new_pairs,
    only_old_pairs,
    pairs_apart,
    recounted,
    trained,
)
from engine.bpe.ties import TieRule
from engine.bpe.trainers import DEFAULT_TRAINER, algorithm_for, heap
from engine.core.registry import Registry
from engine.text.patterns import PATTERNS, Pattern

LARGEST_UNCUT = 1 << 23
"""Bytes of the largest corpus that is tried without pretokens: each byte takes forty in memory.

That a pair crosses a border is told of where it stands, however large the corpus is.
"""


def _by_habit(name: str, sentence: str, habits: Habits) -> Cause:
    """A mistake in counting, merging or keeping the counts."""

    def deviations(case: Case) -> Iterator[Deviation]:
        yield Deviation(sentence, partial(_trained, case.assignment, habits))

    return Cause(name, sentence, deviations)


def _trained(assignment: Assignment, habits: Habits) -> Iterator[Taken]:
    return trained(assignment.problem(), habits)


def _by_reading(reading: Reading) -> Cause:
    """A mistake in reading the corpus."""

    def deviations(case: Case) -> Iterator[Deviation]:
        if reading.changes(case.assignment):
            yield Deviation(reading.sentence, partial(_read_so, case.assignment, reading))

    return Cause(reading.name, reading.sentence, deviations)


def _read_so(assignment: Assignment, reading: Reading) -> Iterator[Taken]:
    return _by_rule(assignment, reading.counts(assignment))


def _by_rule(assignment: Assignment, counts: Mapping[bytes, int]) -> Iterator[Taken]:
    """The merges that the rule takes of other pretokens."""
    algorithm = algorithm_for(DEFAULT_TRAINER, assignment.tie_rule)
    return taken_by(algorithm, assignment.problem(counts))


def _tie_rules(case: Case) -> Iterator[Deviation]:
    others = (rule for rule in ORDERS if rule != case.assignment.tie_rule)
    for rule in others if case.is_tie else ():
        sentence = f"ties are decided by another rule, {rule.name}: {rule.summary}"
        yield Deviation(sentence, partial(_by_tie_rule, case.assignment, rule), rule.name)


def _by_tie_rule(assignment: Assignment, rule: TieRule) -> Iterator[Taken]:
    # `heap` knows where a pair stands first, even if the rule asks only once.
    return taken_by(heap.ALGORITHM, assignment.problem(tie_rule=rule))


def _patterns(case: Case) -> Iterator[Deviation]:
    for pattern in PATTERNS.values():
        if pattern != case.assignment.pattern and pattern.name != "none":
            sentence = f"the text is cut by another pattern, {pattern.name}: {pattern.summary}"
            yield Deviation(sentence, partial(_by_pattern, case.assignment, pattern), pattern.name)


def _no_pretokens(case: Case) -> Iterator[Deviation]:
    is_small = len(case.assignment.text) <= LARGEST_UNCUT
    if is_small and case.assignment.pattern.name != "none":
        yield Deviation(_CROSSED, partial(_by_pattern, case.assignment, PATTERNS["none"]))


def _by_pattern(assignment: Assignment, pattern: Pattern) -> Iterator[Taken]:
    counts = count_text(assignment.text, pattern, assignment.special_tokens)
    return _by_rule(assignment, counts)


def _unweighted(case: Case) -> Iterator[Deviation]:
    once = dict.fromkeys(case.assignment.counts, 1)
    yield Deviation(_UNWEIGHTED, partial(_by_rule, case.assignment, once))


_CROSSED = "pairs are counted across the borders of pretokens: each document is one long sequence"
_UNWEIGHTED = "every distinct pretoken is counted once, not as often as it occurs"

CAUSES: Registry[Cause] = Registry(
    "cause",
    {
        cause.name: cause
        for cause in (
            Cause("tie-rule", "ties are decided by another rule", _tie_rules),
            _by_habit(
                "overlap",
                "a pair that overlaps itself is counted without overlap: once in aaa, not twice",
                Habits(pairs_of=pairs_apart, changes=recounted(pairs_apart)),
            ),
            _by_reading(SPECIAL_COUNTED),
            Cause("border-crossed", _CROSSED, _no_pretokens),
            _by_habit(
                "stale-heap",
                "a stale entry is taken from the heap: its count is not compared with the true one",
                Habits(changes=only_new_pairs, skips_gone=True),
            ),
            _by_habit(
                "not-lowered",
                "counts are never lowered: the pairs that a merge takes tokens from keep theirs",
                Habits(changes=only_new_pairs),
            ),
            _by_habit(
                "not-entered",
                "pairs with the new token are never counted",
                Habits(changes=only_old_pairs),
            ),
            _by_habit(
                "not-updated",
                "the merge is applied, but the counts stay as they were at the start",
                Habits(changes=nothing),
            ),
            _by_habit(
                "neighbours-before",
                "where two occurrences stand side by side, as in abab, each is given the other's "
                "old token for a neighbour",
                Habits(changes=neighbours_before),
            ),
            _by_habit(
                "from-the-right",
                "a pair that overlaps itself is merged from the right: aaa becomes a aa",
                Habits(merge_word=merge_from_the_right),
            ),
            _by_habit(
                "first-only",
                "only the first occurrence in each pretoken is merged",
                Habits(merge_word=merge_first_only),
            ),
            Cause("pattern", "the text is cut by another pattern", _patterns),
            _by_reading(DOCUMENTS_JOINED),
            *map(_by_reading, OTHER_READINGS),
            Cause("unweighted", _UNWEIGHTED, _unweighted),
        )
    },
)


# Why a trainer's merges part from the rule: every known mistake, each one tried.
#
# A cause is a hypothesis: *a trainer with this mistake would have made these very merges.* So it is
# run over the corpus from the first merge on, and explains as many of the trainer's merges behind
# the divergence as it makes, too. A wrong hypothesis parts from the trainer early, and costs
# little.

FURTHER = 1000
"""How many merges behind the divergence a hypothesis is run for, at the most."""


@dataclass(frozen=True)
class Explanation:
    """A mistake that would have made the merges up to the divergence and `merges` from there on.

    `all` says that these are all that the trainer made. `alike` are other variants of the mistake
    that explain as much.
    """

    cause: str
    sentence: str
    merges: int
    all: bool
    alike: tuple[str, ...] = ()


def explain(case: Case) -> list[Explanation]:
    """The mistakes that explain the divergence, the one that explains most merges first."""
    found = (explained_by(case, cause) for cause in CAUSES.values())
    return sorted(filter(None, found), key=lambda explanation: -explanation.merges)


def explained_by(case: Case, cause: Cause) -> Explanation | None:
    """What a cause explains in its best variant; `None` if it explains nothing."""
    tried = [(explains(case, cause, each), each.variant) for each in cause.deviations(case)]
    if not tried:
        return None
    best = max((explanation for explanation, _ in tried), key=lambda each: each.merges)
    same = (variant for each, variant in tried if each.merges == best.merges and each is not best)
    return replace(best, alike=tuple(same)) if best.merges else None


def explains(case: Case, cause: Cause, deviation: Deviation) -> Explanation:
    """How many merges from the divergence on a trainer with the mistake makes, too."""
    steps = case.steps[: case.divergence + 1 + FURTHER]
    made = 0
    for step, taken in zip(steps, deviation.run(), strict=False):
        if (taken.left, taken.right) != step.pair or step.count not in (None, taken.count):
            break
        made += 1
    merges = max(0, made - case.divergence)
    return Explanation(cause.name, deviation.sentence, merges, made == len(case.steps))

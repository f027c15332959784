"""Training algorithms, all of which find the same merges."""

from __future__ import annotations

from engine.registry import Registry
from engine.ties import TieRule
from engine.trainers import fast, heap, indexed, linked, naive
from engine.trainers.problem import Algorithm

TRAINERS: Registry[Algorithm] = Registry(
    "trainer",
    {
        algorithm.name: algorithm
        for algorithm in (
            fast.ALGORITHM,
            heap.ALGORITHM,
            linked.ALGORITHM,
            indexed.ALGORITHM,
            naive.ALGORITHM,
        )
    },
)
DEFAULT_TRAINER = "fast"


def algorithm_for(name: str, tie_rule: TieRule) -> Algorithm:
    """The algorithm of that name, or `heap` in its place where it cannot follow the tie rule.

    >>> from engine.ties import TIE_RULES
    >>> algorithm_for("fast", TIE_RULES["first-seen"]).name
    'heap'
    """
    algorithm = TRAINERS[name]
    return heap.ALGORITHM if algorithm.static_only and not tie_rule.static else algorithm

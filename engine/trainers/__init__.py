"""Training algorithms, all of which find the same merges."""

from __future__ import annotations

from engine.registry import Registry
from engine.trainers import heap, indexed, naive
from engine.trainers.problem import Algorithm

TRAINERS: Registry[Algorithm] = Registry(
    "trainer", {a.name: a for a in (heap.ALGORITHM, indexed.ALGORITHM, naive.ALGORITHM)}
)
DEFAULT_TRAINER = "heap"

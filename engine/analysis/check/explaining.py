"""Why a trainer's merges part from the rule: every known mistake, each one tried.

A cause is a hypothesis: *a trainer with this mistake would have made these very merges.* So it is
run over the corpus from the first merge on, and explains as many of the trainer's merges behind the
divergence as it makes, too. A wrong hypothesis parts from the trainer early, and costs little.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.analysis.check.causes import CAUSES
from engine.analysis.check.deviation import Case, Cause, Deviation

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

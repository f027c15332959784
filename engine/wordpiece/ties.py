"""Tie rules: which of several pairs with the same top score merges.

Ties are common here: where two pieces stand only side by side, n times, the score is 1/n, and most
rare words are full of such pairs. Papers say nothing about ties.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.bpe.ties import TIE_RULES, TieRule
from engine.core.registry import Registry


@dataclass(frozen=True)
class ScoreTieRule:
    """A named rule.

    `by_count`: of the tied pairs only those of the highest count are left. Among them `then`
    chooses, which is a rule of byte-pair encoding; it reads the pieces as they are written, `##`
    included.
    """

    name: str
    summary: str
    by_count: bool
    then: TieRule


SCORE_TIE_RULES: Registry[ScoreTieRule] = Registry(
    "tie rule",
    {
        rule.name: rule
        for rule in (
            ScoreTieRule(
                "frequent",
                "the more frequent pair wins, then the greater (left, right) as written",
                True,
                TIE_RULES["lexicographic"],
            ),
            ScoreTieRule(
                "first-seen",
                "the pair met first in the words as they are now wins; Hugging Face's course",
                False,
                TIE_RULES["first-seen"],
            ),
        )
    },
)
DEFAULT_TIE_RULE = "frequent"

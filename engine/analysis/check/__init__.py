"""Check a trainer's merges against the rule: find the first difference, and its cause.

`checking` makes a trainer's merges again over the corpus and compares each with the rule. For the
first that differs it runs trainers with known mistakes, which `causes` lists: the one that makes
most of the trainer's merges has the mistake. `report` has the findings and their sentences.

Uses bpe, formats and what is below; the command `check` and the library's users use it.
"""

from engine.analysis.check.checking import check
from engine.analysis.check.report import Report

__all__ = ["Report", "check"]

"""Is what a trainer made what the rule gives? Where not: the first difference, and its cause.

A trainer's merges are made again over the corpus, and each is held against the rule (`checking`).
For the first that differs, trainers with known mistakes are run over the same corpus
(`explanation`): the one that makes most of these merges, too, has the mistake. The mistakes are in
`causes`.

Uses bpe, formats and what is below; the command `check` and the library's users use it.
"""

from engine.analysis.check.checking import check
from engine.analysis.check.report import Report

__all__ = ["Report", "check"]

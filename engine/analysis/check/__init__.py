"""Is what a trainer made what the rule gives? Where not: the first difference, and its cause.

A trainer's merges are made again over the corpus, and each is held against the rule (`judge`). For
the first that differs, trainers with known mistakes are run over the same corpus (`causes`): the
one that makes most of these merges, too, has the mistake.
"""

from engine.analysis.check.checking import check
from engine.analysis.check.findings import Report

__all__ = ["Report", "check"]

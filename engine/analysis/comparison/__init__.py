"""Tokenizers side by side: what they have in common, and where they cut a text differently.

Uses encoding and what is below; the command `compare` and the comparison's screen use it.
"""

from __future__ import annotations

from engine.analysis.comparison.text_comparison import (
    Difference,
    Overlap,
    Parting,
    TextComparison,
    differences,
    first_parting,
    overlap,
)

__all__ = [
    "Difference",
    "Overlap",
    "Parting",
    "TextComparison",
    "differences",
    "first_parting",
    "overlap",
]

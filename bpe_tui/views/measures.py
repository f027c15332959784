"""Sentences about measures that people quote, with their limits."""

from __future__ import annotations

from bpe_tui.widgets.numbers import number, plural
from engine.analysis.measures import MOST_WAYS, TWINS, RenyiEfficiency, Segmentations


def describe_ways(found: Segmentations) -> str:
    """Return the number of ways to cut a word: `490 ways, at the fewest 1 token`."""
    more = "more than " if found.ways == MOST_WAYS else ""
    if not found.ways:
        return "none"
    return f"{more}{plural(found.ways, 'way')}, at the fewest {plural(found.fewest, 'token')}"


def describe_efficiency(found: RenyiEfficiency) -> str:
    """Return the efficiency, and why a greater one need not be better."""
    return f"{found.value:.3f}; {found.doubled:.3f} {WITH_TWINS}"


WITH_TWINS = f"if the {number(TWINS)} most frequent tokens had twins, used in turns: no gain at all"

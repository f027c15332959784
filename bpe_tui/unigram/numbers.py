"""Scores, expected counts and probabilities as people read them."""

from __future__ import annotations

from bpe_tui.visible import MINUS


def score_text(score: float, decimals: int = 2) -> str:
    """A log-probability, or a difference of two, with a true minus sign: −7.12."""
    return f"{score:.{decimals}f}".replace("-", MINUS)


def count_text(count: float) -> str:
    """An expected count: 1,204.3 and, where it is small, 0.62."""
    return f"{count:,.1f}" if count >= 10 else f"{count:.2f}"


def percent(probability: float) -> str:
    """A probability in four significant digits at the most: 2.304 %, 0.0041 %."""
    share = 100 * probability
    if share and share < 0.0001:
        return f"{share:.0e} %".replace("-", MINUS)
    return f"{share:.{1 if share >= 10 else 3 if share >= 1 else 4}f} %"

"""Scores, expected counts and probabilities as people read them."""

from __future__ import annotations

from math import exp

from bpe_tui.widgets.numbers import MINUS, number, with_power

LARGEST_EXPONENT = 700.0
"""e to more than that is no float."""


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


def told_behind(difference: float) -> str:
    """How far a log-probability is behind another, and what that means for the probability.

    7.4 → 'Log-probability 7.40 lower, 1,636 times less probable'; 0.0 → 'Just as probable'.
    """
    if difference < 0.005:
        return "Just as probable"
    times = exp(min(difference, LARGEST_EXPONENT))
    if times < 10:
        told = f"{times:.1f}"
    else:
        told = number(times) if times < 1e6 else with_power(times, 2)
    return f"Log-probability {difference:.2f} lower, {told} times less probable"

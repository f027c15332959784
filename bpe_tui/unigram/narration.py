"""What each step of a Unigram training has done, in plain sentences."""

from __future__ import annotations

from math import exp

from bpe_tui.views.narration import (
    ROOMY,
    first_fitting,
)
from bpe_tui.widgets.numbers import MINUS, number, plural, with_power
from bpe_tui.widgets.visible import visible_text
from engine.unigram.frame import UnigramFrame, count_changes
from engine.unigram.record import EmStep, PruneRule, PruneStep

# Scores, expected counts and probabilities as people read them.

LARGEST_EXPONENT = 700.0
"""e to more than that is no float."""


def score_text(score: float, decimals: int = 2) -> str:
    """A log-probability, or a difference of two, with a true minus sign: −7.12."""
    return f"{score:.{decimals}f}".replace("-", MINUS)


def count_text(count: float) -> str:
    """An expected count: 1,204.3 and, where it is small, 0.62."""
    return f"{count:,.1f}" if count >= 10 else f"{count:.2f}"


SMALLEST_PLAIN = 0.0001
"""A cost below this has a power of ten."""


def cost_text(increase: float) -> str:
    """What losing a piece costs, in nats a pretoken; in a large corpus that is very little.

    0.28983 → '0.2898'; 0.0000231 → '2.3·10⁻⁵'.
    """
    cost = abs(increase)
    told = f"{cost:.4f}" if not cost or cost >= SMALLEST_PLAIN else with_power(cost, 2)
    return f"{MINUS if increase < 0 else ''}{told}"


def percent(probability: float) -> str:
    """A probability in four significant digits at the most: 2.304 %, 0.0041 %, 10⁻⁶ %."""
    share = 100 * probability
    if share and share < 0.0001:
        return f"{with_power(share, 1)} %"
    return f"{share:.{1 if share >= 10 else 3 if share >= 1 else 4}f} %"


def describe_distance(difference: float) -> str:
    """How far a log-probability is behind another, and what that means for the probability.

    7.4 → 'Log-probability 7.40 lower, 1,636 times less probable'; 0.0 → 'Just as probable'.
    """
    if difference < 0.005:
        return "Just as probable"
    times = exp(min(difference, LARGEST_EXPONENT))
    if times < 10:
        factor = f"{times:.1f}"
    else:
        factor = number(times) if times < 1e6 else with_power(times, 2)
    return f"Log-probability {difference:.2f} lower, {factor} times less probable"


WHO_GOES = {
    PruneRule.LOSS: "those that raise the loss least",
    PruneRule.SCORE: "those with the lowest scores, down to the size asked for",
}
NAMED = 3
"""So many unknown parts of a text are named; the others are counted."""


def narrate(frame: UnigramFrame) -> tuple[str, ...]:
    """What the step that led to a frame has done: a sentence, and shorter ones.

    For example: `Step 3 of 6, prune 1: 706 of 5,106 pieces go: those that raise the loss least.
    The loss rises from 10.12 to 10.13.`
    """
    step = frame.came_by
    if isinstance(step, EmStep):
        return _narrate_em(frame, step)
    if isinstance(step, PruneStep):
        return _narrate_prune(frame, step)
    characters = frame.record.characters
    return (
        f"Step 0: the seed has {plural(frame.size, 'piece')}, {plural(characters, 'character')} "
        "and all else that stands in the corpus more than once.",
        f"Step 0: a seed of {plural(frame.size, 'piece')}.",
    )


def narrate_back(frame: UnigramFrame) -> tuple[str, str]:
    """What going back one step to this frame has undone."""
    assert frame.leads_on is not None
    gone = frame.leads_on.size_before - frame.leads_on.size_after
    what = "the prune is" if isinstance(frame.leads_on, PruneStep) else "the iteration of EM is"
    back = f"; {plural(gone, 'piece')} come back" if gone != 1 else "; 1 piece comes back"
    return (
        f"Back at step {frame.step} of {frame.recorded_steps}: {what} undone"
        f"{back if gone else ''}.",
        f"Back at step {frame.step}: {what} undone.",
    )


def describe_unknown(frame: UnigramFrame, text: str, room: int = ROOMY) -> str:
    """What of a text no piece spells, and how that is counted; empty if all is spelled."""
    unknown, token = frame.unknown_in(text), visible_text(frame.record.unknown)
    if not unknown:
        return ""
    few = ", ".join(map(visible_text, unknown[:NAMED]))
    more = f" and {number(len(unknown) - NAMED)} more" if len(unknown) > NAMED else ""
    return first_fitting(
        room,
        f"No piece spells {few}{more}: unknown characters side by side are one {token}.",
        f"{number(len(unknown))} × {token}: unknown characters side by side are one.",
    )


def _narrate_em(frame: UnigramFrame, step: EmStep) -> tuple[str, ...]:
    changes = count_changes(frame)
    piece = visible_text(frame.record.texts[int(changes.numbers[0])])
    counts = f"{number(changes.before[0])} to {number(changes.after[0])}"
    which = f"EM {step.iteration + 1} of round {step.round + 1}"
    losses = f"the loss {_moves(step.loss_before, step.loss_after)}"
    return (
        f"Step {frame.step} of {frame.recorded_steps}, {which}: scores follow the expected "
        f"counts, and {losses}. Most changed is {piece}, used {counts} times.",
        f"Step {frame.step}, {which}: {losses}.",
        f"Step {frame.step}, {which}.",
    )


def _narrate_prune(frame: UnigramFrame, step: PruneStep) -> tuple[str, ...]:
    gone = step.size_before - step.size_after
    losses = f"the loss {_moves(step.loss_before, step.loss_after)}"
    goes = "goes" if gone == 1 else "go"
    share = f"{number(gone)} of {plural(step.size_before, 'piece')} {goes}"
    return (
        f"Step {frame.step} of {frame.recorded_steps}, prune {step.round + 1}: {share}: "
        f"{WHO_GOES[step.rule]}. {losses[0].upper()}{losses[1:]}.",
        f"Step {frame.step}, prune: {share}; {losses}.",
        f"Step {frame.step}, prune: {plural(gone, 'piece')} {goes}.",
    )


def _moves(before: float, after: float) -> str:
    if f"{before:.3f}" == f"{after:.3f}":
        return f"stays at {after:.3f}"
    return f"{'rises' if after > before else 'falls'} from {before:.3f} to {after:.3f}"

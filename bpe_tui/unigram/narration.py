"""Sentences about each step of a Unigram training, for screens, transcript and report.

Scores, expected counts and probabilities have one form everywhere: `score_text` and the like.
"""

from __future__ import annotations

from math import exp, isinf, isnan

from bpe_tui.widgets.language import in_a_row, listed, plural, tr
from bpe_tui.widgets.numbers import MINUS, number, with_power
from bpe_tui.widgets.visible import quoted, visible_text
from bpe_tui.words.narration import UNLIMITED_ROOM, first_fitting
from engine.unigram.frame import UnigramFrame
from engine.unigram.record import NEVER, EmStep, PruneRule, PruneStep
from engine.unigram.textbook import TextbookRecord

SMALLEST_PLAIN = 0.0001
"""Costs below this are written with a power of ten."""
WHO_GOES = {
    PruneRule.LOSS: "those that raise the loss least",
    PruneRule.SCORE: "those with the lowest scores, down to the final size",
}
STAYS, UNKNOWN_YET = "stays", "…"
NAMED = 3
"""Number of unknown parts of a text that a sentence names; it counts the others."""


def score_text(score: float, decimals: int = 2) -> str:
    """Return a log-probability, or a difference of two, with a true minus sign: `−7.12`.

    What rounds to 0 has no sign. The probability 0 has the logarithm −∞.
    """
    if isinf(score):
        return "∞" if score > 0 else f"{MINUS}∞"
    text = f"{score:.{decimals}f}"
    return (text.lstrip("-") if not float(text) else text).replace("-", MINUS)


def count_text(count: float) -> str:
    """Return an expected count: `1,204.3`; below 10 with two decimals, `0.62`."""
    return f"{count:,.1f}" if count >= 10 else f"{count:.2f}"


def cost_text(increase: float) -> str:
    """Return a loss increase in nats a pretoken, with a power of ten if it is very small.

    0.28983 → '0.2898'; 0.0000231 → '2.3×10⁻⁵'.
    """
    cost = abs(increase)
    text = f"{cost:.4f}" if not cost or cost >= SMALLEST_PLAIN else with_power(cost, 2)
    return f"{MINUS if increase < 0 else ''}{text}"


def probability_text(probability: float) -> str:
    """Return a probability with four significant digits or fewer: `2.304%`, `10⁻⁶%`, `0%`."""
    share = 100 * probability
    if not share:
        return "0%"
    if share < 0.0001:
        return f"{with_power(share, 1)}%"
    return f"{share:.{1 if share >= 10 else 3 if share >= 1 else 4}f}%"


def narrate(frame: UnigramFrame) -> tuple[str, ...]:
    """Return a sentence about the step that led to a frame, then shorter ones.

    For example: `Step 3 of 6, prune 1: 706 of 5,106 pieces go: those that raise the loss least.
    The loss rises from 10.12 to 10.13.`
    """
    if isinstance(frame.record, TextbookRecord):
        return _narrate_removal(frame, frame.record)
    step = frame.came_by
    if step is None:
        pieces = plural(frame.size, "piece")
        characters = plural(frame.record.characters, "character")
        return tr(SEED, pieces=pieces, characters=characters), tr(SHORT_SEED, pieces=pieces)
    losses = _loss_change(step)
    at = {"step": str(frame.step), "last": str(frame.recorded_steps), "losses": losses}
    at["round"] = str(step.round + 1)
    if isinstance(step, EmStep):
        return tuple(tr(way, iteration=step.iteration + 1, **at) for way in EM_STEPS)
    gone = step.size_before - step.size_after
    share = "{n} of {pieces} goes" if gone == 1 else "{n} of {pieces} go"
    share = tr(share, n=gone, pieces=plural(step.size_before, "piece"))
    at["losses"] = f"{losses[0].upper()}{losses[1:]}"
    return (
        tr(PRUNED, share=share, who=tr(WHO_GOES[step.rule]), **at),
        tr("Step {step}, prune: {share}; {losses}.", share=share, **at | {"losses": losses}),
        tr("Step {step}, prune: {share}.", share=share, **at),
    )


SEED = "Step 0: the seed has {pieces}, {characters} and every substring that occurs more than once."
SHORT_SEED = "Step 0: a seed of {pieces}."
EM_STEPS = (
    "Step {step} of {last}, EM {iteration} of round {round}: scores follow the expected counts, "
    "and {losses}.",
    "Step {step}, EM {iteration} of round {round}: {losses}.",
    "Step {step}, EM {iteration} of round {round}.",
)
PRUNED = "Step {step} of {last}, prune {round}: {share}: {who}. {losses}."


def _loss_change(step: EmStep | PruneStep) -> str:
    was, loss = score_text(step.loss_before, 3), score_text(step.loss_after, 3)
    if was == loss:
        return tr("the loss stays at {loss}", loss=loss)
    rises = step.loss_after > step.loss_before
    change = "the loss rises from {was} to {loss}" if rises else LOSS_FALLS
    return tr(change, was=was, loss=loss)


LOSS_FALLS = "the loss falls from {was} to {loss}"


def often(count: str) -> str:
    """Return a count as an adverb.

    >>> often("1"), often("1.00"), often("0"), often("2.50")
    ('once', 'once', 'never', '2.50 times')
    """
    return {"1": "once", "1.00": "once", "0": "never", "0.00": "never"}.get(
        count, tr("{count} times", count=count)
    )


def _narrate_removal(frame: UnigramFrame, record: TextbookRecord) -> tuple[str, ...]:
    """Return a sentence about the removal of one n-gram, then shorter ones.

    For example: `Step 1 of 2: 他 goes: the loss without it is least, 24.282. 5 others tie, and 他
    has the smallest bytes. Counted again, the loss rises from 16.479 to 23.340.`
    """
    step = frame.came_by
    if not isinstance(step, PruneStep):
        template = "Step 0: the seed has {ngrams} of {length}"
        seed = tr(template, ngrams=plural(frame.size, "n-gram"), length=record.length)
        counted = often(number(float(frame.expected_counts.sum())))
        loss = score_text(frame.loss, 3)
        template = "{seed}, counted {counted} in all. The loss is {loss} nats."
        return (
            tr(template, seed=seed, counted=counted, loss=loss),
            tr("{seed}; the loss is {loss}.", seed=seed, loss=loss),
            tr(
                "Step 0: a seed of {ngrams}, with the loss {loss}.",
                ngrams=plural(frame.size, "n-gram"),
                loss=loss,
            ),
        )
    (gone,) = step.removed
    name, others = quoted(gone.text), len(record.equals_at(step.index)) - 1
    template = "Step {step} of {recorded_steps}: {name} goes"
    start = tr(template, step=frame.step, recorded_steps=frame.recorded_steps, name=name)
    template = "the loss without it is least, {loss_before}"
    least = tr(template, loss_before=score_text(step.loss_before + gone.loss_increase, 3))
    if not gone.loss_increase:
        least = tr("no best segmentation uses it")
    ties = ""
    if others:
        tie = tr("1 other ties") if others == 1 else tr("{others} others tie", others=others)
        ties = tr(" {tie}, and {name} has the smallest bytes.", tie=tie, name=name)
    goes = tr("{start}: {clause}.", start=start, clause=least)
    again = tr("Counted again, {step}.", step=_loss_change(step))
    return (
        in_a_row(f"{goes}{ties}", again),
        f"{goes}{ties}",
        goes,
        tr("Step {step}: {name} goes.", step=frame.step, name=name),
    )


def step_name(frame: UnigramFrame, step: int) -> str:
    """Return the kind of a recorded step: `seed`, `EM`, `prune`, or the n-gram that goes."""
    if step == 0:
        return "seed"
    made = frame.run.step_at(step - 1)
    if isinstance(frame.record, TextbookRecord):
        return visible_text(made.removed[0].text)
    return "prune" if isinstance(made, PruneStep) else "EM"


def goes_text(frame: UnigramFrame, goes_at: int) -> str:
    """Return the step that removes a piece: `3, prune`; `stays` if no recorded step does."""
    if goes_at == NEVER:
        return STAYS
    is_gram = isinstance(frame.record, TextbookRecord)
    return number(goes_at) if is_gram else f"{number(goes_at)}, {tr(step_name(frame, goes_at))}"


def expected_text(frame: UnigramFrame, count: float) -> str:
    """Return the expected count of a piece, or the count of an n-gram."""
    return number(count) if isinstance(frame.record, TextbookRecord) else count_text(count)


def increase_text(frame: UnigramFrame, increase: float) -> str:
    """Return the loss increase without a piece, `+7.803`, or a word for its special values.

    0 is `unused`, as no best segmentation has the piece; NaN is not known yet; infinity stays.
    """
    if not increase:
        return "unused"
    if isnan(increase):
        return UNKNOWN_YET
    if isinf(increase):
        return STAYS
    is_gram = isinstance(frame.record, TextbookRecord)
    text = score_text(increase, 3) if is_gram else cost_text(increase)
    return f"+{text}" if increase > 0 else text


def worth(frame: UnigramFrame, at: int) -> str:
    """Return score, probability and expected count of the piece at an index."""
    score, expected = float(frame.scores[at]), float(frame.expected_counts[at])
    if isinstance(frame.record, TextbookRecord):
        total = number(float(frame.expected_counts.sum()))
        template = "count {expected} of {total}, −log P {n}"
        return tr(template, expected=round(expected), total=total, n=score_text(-score, 3))
    return tr(
        "score {score}, probability {probability}, expected {expected}",
        score=score_text(score),
        probability=probability_text(exp(score)),
        expected=often(count_text(expected)),
    )


def describe_removal(frame: UnigramFrame, record: TextbookRecord, gram: int) -> str:
    """Return what the loss would be without an n-gram, in a sentence."""
    at = frame.index_of(gram)
    increase = float(record.increases_at(frame.step)[at])
    if not increase:
        return tr("To remove it would change nothing: no best segmentation uses it.")
    without = score_text(frame.loss + increase, 3)
    template = "Without it the loss would be {without}, {increase}."
    return tr(template, without=without, increase=increase_text(frame, increase))


def narrate_back(frame: UnigramFrame) -> tuple[str, str]:
    """Return a sentence about the step that going back to this frame undid, then a shorter one."""
    assert frame.leads_on is not None
    is_prune = isinstance(frame.leads_on, PruneStep)
    gone = frame.leads_on.size_before - frame.leads_on.size_after
    what = tr("the prune is undone") if is_prune else tr("the iteration of EM is undone")
    if isinstance(frame.record, TextbookRecord):
        what = tr("the removal is undone")
    undone = tr(what)
    back = "{pieces} comes back" if gone == 1 else "{pieces} come back"
    back = tr(back, pieces=plural(gone, frame.record.PIECE))
    at = {"step": str(frame.step), "last": str(frame.recorded_steps)}
    whole = tr("{undone}; {back}", undone=undone, back=back) if gone else undone
    return (
        tr("{clause}.", clause=tr("Back at step {step} of {last}: ", **at) + whole),
        tr("{clause}.", clause=tr("Back at step {step}: ", **at) + undone),
    )


def describe_unknown(frame: UnigramFrame, text: str, room: int = UNLIMITED_ROOM) -> str:
    """Return which parts of a text no piece spells, in a sentence; empty if there are none."""
    unknown, token = frame.unknown_in(text), visible_text(frame.record.unknown)
    if not unknown:
        return ""
    few = listed(map(quoted, unknown[:NAMED]))
    more = tr(" and {unknown} more", unknown=len(unknown) - NAMED) if len(unknown) > NAMED else ""
    template = "No piece spells {few}{more}: unknown characters side by side are one {token}."
    return first_fitting(
        room,
        tr(template, few=few, more=more, token=token),
        tr("{n} × {token}: unknown characters side by side are one.", n=len(unknown), token=token),
    )

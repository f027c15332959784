"""Sentences about each step of a WordPiece training, for screens, transcript and report."""

from __future__ import annotations

from collections.abc import Iterator

from bpe_tui.widgets.language import plural, times, tr
from bpe_tui.widgets.numbers import number, short_number
from bpe_tui.widgets.visible import quoted
from bpe_tui.words.narration import format_pair, format_rivals
from engine.core.events import Pair
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.score import Score, ScoredPair, score_text
from engine.wordpiece.trainer import WordPieceStep


def why_lost(frame: WordPieceFrame, frequent: ScoredPair, won: Score) -> str:
    """Return why the most frequent pair did not merge, in a sentence that follows its score."""
    a, b = (quoted(frame.any_token(piece)) for piece in frequent.pair)
    score = frequent.score
    if score.value == won.value:
        template = "{pair} have the same score, and the tie rule decided."
        return tr(template, pair=format_pair(frame, frequent.pair))
    factor = short_number(float(won.value / score.value))
    lower = tr("hardly lower") if factor == "1" else tr("{factor} times lower", factor=factor)
    ratio, best = (short_number(float(frame.ratio_of(each))) for each in (score, won))
    template = (
        "But {a} and {b} are frequent anyway: its score is {lower}. It occurs "
        "{ratio} times as often as by chance, the pair that merged {best} times."
    )
    return tr(template, a=a, b=b, lower=lower, ratio=ratio, best=best)


def of_those(frame: WordPieceFrame) -> str:
    """Return the rule that a highest score follows: ` of the pairs that occur at least 2 times`.

    "" if the minimum leaves out no pair.
    """
    if not len(frame.left_out):
        return ""
    return tr(" of the pairs that occur at least {times}", times=times(frame.min_count))


def describe_left_out(frame: WordPieceFrame) -> str:
    """Describe the pairs that the minimum leaves out of the next merge; "" if there are none."""
    best = frame.best_left_out
    if best is None:
        return ""
    many = len(frame.left_out)
    template = "The minimum (--min-count {min_count}) leaves out {pairs}"
    leaves = tr(template, min_count=frame.min_count, pairs=plural(many, "rarer pair"))
    value = f"{best.score} = {score_text(best.score.value)}"
    of_them = tr("; the best of them,") if many > 1 else ":"
    return f"{leaves}{of_them} {format_pair(frame, best.pair)}, {value}."


def describe_pmi(frame: WordPieceFrame, score: Score) -> str:
    """Describe P(ab) / (P(a) × P(b)) of a pair, and its logarithm, at the step of its score."""
    pieces, pairs = number(frame.token_count), number(frame.pair_total)
    ratio = short_number(float(frame.ratio_of(score)))
    template = (
        "P(ab) / (P(a) × P(b)) is the score times {pieces}² / {pairs}, pieces and "
        "pairs in the corpus: {ratio}. Its logarithm, {score} bits, is the pointwise "
        "mutual information (PMI); a logarithm changes no order."
    )
    return tr(template, pieces=pieces, pairs=pairs, ratio=ratio, score=f"{frame.pmi_of(score):.2f}")


def narrate_tie(frame: WordPieceFrame) -> str:
    """Return which other pairs had the same score, and which rule decided."""
    merge = frame.merge
    if merge is None:
        return tr("Nothing has merged at step 0.")
    rivals = merge.tied[1:]
    if not rivals:
        least = frame.min_count if len(frame.at(frame.step - 1).left_out) else 0
        enough = tr(" that occurs at least {times}", times=times(least)) if least else ""
        return tr("No other pair{enough} had so high a score.", enough=enough)
    template = "Tie rule {name}: {in_short}."
    rule = tr(template, name=frame.tie_rule.name, in_short=tr(frame.tie_rule.in_short))
    return tr("The same score had {rivals}. {rule}", rivals=format_rivals(frame, rivals), rule=rule)


def explain_merge(frame: WordPieceFrame) -> Iterator[str]:
    """Yield why the pair of this step merged: its score, ties, the choice by count alone."""
    merge = frame.merge
    if merge is None:
        yield narrate_tie(frame)
        return
    left, right = (quoted(frame.any_token(piece)) for piece in merge.pair)
    score = merge.score
    yield tr(
        "The pair {left} and {right} occurred {times}; {left} occurred {left_times}, "
        "{right} {right_times}. Its score is {score} = {value}.",
        left=left,
        right=right,
        times=times(score.count),
        left_times=times(score.left),
        right_times=times(score.right),
        score=str(score),
        value=score_text(score.value),
    )
    yield describe_pmi(frame.at(frame.step - 1), score)
    yield from why_no_other(frame, merge)


def why_no_other(frame: WordPieceFrame, merge: WordPieceStep) -> Iterator[str]:
    """Yield why no other pair merged at a step: ties, BPE's choice and its score, rare pairs."""
    before = frame.at(frame.step - 1)
    yield narrate_tie(frame)
    frequent = before.most_frequent
    assert frequent is not None, "a pair merged, so there was one"
    if frequent.pair == merge.pair:
        yield tr("BPE would have merged the same pair: none is more frequent.")
    else:
        pair, its_score = format_pair(frame, frequent.pair), frequent.score
        yield tr(
            "By count alone, as BPE chooses, {pair} would have merged, {score} = {value}. {before}",
            pair=pair,
            score=str(its_score),
            value=score_text(its_score.value),
            before=why_lost(before, frequent, merge.score),
        )
    if left_out := describe_left_out(before):
        yield left_out


def narrate(frame: WordPieceFrame) -> tuple[str, ...]:
    """Return a sentence about the step that led to a frame, then shorter ones.

    For example: `Merge 12 of 1,900: h and ##u scored 15 / (15 × 36), the highest; they are one
    piece now, hu.`
    """
    merge = frame.merge
    if merge is None:
        pieces = plural(frame.character_count, "piece")
        start = tr("Step 0: {pieces} of one character", pieces=pieces)
        following = frame.next_pair
        if following is None:
            return (tr("{start}, and no pair to merge.", start=start),)
        facts = {"pair": _pair_name(frame, following), "score": str(frame.score_of(following))}
        rule = of_those(frame)
        return (
            tr(STARTS, start=start, rule=rule, **facts),
            tr("Step 0: characters. Next {pair}, {score}.", **facts),
        )
    score, others = merge.score, merge.record.tied_counts[merge.index] - 1
    tied = ""
    if others:
        tied = tr(", tied with {others}", others=plural(others, "other"))
    facts = {
        "step": number(frame.step),
        "pair": _pair_name(frame, merge.pair),
        "piece": quoted(merge.token),
    }
    rule = of_those(frame.at(frame.step - 1))
    last, value = number(frame.recorded_steps), score_text(score.value)
    return (
        tr(MERGED, last=last, score=str(score), rule=rule, tied=tied, **facts),
        tr(BECAME, score=value, tied=tied, **facts),
        tr(BECAME, score=value, tied="", **facts),
    )


def _pair_name(frame: WordPieceFrame, pair: Pair) -> str:
    left, right = (quoted(frame.any_token(piece)) for piece in pair)
    return tr("{left} and {right}", left=left, right=right)


STARTS = "{start}. The pair {pair} has the highest score{rule}, {score}."
MERGED = (
    "Merge {step} of {last}: {pair} scored {score}, the highest{rule}{tied}; they are one piece "
    "now, {piece}."
)
BECAME = "Merge {step}: {pair}, score {score}{tied}, become {piece}."

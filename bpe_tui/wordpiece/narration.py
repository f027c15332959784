"""What the screens say of a WordPiece step, in one sentence."""

from __future__ import annotations

from bpe_tui.views.narration import (
    describe_rule,
    format_pair,
    format_rivals,
)
from bpe_tui.widgets.numbers import number, plural, short_number
from bpe_tui.widgets.visible import visible_bytes, visible_text
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.score import Score, ScoredPair, score_text
from engine.wordpiece.tokenizer import EncodedWord, Outcome
from engine.wordpiece.trainer import WordPieceStep


def why_lost(frame: WordPieceFrame, frequent: ScoredPair, won: Score) -> str:
    """Why the most frequent pair did not merge, in a sentence that follows its counts."""
    a, b = (visible_bytes(frame.any_token(piece)) for piece in frequent.pair)
    score = frequent.score
    if score.value == won.value:
        return f"{format_pair(frame, frequent.pair)} have the same score, and the tie rule decided."
    times = short_number(float(won.value / score.value))
    return f"But {a} and {b} are frequent anyway: its score is {times} times lower."


def describe_by_count(frame: WordPieceFrame, merge: WordPieceStep) -> str:
    """What byte-pair encoding would have merged at this step, and why that lost, in sentences."""
    frequent = frame.at(frame.step - 1).most_frequent
    assert frequent is not None, "a pair merged, so there was one"
    if frequent.pair == merge.pair:
        return "BPE would have merged the same pair: none is more frequent."
    pair, score = format_pair(frame, frequent.pair), frequent.score
    return (
        f"By count alone, as BPE chooses, {pair} would have merged, {score} = "
        f"{score_text(score.value)}. {why_lost(frame, frequent, merge.score)}"
    )


def describe_unknown(frame: WordPieceFrame, word: EncodedWord) -> str:
    """Why a word is unknown, and at which character that turned out.

    For example: `café: no piece begins at its character 4, é; not even ##é is one. So the whole
    word is [UNK].`
    """
    shown = visible_text(word.word)
    if word.outcome is not Outcome.NO_PIECE:
        return f"{shown}: {word.outcome.value}."
    last = word.probes[-1]
    character, piece = visible_text(word.word[last.start : last.end]), visible_text(last.piece)
    return (
        f"{shown}: no piece begins at its character {last.start + 1}, {character}; not even "
        f"{piece} is one. So the whole word is {visible_text(frame.unknown_token)}."
    )


def narrate_tie(frame: WordPieceFrame) -> str:
    """Whether other pairs had the same score, and what decided."""
    merge = frame.merge
    if merge is None:
        return "Nothing has merged at step 0."
    rivals = merge.tied[1:]
    if not rivals:
        return "No other pair had so high a score."
    rule = frame.tie_rule
    decided = describe_rule(rule.name, rule.summary)
    return f"The same score had {format_rivals(frame, rivals)}. {decided}"


def narrate(frame: WordPieceFrame) -> tuple[str, ...]:
    """What the step that led to a frame has done: a sentence, and shorter ones.

    For example: `Merge 12 of 1,900: h and ##u scored 15 / (15 · 36), the highest; they are one
    piece now, hu.`
    """
    merge = frame.merge
    if merge is None:
        return _narrate_start(frame)
    pair, piece = format_pair(frame, merge.pair), visible_bytes(merge.token)
    step, steps = number(frame.step), number(frame.recorded_steps)
    others = merge.tied_count - 1
    tied = f", tied with {plural(others, 'other')}" if others else ""
    return (
        f"Merge {step} of {steps}: {pair} scored {merge.score}, the highest{tied}; they are one "
        f"piece now, {piece}.",
        f"Merge {step}: {pair}, score {score_text(merge.score.value)}{tied}, become {piece}.",
        f"Merge {step}: {pair}, score {score_text(merge.score.value)}, become {piece}.",
    )


def _narrate_start(frame: WordPieceFrame) -> tuple[str, ...]:
    pieces = f"Step 0: {plural(frame.character_count, 'piece')} of one character"
    following = frame.next_pair
    if following is None:
        return (f"{pieces}, and no pair to merge.",)
    score = frame.score_of(following)
    return (
        f"{pieces}. The pair {format_pair(frame, following)} has the highest score, {score}.",
        f"Step 0: characters. Next {format_pair(frame, following)}, {score}.",
    )

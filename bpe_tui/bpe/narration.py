"""Sentences about each step of a BPE training: for the last line of a screen, for the transcript.

Each sentence is complete by itself: read aloud, it needs no colour and no column. Where a function
takes `room`, it chooses a shorter sentence if there are few cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bpe_tui.bpe.phases import describe_border, describe_gain
from bpe_tui.views.narration import (
    CONTINUED,
    GIVEN,
    OF_A_FORK,
    OF_PHASES,
    UNLIMITED_ROOM,
    describe_rule,
    first_fitting,
    format_pair,
    format_rivals,
    times,
)
from bpe_tui.views.report import StepReport, merge_report
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.visible import visible_bytes
from engine.bpe.frame import Frame
from engine.bpe.record import MergeStep
from engine.bpe.trainers.algorithm import Move
from engine.core.events import Pair
from engine.core.wording import ENGLISH, Messages, frequency, say


def narrate(frame: Frame, room: int = UNLIMITED_ROOM) -> str:
    """Return a sentence about the merge or the move of the heap that led to a frame.

    For example: `Merge 128 of 1,742: o and u occurred together 1,204 times; they are one token now,
    ou.` Or: `Merge 128: o and u, 1,204 times, become ou.`
    """
    return first_fitting(room, *sentences_about(frame))


def sentences_about(frame: Frame, messages: Messages = ENGLISH) -> tuple[str, ...]:
    """Return a sentence about the step or move that led to a frame, then shorter ones.

    Args:
        messages: the table of a lesson's language; what it lacks stays English.
    """
    if frame.moves_done:
        sentence = narrate_move(frame)
        return sentence, sentence.partition(". ")[2], _narrate_move_shortly(frame)
    merge = frame.merge
    if merge is None:
        return _narrate_start(frame)
    pair, token = format_pair(frame, merge.pair), visible_bytes(merge.token)
    step = number(frame.step)
    sentence = frame.sentence.translated(messages).describe(visible_bytes)
    if frame.phase_start is not None:
        border = describe_border(frame)
        short = f"Merge {step}: {pair} make {token}."
        return f"{sentence} {border[0]}", f"{short} {border[0]}", f"{short} {border[1]}", *border
    if not merge.count:
        return sentence, f"Merge {step}: {pair} make {token}."
    forked = narrate_fork_rule(frame, merge)
    shorter = say(
        "Merge {step}: {pair}, {times}, become {token}.",
        step=step,
        pair=frame.sentence.values["pair"],
        times=frequency(merge.count),
        token=merge.token,
    )
    short = shorter.translated(messages).describe(visible_bytes)
    return f"{sentence}{forked}", f"{short}{forked}", short


def narrate_fork_rule(frame: Frame, merge: MergeStep) -> str:
    """Return a sentence about how a fork chose a merge besides the counts; often empty.

    It begins with a space, to follow another sentence: ` Forbidden: e and st, 9 times.`
    """
    fork_rules = merge.record.fork_rules
    if fork_rules is None:
        return ""
    if fork_rules.forces(merge.index):
        return " It was chosen by hand, not by its count."
    if not merge.forbidden_rivals:
        return ""
    pair, count = merge.forbidden_rivals[0]
    more = len(merge.forbidden_rivals) - 1
    others = f" and {number(more)} more" if more else ""
    return f" Forbidden: {format_pair(frame, pair)}, {times(count)}{others}."


def why_no_heap(frame: Frame) -> str:
    """Return why no trainer's heap or lists predict the merges of a run."""
    if frame.run.continued is not None:
        return CONTINUED
    if frame.given:
        return GIVEN
    if frame.run.record.counts.restarts:
        return OF_PHASES
    return OF_A_FORK


def is_replayed(frame: Frame, merge: MergeStep) -> bool:
    """Whether a fork repeats the merge although its own rules would have chosen another pair."""
    fork_rules = merge.record.fork_rules
    if fork_rules is None or merge.index >= fork_rules.replayed:
        return False
    return frame.choices_before.get(frame.tie_rule.name) != merge.pair


def narrate_tie(frame: Frame) -> str:
    """Return why this pair merged and no other."""
    merge = frame.merge
    if merge is None:
        return "Nothing has merged at step 0."
    pair, rivals = format_pair(frame, merge.pair), merge.tied[1:]
    if frame.was_given:
        return f"The pair {pair} merged because the tokenizer's file says so; no count chose it."
    fork_rules = merge.record.fork_rules
    if fork_rules is not None and fork_rules.forces(merge.index):
        return f"The pair {pair} merged because it was chosen by hand, {times(merge.count)}."
    if is_replayed(frame, merge):
        return f"The pair {pair} merged because it did in the run that was forked."
    forbidden = narrate_fork_rule(frame, merge)
    if not rivals:
        return (
            f"The pair {pair} merged because no other {'that may merge ' if forbidden else ''}"
            f"was as frequent, {times(merge.count)}.{forbidden}"
        )
    tied = f"The pair {pair} was tied, {times(merge.count)}, with {format_rivals(frame, rivals)}."
    return f"{tied} {_decided(frame.at(frame.step - 1), merge.pair, rivals)}{forbidden}"


def explain_merge(frame: Frame) -> Iterator[str]:
    """Yield why the pair of this step merged, and what other tie rules would have merged."""
    yield narrate_tie(frame)
    if (merge := frame.merge) is None:
        return
    if len(merge.tied) > 1:
        for rule, pair in frame.choices_before.items():
            if pair != merge.pair:
                yield f"The tie rule {rule} would have merged {format_pair(frame, pair)}."


def report_step(frame: Frame) -> StepReport:
    """Return the report of the step that led to a frame.

    >>> from engine import Timeline, Trainer
    >>> counts = {b"low": 5, b"lower": 2}
    >>> report = report_step(Timeline(counts, Trainer(counts, 300).steps()).seek(1))
    >>> report.title
    'Merge 1: o and w → ow'
    >>> next(iter(report.sentences))
    'Merge 1 of 4: o and w occurred together 7 times; they are one token now, ow.'
    """
    sentences = [narrate(frame)]
    if frame.merge is not None:
        sentences += explain_merge(frame)
        average = f"A token has {frame.bytes_per_token:.2f} bytes on average"
        sentences.append(f"{average}{describe_gain(frame)}.")
    return merge_report(frame, sentences, "pretoken")


def narrate_next(frame: Frame) -> Iterator[str]:
    """Yield sentences about the next merge: its pair, equally frequent ones, why it wins."""
    following = frame.next_pair
    if following is None:
        yield "No pair merges next."
        return
    pair = format_pair(frame, following)
    if frame.next_given:
        yield f"Next the tokenizer merges {pair}; no count chooses it."
        return
    yield f"Next is {pair}, {times(frame.count_of(following))}."
    for forbidden, count in frame.queue.forbidden:
        yield f"Forbidden in this fork: {format_pair(frame, forbidden)}, {times(count)}."
    tied = frame.queue.tied
    if following not in tied:
        yield "It does not merge for its count: this fork prescribes it."
        return
    rivals = [rival for rival in tied if rival != following]
    if not rivals:
        yield "No other pair is as frequent."
        return
    yield f"It is tied with {format_rivals(frame, rivals)}."
    yield _decided(frame, following, rivals)
    for rule, choice in frame.queue.choices.items():
        if choice != following:
            yield f"The tie rule {rule} would merge {format_pair(frame, choice)}."


def _decided(frame: Frame, winner: Pair, rivals: Sequence[Pair]) -> str:
    """Return which tie rule decides between pairs; against one rival, also the difference.

    `frame` is the state before the merge.
    """
    rule = frame.tie_rule
    if len(rivals) == 1:
        return f"The tie rule {rule.name} decided: {why_first(frame, winner, rivals[0])}."
    return describe_rule(rule.name, rule.summary)


def why_first(frame: Frame, winner: Pair, rival: Pair) -> str:
    """Return why the tie rule ranks `winner` first: `s is later in byte order than e`."""
    return frame.tie_reason(winner, rival).describe(visible_bytes)


def describe_unknown(frame: Frame, text: str) -> str:
    """Count the characters of a text that the run cannot spell, in a sentence; empty if none."""
    unknown = frame.unknown_in(text)
    if not unknown:
        return ""
    return f"{plural(unknown, 'unknown character')} here. {frame.units.lesson}"


def _narrate_start(frame: Frame) -> tuple[str, ...]:
    if frame.merges_nothing and frame.given:
        why = "" if frame.run.obstacle is None else f": {frame.run.obstacle}"
        return (f"{plural(frame.vocab_size, 'token')}, and no merges to go through{why}.",)
    following = frame.next_pair
    if frame.given:
        alphabet = frame.run.alphabet
        short = f"Step 0: {alphabet.beginning}."
        if following is None:
            return (f"{short} The tokenizer's merges are made again …", short)
        first = format_pair(frame, following)
        full = f"{short[:-1]}; {alphabet.exceptions}." if alphabet.exceptions else short
        joins = f"The first merge joins {first}."
        return (f"{full} {joins}", f"{short} {joins}", f"Step 0. Next {first}.")
    unit = frame.units.one if frame.token_count == 1 else frame.units.many
    if following is None:
        return (f"Step 0: {number(frame.token_count)} {unit}, and no pair to merge.",)
    pair, count = format_pair(frame, following), times(frame.count_of(following))
    rivals = [tied for tied in frame.queue.tied if tied != following]
    tied_with = f", tied with {format_rivals(frame, rivals)}" if rivals else ""
    is_next = "is next" if rivals else "is the most frequent"
    return (
        f"Step 0: {number(frame.token_count)} {unit}, each a token of its own. "
        f"The pair {pair} {is_next}, {count}{tied_with}.",
        f"Step 0: {unit}. Next {pair}, {count}{tied_with}.",
        f"Step 0: {unit}. Next {pair}, {count}{', tied' if rivals else ''}.",
    )


def narrate_move(frame: Frame) -> str:
    """Return a sentence about the last move of the heap."""
    moves = frame.queue.moves()
    move = moves[frame.moves_done - 1]
    pair, claimed, true = format_pair(frame, move.pair), times(move.claimed), number(move.true)
    sentences = {
        Move.POP_STALE: f"The heap gives {pair}, {claimed}; that is stale, it is {true} now.",
        Move.PUSH_BACK: f"The pair {pair} goes back into the heap with its true count, {true}.",
        Move.POP: f"The heap gives {pair}, {claimed}; that is true: this pair merges.",
        Move.PUSH: f"The merge made the pair {pair}, {times(move.true)}: it goes into the heap.",
    }
    return f"Move {frame.moves_done} of {len(moves)}. {sentences[move.move]}"


def _narrate_move_shortly(frame: Frame) -> str:
    """Return the last move of the heap, such as `Pop: t and h, 15 times; true, it merges.`"""
    move = frame.queue.moves()[frame.moves_done - 1]
    pair, claimed, true = format_pair(frame, move.pair), times(move.claimed), times(move.true)
    return {
        Move.POP_STALE: f"Pop: {pair}, {claimed}; stale, now {number(move.true)}.",
        Move.PUSH_BACK: f"Push back: {pair}, {true}.",
        Move.POP: f"Pop: {pair}, {claimed}; true, it merges.",
        Move.PUSH: f"Push: {pair}, {true}.",
    }[move.move]

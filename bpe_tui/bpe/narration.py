"""What each step of a BPE training has done, in plain sentences.

One of them is the last line of a screen; without a screen they are all there is.

A sentence stands for itself: read aloud, it needs no colour, no column and no sign but the dot for
a space. `room` is how many cells there are; where they are few, a shorter sentence is chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bpe_tui.views.narration import (
    ROOMY,
    describe_rule,
    first_fitting,
    format_pair,
    format_rivals,
    times,
)
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.visible import visible_bytes
from engine.bpe.frame import Frame
from engine.bpe.heap import Move
from engine.bpe.record import MergeStep
from engine.core.events import Pair
from engine.core.wording import describe


def narrate(frame: Frame, room: int = ROOMY) -> str:
    """What just happened at a step, or at a move of the heap within it.

    For example: `Merge 128 of 1,742: o and u stood side by side 1,204 times; they are one token
    now, ou.` Or: `Merge 128: o and u, 1,204 times, become ou.`
    """
    return first_fitting(room, *sentences_about(frame))


def sentences_about(frame: Frame) -> tuple[str, ...]:
    """What just happened in a sentence, and in shorter ones."""
    if frame.moves_done:
        said = narrate_move(frame)
        return said, said.partition(". ")[2]
    merge = frame.merge
    if merge is None:
        return _narrate_start(frame)
    pair, token = format_pair(frame, merge.pair), visible_bytes(merge.token)
    if not merge.count:
        where = "stand nowhere in this corpus" if frame.has_corpus else "are one token now"
        return (
            f"Merge {number(frame.step)} of {number(frame.recorded_steps)}: {pair} {where}: "
            f"{token}.",
            f"Merge {number(frame.step)}: {pair} make {token}.",
        )
    prescribed = narrate_prescribed(frame, merge)
    return (
        f"Merge {number(frame.step)} of {number(frame.recorded_steps)}: {pair} stood side by side "
        f"{times(merge.count)}; they are one token now, {token}.{prescribed}",
        f"Merge {number(frame.step)}: {pair}, {times(merge.count)}, become {token}.{prescribed}",
        f"Merge {number(frame.step)}: {pair}, {times(merge.count)}, become {token}.",
    )


def narrate_prescribed(frame: Frame, merge: MergeStep) -> str:
    """What a fork forbade or forced at a merge, as a sentence after another; empty if nothing.

    For example: ` Forbidden: e and st, 9 times.`
    """
    prescribed = merge.record.fork_rules
    if prescribed is None:
        return ""
    if prescribed.forces(merge.index):
        return " It was chosen by hand, not by its count."
    if not merge.forbidden_rivals:
        return ""
    pair, count = merge.forbidden_rivals[0]
    more = len(merge.forbidden_rivals) - 1
    others = f" and {number(more)} more" if more else ""
    return f" Forbidden: {format_pair(frame, pair)}, {times(count)}{others}."


def is_replayed(frame: Frame, merge: MergeStep) -> bool:
    """Whether a fork only repeats the merge, and its own rules would have taken another pair."""
    prescribed = merge.record.fork_rules
    if prescribed is None or merge.index >= prescribed.replayed:
        return False
    return frame.choices_before.get(frame.tie_rule.name) != merge.pair


def narrate_tie(frame: Frame) -> str:
    """Why this pair merged and no other."""
    merge = frame.merge
    if merge is None:
        return "Nothing has merged at step 0."
    pair, rivals = format_pair(frame, merge.pair), merge.tied[1:]
    if frame.given:
        return f"The pair {pair} merged because the tokenizer says so; no count chose it."
    prescribed = merge.record.fork_rules
    if prescribed is not None and prescribed.forces(merge.index):
        return f"The pair {pair} merged because it was chosen by hand, {times(merge.count)}."
    if is_replayed(frame, merge):
        return f"The pair {pair} merged because the run did so that this is a fork of."
    forbidden = narrate_prescribed(frame, merge)
    if not rivals:
        return (
            f"The pair {pair} merged because no other {'that may merge ' if forbidden else ''}"
            f"was as frequent, {times(merge.count)}.{forbidden}"
        )
    tied = f"The pair {pair} was tied, {times(merge.count)}, with {format_rivals(frame, rivals)}."
    return f"{tied} {_decided(frame.at(frame.step - 1), merge.pair, rivals)}{forbidden}"


def narrate_next(frame: Frame) -> Iterator[str]:
    """Which pair merges next, which are as frequent, and why this one wins over them."""
    following = frame.next_pair
    if following is None:
        yield "No pair merges next."
        return
    pair = format_pair(frame, following)
    if frame.given:
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
    """Which tie rule decides between pairs, and how; against one rival, what made the difference.

    `frame` is the state before the merge.
    """
    rule = frame.tie_rule
    if len(rivals) == 1:
        return f"The tie rule {rule.name} decided: {why_first(frame, winner, rivals[0])}."
    return describe_rule(rule.name, rule.summary)


def why_first(frame: Frame, winner: Pair, rival: Pair) -> str:
    """Why the tie rule takes `winner` before `rival`: `s is later in byte order than e`."""
    return describe(frame.why_first(winner, rival), visible_bytes)


def describe_unknown(frame: Frame, text: str) -> str:
    """What is lost of a text with characters that the run cannot spell; empty if nothing is."""
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
        bytes_only = "Step 0: every byte is a token of its own."
        if following is None:
            return (f"{bytes_only} The tokenizer's merges are made again …", bytes_only)
        first = format_pair(frame, following)
        return (f"{bytes_only} The first merge joins {first}.", f"Step 0. Next {first}.")
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
    """What the last move in the heap has done."""
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

"""What each step of a BPE training has done, in plain sentences.

One of them is the last line of a screen; without a screen they are all there is.

A sentence stands for itself: read aloud, it needs no colour, no column and no sign but the dot for
a space. `room` is how many cells there are; where they are few, a shorter sentence is chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_tui.views.narration import (
    ROOMY,
    Narrator,
    add_stop,
    describe_rule,
    first_fitting,
    format_pair,
    format_rivals,
    heading,
    narrate_undone,
    times,
)
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.visible import visible_bytes
from engine.bpe.frame import Frame
from engine.bpe.heap import Move

if TYPE_CHECKING:
    from bpe_tui.session.session import Session


def narrate(frame: Frame, room: int = ROOMY) -> str:
    """What just happened at a step, or at a move of the heap within it.

    For example: `Merge 128 of 1,742: o and u stood side by side 1,204 times; they are one token
    now, ou.` Or: `Merge 128: o and u, 1,204 times, become ou.`
    """
    if frame.moves_done:
        return narrate_move(frame)
    merge = frame.merge
    if merge is None:
        return _narrate_start(frame, room)
    pair, token = format_pair(frame, merge.pair), visible_bytes(merge.token)
    if not merge.count:
        where = "stand nowhere in this corpus" if frame.has_corpus else "are one token now"
        return first_fitting(
            room,
            f"Merge {number(frame.step)} of {number(frame.recorded_steps)}: {pair} {where}: "
            f"{token}.",
            f"Merge {number(frame.step)}: {pair} make {token}.",
        )
    return first_fitting(
        room,
        f"Merge {number(frame.step)} of {number(frame.recorded_steps)}: {pair} stood side by side "
        f"{times(merge.count)}; they are one token now, {token}.",
        f"Merge {number(frame.step)}: {pair}, {times(merge.count)}, become {token}.",
    )


def narrate_tie(frame: Frame) -> str:
    """Why this pair merged and no other."""
    merge = frame.merge
    if merge is None:
        return "Nothing has merged at step 0."
    pair, rivals = format_pair(frame, merge.pair), merge.tied[1:]
    if frame.given:
        return f"The pair {pair} merged because the tokenizer says so; no count chose it."
    if not rivals:
        return f"The pair {pair} merged because no other was as frequent, {times(merge.count)}."
    rule = frame.tie_rule
    tied = f"The pair {pair} was tied, {times(merge.count)}, with {format_rivals(frame, rivals)}."
    return f"{tied} {describe_rule(rule.name, rule.summary)}"


def describe_unknown(frame: Frame, text: str) -> str:
    """What is lost of a text with characters that the run cannot spell; empty if nothing is."""
    unknown = frame.unknown_in(text)
    if not unknown:
        return ""
    return f"{plural(unknown, 'unknown character')} here. {frame.units.lesson}"


def _narrate_start(frame: Frame, room: int) -> str:
    following = frame.next_pair
    if following is None and (frame.run.obstacle is not None or not frame.has_corpus):
        why = "" if frame.run.obstacle is None else f": {frame.run.obstacle}"
        return f"{plural(frame.vocab_size, 'token')}, and no merges to go through{why}."
    if following is None:
        unit = frame.units.one if frame.token_count == 1 else frame.units.many
        return f"Step 0: {number(frame.token_count)} {unit}, and no pair to merge."
    pair, count = format_pair(frame, following), times(frame.count_of(following))
    if frame.given:
        return f"Step 0: every byte is a token of its own. The first merge joins {pair}."
    many = frame.units.many
    return first_fitting(
        room,
        f"Step 0: {number(frame.token_count)} {many}, each a token of its own. "
        f"The pair {pair} is the most frequent, {count}.",
        f"Step 0: {many}. Next {pair}, {count}.",
    )


def narrate_move(frame: Frame) -> str:
    """What the last move in the heap has done."""
    moves = frame.queue.moves()
    move = moves[frame.moves_done - 1]
    pair, claimed, true = format_pair(frame, move.pair), times(move.claimed), number(move.true)
    sentences = {
        Move.POP_STALE: f"The heap gives {pair}, {claimed}; that is stale, it is {true} now.",
        Move.PUSH_BACK: f"{pair} goes back into the heap with its true count, {true}.",
        Move.POP: f"The heap gives {pair}, {claimed}; that is true: this pair merges.",
        Move.PUSH: f"The merge made the pair {pair}, {times(move.true)}: it goes into the heap.",
    }
    return f"Move {frame.moves_done} of {len(moves)}. {sentences[move.move]}"


def narrate_session(session: Session, frame: Frame, room: int) -> str:
    """The step in one sentence, why playing stopped, and at the end why there is no more."""
    if session.went_back:
        return first_fitting(room, *narrate_undone(frame))
    return add_stop(session, narrate(frame, room))


NARRATOR = Narrator(heading, narrate_session)

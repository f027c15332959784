"""The step in one plain sentence."""

from __future__ import annotations

from bpe_tui.pieces import pair_text
from bpe_tui.visible import number, visible_bytes, width
from engine.frame import Frame
from engine.heap_walk import Move


def narrate(frame: Frame, room: int = 1000) -> str:
    """What just happened, shorter where there are not so many cells.

    For example: `Merge 128 of 1,742: o and u stood side by side 1,204 times; they are one token
    now, ou.` Or: `Merge 128: o and u, 1,204 times, become ou.`
    """
    if frame.moves_done:
        return narrate_move(frame)
    merge = frame.merge
    if merge is None:
        return _narrate_start(frame, room)
    left, right = (visible_bytes(token) for token in (merge.left, merge.right))
    token = visible_bytes(merge.token)
    times = "once" if merge.count == 1 else f"{number(merge.count)} times"
    sentence = (
        f"Merge {number(frame.step)} of {number(frame.recorded_steps)}: {left} and {right} stood "
        f"side by side {times}; they are one token now, {token}."
    )
    if width(sentence) <= room:
        return sentence
    return f"Merge {number(frame.step)}: {left} and {right}, {times}, become {token}."


def _narrate_start(frame: Frame, room: int) -> str:
    following = frame.next_pair
    if following is None:
        return f"Step 0: {number(frame.byte_count)} bytes, and no pair to merge."
    pair, times = pair_text(frame, following), number(frame.count_of(following))
    sentence = (
        f"Step 0: {number(frame.byte_count)} bytes, each a token of its own. "
        f"The pair {pair} is the most frequent, {times} times."
    )
    return sentence if width(sentence) <= room else f"Step 0: bytes. Next {pair}, {times} times."


def narrate_move(frame: Frame) -> str:
    moves = frame.queue.moves()
    move = moves[frame.moves_done - 1]
    pair, claimed, true = pair_text(frame, move.pair), number(move.claimed), number(move.true)
    sentences = {
        Move.POP_STALE: f"The heap gives {pair}, {claimed} times; that is stale, it is {true} now.",
        Move.PUSH_BACK: f"{pair} goes back into the heap with its true count, {true}.",
        Move.POP: f"The heap gives {pair}, {claimed} times; that is true: this pair merges.",
        Move.PUSH: f"The merge made the pair {pair}, {true} times: it goes into the heap.",
    }
    return f"Move {frame.moves_done} of {len(moves)}. {sentences[move.move]}"

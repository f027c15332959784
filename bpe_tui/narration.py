"""The step in one plain sentence."""

from __future__ import annotations

from bpe_tui.pieces import pair_text
from bpe_tui.visible import number, visible_bytes, width
from engine.frame import Frame


def narrate(frame: Frame, room: int = 1000) -> str:
    """What just happened, shorter where there are not so many cells.

    For example: `Merge 128 of 1,742: o and u stood side by side 1,204 times; they are one token
    now, ou.` Or: `Merge 128: o and u, 1,204 times, become ou.`
    """
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

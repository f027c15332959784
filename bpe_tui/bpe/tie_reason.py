"""Why a tie rule takes one pair before another of the same count, in a clause."""

from __future__ import annotations

from collections.abc import Callable

from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.visible import visible_bytes
from engine.bpe.frame import Frame
from engine.core.events import BytesPair, Pair


def why_first(frame: Frame, winner: Pair, rival: Pair) -> str:
    """Why the tie rule of the run takes `winner` before `rival`.

    For example: `s is later in byte order than e`.
    """
    rule = frame.tie_rule
    explain = _EXPLAINED.get(rule.name)
    reason = explain(frame, winner, rival) if explain else ""
    return reason or rule.summary.split(";")[0]


def _by_bytes(frame: Frame, winner: Pair, rival: Pair) -> str:
    (left, right), (other_left, other_right) = _bytes_of(frame, winner), _bytes_of(frame, rival)
    if left != other_left:
        return f"{visible_bytes(left)} is later in byte order than {visible_bytes(other_left)}"
    return (
        f"same left token, and {visible_bytes(right)} is later in byte order than "
        f"{visible_bytes(other_right)}"
    )


def _by_place(frame: Frame, winner: Pair, rival: Pair) -> str:
    return "it stands first in the corpus as it is now"


def _by_ids(frame: Frame, winner: Pair, rival: Pair) -> str:
    side, at = ("left", 0) if winner[0] != rival[0] else ("right", 1)
    same = "" if side == "left" else "same left token, and "
    return f"{same}its {side} id {winner[at]} is smaller than {rival[at]}"


def _by_characters(frame: Frame, winner: Pair, rival: Pair) -> str:
    at = 0 if winner[0] != rival[0] else 1
    same = "" if at == 0 else "same left token, and "
    first, other = (visible_bytes(frame.any_token(pair[at])) for pair in (winner, rival))
    return f"{same}{first} has a smaller id than {other} where bytes are numbered as GPT-2 does"


def _by_length(frame: Frame, winner: Pair, rival: Pair) -> str:
    joined, other = (b"".join(_bytes_of(frame, pair)) for pair in (winner, rival))
    if len(joined) != len(other):
        return f"{number(len(joined))} bytes joined, fewer than {number(len(other))}"
    if joined != other:
        return f"as long, and {visible_bytes(joined)} is earlier than {visible_bytes(other)}"
    return "the same bytes joined, and its left token is the shorter one"


def _bytes_of(frame: Frame, pair: Pair) -> BytesPair:
    return frame.any_token(pair[0]), frame.any_token(pair[1])


_EXPLAINED: dict[str, Callable[[Frame, Pair, Pair], str]] = {
    "lexicographic": _by_bytes,
    "first-seen": _by_place,
    "smallest-ids": _by_ids,
    "huggingface": _by_characters,
    "sentencepiece": _by_length,
}
"""By the name of the rule; a rule that is not here is explained by its summary."""

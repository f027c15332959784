"""Tokens that merges removed: in sentences for transcript and screen."""

from __future__ import annotations

from collections.abc import Iterator

from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.visible import visible_bytes
from engine.bpe.frame import Frame
from engine.bpe.record import MergeStep
from engine.bpe.removals import Removal


def describe_removals(frame: Frame, step: int) -> Iterator[str]:
    """Yield a sentence for each token that the merge after `step` removed.

    For example: `ab is gone: the merge took 9 of its 10 occurrences (IoS 0.90, above 0.80); the
    other fell into a b.`
    """
    if frame.removals is None or step >= len(frame.removals.by_step):
        return
    for each in frame.removals.by_step[step]:
        yield f"{_token(frame, each.token_id)} is gone: {_why(frame, each)}"


def name_removals(frame: Frame, merge: MergeStep) -> str:
    """Return the tokens that a merge removed, in short: ` Gone: est (IoS 0.67).`; often empty."""
    gone = (f"{_token(frame, each.token_id)} (IoS {each.share:.2f})" for each in merge.gone)
    return f" Gone: {' '.join(gone)}." if merge.gone else ""


def _why(frame: Frame, gone: Removal) -> str:
    assert frame.removals is not None
    parts = " ".join(_token(frame, part) for part in gone.parts)
    share = f"IoS {gone.share:.2f}, above {frame.removals.threshold:.2f}"
    if not gone.left:
        return f"the merge took all {number(gone.taken)} of its occurrences ({share})."
    rest = "the other" if gone.left == 1 else f"the other {number(gone.left)}"
    every = number(gone.taken + gone.left)
    took = f"the merge took {number(gone.taken)} of its {every} occurrences"
    return f"{took} ({share}); {rest} fell into {parts}."


def _token(frame: Frame, token_id: int) -> str:
    return visible_bytes(frame.any_token(token_id))


def describe_sizes(frame: Frame) -> str:
    """Return the merges and removals so far: `40 merges, 3 removals, 297 tokens`."""
    assert frame.removals is not None
    gone = sum(map(len, frame.removals.by_step[: frame.step]))
    merges, tokens = plural(frame.step, "merge"), plural(frame.vocab_size, "token")
    return f"{merges}, {plural(gone, 'removal')}, {tokens}"

"""Read what a trainer has written; the command line and the screen both do."""

from __future__ import annotations

from bpe_tui.session.config import Claimed
from engine.analysis.check.claim import Claim, read_claim
from engine.analysis.check.steps_file import read_steps


def read_claimed(
    claimed: Claimed, special_tokens: tuple[str, ...]
) -> tuple[Claim, tuple[str, ...]]:
    """What a trainer claims in its files, and notes on how they were read.

    Raises:
        BpeError: they cannot be read.
    """
    if claimed.are_steps:
        steps = read_steps(claimed.paths[0])
        return Claim(steps.steps), (f"tokens are written as {' and '.join(steps.forms)}",)
    return read_claim(*claimed.paths, special_tokens=special_tokens)

"""Ids that stand for no token: harmless, but a reader wants to know."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count, islice

SHOWN = 3


def told_gaps(token_ids: Iterable[int]) -> list[str]:
    """A note if some ids below the highest are missing.

    >>> told_gaps([0, 1, 3])
    ['1 id below the highest stands for no token (2)']
    """
    known = set(token_ids)
    gaps = max(known) + 1 - len(known)
    if gaps == 0:
        return []
    missing = (token_id for token_id in count() if token_id not in known)
    shown = ", ".join(map(str, islice(missing, min(gaps, SHOWN))))
    ids = "1 id below the highest stands" if gaps == 1 else f"{gaps:,} ids below the highest stand"
    return [f"{ids} for no token ({shown}{', …' if gaps > SHOWN else ''})"]

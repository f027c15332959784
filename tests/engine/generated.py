"""How many generated examples a test is tried on."""

from __future__ import annotations

from hypothesis import settings


def examples(count: int) -> settings:
    """`count` examples in a thorough run, and as many fewer in a quick one as its profile says.

    Below 10 a test would say too little.
    """
    return settings(max_examples=max(min(count, 10), count * settings().max_examples // 100))

"""Making many values that stay, without Python looking through them for garbage on the way.

The collector starts over whenever there are a quarter more containers than before; while a
vocabulary of 200,000 tokens is read, all that it looks at is in use.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """The collector rests, and is as it was afterwards.

    >>> with gc_paused():
    ...     gc.isenabled()
    False
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()

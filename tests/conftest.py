"""For all tests: how many generated examples each of them is tried on.

`pytest` tries a tenth of what a test asks for (`examples`, or Hypothesis's 100),
`pytest --hypothesis-profile thorough` half, and `… full` all of it.
Time never decides: a busy machine is no failure.
"""

from __future__ import annotations

import gc

from hypothesis import settings

settings.register_profile("full", max_examples=100, deadline=None)
settings.register_profile("thorough", max_examples=50, deadline=None)
settings.register_profile("quick", max_examples=10, deadline=None)
settings.load_profile("quick")


def pytest_collection_finish() -> None:
    """What has been collected stays; each collection of garbage would look through all of it."""
    gc.freeze()

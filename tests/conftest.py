"""The number of generated examples for each test, by profile.

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
    """Freeze the collected tests, so that garbage collection does not search them each time."""
    gc.freeze()

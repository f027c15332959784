"""Hypothesis for these tests: the example decides, never the clock."""

from hypothesis import settings

settings.register_profile("engine", deadline=None)
settings.load_profile("engine")

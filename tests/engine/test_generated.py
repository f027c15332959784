"""Generated examples: the same in each quick run, new ones in runs that search."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


@pytest.mark.parametrize(("profile", "same"), [("quick", True), ("thorough", False)])
def test_only_a_quick_run_tries_the_same_examples_each_time(profile: str, same: bool) -> None:
    drawn: list[bytes] = []

    @settings.get_profile(profile)
    @given(st.binary(min_size=9))
    def draw(data: bytes) -> None:
        drawn.append(data)

    draw()
    first = drawn.copy()
    drawn.clear()
    draw()
    assert (drawn == first) is same

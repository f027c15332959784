"""A table of numbers returns the same values as a dict."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.core.arrays import NumberTable

few_numbers = st.integers(0, 60) | st.integers(0, 2**63 - 1)


@given(
    entries=st.dictionaries(few_numbers, st.integers(0, 2**62), max_size=40),
    asked=st.lists(few_numbers, max_size=40),
)
def test_a_table_returns_the_same_values_as_a_dict(
    entries: dict[int, int], asked: list[int]
) -> None:
    keys, values = np.array([*entries], np.int64), np.array([*entries.values()], np.int64)
    found = NumberTable(keys, values).of(np.array([*asked, *entries], np.int64))
    assert found.tolist() == [entries.get(key, -1) for key in (*asked, *entries)]


def test_of_equal_keys_the_last_counts() -> None:
    table = NumberTable(np.array([5, 5, 5]), np.array([1, 2, 3]))
    assert table.of(np.array([5])).tolist() == [3]

"""Counts as columns are added up, split and merged as dictionaries are."""

from __future__ import annotations

import pickle
from array import array
from collections import Counter
from random import Random
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.counting import cluster_sums
from engine.counting.cluster_sums import PlacedCounts
from engine.native import KERNEL
from engine.native.counting import kernel_numbers

PRETOKENS = st.sampled_from([b"a", b"\0", b"a\0", b" low", b"lowlower", b"lowlowes", b"x" * 9])
PARTS = st.lists(
    st.dictionaries(PRETOKENS, st.integers(1, 2**50), max_size=5), min_size=1, max_size=4
)


def columns(counts: dict[bytes, int], first: int) -> PlacedCounts:
    """Return counts as columns, with places from `first` on."""
    places = np.arange(first, first + len(counts))
    return PlacedCounts.of(b"".join(counts), [*map(len, counts)], [*counts.values()], places)


def entries(*columns: PlacedCounts) -> list[tuple[bytes, int]]:
    """Return the pretokens of columns, each with its count."""
    return [
        entry
        for each in columns
        for entry in zip(each.pretokens(), each.counts.tolist(), strict=True)
    ]


def in_parts(parts: list[dict[bytes, int]]) -> tuple[list[PlacedCounts], dict[bytes, int]]:
    """Return the columns of parts, which follow each other, and their sums."""
    sums: Counter[bytes] = Counter()
    for part in parts:
        sums.update(part)
    return [columns(part, number << 40) for number, part in enumerate(parts)], sums


@pytest.mark.parametrize("kernel", {KERNEL, None})
@given(PARTS, st.randoms())
def test_sums_are_in_order_of_first_appearance_in_whichever_order_they_are_added(
    kernel: object, parts: list[dict[bytes, int]], random: Random
) -> None:
    placed, sums = in_parts(parts)
    random.shuffle(placed)
    with mock.patch.object(cluster_sums, "KERNEL", kernel):
        assert entries(cluster_sums.added_up(placed)) == [*sums.items()]


def test_many_pretokens_take_every_hash() -> None:
    many = columns({b" word%d" % number: 1 for number in range(4000)}, 0)
    sizes = [len(part.lengths) for part in cluster_sums.split([many], 4)]
    assert min(sizes) > 900


def test_columns_that_are_sent_take_few_bytes() -> None:
    many = columns({b"%07d" % number: number % 100 + 1 for number in range(10_000)}, 5 << 33)
    assert len(pickle.dumps(many)) < 10 * 10_000  # 7 of them are the pretoken


@pytest.mark.skipif(KERNEL is None, reason="there is no kernel")
def test_the_kernel_numbers_pretokens_by_first_appearance() -> None:
    assert [*kernel_numbers(b"ababc", array("q", [2, 2, 1]))] == [0, 0, 1]
    assert [*kernel_numbers(b"", array("q"))] == []
    with pytest.raises(ValueError, match="do not add up"):
        kernel_numbers(b"low", array("q", [4]))

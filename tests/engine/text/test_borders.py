"""The kernel finds the borders that a pattern's regex finds, with vectors and without them."""

from __future__ import annotations

import os
from itertools import pairwise
from unittest import mock

import pytest
from counting_texts import TEXT_PIECES
from generated import examples
from hypothesis import given
from hypothesis import strategies as st

from engine.native import KERNEL, SWITCH
from engine.native.counting import KernelCounter
from engine.text.patterns import PATTERNS, BorderTables, Pattern

pytestmark = pytest.mark.skipif(KERNEL is None, reason="the kernel is not compiled here")
PARTS = st.sampled_from(TEXT_PIECES) | st.binary(max_size=70)
TEXTS = st.lists(PARTS | PARTS.map(lambda part: part * 9), max_size=20).map(b"".join)


def pieces_by_regex(pattern: Pattern, text: bytes) -> list[bytes]:
    borders = {match.start() for match in pattern.cut_regex.finditer(text)}
    ends = sorted({0, *borders, len(text)})
    return [text[begin:end] for begin, end in pairwise(ends)]


@pytest.mark.parametrize("wish", ["", "plain"])
@pytest.mark.parametrize("name", [name for name in PATTERNS if PATTERNS[name].borders])
@examples(200)
@given(text=TEXTS)
def test_the_kernel_cuts_at_the_borders(name: str, wish: str, text: bytes) -> None:
    pattern = PATTERNS[name]
    with mock.patch.dict(os.environ, {SWITCH: wish}):
        counted = KernelCounter(BorderTables.of(pattern.borders).packed, []).count(text)
    expected = [*dict.fromkeys(pieces_by_regex(pattern, text))]
    assert [*counted.new_sizes] == [*map(len, expected)]
    assert counted.new == b"".join(expected)

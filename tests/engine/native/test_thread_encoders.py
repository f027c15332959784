"""The kernel encodes a text in each of its ways to the same ids."""

from __future__ import annotations

from array import array

import pytest

from engine.native import KERNEL
from engine.native.encoding import KernelEncoder, KernelSpecials, merge_numbers
from engine.text.cutting import scanner_for
from engine.text.patterns import PATTERNS, BorderTables

pytestmark = pytest.mark.skipif(KERNEL is None, reason="the kernel is not compiled here")
GPT2 = PATTERNS["gpt2"]
BORDERS = BorderTables.of(GPT2.borders).packed


def test_numbers_of_a_tokenizer_fit_into_32_bits_or_python_encodes() -> None:
    assert merge_numbers([0, 1], {(97, 98): (0, 256)}) == (
        array("i", [0, 1]),
        array("i", [97, 98]),
        array("i", [0, 256]),
        256,
    )
    assert merge_numbers([0], {}) == (array("i", [0]), array("i"), array("i"), 0)
    for table in ({(97, 98): (0, 1 << 31)}, {(97, -1): (0, 256)}):
        assert merge_numbers([0], table) is None


def test_a_thread_encoder_returns_the_same_ids_in_each_way() -> None:
    numbers = merge_numbers(range(256), {(97, 98): (0, 256), (256, 99): (1, 300)})
    assert numbers is not None
    encoder = KernelEncoder(BORDERS, numbers, {b"xyz": 400}, lambda: scanner_for(GPT2))  # type: ignore[arg-type, return-value]
    specials, thread_encoder = KernelSpecials({b"<s>": 500, b"<s>b": 501}), encoder.first
    text, ids = "abc abx<s>bxyz", [300, 32, 256, 120, 501, 400]
    assert (
        thread_encoder.ids(text.encode(), specials).tolist()
        == thread_encoder.list_of(text.encode(), specials)
        == ids
    )
    with encoder.lend() as first, encoder.lend() as second:
        assert first is thread_encoder is not second
        assert second.list_of(text.encode(), specials) == ids
    with encoder.lend() as again, encoder.lend() as other:
        assert {again, other} == {first, second}
    thread_encoder._numbers = None  # without integers that are made once
    assert thread_encoder.encode_many(["a", "b"], specials) == [None, None]
    assert thread_encoder.list_of(text.encode(), specials) == ids

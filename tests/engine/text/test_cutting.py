"""The kernel's scanners and borders cut any text like the patterns' regexes, their oracle."""

from __future__ import annotations

import os
from array import array
from itertools import accumulate, pairwise, product
from unittest import mock

import pytest
from counting_texts import TEXT_PIECES
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st

from engine.native import KERNEL, SWITCH
from engine.native.counting import KernelCounter
from engine.native.scanning import SCANNED
from engine.text.cutting import cutter_for, regex_cutter
from engine.text.patterns import PATTERNS, BorderTables, Pattern
from engine.text.pretokenize import to_bytes, to_text

pytestmark = pytest.mark.skipif(KERNEL is None, reason="the kernel is not compiled here")
every_pattern = pytest.mark.parametrize("name", sorted(SCANNED))
SCANNERS = {} if KERNEL is None else {name: cutter_for(PATTERNS[name]) for name in SCANNED}

# Letters with and without case, marks, numbers that are not digits, spaces, contractions.
TRICKY = "aAzZ09 \n\r\t'sSdDlLvVeErRſtTmM.,/ǅʰªא\u0301\u0345\u00a0\u2028\x1c\u3000²Ⅷ中ßẞ\0😀"
TEXTS = st.one_of(
    st.text(TRICKY, max_size=40).map(str.encode),
    st.text(max_size=20).map(to_bytes),
    st.lists(st.sampled_from(TEXT_PIECES) | st.binary(max_size=3), max_size=20).map(b"".join),
)


def by_scanner(name: str, texts: list[bytes]) -> list[bytes]:
    """Return the pretokens of all texts, each cut separately by the scanner."""
    joined = b"".join(texts)
    lengths, counts = SCANNERS[name](joined, array("q", map(len, texts)))
    assert sum(counts) == len(lengths)
    return [joined[start:end] for start, end in pairwise(accumulate(lengths, initial=0))]


def by_regex(name: str, texts: list[bytes]) -> list[bytes]:
    return [to_bytes(cut) for text in texts for cut in PATTERNS[name].split(to_text(text))]


@every_pattern
@examples(1000)
@given(texts=st.lists(TEXTS, min_size=1, max_size=3))
@example(texts=[b"", b"'\xc5\xbf", b"I'LL \n \n  x", b"\xf0\x9f\x98", b"\xed\xa0\x80a"])
def test_a_scanner_cuts_like_the_regex(name: str, texts: list[bytes]) -> None:
    assert by_scanner(name, texts) == by_regex(name, texts)


@every_pattern
def test_scanner_and_regex_cut_every_short_text_alike(name: str) -> None:
    texts = ["".join(some).encode() for some in product("aA1. \n'", repeat=4)]
    cut = SCANNERS[name](b"".join(texts), array("q", map(len, texts)))
    assert cut == regex_cutter(PATTERNS[name])(b"".join(texts), array("q", map(len, texts)))


@every_pattern
def test_every_character_of_two_planes_has_the_class_of_the_regex(name: str) -> None:
    planes = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x20000)])).encode()
    cut = SCANNERS[name](planes, array("q", [len(planes)]))
    assert cut == regex_cutter(PATTERNS[name])(planes, array("q", [len(planes)]))


@pytest.mark.parametrize("name", [name for name, pattern in PATTERNS.items() if pattern.borders])
def test_patterns_that_the_kernel_does_not_know_are_cut_by_their_regex(name: str) -> None:
    cut = cutter_for(PATTERNS[name])(b" low  .", array("q", [4, 3]))
    assert cut == regex_cutter(PATTERNS[name])(b" low  .", array("q", [4, 3]))


PARTS = st.sampled_from(TEXT_PIECES) | st.binary(max_size=70)
WITH_RUNS = st.lists(PARTS | PARTS.map(lambda part: part * 9), max_size=20).map(b"".join)


def pieces_by_regex(pattern: Pattern, text: bytes) -> list[bytes]:
    borders = {match.start() for match in pattern.cut_regex.finditer(text)}
    ends = sorted({0, *borders, len(text)})
    return [text[begin:end] for begin, end in pairwise(ends)]


@pytest.mark.parametrize("wish", ["", "plain"])
@pytest.mark.parametrize("name", [name for name in PATTERNS if PATTERNS[name].borders])
@examples(200)
@given(text=WITH_RUNS)
def test_the_kernel_cuts_at_the_borders(name: str, wish: str, text: bytes) -> None:
    pattern = PATTERNS[name]
    with mock.patch.dict(os.environ, {SWITCH: wish}):
        counted = KernelCounter(BorderTables.of(pattern.borders).packed, []).count(text)
    expected = [*dict.fromkeys(pieces_by_regex(pattern, text))]
    assert [*counted.new_sizes] == [*map(len, expected)]
    assert counted.new == b"".join(expected)

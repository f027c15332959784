"""Cutting a text: into chunks, and at places that no pretoken crosses."""

import os
from array import array
from collections.abc import Sequence
from itertools import accumulate, pairwise, product
from unittest import mock

import pytest
import regex
from chunk_texts import CORPORA, SPECIALS, one_pass
from counting_texts import TEXT_PIECES
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st

from engine.counting.plain import documents_in
from engine.native import KERNEL, SWITCH
from engine.native.counting import KernelCounter
from engine.native.scanning import SCANNED
from engine.pipeline.added_tokens import SectionSplitter
from engine.pipeline.normalizers import Lowercase
from engine.text import pretokenize
from engine.text.cutting import cutter_for, regex_cutter
from engine.text.patterns import PATTERNS, BorderTables, Pattern
from engine.text.pretokenize import Chunk, ChunkCutter, SpecialSplitter, to_bytes, to_text

TINY = st.integers(1, 64)


def documents_of(data: bytes, special_tokens: Sequence[str]) -> int:
    """Count the stretches between special tokens that hold more than whitespace."""
    stretches = one_pass(data, "none", special_tokens)
    return sum(any(text.decode("utf-8", "replace").strip() for text in s) for s in stretches)


def pieces_of(
    data: bytes, pattern: str, special_tokens: Sequence[str] = (), size: int = 4, block: int = 4
) -> list[Chunk]:
    """Cut a stream of blocks into pieces."""
    cutter = ChunkCutter(PATTERNS[pattern], SpecialSplitter(special_tokens), size)
    pieces: list[Chunk] = []
    for start in range(0, len(data), block):
        pieces += cutter.feed(data[start : start + block])
    return [*pieces, *cutter.finish()]


@pytest.mark.parametrize("special_tokens", [["aab", "ba"], ["abab"], ["a", "bab"], ["aba", "bb"]])
def test_a_search_from_near_the_end_finds_the_last_special_token_of_one_from_the_left(
    special_tokens: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cutter = ChunkCutter(PATTERNS["gpt2"], SpecialSplitter(special_tokens), 4)
    for near, letters in product((1, 2, 4), product(b"ab", repeat=9)):
        monkeypatch.setattr(pretokenize, "NEAR_END", near)
        found = regex.finditer("|".join(special_tokens).encode(), text := bytes(letters))
        ends = [0, *(each.end() for each in found if each.start() < 7)]
        assert cutter._end_of_last_special(text, 7) == ends[-1]


@pytest.mark.parametrize("pattern", PATTERNS)
@examples(120)
@given(CORPORA, SPECIALS, TINY, TINY)
@example("low\u3000 low".encode(), [], 1, 1)
@example(b"a \n b\n\nc\n d", [], 1, 1)
@example("a\n\u00a0\nb\n\u3000\n".encode(), [], 1, 1)
@example(b"x!\n/y", [], 1, 1)
@example(b"<a><a> <a><b", ["<a>", "<a><a>", "<a><b>"], 1, 1)
def test_the_pretokens_of_the_pieces_are_those_of_the_whole(
    pattern: str, data: bytes, special_tokens: list[str], size: int, block: int
) -> None:
    pieces = pieces_of(data, pattern, special_tokens, size, block)
    assert b"".join(piece.data for piece in pieces) == data
    in_pieces = [
        pretoken
        for piece in pieces
        for stretch in one_pass(piece.data, pattern, special_tokens)
        for pretoken in stretch
    ]
    assert in_pieces == [p for stretch in one_pass(data, pattern, special_tokens) for p in stretch]


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k", "none"])
@examples(200)
@given(CORPORA, SPECIALS, TINY, TINY)
@example(b"one<a> two three", ["<a>"], 11, 11)
@example(b"one two<a> three", ["<a>"], 1, 1)
@example(b"\nOnce", [], 1, 1)
def test_a_document_in_several_pieces_is_counted_once(
    pattern: str, data: bytes, special_tokens: list[str], size: int, block: int
) -> None:
    splitter = SpecialSplitter(special_tokens)
    counted = sum(
        documents_in(piece.data, piece.continues, splitter)
        for piece in pieces_of(data, pattern, special_tokens, size, block)
    )
    assert counted == documents_of(data, special_tokens)


def test_a_place_to_cut_is_searched_whenever_the_text_has_doubled() -> None:
    searched: list[int] = []
    cutter = ChunkCutter(PATTERNS["gpt2"], SpecialSplitter([]), 4)
    with mock.patch.object(cutter, "_last_cut", lambda text: searched.append(len(text)) or (0, 0)):
        for _ in range(70):
            assert list(cutter.feed(b"x")) == []
    assert searched == [4, 8, 16, 32, 64]


@pytest.mark.parametrize(("pattern", "data"), [("gpt2", b"x" * 1000), ("none", b"a b " * 250)])
def test_a_stretch_without_a_safe_cut_is_one_piece(pattern: str, data: bytes) -> None:
    assert [piece.data for piece in pieces_of(data, pattern)] == [data]
    cutter = ChunkCutter(PATTERNS[pattern], SectionSplitter([], Lowercase(), None), 4)
    text = b"a b " * 9  # a normalizer may look at all of the text before a piece
    assert [*cutter.feed(text), *cutter.finish()] == [Chunk(text, False)]


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

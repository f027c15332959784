"""Cutting a stream into pieces changes no pretoken, no special token and no document.

The oracle looks at the whole text at once: split at special tokens, then one pass of the pattern.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from unittest import mock

import pytest
import regex
from chunk_texts import CORPORA, SPECIALS, one_pass
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st

from engine.counting.plain import documents_in
from engine.pipeline.added_tokens import SectionSplitter
from engine.pipeline.normalizers import Lowercase
from engine.text import pretokenize
from engine.text.patterns import PATTERNS
from engine.text.pretokenize import Chunk, ChunkCutter, SpecialSplitter

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

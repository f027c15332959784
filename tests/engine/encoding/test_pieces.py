"""Cutting by spaces gives what the pattern's regex gives, for any whitespace."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from unittest import mock

import pytest
from generated import examples, some
from hypothesis import example, given
from hypothesis import strategies as st

from engine.encoding import piece_encoder
from engine.encoding.piece_encoder import PieceEncoder, PretokenEncoder, blocks, cutting_for
from engine.text.patterns import PATTERNS, Alternative, Pattern
from engine.text.pretokenize import to_text

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
CUT_PATTERNS = [name for name, pattern in PATTERNS.items() if cutting_for(pattern)]

# Each kind of whitespace; characters whose UTF-8 begins as that of a space; the two marks.
SPACES = [" ", "\n", "\t", "\r", "\v", "\f", "\x85", "\xa0", "\u1680", "\u2003", "\u2028", "\u202f"]
SPACES += ["\u205f", "\u3000", "  ", "   ", "\n\n", " \n"]
NEIGHBOURS = ["a", "B", "é", "’", "、", "ሀ", "1", ".", "'s", "/", "\x1c", "\x1f", "\u0301", "😀"]
MARKS = ["\0", "\1"]
BROKEN = [b"\xff", b"\xe3\x80", b"\xe2", b"\x80"]

DATA = st.lists(
    st.one_of(
        st.sampled_from([text.encode() for text in [" ", "\n", *SPACES]]),
        st.sampled_from([text.encode() for text in ["a", *NEIGHBOURS]]),
        st.sampled_from(BROKEN),
    ),
    max_size=24,
).map(b"".join)


def by_pieces(pattern: Pattern, block: bytes) -> list[str]:
    """The pretokens of a block's pieces, piece by piece."""
    cutting = cutting_for(pattern)
    assert cutting is not None
    first, *others = cutting.pieces(block)
    texts = [cutting.restored(first, is_first=True), *map(cutting.restored, others)]
    return [pretoken for text in texts for pretoken in pattern.split(to_text(text))]


@pytest.mark.parametrize("name", CUT_PATTERNS)
def test_every_short_text_of_spaces_and_letters_is_cut_as_by_the_regex(name: str) -> None:
    pattern = PATTERNS[name]
    for letters in some(product(["a", ".", " ", "\n", "\t"], repeat=6), 7):
        text = "".join(letters)
        assert by_pieces(pattern, text.encode()) == pattern.split(text), text


@pytest.mark.parametrize("name", CUT_PATTERNS)
@examples(500)
@given(block=DATA)
@example(block=b"a\n\n\n\n \n  x \t\xe3\x80\x80 y  ")
def test_any_text_is_cut_as_by_the_regex(name: str, block: bytes) -> None:
    pattern = PATTERNS[name]
    assert by_pieces(pattern, block) == pattern.split(to_text(block))


@pytest.mark.parametrize("name", CUT_PATTERNS)
@examples(200)
@given(data=DATA, size=st.integers(1, 20))
def test_blocks_are_cut_where_the_regex_cuts(name: str, data: bytes, size: int) -> None:
    pattern, found = PATTERNS[name], list(blocks(data, size))
    assert b"".join(found) == data
    assert [p for block in found for p in by_pieces(pattern, block)] == pattern.split(to_text(data))


@pytest.mark.parametrize("name", CUT_PATTERNS)
@examples(200)
@given(parts=st.lists(st.sampled_from([*SPACES, *NEIGHBOURS, *MARKS]), max_size=20))
def test_the_ids_of_the_pieces_are_those_of_the_pretokens(name: str, parts: list[str]) -> None:
    """Texts that hold the marks themselves included."""
    pattern, cutting = PATTERNS[name], cutting_for(PATTERNS[name])
    assert cutting is not None
    text = "".join(parts)
    with mock.patch.object(piece_encoder, "BLOCK", 8):
        by_piece = PieceEncoder(pattern, tuple, cutting).encode(text)
    assert by_piece == PretokenEncoder(pattern, tuple).encode(text)


def test_a_sample_has_the_pretokens_of_the_regex() -> None:
    for path in SAMPLES.glob("*.txt"):
        for name in CUT_PATTERNS:
            text = path.read_text()[:30_000]
            assert by_pieces(PATTERNS[name], text.encode()) == PATTERNS[name].split(text)


def test_a_pattern_is_known_by_its_regex_and_no_other_is_trusted() -> None:
    same = Pattern("my own", "", PATTERNS["gpt2"].alternatives, None)
    other = Pattern("gpt2", "", (Alternative("letters", r"\w+ ?"),), None)
    assert cutting_for(same) is cutting_for(PATTERNS["gpt2"])
    assert cutting_for(other) is None
    assert cutting_for(PATTERNS["none"]) is None

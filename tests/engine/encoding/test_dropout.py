"""BPE-dropout: byte-pair encoding at p = 0, single bytes at p = 1, and draws that repeat."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import DropoutError, Tokenizer
from engine.encoding.alphabet import ByteAlphabet
from engine.encoding.dropout import Dropout, encode_with_dropout
from engine.encoding.encoders import MergeTable, RankLoop

BYTES = ByteAlphabet(range(256))
A, B, C = b"abc"
AB, ABC, BC = 256, 257, 258
TABLE: MergeTable = {(A, B): (0, AB), (AB, C): (1, ABC), (B, C): (2, BC)}
VOCAB = {AB: b"ab", ABC: b"abc", BC: b"bc"}

words = st.text("abc", max_size=12).map(str.encode)


def dropout(probability: float, seed: int = 0) -> Dropout:
    return Dropout(BYTES, TABLE.get, probability, seed)


def spelled(ids: tuple[int, ...]) -> bytes:
    return b"".join(VOCAB.get(token_id, bytes([token_id % 256])) for token_id in ids)


@given(words, st.integers(0, 9))
def test_without_dropping_it_is_byte_pair_encoding(word: bytes, draw: int) -> None:
    assert dropout(0).encode(word, draw) == tuple(RankLoop(BYTES, TABLE).encode(word))


@given(words, st.integers(0, 9))
def test_when_all_is_dropped_single_bytes_stay(word: bytes, draw: int) -> None:
    assert dropout(1).encode(word, draw) == tuple(word)


@given(words, st.floats(0, 1), st.integers(0, 99), st.integers(0, 9))
def test_no_byte_is_lost_whatever_is_dropped(
    word: bytes, probability: float, seed: int, draw: int
) -> None:
    assert spelled(dropout(probability, seed).encode(word, draw)) == word


@given(words, st.floats(0, 1), st.integers(0, 9))
def test_a_draw_is_the_same_every_time(word: bytes, probability: float, draw: int) -> None:
    first, again = dropout(probability, 7), dropout(probability, 7)
    again.encode(b"ab", 3)  # what was drawn before makes no difference
    assert first.encode(word, draw) == again.encode(word, draw)


def test_another_draw_or_another_seed_cuts_otherwise() -> None:
    word = b"abcabcabcabc"
    assert len({dropout(0.5).encode(word, draw) for draw in range(20)}) > 5
    assert len({dropout(0.5, seed).encode(word, 0) for seed in range(20)}) > 5


def test_a_candidate_is_dropped_as_often_as_the_probability_says() -> None:
    # One candidate, one round that counts: `ab` stays apart if it is dropped.
    draws = Counter(dropout(0.3).encode(b"ab", draw) for draw in range(2000))
    assert 0.27 < draws[A, B] / 2000 < 0.33


@pytest.mark.parametrize("probability", [-0.1, 1.1, float("nan")])
def test_a_probability_out_of_range_is_an_error(probability: float) -> None:
    with pytest.raises(DropoutError, match="is no probability; give a number from 0 to 1"):
        dropout(probability)


class TestAText:
    tokenizer = Tokenizer(
        {**{byte: bytes([byte]) for byte in range(256)}, **VOCAB, 259: b"<s>"},
        [(b"a", b"b"), (b"ab", b"c"), (b"b", b"c")],
        ["<s>"],
    )

    def test_gives_the_ids_of_the_tokenizer_without_dropping(self) -> None:
        text = "abc abc<s>cab"
        assert encode_with_dropout(self.tokenizer, text, 0, 1) == self.tokenizer.encode(text)

    def test_keeps_special_tokens_whole(self) -> None:
        assert encode_with_dropout(self.tokenizer, "<s>", 1, 1) == [259]

    def test_draws_separately_for_each_place(self) -> None:
        ids = encode_with_dropout(self.tokenizer, "abc " * 50, 0.5, 1)
        assert ids.count(ABC) not in (0, 50)

"""GPT-2's spelling: written, read back, and recognised in a text."""

from __future__ import annotations

from itertools import accumulate, combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.characters import characters_around, whole_characters
from engine.core.gpt2_bytes import read_stand_ins, spell, unspell

NO_CONTROLS = st.characters(exclude_categories=["Cc", "Cs"])


@given(st.binary())
def test_every_token_is_read_back(token: bytes) -> None:
    assert unspell(spell(token)) == token


@given(st.text(NO_CONTROLS))
def test_a_spelling_is_recognised_unless_it_is_all_ascii(text: str) -> None:
    token = text.encode()
    says_something = " " in text or not text.isascii()
    assert read_stand_ins(spell(token)) == (token if says_something else None)


@pytest.mark.parametrize(
    "text",
    ["the", "", "café", "česky", "ĉu", "naïve façade", "Ä", "Straße", "Ġ the", "Ġ漢", "Łódź", "Ģé"],
)
def test_ordinary_text_is_not_taken_for_a_spelling(text: str) -> None:
    assert read_stand_ins(text) is None


def test_up_to_three_bytes_of_a_character_may_come_first_and_no_control_characters() -> None:
    for token, is_spelling in (
        ("漢".encode(), True),
        (b"\x80 a", True),
        (b"\xbf \xe6\xbc", True),
        (b"\x9f\x99\x82 a", True),
        (b"\xbf\xbf\xbf\xbf a", False),
        (b"\xc0 a", False),
        (b" \t\r\n", True),
        (b" \x1f", False),
        (b"\n", True),
    ):
        assert read_stand_ins(spell(token)) == (token if is_spelling else None)


def test_the_characters_around_a_part_are_those_that_it_touches() -> None:
    text = "a我é🙂x"
    data = text.encode()
    ends = [*accumulate((len(character.encode()) for character in text), initial=0)]
    for start, end in combinations(range(len(data) + 1), 2):
        touched = [first < end and last > start for first, last in pairwise(ends)]
        expected = "".join(c for c, is_touched in zip(text, touched, strict=True) if is_touched)
        assert characters_around(data, data[start:end]) == expected.encode()
    assert characters_around(data, b"y\x88") == b"y\x88"


def test_tokens_that_cut_a_character_are_together() -> None:
    for tokens, together in (
        ([b"a", b"\xe6\xbc", b"\xa2", b"b"], [[b"a"], [b"\xe6\xbc", b"\xa2"], [b"b"]]),
        ([b"\xf0", b"\x9f", b"\x99", b"\x82a"], [[b"\xf0", b"\x9f", b"\x99", b"\x82a"]]),
        ([b"\xff", b"a\xe6"], [[b"\xff"], [b"a\xe6"]]),
        ([], []),
    ):
        assert list(whole_characters(tokens)) == together

"""Added tokens are found in a text as a regex of all of them would find them."""

from __future__ import annotations

import re
from time import process_time

from generated import examples
from hypothesis import given
from hypothesis import strategies as st

from engine.pipeline.added_tokens import AddedToken, TokenFinder, without_repeats


@examples(200)
@given(
    tokens=st.lists(st.text("ab<>]^-", min_size=1, max_size=4), unique=True, max_size=6),
    text=st.text("ab<>]^-", max_size=20),
)
def test_the_leftmost_and_then_the_longest_is_found(tokens: list[str], text: str) -> None:
    longest_first = sorted(tokens, key=len, reverse=True)
    regex = re.compile("|".join(map(re.escape, longest_first)) or "(?!)")
    found = TokenFinder([(token, AddedToken(token)) for token in tokens]).find(text)
    places = [(start, end) for start, end, token in found if token is not None]
    assert places == [match.span() for match in regex.finditer(text)]


def test_very_many_are_found_at_once() -> None:
    many = [f"<extra_{number}>" for number in range(20_000)]
    began = process_time()
    found = TokenFinder([(token, AddedToken(token)) for token in many]).find("a<extra_77>b")
    assert [token.content for _, _, token in found if token is not None] == ["<extra_77>"]
    assert process_time() - began < 1.0


def test_special_tokens_come_first_and_win() -> None:
    plain, special = (AddedToken("<s>", special=is_special) for is_special in (False, True))
    other = AddedToken("b", special=False)
    assert without_repeats([other, plain, AddedToken(""), special]) == (special, other)

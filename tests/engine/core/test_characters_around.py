"""Characters around the bytes of a part, and tokens that hold whole characters together."""

from __future__ import annotations

from itertools import accumulate, combinations, pairwise

from engine.core.characters import characters_around, whole_characters
from engine.core.html import visible


def test_the_characters_around_a_part_are_those_that_it_touches() -> None:
    text = "a我é🙂x"
    data = text.encode()
    ends = [*accumulate((len(character.encode()) for character in text), initial=0)]
    for start, end in combinations(range(len(data) + 1), 2):
        touched = [first < end and last > start for first, last in pairwise(ends)]
        expected = "".join(c for c, is_touched in zip(text, touched, strict=True) if is_touched)
        assert characters_around(data, data[start:end]) == expected.encode()
    assert characters_around(data, b"y\x88") == b"y\x88"


def test_a_long_token_is_shown_up_to_its_fortieth_character() -> None:
    assert [visible(b"a" * size) for size in (40, 41)] == ["a" * 40, "a" * 40 + "…"]


def test_tokens_that_cut_a_character_are_together() -> None:
    for tokens, together in (
        ([b"a", b"\xe6\xbc", b"\xa2", b"b"], [[b"a"], [b"\xe6\xbc", b"\xa2"], [b"b"]]),
        ([b"\xf0", b"\x9f", b"\x99", b"\x82a"], [[b"\xf0", b"\x9f", b"\x99", b"\x82a"]]),
        ([b"\xff", b"a\xe6"], [[b"\xff"], [b"a\xe6"]]),
        ([], []),
    ):
        assert list(whole_characters(tokens)) == together

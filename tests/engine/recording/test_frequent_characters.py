"""The characters that a part of one may belong to."""

from __future__ import annotations

import pytest

from engine.recording.frequent_characters import FrequentCharacters

FREQUENT = FrequentCharacters({"我们".encode(): 3, "成a".encode(): 2, b"ab": 9, "我".encode(): 1})


@pytest.mark.parametrize(
    ("token", "characters"),
    [
        (b"\xe6\x88", "我成"),  # the beginning of both
        (b"\x88\x91", "我"),  # its end
        (b"\xe6\x88\x91\xe4", "们"),  # after a whole character
        (b"\x91\xe4\xbb", "们"),  # the longest part
        ("我".encode(), ""),
        (b"ab", ""),
        (b"\xff", ""),
    ],
)
def test_a_part_belongs_to_characters_of_the_corpus(token: bytes, characters: str) -> None:
    assert "".join(FREQUENT.with_part(token)) == characters

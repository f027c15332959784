"""Patterns in files: spellings of the named ones, and other regexes."""

from __future__ import annotations

from itertools import product

import pytest
import regex
from generated import examples
from hypothesis import given
from hypothesis import strategies as st

from engine import PatternError
from engine.formats.guesses import OTHER_SPELLINGS, pattern_of
from engine.text.patterns import PATTERNS


@pytest.mark.parametrize("name", PATTERNS)
def test_the_regex_of_a_named_pattern_is_recognised(name: str) -> None:
    assert pattern_of(PATTERNS[name].source) is PATTERNS[name]


@pytest.mark.parametrize(("spelling", "name"), [(s, n) for s, n in OTHER_SPELLINGS.items() if s])
def test_another_spelling_cuts_every_short_text_alike(spelling: str, name: str) -> None:
    """Tries all texts of up to five characters, one for each class in the regexes."""
    theirs, ours = regex.compile(spelling), PATTERNS[name].compiled
    for length in range(1, 6):
        for text in map("".join, product("' \n\tsL1.", repeat=length)):
            assert theirs.findall(text) == ours.findall(text)


@examples(300)
@given(text=st.text(st.sampled_from("'sSreſK \n\r\t\u3000\x8512३éÉ漢\u0301.-\x00"), max_size=12))
def test_other_spellings_cut_longer_texts_alike(text: str) -> None:
    for spelling, name in OTHER_SPELLINGS.items():
        if spelling:
            assert regex.findall(spelling, text) == PATTERNS[name].compiled.findall(text)


def test_minbpes_gpt4_pattern_is_not_cl100k() -> None:
    assert PATTERNS["cl100k"].split("\n ") == ["\n "]
    assert PATTERNS["llama3"].split("\n ") == ["\n", " "]


@pytest.mark.parametrize(
    "source", ["(a)|b", "(?P<x>a)", "(", "a{99999}", "[", "(?:" * 9999, "(?:q|q)+z"]
)
def test_a_regex_that_cannot_be_used_is_an_error(source: str) -> None:
    with pytest.raises(PatternError):
        pattern_of(source)

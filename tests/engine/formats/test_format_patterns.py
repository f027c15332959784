"""Patterns in files: spellings of the named ones, and other regexes."""

from __future__ import annotations

from itertools import product

import pytest
import regex
from generated import examples
from hypothesis import given
from hypothesis import strategies as st

from engine import PatternError
from engine.formats.guesses import (
    OTHER_SPELLINGS,
    note_gaps,
    note_guessed_special_tokens,
    note_unmade,
    pattern_of,
)
from engine.formats.tokenizer_format import TRY_CHECK, Overrides
from engine.formats.vocab_and_merges import _note_doubled
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


NONE = Overrides()
LONG = "a" * 40


@pytest.mark.parametrize(
    ("notes", "told"),
    [
        (note_guessed_special_tokens(NONE, [LONG, f"{LONG}b"]), f"{LONG} {LONG[1:]}…"),
        (note_guessed_special_tokens(NONE, "a" * 16), f": {' '.join('a' * 16)}"),
        (note_guessed_special_tokens(NONE, "a" * 17), f": {' '.join('a' * 16)} and 1 more"),
        (
            note_unmade({b"a": LONG, b"b": f"{LONG}b"}),
            f"2 tokens, so no text gets them: {LONG} {LONG}",
        ),
        (
            note_unmade({b"a": "a", b"b": "b", b"c": "c"}),
            "these 3 tokens, so no text gets them: a b c",
        ),
        (note_unmade(dict(zip([b"a", b"b", b"c", b"d"], "abcd", strict=True))), ": a b c …"),
        (note_gaps([0, 4]), "3 ids below the highest have no token (1, 2, 3)"),
        (
            [*_note_doubled({b"st": [5, 7, 9]})],
            f"the ids 5 and 7 are the same token, st; {TRY_CHECK}",
        ),
        (
            [*_note_doubled({b"st": [5, 7], b"u": [1, 2]})],
            f"ids 5 and 7 are the same token, st (such tokens: 2); {TRY_CHECK}",
        ),
        (note_gaps([0, 5]), "4 ids below the highest have no token (1, 2, 3, …)"),
    ],
)
def test_a_note_names_a_few_and_says_how_many_more(notes: list[str], told: str) -> None:
    assert [note[-len(told) :] for note in notes] == [told]
    assert note_guessed_special_tokens(Overrides(()), ["a"]) == []
    assert note_unmade({}) == note_gaps([0, 1]) == note_guessed_special_tokens(NONE, []) == []


@pytest.mark.parametrize(
    "source", ["(a)|b", "(?P<x>a)", "(", "a{99999}", "[", "(?:" * 9999, "(?:q|q)+z"]
)
def test_a_regex_that_cannot_be_used_is_an_error(source: str) -> None:
    with pytest.raises(PatternError):
        pattern_of(source)

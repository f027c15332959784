"""A typed regex is split, tried, compared, and refused with a place or a reason."""

from __future__ import annotations

import pytest
import regex
from generated import examples
from hypothesis import given
from hypothesis import strategies as st

from engine import PatternError
from engine.analysis.pattern_lab import differences, split_alternatives, try_pattern
from engine.text.patterns import PATTERNS, Pattern
from engine.text.pretokenize import Pretoken, SpecialSplitter, pretokens

NO_SPECIALS = SpecialSplitter([])
TEXTS = st.text(st.sampled_from("ab1 '\n!sé漢"), max_size=25)


def texts_of(pieces: tuple[Pretoken, ...]) -> list[str]:
    return [piece.text for piece in pieces]


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=lambda pattern: pattern.name)
def test_a_named_pattern_is_cut_into_its_alternatives(pattern: Pattern) -> None:
    regexes = [alternative.regex for alternative in pattern.alternatives]
    assert split_alternatives(pattern.source) == regexes


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        ("a|b", ["a", "b"]),
        ("a|(b|c)|d", ["a", "(b|c)", "d"]),
        (r"a\|b|c", [r"a\|b", "c"]),
        (r"\\|c", [r"\\", "c"]),
        (r"[|]|[^|]|[]|]|[^]|]", ["[|]", "[^|]", "[]|]", "[^]|]"]),
        (r"[\]|]|x", [r"[\]|]", "x"]),
        (r"[[:alpha:]|]|x", ["[[:alpha:]|]", "x"]),
        ("(?#a|b)c|d", ["(?#a|b)c", "d"]),
        (r"[(]|\)|x", ["[(]", r"\)", "x"]),
        ("a|", ["a", ""]),
    ],
)
def test_only_a_bar_at_the_top_level_separates_alternatives(source: str, parts: list[str]) -> None:
    regex.compile(source)
    assert split_alternatives(source) == parts


@examples(150)
@given(st.sampled_from(list(PATTERNS.values())), TEXTS)
def test_a_typed_pattern_cuts_like_the_same_named_pattern(pattern: Pattern, text: str) -> None:
    typed = try_pattern(pattern.source, text, NO_SPECIALS, timeout=5)
    named = list(pretokens(text, pattern, NO_SPECIALS))
    assert [(p.text, p.alternative and p.alternative.regex) for p in typed] == [
        (p.text, p.alternative and p.alternative.regex) for p in named
    ]


def test_groups_of_the_regex_do_not_hide_which_alternative_matched() -> None:
    pieces = try_pattern(r"(a)(?P<x>b)|(c)+|((d)|e)", "abcce", NO_SPECIALS)
    assert [(piece.text, piece.alternative.regex) for piece in pieces if piece.alternative] == [
        ("ab", "(a)(?P<x>b)"),
        ("cc", "(c)+"),
        ("e", "((d)|e)"),
    ]


def test_alternatives_have_the_names_of_named_patterns_or_their_regex() -> None:
    pieces = try_pattern(r" ?\p{L}+|[12]", "a1", NO_SPECIALS)
    assert [piece.alternative and piece.alternative.name for piece in pieces] == ["letters", "[12]"]


def test_text_that_nothing_matches_is_kept_and_special_tokens_are_cut_out_first() -> None:
    pieces = try_pattern("a", "ab<s>a", SpecialSplitter(["<s>"]))
    assert [(p.text, p.alternative is not None, p.special) for p in pieces] == [
        ("a", True, False),
        ("b", False, False),
        ("<s>", False, True),
        ("a", True, False),
    ]


def test_a_verbose_regex_is_one_alternative_as_comments_may_have_bars() -> None:
    source = "(?x) a | b  # a|b"
    pieces = try_pattern(source, "ab", NO_SPECIALS)
    assert texts_of(pieces) == ["a", "b"]
    assert {piece.alternative and piece.alternative.name for piece in pieces} == {source}


@pytest.mark.parametrize(
    ("source", "message", "position"),
    [
        ("a|(b", "missing )", 4),
        ("a**", "multiple repeat", 2),
        (r"\p{Foo}", "unknown property", 7),
        ("", "nothing typed; type a regex", None),
        ("(" * 5000 + ")" * 5000, "groups are nested too deeply", None),
        ("a{1000000000}", "it repeats something more than 10,000 times", None),
        (
            r"a|(b)\1",
            "a group is referred to by its number; give it a name: (?P<x>…) and (?P=x)",
            5,
        ),
    ],
)
def test_the_error_of_an_invalid_regex_says_what_is_wrong_and_where(
    source: str, message: str, position: int | None
) -> None:
    with pytest.raises(PatternError) as caught:
        try_pattern(source, "abc", NO_SPECIALS)
    assert (str(caught.value), caught.value.position) == (message, position)


def test_a_catastrophic_regex_is_given_up() -> None:
    with pytest.raises(PatternError, match="too slow: gave up after 50 ms"):
        try_pattern("(?:a|aa)+$|b", "a" * 60 + "b", NO_SPECIALS, timeout=0.05)


def test_differences_are_between_borders_that_both_have() -> None:
    mine = try_pattern(r"\w+|\W", "don't 12", NO_SPECIALS)
    other = try_pattern(r"\w+'\w|\s?\d", "don't 12", NO_SPECIALS)
    found = [(texts_of(s.mine), texts_of(s.other), s.differs) for s in differences(mine, other)]
    assert found == [
        (["don", "'", "t"], ["don't"], True),
        ([" ", "12"], [" 1", "2"], True),
    ]


@examples(100)
@given(TEXTS, st.sampled_from(list(PATTERNS)), st.sampled_from(list(PATTERNS)))
def test_stretches_are_the_whole_text_on_both_sides(text: str, mine: str, other: str) -> None:
    a, b = (list(pretokens(text, PATTERNS[name], NO_SPECIALS)) for name in (mine, other))
    stretches = differences(a, b)
    assert [piece for stretch in stretches for piece in stretch.mine] == a
    assert [piece for stretch in stretches for piece in stretch.other] == b
    for stretch in stretches:
        assert "".join(texts_of(stretch.mine)) == "".join(texts_of(stretch.other))
        inner = {p.end for p in stretch.mine[:-1]} & {p.end for p in stretch.other[:-1]}
        assert not inner

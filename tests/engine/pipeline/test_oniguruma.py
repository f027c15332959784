"""A regex of a `tokenizer.json` finds what Oniguruma finds, or is an error with the reason."""

import unicodedata
from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sheets import check_sheet, refusal
from tokenizers import Regex, pre_tokenizers

from engine import PatternError
from engine.pipeline.oniguruma import TextOrRegex, alternatives, can_be_empty
from engine.text.patterns import LONGEST_REGEX

REGEXES = [
    *(r"^b", r"a$", r"\Z", r"\z", r"a.b", r"(?m:a.b)", r"[^a]", r"\h+", r"\H", r"[\hx]", r"\R"),
    *(r"a{,2}", r"a{2", r"(?i)AB|c", r"x(?i:AB)|y", r"\x{61}+", r"\x41", r"\u0061", r"\p{^L}"),
    *(r"(a)|(b)", r"[一-龥]+", r"[\w]", r"\w", r"\W+", r"\b", r"\B", r"(?<=a)b", r"(?<!a)b"),
    *(r"(?=b)", r"(?!a)", r"a*?", r"x*", r"\p{N}{1,3}+", r"(ab){2}+", r"(?>a|ab)c", r"(?<n>ab?)+"),
    *(r"\s+(?!\S)|\s+", r"[^\r\n\p{L}\p{N}]?+\p{L}++", r"\s++$", r"\S{2,}?", r"$", r"^", r"[a-z&]"),
    *(r"'(?i:[sdmt]|ll|ve|re)", r"\p{Han}", r"\p{Lu}|\P{L}", r"(?i:k)+", r"\-[\]\[\-]", r"]|}"),
    *(r"(?im:a.)b", r"(?i-m:A)", r"\漢|\e", r"(?:a|)b", r"[^\w\s]", r"[\W]", r"[^\W]"),
    *(r"\w+|[^\w\s]+", r"(?m-i:ss.)", r"\x{10FFFF}|a{0,2}b"),
    *(r"[a-b&&[^b]]+", r"[^a-c&&[^b]]+", r"[[^a]b]+", r"[\p{L}&&[^\p{Han}]]+", r"[a[bc]&&[^c]|]+"),
    *(r"[[:alpha:]]+", r"[[:^digit:]x]+", r"[^[:punct:]]+", r"[[:word:]&&[^a]]", r"[\H]+"),
    *(r"(?i:i)+", r"(?i)[a-z]+", r"(?i:[^i])+|a", r"x(?i:a)|[\p{Lu}]i"),
    *("[" * 9 + "ab" + "]" * 9, "(a)" * 2 + "(b)?" * 98),
]
CHARACTERS = "iİıab AB\n\r\t12²½ß漢éſ'-_sStTkK̈\u3000\u2028xyc.[]{}\u200c\u200d"


@pytest.mark.parametrize("source", REGEXES)
def test_a_regex_finds_what_oniguruma_finds(source: str) -> None:
    reference = pre_tokenizers.Split(Regex(source), "removed")
    ours = TextOrRegex(regex=source)

    @given(st.text(st.sampled_from(CHARACTERS), max_size=12))
    @example("")
    @example("a\nb\n")
    @example("aaaaa12345 ab\r\nababB xab²'s")
    def is_the_same(text: str) -> None:
        between, last = [], 0
        for start, end in [*ours.matches(text), (len(text), len(text))]:
            between += [text[last:start]] if last < start else []
            last = end
        assert between == [piece for piece, _ in reference.pre_tokenize_str(text)]

    is_the_same()


CLASSES = [
    *(r"\w", r"\W", r"[\w]", r"[^\w]", r"[\W]", r"[^\w\s]", r"\s", r"\d", r"[\d]", r"\b.", r".\B"),
    *(r"\p{L}", r"\p{N}", r"\p{P}", r"\p{S}", r"[\p{L}\p{M}]", r"\p{Lu}", r"\p{Z}", r"\p{C}"),
]


@pytest.mark.parametrize("source", CLASSES)
def test_a_class_has_the_characters_that_oniguruma_knows(source: str) -> None:
    codes = [*range(0x3400), *range(0xA000, 0xAC00), *range(0xF900, 0x17000)]
    codes += [*range(0x1B000, 0x20000), *range(0xE0000, 0xE0200)]
    known = [c for c in map(chr, codes) if unicodedata.category(c) not in ("Cn", "Co")]
    text = "\n".join(known)
    theirs = pre_tokenizers.Split(Regex(source), "removed").pre_tokenize_str(text)
    kept, last = [], 0
    for start, end in [*TextOrRegex(regex=source).matches(text), (len(text), len(text))]:
        kept += [text[last:start]] if last < start else []
        last = end
    assert kept == [piece for piece, _ in theirs]


@pytest.mark.parametrize("source", REGEXES)
def test_a_regex_with_an_empty_match_can_be_empty(source: str) -> None:
    @given(st.text(st.sampled_from(CHARACTERS), max_size=8))
    def finds_something(text: str) -> None:
        assert all(start < end for start, end in TextOrRegex(regex=source).matches(text))

    if not can_be_empty(source):
        finds_something()


def test_an_empty_match_is_told_from_the_form() -> None:
    empty = ("a*", "a?", "a*?", "a{0}", "a{0,3}", "a{,2}", "a|", "(a|)", "(?=a)", "(?!a)", "(?<!a)")
    for source in (*empty, r"\b", r"\B", r"\A", r"\z", "^", "$", "a?b?", "x|a*"):
        assert can_be_empty(source), source
    full = ("a", "a+", "a{2}", "a{1,}", "a{10}", "(?=a)b", "[a]", "a?b", r"\w", "(a*)b", ".")
    assert not any(map(can_be_empty, full))
    assert alternatives(r"(a)(?<n>b)(?>c)") == ("(?:a)(?:b)(?>c)",)
    assert alternatives("a" * LONGEST_REGEX) == ("a" * LONGEST_REGEX,)


@given(
    st.text(st.sampled_from("ab*.[\n"), max_size=6), st.text(st.sampled_from("a*.["), max_size=2)
)
def test_a_plain_text_is_found_literally(text: str, wanted: str) -> None:
    found = list(TextOrRegex(text=wanted).matches(text))
    assert all(text[start:end] == wanted for start, end in found)
    if wanted:
        assert len(found) == text.count(wanted)


WRONG = [
    *("(?i:Ss)", "(?i)ßx", "[[:foo:]]", "[a&&]", r"(a)\1", r"(?<n>a)\g<n>", r"\K", r"\x{110000}"),
    *("a(?i)b", "(?x: a)", "a{2}?", "*a", "(a", "a)", "[a", "[]", "a\\", r"\p{Foo}", "a**"),
    *("(a)" * 101, "[" * 10 + "a" + "]" * 10, "a{1000}{1000}", "a" * (LONGEST_REGEX + 1)),
]


def test_an_untranslatable_regex_is_an_error_that_names_the_reason() -> None:
    check_sheet("errors/regexes", map(partial(refusal, alternatives), WRONG))


@given(st.text(st.sampled_from("ab()[]{}|*+?\\^$.-:=!<>im1,&pwsz"), max_size=14))
def test_any_source_is_translated_or_refused(source: str) -> None:
    try:
        alternatives(source)
    except PatternError:
        return

"""Patterns: the named ones, and regexes as fancy-regex reads them."""

import functools
import unicodedata
from pathlib import Path
from unittest import mock

import pytest
import regex
import tiktoken
from counting_texts import SPACES, TEXTS
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st
from tiktoken_ext import openai_public
from tokenizers import Regex, pre_tokenizers

from engine import PatternError, UnknownNameError
from engine.text import typed_regex
from engine.text.fancy_regex import VERSION_1, in_regex_module
from engine.text.patterns import PATTERNS, Pattern, as_pattern
from engine.text.pretokenize import to_bytes, to_text
from engine.text.typed_regex import LimitedRegex

SAMPLES = Path(__file__).parents[3] / "samples"
WITH_CUTS = [name for name, pattern in PATTERNS.items() if pattern.borders]

every_pattern = pytest.mark.parametrize("name", PATTERNS)
every_pattern_with_cuts = pytest.mark.parametrize("name", WITH_CUTS)


@functools.cache
def old_characters() -> str:
    """Return the characters of Unicode 3.2, on which libraries of all Unicode versions agree."""
    category = unicodedata.ucd_3_2_0.category
    return "".join(c for c in map(chr, range(0x20000)) if category(c) not in ("Cn", "Co", "Cs"))


texts = st.lists(
    st.sampled_from(TEXTS) | st.deferred(lambda: st.sampled_from(old_characters())), max_size=10
).map("".join)
any_text = st.lists(st.sampled_from(TEXTS) | st.characters(exclude_categories=()), max_size=12).map(
    "".join
)


@functools.cache
def tiktoken_pattern(encoding: str) -> str:
    """Read the pattern from tiktoken's source, without fetching the vocabulary."""
    nothing: dict[bytes, int] = {}
    with (
        mock.patch.object(openai_public, "load_tiktoken_bpe", return_value=nothing),
        mock.patch.object(openai_public, "data_gym_to_mergeable_bpe_ranks", return_value=nothing),
    ):
        return str(openai_public.ENCODING_CONSTRUCTORS[encoding]()["pat_str"])


def tiktoken_split(pattern: str, text: str) -> list[str]:
    """Cut a text into pretokens with tiktoken.

    It does not show them; but given a vocabulary with every stretch of the text in it, each
    pretoken is one token.
    """
    stretches = {
        text[start:end].encode()
        for start in range(len(text))
        for end in range(start + 1, len(text) + 1)
    }
    if not stretches:
        return []
    ranks = {stretch: rank for rank, stretch in enumerate(sorted(stretches))}
    encoding = tiktoken.Encoding(
        "all stretches", pat_str=pattern, mergeable_ranks=ranks, special_tokens={}
    )
    tokens = encoding.encode_ordinary(text)
    return [encoding.decode_single_token_bytes(token).decode() for token in tokens]


def tokenizers_split(pattern: str, text: str) -> list[str]:
    """Cut a text into pretokens with Hugging Face's `tokenizers`.

    Not for cl100k: there `{1,3}+` means one or more of `{1,3}`, not a possessive `{1,3}`.
    """
    split = pre_tokenizers.Split(Regex(pattern), behavior="isolated")
    return [piece for piece, _ in split.pre_tokenize_str(text)]


SUFFIXES = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
# As in the models' tokenizer files, and for gpt2 in its `encoder.py`.
PUBLISHED = {
    "llama3": SUFFIXES
    + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "qwen2": SUFFIXES
    + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "qwen35": SUFFIXES
    + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+",
    "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
}
FROM_TIKTOKEN = {"gpt2": "gpt2", "cl100k": "cl100k_base", "o200k": "o200k_base"}


@pytest.mark.parametrize(("name", "encoding"), FROM_TIKTOKEN.items())
@examples(150)
@given(text=texts)
@example(text="Don't 'ſtop: I'LL take 12345.\n\n\n  then 3½\x85\u3000go/\n/away \n ")
def test_a_pattern_of_openai_cuts_like_tiktoken(name: str, encoding: str, text: str) -> None:
    ours = PATTERNS[name].compiled.findall(text)
    assert ours == tiktoken_split(tiktoken_pattern(encoding), text)


@pytest.mark.parametrize("name", PUBLISHED)
@examples(150)
@given(text=texts)
@example(text="Don't 'ſtop: I'LL take 12345.\n\n\n  then 3½\x85\u3000go/\n/away \n ")
def test_a_published_pattern_cuts_like_tokenizers(name: str, text: str) -> None:
    assert PATTERNS[name].compiled.findall(text) == tokenizers_split(PUBLISHED[name], text)


def changed_punctuation(text: str) -> bool:
    """Whether the text has a character that is punctuation in only some versions of Unicode."""
    old = unicodedata.ucd_3_2_0.category
    return any((old(c)[0] == "P") != (unicodedata.category(c)[0] == "P") for c in text)


@examples(300)
@given(texts.filter(lambda text: not changed_punctuation(text)))
@example("it's  $5 (a+b)\n«x»")
def test_bert_gives_the_words_of_its_pre_tokenizer(text: str) -> None:
    pieces = PATTERNS["bert"].compiled.findall(text)
    words = [piece for piece in pieces if not regex.fullmatch(r"\s+", piece)]
    theirs = pre_tokenizers.BertPreTokenizer().pre_tokenize_str(text)
    assert words == [piece for piece, _ in theirs]


@pytest.mark.parametrize(
    ("name", "text", "pieces"),
    [
        ("whitespace", "a, b  c\n", ["a,", " ", "b", "  ", "c", "\n"]),
        ("bert", "it's 5...", ["it", "'", "s", " ", "5", ".", ".", "."]),
        ("lines", "a, b\n\n c", ["a, b", "\n\n", " c"]),
        ("none", "a, b\n", ["a, b\n"]),
    ],
)
def test_patterns_of_no_library_cut_as_they_say(name: str, text: str, pieces: list[str]) -> None:
    assert PATTERNS[name].compiled.findall(text) == pieces


@every_pattern
@given(text=any_text)
def test_the_label_is_the_first_alternative_that_matches(name: str, text: str) -> None:
    pattern = PATTERNS[name]
    alone = [regex.compile(alternative.regex) for alternative in pattern.alternatives]
    for match in pattern.labelled.finditer(text):
        first = next(i for i, a in enumerate(alone) if a.match(text, match.start()))
        assert match.lastindex - 1 == first


def test_a_pattern_is_found_by_its_name_or_is_one_itself() -> None:
    own = Pattern("own", "every character alone", (), ())
    assert (as_pattern("gpt2"), as_pattern(own)) == (PATTERNS["gpt2"], own)
    for wrong, right in (("gpt-2", "gpt2"), ("cl100k_base", "cl100k")):
        with pytest.raises(UnknownNameError, match=f"'{wrong}'; did you mean '{right}'"):
            as_pattern(wrong)


def split(pattern: Pattern, data: bytes) -> list[bytes]:
    return [to_bytes(piece) for piece in pattern.compiled.findall(to_text(data))]


BROKEN = [b"\xff", b"\x80", b"\x85", b"\x8b", b"\xa0", b"\xc2", b"\xc3", b"\xe2", b"\xe2\x80"]
BROKEN += [b"\xe3\x80", b"\xe4", b"\xf0\x9f", b"\xf4"]
byte_pieces = st.sampled_from([piece.encode() for piece in TEXTS] + BROKEN)
breaks = st.sampled_from([b" ", b"\n", b"\r\n", b"\t", b" \n", b"\n ", b"/\n", b"!\n", b"\xc2\xa0"])
any_bytes = st.lists(byte_pieces | breaks, max_size=14).map(b"".join)


@every_pattern_with_cuts
@examples(300)
@given(data=any_bytes)
@example(data=b"end \n\nNext!\r\nline /\n\xc3\xa9t\xc3\xa9  x\xe3\x80\x80 y \xff z")
def test_both_sides_of_a_cut_have_the_pretokens_of_the_whole(name: str, data: bytes) -> None:
    pattern = PATTERNS[name]
    whole = split(pattern, data)
    for cut in pattern.cut_regex.finditer(data):
        left, right = data[: cut.start()], data[cut.start() :]
        assert split(pattern, left) + split(pattern, right) == whole, (left, right)


def test_whitespace_of_the_regex_module_is_that_of_unicode() -> None:
    # `str.isspace` has four more control characters.
    every = "".join(map(chr, range(0x110000)))
    found = set(regex.findall(r"\s", every))
    assert found >= {space for space in SPACES if len(space) == 1}
    assert {c for c in every if c.isspace()} - found == set("\x1c\x1d\x1e\x1f")


@pytest.mark.parametrize(
    "source",
    [
        r"((?R)|a)*",
        r"(?0)?a",
        r"(a(?1)?)",
        r"(a)(?-1)",
        r"(?+1)(a)",
        r"(?P<n>a(?&n)?)",
        r"(?P<n>a(?P>n)?)",
        r"(?x)a(?R # a comment\n)",
        r"\\(?R)?",
    ],
)
def test_a_regex_that_calls_itself_is_refused_before_it_can_fill_the_memory(source: str) -> None:
    regex.compile(source.replace("\\n", "\n"))
    with pytest.raises(PatternError, match="calls itself"):
        as_pattern(source.replace("\\n", "\n"))


@pytest.mark.parametrize("source", [r"\(?R\)", r"[.,!(?0-9)]", r"(?i)R", r"(?:R)"])
def test_signs_that_only_look_like_a_call_are_no_call(source: str) -> None:
    assert as_pattern(source)


def test_a_foreign_regex_has_limits() -> None:
    assert isinstance(as_pattern(r"\w\S").compiled, LimitedRegex)
    assert not isinstance(PATTERNS["gpt2"].compiled, LimitedRegex)
    assert typed_regex.compile_typed(r"(?:\p{L}\p{N}{0}){100}b{100}").match("b") is None
    with pytest.raises(PatternError, match="repeats something more than 10,000 times"):
        typed_regex.compile_typed("(?:a{73}){137}")  # 10,001
    assert as_pattern(f"{'a' * 32_767}!").split("b!") == ["b!"]
    with pytest.raises(PatternError, match="it is longer than 32,768 characters"):
        as_pattern(f"{'a' * 32_768}!")


def test_a_search_is_repeated_while_other_threads_use_its_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spent, tried = [5.0], list[float]()

    def work(timeout: float) -> str:
        tried.append(timeout)
        spent[0] += 0.25
        if len(tried) % 3:
            raise TimeoutError
        return "found"

    monkeypatch.setattr(typed_regex, "thread_time", lambda: spent[0])
    assert (typed_regex.within_seconds(1.0, work), tried) == ("found", [1.0, 2.0, 4.0])
    with pytest.raises(TimeoutError):
        typed_regex.within_seconds(0.25, work)


def test_a_foreign_regex_has_a_second_and_20_microseconds_for_each_character(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spent, limits = [0.0], list[float]()

    def work(timeout: float) -> None:
        limits.append(timeout)
        spent[0] += 0.9 * 11
        raise TimeoutError

    monkeypatch.setattr(typed_regex, "thread_time", lambda: spent[0])
    with pytest.raises(PatternError, match=r"^the regex a{60} takes more than 11 s for 500,000 ch"):
        LimitedRegex("a" * 61)._limited("a" * 500_000, work)
    assert limits == [11.0]


READ_DIFFERENTLY = {
    r"[a-z&&[^b]]+|.": "abcab&",
    r"[a-z&&b-y&&[^c]]+|.": "abcdz",
    r"[^a-z&&[^b]]+|.": "abcB1",
    r"[a-z--b]+|.": "abcab-",
    r"[\w--a]+|.": "abca",
    r"[a-c~~b-d]+|.": "abcdab~",
    r"[a[bc]]+|.": "abc]a[",
    r"[[^a]b]+|.": "abc",
    r"[a|&&a-z]+|.": "ab|",
    r"[[:alpha:]]+|.": "aéb",
    r"[[:^alpha:]]+|.": "aéb",
    r"[[:punct:]]+|.": "!$+é",
    r"[[:space:]]+|.": "a \u00a0\x0b",
    r"[[:alpha:]&&[^b]]+|.": "abcé",
    r"\h+|.": "ag 1\t \t",
    r"\H+|.": "ag 1\t",
    r"[\h]+|.": "ag \t",
    r"[\H]+|.": "ag \t",
    r"a$|a\n": "a\n",
    r"(?m:a$)|\n|.": "a\na\r\n",
    r"a\Z|a\n|\n": "a\n",
    r"a\z|a\n": "a\n",
    r"\<a|.": "a<ab",
    r"a\>|.": "a>ab",
    r"\b{start}a|.": "ab",
    r"\b{end}.|.": "ab c",
    r"\N+|\n": "a\nb",
    r"\O+": "a\n",
    r"\e|.": "a\x1b",
    r"\x{61}+|.": "aab",
    r"\u{61}+|.": "aab",
    r"[\x{61}-\x{63}]+|.": "abcd",
    r"(?i:i)+|.": "iIİı",
    r"(?i)ı|.": "iIİı",
    r"(?i:[a-z])+|.": "aİKſi",
    r"(?i:[^i])+|.": "iİa",
}
READ_ALIKE = {
    r"[||b]+|.": "a|b",
    r"\R+|.": "a\r\n\nb",
    r"a{1,2}+a|.": "aaa",
    r"a{2}+|.": "aaaaa",
    r"a++a|.": "aaa",
    r"(?>a+)|.": "aab",
    r"(?i:s)+|.": "sSſ",
    r"(?i:ss)+|.": "ssßſs",
    r"(?i)ab(?-i)C|.": "ABCabc",
    r"(?x) a b # [a&&b" "\n|.": "ab",
    r"\w+|.": "a\u200cb²½_e\u0301",
    r"\d+|.": "1２²",
    r"\s+|.": "a\x0b\x1c\x85\u200b b",
    r"\p{Greek}+|.": "αa\u1f00·",
    r"\p{^L}+|.": "aé1",
    r"\p{sc=Han}+|.": "漢〇a々",
    r"\p{scx=Han}+|.": "漢。a",
    r"\pL+|\p{gc=N}|.": "aé1",
    r"[]a]+|[^]b]|.": "]ab",
}


def cut_by_tiktoken(source: str, text: str) -> list[str]:
    """Return the pretokens: every piece of the text is a token of its own."""
    pieces = {text[i:j].encode() for i in range(len(text)) for j in range(i + 1, len(text) + 1)}
    ranks = {bytes([i]): i for i in range(256)}
    for piece in sorted(pieces, key=len):
        ranks.setdefault(piece, len(ranks))
    encoding = tiktoken.Encoding("own", pat_str=source, mergeable_ranks=ranks, special_tokens={})
    return [encoding.decode([token]) for token in encoding.encode(text)]


@pytest.mark.parametrize(("source", "text"), (READ_DIFFERENTLY | READ_ALIKE).items())
def test_a_typed_regex_cuts_as_tiktoken_does(source: str, text: str) -> None:
    pattern = as_pattern(source)
    assert pattern.split(text) == cut_by_tiktoken(source, text)
    assert as_pattern(pattern.source) == pattern


def test_only_what_is_read_differently_is_translated() -> None:
    assert all(in_regex_module(each) == each for each in READ_ALIKE)
    translated = map(in_regex_module, READ_DIFFERENTLY)
    assert sum(each.startswith(VERSION_1) for each in translated) == len(READ_DIFFERENTLY) - 1


@pytest.mark.parametrize(
    "source",
    [r"[a&&b--c]", r"\Ga", r"\b{start-half}a", r"[[:letter:]]", r"(?i:\p{Lu})", r"(?i)[\p{Ll}]"],
)
def test_what_has_no_translation_is_named(source: str) -> None:
    with pytest.raises(PatternError, match=r"&& and --|\\G|start-half|:letter:|case is ignored"):
        as_pattern(source)

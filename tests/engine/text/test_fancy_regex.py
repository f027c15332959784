"""A typed regex cuts as tiktoken cuts by it, or is an error that names the construct."""

from __future__ import annotations

import pytest
import tiktoken

from engine import PatternError
from engine.text.fancy_regex import VERSION_1, in_regex_module
from engine.text.patterns import as_pattern

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

"""The beginning of a corpus in lines of pretokens."""

from __future__ import annotations

import pytest
from chunk_texts import CORPORA, SPECIALS
from generated import examples
from hypothesis import given

from engine.text.excerpt import LONGEST_LINE, LONGEST_SHOWN, Excerpt
from engine.text.patterns import PATTERNS
from engine.text.pretokenize import SpecialSplitter, pretokens, to_text


def lines_of(excerpt: Excerpt) -> list[list[str]]:
    return [[pretoken.text for pretoken in line] for line in excerpt.lines]


def test_a_special_token_has_a_line_of_its_own() -> None:
    excerpt = Excerpt.of(b"one<s>two<s><s>\n", special_tokens=["<s>"])
    assert lines_of(excerpt) == [["one"], ["<s>"], ["two"], ["<s>"], ["<s>"], ["\n"]]


def test_a_long_line_is_continued_on_the_next() -> None:
    excerpt = Excerpt.of(b" low" * (2 * LONGEST_LINE + 1))
    assert list(map(len, excerpt.lines)) == [LONGEST_LINE, LONGEST_LINE, 1]


def test_of_a_long_pretoken_only_the_beginning_is_shown() -> None:
    shown, longer = b"a" * LONGEST_SHOWN, b"a" * (LONGEST_SHOWN + 3)
    whole, excerpt = Excerpt.of(shown + b"\nb"), Excerpt.of(longer + b"\nb")
    assert (whole.complete, excerpt.complete) == (True, False)
    assert whole.lines[0][0].is_cut_off is False
    assert lines_of(excerpt) == lines_of(whole)
    cut, newline = excerpt.lines[0]
    assert (cut.is_cut_off, cut.start, cut.end) == (True, 0, len(longer))
    assert (newline.start, newline.end, newline.is_cut_off) == (len(longer), len(longer) + 1, False)
    assert excerpt.first_lines == {shown: 0, b"\n": 0, b"b": 1}
    assert excerpt.lines_with(longer) == [0]


@pytest.mark.parametrize("pattern", PATTERNS)
@examples(50)
@given(data=CORPORA, special_tokens=SPECIALS)
def test_the_lines_joined_are_the_pretokens_of_the_text(
    pattern: str, data: bytes, special_tokens: list[str]
) -> None:
    excerpt = Excerpt.of(data, pattern, special_tokens)
    joined = [pretoken for line in excerpt.lines for pretoken in line]
    text = to_text(data)
    cut = pretokens(text, PATTERNS[pattern], SpecialSplitter(special_tokens))
    assert joined == [each._replace(alternative=None) for each in cut]
    assert all(excerpt.lines)
    for line in excerpt.lines:
        assert not any("\n" in pretoken.text for pretoken in line[:-1])


def test_the_first_line_of_each_pretoken_is_known() -> None:
    excerpt = Excerpt.of(b"low\nlower\nlow<s>low\n", special_tokens=["<s>"])
    assert excerpt.first_lines == {b"low": 0, b"\n": 0, b"lower": 1}
    assert excerpt.lines_with(b"low") == [0, 2, 4]
    assert (excerpt.complete, Excerpt.of(b"", complete=False).complete) == (True, False)
    assert not Excerpt.of(b"").lines


@pytest.mark.parametrize(
    ("corpus", "sentence"),
    [
        ("low low lower\nnewest", "low low lower"),
        ("\n  A cat sat. It slept.\n", "A cat sat."),
        ("pi is 3.14 here. So.", "pi is 3.14 here."),
        ("a\tb\n---\n\u200fx\nfine", "fine"),
        ("ab " * 100, ("ab " * 26).strip()),
        ("a" * 200, "a" * 80),
        (" " * 317 + "ab cd.", "ab"),
        ("<|endoftext|>hen", "hen"),
        ("", ""),
    ],
)
def test_the_first_sentence_fits_on_one_line_unchanged(corpus: str, sentence: str) -> None:
    excerpt = Excerpt.of(corpus.encode(), special_tokens=["<|endoftext|>"])
    assert excerpt.first_sentence == sentence

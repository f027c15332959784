"""A caller's mistake is an error of ours with a sentence; objects describe themselves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import regex

from engine import (
    TRAINERS,
    ArgumentError,
    BpeError,
    CountsError,
    PatternError,
    SpecialTokenError,
    TextError,
    Timeline,
    TokenIdsError,
    Tokenizer,
    Trainer,
    VocabSizeError,
    count_pretokens,
    train_bpe,
)
from engine.analysis.tokenizer_kinds import train_kind
from engine.bpe.phases import Phase, PhasedTrainer
from engine.bpe.replay import Replay
from engine.text.patterns import PATTERNS, as_pattern
from engine.unigram.textbook import TextbookTrainer
from engine.unigram.trainer import UnigramTrainer
from engine.wordpiece.trainer import WordPieceTrainer

BYTES = {byte: bytes([byte]) for byte in range(256)}
PLAIN = Tokenizer(BYTES, [], ["<s>"])
HANDOUT = Path(__file__).parents[3] / "samples" / "handout.txt"
ANY: Any = None


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda: train_bpe(HANDOUT, 300, "<s>"), SpecialTokenError, "a list of texts"),
        (lambda: Trainer({}, 300, [b"<s>"]), SpecialTokenError, "is a text"),  # type: ignore[list-item]
        (lambda: train_bpe(HANDOUT, 300, [], workers=0), BpeError, "workers"),
        (lambda: PLAIN.encode_batch(["a"], 0), BpeError, "workers"),
        (lambda: list(PLAIN.encode_stream_compactly([b"a"], 0)), BpeError, "workers"),
        (lambda: WordPieceTrainer({}, 10**5000), VocabSizeError, "at most 2,147,483,647"),
        (lambda: train_kind("word", b"a", 2**63), VocabSizeError, "at most 2,147,483,647"),
        (lambda: PLAIN.encode(ANY), TextError, "NoneType"),
        (lambda: PLAIN.encode_batch("abc"), TextError, "are a list"),
        (lambda: list(PLAIN.encode_iterable([ANY])), TextError, "NoneType"),
        (lambda: PLAIN.decode(ANY), TokenIdsError, "whole numbers"),
        (lambda: PLAIN.decode("12"), TokenIdsError, "whole numbers"),  # type: ignore[arg-type]
        (lambda: as_pattern(r"(?:a|b"), PatternError, "missing . at character 7"),
        (lambda: as_pattern(r"(a|b)+"), PatternError, r"write \(\?:…\)"),
        (lambda: as_pattern(r"(?:a|aa)+$"), PatternError, "takes for ever"),
        (lambda: as_pattern(3), PatternError, "of type int"),  # type: ignore[arg-type]
        (lambda: as_pattern(re.compile(b"a")), PatternError, "a name or a regex"),  # type: ignore[arg-type]
    ],
)
def test_a_bad_argument_raises_an_error_with_a_sentence(
    call: Callable[[], object], kind: type[BpeError], said: str
) -> None:
    with pytest.raises(kind, match=said):
        call()


TOO_LARGE = [
    {"ab": 2**63 - 1},
    {"ab": 2**62, "abc": 2**62},
    {"abab": 2**62},
    {"a": 2**63},
    {"ab": 2**64 + 3, "cd": 2**64 + 4},
]
LARGEST = {"ab": 2**60 + 1, "cd": 2**60, "abcdefg": 2**58}


def trainers_of(counts: dict[str, int]) -> Iterator[Callable[[], Any]]:
    """Yield a call for each trainer that makes it for these counts."""
    in_bytes = {text.encode(): count for text, count in counts.items()}
    for algorithm in TRAINERS:
        yield partial(Trainer, in_bytes, 258, algorithm=algorithm)
    phases = Phase("gpt2", 257), Phase("none", 258)
    yield partial(PhasedTrainer, in_bytes, phases, lambda pattern: in_bytes)
    yield partial(WordPieceTrainer, in_bytes, 20)
    yield partial(UnigramTrainer, counts, 20)
    yield partial(TextbookTrainer, counts, 20)
    yield partial(Replay, PLAIN, in_bytes)


@pytest.mark.parametrize("counts", TOO_LARGE)
def test_counts_whose_sums_need_more_than_64_bits_are_refused(counts: dict[str, int]) -> None:
    for make in trainers_of(counts):
        with pytest.raises(CountsError, match=r"text of [\d,]{25,} bytes .* divide the counts"):
            make()


def test_every_trainer_takes_the_largest_counts() -> None:
    *learn, replay = (len(list(make().steps())) for make in trainers_of(LARGEST))
    assert all(learn)
    assert replay == 0  # the tokenizer has no merges


def test_a_pattern_may_be_named_typed_or_compiled() -> None:
    gpt2 = PATTERNS["gpt2"]
    assert as_pattern("gpt2") is as_pattern(gpt2) is as_pattern(gpt2.source) is gpt2
    for pattern in (
        r"(?i)[a-z]+|\s",
        re.compile(r"[a-z]+|\s", re.I),
        regex.compile(r"(?i)[a-z]+|\s"),
    ):
        assert as_pattern(pattern).split("Low lower") == ["Low", " ", "lower"]
        assert count_pretokens(HANDOUT, pattern=pattern)[b"low"] == 5
        assert Tokenizer(BYTES, [], pattern=pattern).encode("a b") == [97, 32, 98]


def test_objects_describe_themselves() -> None:
    trainer = Trainer({b"low": 5}, 258)
    timeline = Timeline({b"low": 5}, trainer.steps())
    name = trainer.algorithm.name
    assert repr(trainer) == f"Trainer({name}, lexicographic ties, 2 of 2 merges)"
    assert repr(timeline) == "Timeline(step 0 of 2)"
    assert repr(timeline.record[0]) == "<MergeStep 0: b'o' + b'w' → 256, count 5>"
    assert repr(timeline.seek(1)) == "Frame(step 1 of 2, 10 tokens in the corpus)"
    assert repr(PLAIN) == "Tokenizer(257 tokens, 0 merges, special '<s>', pattern gpt2)"


def test_an_algorithm_has_two_names_of_the_same_argument() -> None:
    for name in TRAINERS:
        by_trainer = Trainer({b"low": 5}, 258, trainer=name)
        assert by_trainer.algorithm is Trainer({b"low": 5}, 258, algorithm=name).algorithm
        assert train_bpe(HANDOUT, 260, algorithm=name) == train_bpe(HANDOUT, 260, trainer=name)
    with pytest.raises(ArgumentError, match="mean the same"):
        train_bpe(HANDOUT, 260, trainer="heap", algorithm="naive")

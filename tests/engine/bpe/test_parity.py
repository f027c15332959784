"""Parity-aware BPE makes the merges of Hugging Face's `ParityBpeTrainer`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest
import tokenizers
from generated import examples
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import models, trainers

from engine import CorpusError, ParityTrainer, Timeline, Trainer
from engine.counting.count import count_text
from engine.encoding.alphabet import UNITS

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
LETTERS = "".join(map(chr, range(0x100, 0x200)))
"""A letter for each byte, in the order of bytes, so that ties are decided alike."""
Counts = Mapping[bytes, int]


def count_of(languages: Sequence[Counts], unit: str) -> list[int]:
    return [
        sum(len(p if unit == "bytes" else p.decode()) * n for p, n in counts.items())
        for counts in languages
    ]


def theirs(
    languages: Sequence[Counts], merges: int, min_count: int = 0
) -> list[tuple[bytes, bytes]]:
    """Train with `ParityBpeTrainer`; its rate counts bytes, and its ratio makes that characters."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    trainer = trainers.ParityBpeTrainer(
        num_merges=merges, min_frequency=min_count, show_progress=False
    )
    iterators = [
        iter([p.decode("latin-1").translate(LETTERS) for p, n in counts.items() for _ in range(n)])
        for counts in languages
    ]
    sizes = zip(count_of(languages, "bytes"), count_of(languages, "characters"), strict=True)
    trainer.train_from_iterator(tokenizer, iterators, ratio=[size / max(n, 1) for size, n in sizes])
    made: list[tuple[str, str]] = json.loads(tokenizer.to_str())["model"]["merges"]
    bytes_of = {letter: bytes([byte]) for byte, letter in enumerate(LETTERS)}
    return [
        (b"".join(map(bytes_of.__getitem__, a)), b"".join(map(bytes_of.__getitem__, b)))
        for a, b in made
    ]


def trained(languages: Sequence[Counts], merges: int, min_count: int = 1) -> ParityTrainer:
    named = {f"language {number}": counts for number, counts in enumerate(languages)}
    trainer = ParityTrainer(named, 256 + merges, min_count=min_count)
    list(trainer.steps())
    return trainer


STORIES, CODE, UNICODE = "tinystories_valid.txt", "code.txt", "unicode.txt"
CORPORA: Mapping[str, Sequence[tuple[str, int]]] = {
    "stories and code": [(STORIES, 60_000), (CODE, 9_000)],
    "code first": [(CODE, 9_000), (STORIES, 60_000)],
    "scripts": [(UNICODE, 9_000), ("handout.txt", 99), ("we_and_they.txt", 999)],
    "a short one": [(STORIES, 60_000), (UNICODE, 300)],
    "four": [("ship.txt", 999), (UNICODE, 9_000), (CODE, 9_000), ("we_and_they.txt", 999)],
    "twice the same": [(CODE, 9_000), (CODE, 9_000)],
}
"""Name of several languages → their files, and the number of bytes of each."""


@cache
def corpora_of(name: str) -> Sequence[Counts]:
    texts = [(SAMPLES / file).read_bytes()[:size] for file, size in CORPORA[name]]
    return [count_text(text, "gpt2", ["<|endoftext|>"]) for text in texts]


@pytest.mark.parametrize("name", CORPORA)
def test_the_merges_are_those_of_hugging_faces_trainer(name: str) -> None:
    languages = corpora_of(name)
    assert trained(languages, 300).merges == theirs(languages, 300)


@pytest.mark.parametrize("min_count", [1, 2, 5])
def test_a_language_without_frequent_pairs_has_no_more_turns(min_count: int) -> None:
    languages = corpora_of("a short one")
    trainer = trained(languages, 800, min_count)
    assert trainer.merges == theirs(languages, 800, min_count)
    if min_count > 1:
        assert 1 not in trainer.languages.turns[-100:]


words = st.text("abc", min_size=1, max_size=6).map(str.encode)
corpora = st.dictionaries(words, st.integers(1, 9), min_size=1, max_size=8)


@examples(200)
@given(languages=st.lists(corpora, min_size=2, max_size=4), min_count=st.integers(1, 4))
def test_any_languages_get_the_merges_of_hugging_faces_trainer(
    languages: list[Counts], min_count: int
) -> None:
    trainer = trained(languages, 12, min_count)
    assert trainer.merges == theirs(languages, 12, min_count)


@examples(100)
@given(languages=st.lists(corpora, min_size=2, max_size=3), units=st.sampled_from(sorted(UNITS)))
def test_the_logs_are_the_tokens_of_each_language(languages: list[Counts], units: str) -> None:
    named = dict(zip("xyz", languages, strict=False))
    trainer = ParityTrainer(named, 290, units=units)
    steps, logs = list(trainer.steps()), trainer.languages
    plain = Trainer(sum(map(Counter, languages), Counter()), 290, units=units)
    runs = [(logs.tokens, Timeline(trainer.counts, steps, record=trainer.record))]
    runs.append((logs.plain, Timeline(plain.counts, list(plain.steps()), record=plain.record)))
    for tokens, timeline in runs:
        for step in range(min(len(timeline), len(steps)) + 1):
            frame = timeline.seek(step)
            assert [log[step] for log in tokens] == [
                sum(len(frame.tokens_of(pretoken)) * n for pretoken, n in counts.items())
                for counts in languages
            ]
    timeline = runs[0][1]
    for step in steps:
        served = logs.turns[step.index]
        assert step.as_dict()["language"] == "xyz"[served]
        assert step.tied == (step.pair,)
        frame = timeline.seek(step.index)
        have_pairs = [any(len(frame.tokens_of(p)) > 1 for p in counts) for counts in languages]
        assert logs.rate(served, step.index) == max(
            logs.rate(place, step.index) for place, has_pairs in enumerate(have_pairs) if has_pairs
        )


def test_a_frame_knows_whose_turn_is_next_and_that_no_count_of_all_texts_decides() -> None:
    trainer = trained(corpora_of("stories and code"), 40)
    timeline = Timeline(trainer.counts, map(trainer.record.__getitem__, range(40)))
    frame = timeline.seek(10)
    assert frame.languages is trainer.languages
    rates = [frame.languages.rate(place, 10) for place in range(2)]
    assert frame.languages.served_at(10) == rates.index(max(rates))
    assert (frame.queue.tied, frame.linked, frame.tied_steps.until(10)) == ((), None, 0)
    assert timeline.seek(40).languages.served_at(40) is None


def test_sizes_that_are_very_unequal_are_said_and_one_language_is_refused() -> None:
    trainer = trained(corpora_of("a short one"), 10)
    assert "times as long as language 1" in trainer.languages.doubt
    assert trained(corpora_of("twice the same"), 1).languages.doubt == ""
    with pytest.raises(CorpusError, match="give a corpus for each, two or more"):
        ParityTrainer({"en": {b"a": 1}}, 300)

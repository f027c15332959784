"""Pruning: against taking out one leaf after the other by the definition, and `tokenizers`."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from generated import examples, first_quick
from hypothesis import given
from hypothesis import strategies as st
from model_pipelines import MODEL_BUILDERS
from odd_texts import CHARACTERS, in_old_unicode, sample_texts
from pipelines import BUILDERS, built
from tokenizers import Tokenizer as Theirs

from engine import Tokenizer, Trainer, VocabularyError, prune
from engine.core.json_fields import Fields
from engine.counting.count import count_text
from engine.formats import convert, open_tokenizer
from engine.pipeline.conversion import tokenizer_of
from engine.pipeline.pipeline import Pipeline

BYTES = {byte: bytes([byte]) for byte in range(256)}
BytesPair = tuple[bytes, bytes]


def pruned_by_definition(
    merges: list[BytesPair], counts: dict[bytes, int], below: int
) -> tuple[list[BytesPair], list[tuple[bytes, int]]]:
    """Take out the rarest leaf, of several the youngest, and encode all again; until none is."""
    merges, removed = list(merges), []
    while True:
        tokens = [left + right for left, right in merges]
        tokenizer = Tokenizer(BYTES | dict(enumerate(tokens, 256)), merges)
        found = Counter[bytes]()
        for pretoken, count in counts.items():
            for token_id in tokenizer.encoder.encode(pretoken):
                found[tokenizer.vocab[token_id]] += count
        used = {part for pair in merges for part in pair}
        leaves = [(found[token], -rank) for rank, token in enumerate(tokens) if token not in used]
        if not leaves or min(leaves)[0] >= below:
            return merges, removed
        count, rank = min(leaves)
        removed.append((tokens[-rank], count))
        del merges[-rank]


@examples(100)
@given(
    st.dictionaries(st.text("abc", min_size=1, max_size=9), st.integers(1, 4), max_size=9),
    st.dictionaries(st.text("abcd", min_size=1, max_size=9), st.integers(1, 4), max_size=9),
    st.integers(1, 9),
)
def test_the_rarest_leaf_goes_first_and_its_text_is_encoded_again(
    learnt: dict[str, int], read: dict[str, int], below: int
) -> None:
    trainer = Trainer({word.encode(): count for word, count in learnt.items()}, 275)
    merges = [(step.left, step.right) for step in trainer.steps()]
    vocab = dict(enumerate(trainer.record.vocab))
    if len(set(vocab.values())) < len(vocab):
        return  # the definition above tells tokens apart by their bytes
    counts = {word.encode(): count for word, count in read.items()}
    found = prune(Tokenizer(vocab, merges), counts, below)
    left, removed = pruned_by_definition(merges, counts, below)
    assert found.tokenizer.merges == left
    assert [(each.token, each.count) for each in found.removed] == removed
    assert found.tokens_after == sum(
        len(found.tokenizer.encoder.encode(pretoken)) * count for pretoken, count in counts.items()
    )


def test_a_token_that_others_need_stays_until_they_have_gone() -> None:
    vocab = BYTES | {256: b"ab", 257: b"abc"}
    tokenizer = Tokenizer(vocab, [(b"a", b"b"), (b"ab", b"c")], ["<s>"])
    found = prune(tokenizer, {b"abc": 2}, 2)
    assert not found.removed  # `ab` never occurs by itself, but `abc` is made of it
    found = prune(tokenizer, {b"abc": 2, b"ab": 2}, 3)
    assert [(each.token, each.count) for each in found.removed] == [(b"abc", 2)]
    assert found.tokenizer.encode("abc<s>") == [256, 99, 257]


def test_ids_are_numbered_anew_or_kept() -> None:
    vocab = BYTES | {256: b"ab", 257: b"cd"}
    tokenizer = Tokenizer(vocab, [(b"a", b"b"), (b"c", b"d")], ["<s>"])
    counts = {b"cd": 9}
    found = prune(tokenizer, counts)
    assert found.tokenizer.encode("abcd<s>") == [97, 98, 256, 257]
    assert [*found.new_ids.items()][-2:] == [(257, 256), (258, 257)]
    assert prune(tokenizer, counts, keep_ids=True).tokenizer.encode("abcd<s>") == [97, 98, 257, 258]


@cache
def some_texts() -> list[str]:
    """Return 120 texts of many scripts, and of pieces of the samples."""
    draw = random.Random(5)
    samples = "".join(sample_texts())
    found = []
    for number in range(120):
        if number % 2:
            found.append("".join(draw.choices(CHARACTERS, k=draw.randrange(1, 30))))
        else:
            start = draw.randrange(len(samples) - 60)
            found.append(samples[start : start + draw.randrange(1, 60)])
    return list(map(in_old_unicode, found))


@pytest.mark.parametrize("keep_ids", first_quick([False, True]))
@pytest.mark.parametrize("build", first_quick(BUILDERS, 6), ids=lambda build: str(build.__name__))
def test_the_ids_of_a_pruned_file_are_those_of_hugging_face(
    build: Callable[[], Theirs], keep_ids: bool, tmp_path: Path
) -> None:
    whole, file = tmp_path / "whole.json", tmp_path / "pruned.json"
    whole.write_text(built(build).to_str())
    tokenizer = open_tokenizer(whole).tokenizer
    counts = Counter[bytes]()
    for text in sample_texts():
        for piece in tokenizer.rules.pretokens(text[:1500]):
            counts[piece.bytes] += not tokenizer.rules.is_special(piece)
    found = prune(tokenizer, counts, 5, keep_ids=keep_ids)
    assert bool(found.removed) == bool(tokenizer.merges)
    convert(found.tokenizer, "huggingface", file)
    theirs = Theirs.from_file(str(file))
    assert theirs.get_vocab_size() == len(found.new_ids)
    for token, old in built(build).get_vocab(with_added_tokens=True).items():
        assert theirs.token_to_id(token) == found.new_ids.get(old)
    for number, text in enumerate(some_texts()):
        template = not number % 4
        expected = theirs.encode(text, add_special_tokens=template).ids
        assert found.tokenizer.encode(text, template=template) == expected


def test_ranks_without_pruned_tokens_encode_as_tiktoken_does(tmp_path: Path) -> None:
    text = "".join(sample_texts()).encode()
    trainer = Trainer(count_text(text, "gpt2"), 600)
    merges = [(step.left, step.right) for step in trainer.steps()]
    tokenizer = Tokenizer(dict(enumerate(trainer.record.vocab)), merges)
    found = prune(tokenizer, count_text(text[:9000], "gpt2"), 5)
    convert(found.tokenizer, "tiktoken", tmp_path / "pruned.tiktoken")
    read = open_tokenizer(tmp_path / "pruned.tiktoken").tokenizer
    ranks = {token: token_id for token_id, token in read.vocab.items()}
    theirs = tiktoken.Encoding(
        "pruned", pat_str=read.pattern.source, mergeable_ranks=ranks, special_tokens={}
    )
    assert len(ranks) == 600 - len(found.removed) < 600
    for each in some_texts():
        assert found.tokenizer.encode(each) == theirs.encode(each)


def test_a_pretoken_that_is_looked_up_whole_can_go() -> None:
    spelled = json.loads(built(BUILDERS[1]).to_str())
    assert spelled["model"]["ignore_merges"]
    found = prune(opened(spelled), {b" the": 1}, 2)
    whole = {pair[0] + pair[1] for pair in spelled["model"]["merges"]}
    unmade = {each.token_id for each in found.removed} - {
        spelled["model"]["vocab"][text] for text in whole
    }
    assert unmade
    assert found.tokenizer.decode(found.tokenizer.encode("the cat")) == "the cat"


def opened(spelled: dict[str, Any]) -> Tokenizer:
    return tokenizer_of(Pipeline.from_json(Fields(spelled)))


@pytest.mark.parametrize("build", MODEL_BUILDERS, ids=lambda build: str(build.__name__))
def test_a_model_without_merges_is_refused(build: Callable[[], Theirs]) -> None:
    with pytest.raises(VocabularyError, match="pruning takes out tokens that merges make"):
        prune(opened(json.loads(built(build).to_str())), {})

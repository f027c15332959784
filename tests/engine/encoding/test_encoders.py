"""All encoders give the ids of the definition, by the same steps.

The definition: apply every merge, in the order learnt, to the whole pretoken.
"""

from __future__ import annotations

import pickle
import random
from itertools import pairwise
from pathlib import Path

import oracles
import pytest
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st
from merge_lists import BYTES, MERGES, PRETOKENS, Merges, tokenizer

from engine import Tokenizer, Trainer, count_pretokens
from engine.encoding import alphabet
from engine.encoding.encoders import ENCODERS, LONG, is_in_order, merge_in_list
from engine.encoding.merging import columns_of, merge_arrays

SAMPLES = Path(__file__).resolve().parents[3] / "samples"


def ids_of(text: bytes, merges: Merges, encoder: str) -> list[int]:
    return tokenizer(merges, encoder).encode(text.decode("utf-8", "surrogateescape"))


@pytest.fixture(scope="module")
def story_merges() -> Merges:
    counts = count_pretokens(SAMPLES / "tinystories_valid.txt", special_tokens=["<|endoftext|>"])
    trainer = Trainer(counts, 1256)
    list(trainer.steps())
    return trainer.merges


@pytest.mark.parametrize("encoder", ENCODERS)
@examples(150)
@given(merges=MERGES, pretoken=PRETOKENS)
@example(merges=[(b"a", b"a")], pretoken=b"aaaaa")
@example(merges=[(b"a", b"b"), (b"b", b"a")], pretoken=b"babab")
def test_an_encoder_gives_what_applying_the_merges_in_order_gives(
    encoder: str, merges: Merges, pretoken: bytes
) -> None:
    assert ids_of(pretoken, merges, encoder) == oracles.apply_merges(pretoken, merges, 256)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_an_empty_pretoken_has_no_ids_and_a_known_one_the_same_again(encoder: str) -> None:
    tok = tokenizer([(b"a", b"b")], encoder)
    assert tok.encode("") == list(tok.steps(b"")) == []
    tok.encode("abab").append(-1)
    assert tok.encode("abab") == [256, 256]


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("length", [LONG - 1, LONG, LONG + 1, 2000])
def test_long_pretokens_are_encoded_as_short_ones_are(
    encoder: str, length: int, story_merges: Merges
) -> None:
    letters = "".join(random.Random(0).choices("aeinorst", k=length)).encode()
    tok = tokenizer(story_merges, encoder)
    for pretoken in (letters, b"a" * length, (b"once upon a time" * length)[:length]):
        reference = merge_in_list(list(pretoken), tok.merge_table)
        assert ids_of(pretoken, story_merges, encoder) == reference
        assert b"".join(tok.vocab[i] for i in reference) == pretoken


@pytest.mark.parametrize("encoder", ENCODERS)
@examples(100)
@given(MERGES, PRETOKENS)
@example([(b"a", b"b"), (b"ab", b"a"), (b"ab", b"ab")], b"ababaab")
def test_the_steps_lead_from_the_bytes_to_the_ids_one_occurrence_at_a_time(
    encoder: str, merges: Merges, pretoken: bytes
) -> None:
    steps = list(tokenizer(merges, encoder).steps(pretoken))
    ids = ids_of(pretoken, merges, encoder)
    states = [tuple(pretoken), *(step.after for step in steps)]
    assert [step.before for step in steps] == states[:-1]
    assert list(states[-1]) == ids
    for step in steps:
        assert step.pretoken == pretoken
        assert step.token_id == 256 + step.rank
        assert step.before[step.position : step.position + 2] == step.pair
        head, tail = step.before[: step.position], step.before[step.position + 2 :]
        assert step.after == (*head, step.token_id, *tail)
    for earlier, later in pairwise(steps):
        assert (earlier.rank, earlier.position) < (later.rank, later.position)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_a_merge_that_is_listed_twice_counts_where_it_is_listed_first(encoder: str) -> None:
    vocab = BYTES | {256: b"ab", 257: b"cd", 258: b"ef"}
    merges = [(b"a", b"b"), (b"a", b"b"), (b"c", b"d"), (b"e", b"f")]
    assert Tokenizer(vocab, merges, encoder=encoder).encode("abcdef") == [256, 257, 258]


@pytest.mark.parametrize("encoder", ENCODERS)
@examples(100)
@given(order=MERGES.flatmap(st.permutations), pretoken=PRETOKENS)
@example(order=[(b"ab", b"a"), (b"a", b"b")], pretoken=b"aba abab")
@example(order=[(b"ab", b"a"), (b"a", b"b")], pretoken=b"abab" * LONG)
def test_merges_out_of_order_are_made_one_by_one(
    encoder: str, order: Merges, pretoken: bytes
) -> None:
    assert ids_of(pretoken, order, encoder) == oracles.merge_one_by_one(pretoken, order, 256)


def test_merges_in_arrays_are_the_merges_of_the_dict() -> None:
    table = {(97, 98): (0, 256), (256, 99): (1, 257)}
    arrays = merge_arrays([97, 256], [98, 99], [256, 257], 2)
    assert arrays is not None
    assert (dict(arrays), len(arrays)) == (table, 2)
    assert list(arrays.items()) == list(table.items())
    assert pickle.loads(pickle.dumps(arrays)) == table
    columns = zip(columns_of(arrays), columns_of(table), strict=True)
    assert all(mine.tolist() == other.tolist() for mine, other in columns)
    for name in ENCODERS:
        assert [*ENCODERS[name](alphabet.BYTES, arrays).encode(b"aabcab")] == [97, 257, 256]
    assert merge_arrays([97, 97], [98, 98], [256, 257], 2) is None


def test_merges_are_in_order_if_each_comes_after_those_of_its_parts() -> None:
    ab, abc = {(97, 98): (0, 256)}, {(256, 99): (1, 257)}
    assert is_in_order(ab | abc | {(100, 257): (2, 258)})
    late = {(97, 98): (1, 256)}
    for too_late in ({(256, 99): (0, 257)}, {(99, 256): (0, 257)}):
        assert not is_in_order(too_late | late)
    for wrong in ({(256, 97): (0, 256)}, {(97, 256): (0, 256)}, ab | {(98, 99): (0, 257)}):
        assert not is_in_order(wrong)
    assert merge_arrays([1, 2, 2], [3, 3, 4], [5, 6, 7], 3) is not None
    assert merge_arrays([1, 2, 1], [3, 3, 3], [5, 6, 7], 3) is None

"""All encoders give the ids of the definition, by the same steps.

The definition: apply every merge, in the order learnt, to the whole pretoken.
"""

import pickle
import random
from itertools import pairwise
from pathlib import Path

import oracles
import pytest
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st
from merge_lists import BYTES, MERGES, PRETOKENS, Merges, in_python, tokenizer

from engine import Tokenizer, Trainer, count_pretokens
from engine.encoding import alphabet
from engine.encoding.encoders import LONG, Encoder, RankHeap, merge_in_list
from engine.encoding.merging import columns_of, merge_arrays
from engine.encoding.pretoken_encoder import LONGEST, PretokenEncoder
from engine.text.patterns import PATTERNS
from engine.text.pretokenize import to_text

SAMPLES = Path(__file__).resolve().parents[3] / "samples"


def ids_of(pretoken: bytes, merges: Merges) -> list[int]:
    """Return the ids of a pretoken, which are the same in all ways."""
    tok, text = tokenizer(merges), to_text(pretoken)
    ids = RankHeap(tok.alphabet, tok.merge_table).encode(pretoken)
    assert tok.encode(text) == in_python(tok).encode(text) == ids
    return ids


@pytest.fixture(scope="module")
def story_merges() -> Merges:
    counts = count_pretokens(SAMPLES / "tinystories_valid.txt", special_tokens=["<|endoftext|>"])
    trainer = Trainer(counts, 1256)
    list(trainer.steps())
    return trainer.merges


@examples(150)
@given(merges=MERGES, pretoken=PRETOKENS)
@example(merges=[(b"a", b"a")], pretoken=b"aaaaa")
@example(merges=[(b"a", b"b"), (b"b", b"a")], pretoken=b"babab")
def test_an_encoder_gives_what_applying_the_merges_in_order_gives(
    merges: Merges, pretoken: bytes
) -> None:
    assert ids_of(pretoken, merges) == oracles.apply_merges(pretoken, merges, 256)


def test_an_empty_pretoken_has_no_ids_and_a_known_one_the_same_again() -> None:
    for tok in (tokenizer([(b"a", b"b")]), in_python(tokenizer([(b"a", b"b")]))):
        assert tok.encode("") == list(tok.steps(b"")) == []
        tok.encode("abab").append(-1)
        assert tok.encode("abab") == [256, 256]


@pytest.mark.parametrize("length", [LONG - 1, LONG, LONG + 1, 2000])
def test_long_pretokens_are_encoded_as_short_ones_are(length: int, story_merges: Merges) -> None:
    letters = "".join(random.Random(0).choices("aeinorst", k=length)).encode()
    tok = tokenizer(story_merges)
    for pretoken in (letters, b"a" * length, (b"once upon a time" * length)[:length]):
        reference = merge_in_list(list(pretoken), tok.merge_table)
        assert ids_of(pretoken, story_merges) == reference
        assert b"".join(tok.vocab[i] for i in reference) == pretoken


@examples(100)
@given(MERGES, PRETOKENS)
@example([(b"a", b"b"), (b"ab", b"a"), (b"ab", b"ab")], b"ababaab")
def test_the_steps_lead_from_the_bytes_to_the_ids_one_occurrence_at_a_time(
    merges: Merges, pretoken: bytes
) -> None:
    steps = list(tokenizer(merges).steps(pretoken))
    ids = ids_of(pretoken, merges)
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


def test_a_merge_that_is_listed_twice_counts_where_it_is_listed_first() -> None:
    vocab = BYTES | {256: b"ab", 257: b"cd", 258: b"ef"}
    merges = [(b"a", b"b"), (b"a", b"b"), (b"c", b"d"), (b"e", b"f")]
    tok = Tokenizer(vocab, merges)
    assert tok.encode("abcdef") == in_python(tok).encode("abcdef") == [256, 257, 258]


@examples(100)
@given(order=MERGES.flatmap(st.permutations), pretoken=PRETOKENS)
@example(order=[(b"ab", b"a"), (b"a", b"b")], pretoken=b"aba abab")
@example(order=[(b"ab", b"a"), (b"a", b"b")], pretoken=b"abab" * LONG)
def test_merges_out_of_order_are_made_one_by_one(order: Merges, pretoken: bytes) -> None:
    assert ids_of(pretoken, order) == oracles.merge_one_by_one(pretoken, order, 256)


def test_merges_in_arrays_are_the_merges_of_the_dict() -> None:
    table = {(97, 98): (0, 256), (256, 99): (1, 257)}
    arrays = merge_arrays([97, 256], [98, 99], [256, 257])
    assert arrays is not None
    assert (dict(arrays), len(arrays)) == (table, 2)
    assert list(arrays.items()) == list(table.items())
    assert pickle.loads(pickle.dumps(arrays)) == table
    columns = zip(columns_of(arrays), columns_of(table), strict=True)
    assert all(list(mine) == other for mine, other in columns)
    for kind in (Encoder, RankHeap):
        assert kind(alphabet.BYTES, arrays).encode(b"aabcab") == [97, 257, 256]
    assert merge_arrays([97, 97], [98, 98], [256, 256]) is None


@examples(300)
@given(st.permutations(range(20)), st.lists(st.integers(0, 6), max_size=20), st.data())
def test_a_list_and_a_heap_merge_alike_in_any_order_of_the_ranks(
    ranks: list[int], ids: list[int], data: st.DataObject
) -> None:
    ids_of_parts = st.tuples(st.integers(0, 6), st.integers(0, 6))
    pairs = data.draw(st.lists(ids_of_parts, unique=True, max_size=20))
    made = data.draw(st.lists(st.integers(0, 6), min_size=len(pairs), max_size=len(pairs)))
    table = {pair: (ranks[n], made[n]) for n, pair in enumerate(pairs)}
    in_a_heap = RankHeap(alphabet.BYTES, table).merged(list(ids))
    assert merge_in_list(list(ids), table) == in_a_heap


def test_an_encoder_takes_the_leftmost_of_merges_that_share_a_rank() -> None:
    encoder = Encoder(alphabet.BYTES, {(97, 98): (0, 257), (98, 99): (0, 256)})
    assert encoder.encode(b"abc") == [257, 99]


def test_merges_in_arrays_have_each_pair_once() -> None:
    assert merge_arrays([1, 2, 2], [3, 3, 4], [5, 6, 6]) is not None
    assert merge_arrays([1, 2, 1], [3, 3, 3], [5, 6, 5]) is None


def test_each_short_pretoken_is_encoded_once_and_a_long_one_is_not_kept() -> None:
    asked: list[bytes] = []

    def ids_of(pretoken: bytes) -> list[int]:
        asked.append(pretoken)
        return [len(pretoken)]

    encoder, long = PretokenEncoder(PATTERNS["whitespace"], ids_of), "a" * LONGEST
    assert encoder.encode(f"ab {long} ab") == encoder.encode(f"ab {long} ab") == [2, 1, 64, 1, 2]
    assert asked == [b"ab", b" ", long.encode()]
    for _ in range(2):
        assert encoder.encode(f"ab {long}a ab") == [2, 1, 65, 1, 2]
    assert asked[3:] == [f"{long}a".encode()] * 2

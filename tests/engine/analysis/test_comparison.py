"""Comparisons of tokenizers, against a plain look at every byte, token and word."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine import ComparisonError, Tokenizer
from engine.analysis.text_comparison import (
    TextComparison,
    cut_text,
    differences,
    first_merge_difference,
    overlap,
)
from engine.encoding.alphabet import CharacterAlphabet, WordEndAlphabet
from engine.text.pretokenize import to_text

BYTES = {byte: bytes([byte]) for byte in range(256)}


def tokenizer(*merges: tuple[bytes, bytes], pattern: str = "gpt2") -> Tokenizer:
    made = {256 + rank: left + right for rank, (left, right) in enumerate(merges)}
    return Tokenizer(BYTES | made, merges, pattern=pattern)


def cuts(length: int) -> st.SearchStrategy[list[int]]:
    inner = st.sets(st.integers(1, max(length - 1, 1)))
    return inner.map(lambda places: sorted({0, length} | {p for p in places if p < length}))


@given(st.integers(0, 14).flatmap(lambda n: st.lists(cuts(n), min_size=2, max_size=4)))
@example([[0, 2, 3, 5, 6, 8], [0, 1, 3, 5, 7, 8]])
@example([[0, 1], [0, 1]])
def test_differences_are_the_longest_parts_without_a_shared_edge(edges: list[list[int]]) -> None:
    length = edges[0][-1]
    found = differences([np.array(each) for each in edges], length)
    shared = sorted(set.intersection(*map(set, edges)))
    expected: list[tuple[int, int]] = []
    for start, end in pairwise(shared):
        if len({tuple(p for p in each if start <= p <= end) for each in edges}) > 1:
            if expected and expected[-1][1] == start:
                expected[-1] = (expected[-1][0], end)
            else:
                expected.append((start, end))
    assert [(each.start, each.end) for each in found] == expected
    for each in found:
        for ours, theirs in zip(each.edges, edges, strict=True):
            assert list(ours) == [p for p in theirs if each.start <= p <= each.end]


@given(st.binary(max_size=30) | st.text("ab é漢", max_size=20).map(str.encode))
def test_spans_of_bytes_are_the_tokens_in_their_order(data: bytes) -> None:
    ours = tokenizer((b"a", b"b"), (b" ", b"ab"), (b"\xc3", b"\xa9"))
    edges = cut_text(ours, data).tolist()
    tokens = [ours.vocab[token_id] for token_id in ours.encode(to_text(data))]
    assert [data[start:end] for start, end in pairwise(edges)] == tokens


def test_spans_are_of_the_text_if_a_token_is_not_its_text() -> None:
    vocab = {0: b"<unk>", 1: b"a", 2: b"b", 3: b"ab"}
    alphabet = CharacterAlphabet({"a": 1, "b": 2}, unknown=0)
    ours = Tokenizer(vocab, [(b"a", b"b")], pattern="none", alphabet=alphabet)
    assert cut_text(ours, "é漢aba".encode()).tolist() == [0, 2, 5, 7, 8]
    ours = Tokenizer(BYTES, [], ["<s>"])
    assert cut_text(ours, b"a<s>b").tolist() == [0, 1, 4, 5]


def test_a_comparison_counts_tokens_and_finds_touching_differences_as_one() -> None:
    text = TextComparison([tokenizer((b"a", b"b")), tokenizer((b"c", b"d"))], b"abcd abx")
    assert text.token_counts == (6, 7)
    assert TextComparison([tokenizer((b"a", b"b"))] * 2, b"ab").differing_bytes == 0
    assert [(each.start, each.end) for each in text.differences] == [(0, 4), (5, 7)]
    assert [len(edges) - 1 for edges in next(iter(text.differences)).edges] == [3, 3]
    assert text.differing_bytes == 6
    assert (text.bytes_per_token, text.times_first) == ((8 / 6, 8 / 7), (1, 7 / 6))
    empty = TextComparison([tokenizer(), tokenizer()], b"")
    assert (empty.bytes_per_token, empty.times_first) == ((0, 0), (0, 0))
    # Both cut at 0, 2, 4, 5, 7 and 8.
    around = {(0, 0): (0, 0), (1, 1): (0, 2), (2, 3): (2, 4), (3, 6): (2, 7), (8, 8): (8, 8)}
    assert {part: text.agreed_around(*part) for part in around} == around
    for start, end in ((-1, 2), (3, 2), (0, 9)):
        with pytest.raises(ComparisonError, match=f"^{start} to {end} is no part of 8 bytes"):
            text.agreed_around(start, end)


merge_lists = st.lists(st.sampled_from([(b"a", b"b"), (b"c", b"d"), (b"e", b"f")]), unique=True)


@given(st.lists(merge_lists, min_size=2, max_size=4))
def test_overlap_is_that_of_sets_of_bytes(lists: list[list[tuple[bytes, bytes]]]) -> None:
    tokenizers = [tokenizer(*merges) for merges in lists]
    sets = [set(each.vocab.values()) for each in tokenizers]
    found = overlap(tokenizers)
    assert found.sizes == tuple(map(len, sets))
    assert found.shared == len(set.intersection(*sets))
    for place, only in enumerate(found.only):
        others = set().union(*sets[:place], *sets[place + 1 :])
        assert set(only) == sets[place] - others


def test_the_overlap_leaves_special_tokens_out() -> None:
    ours, theirs = Tokenizer(BYTES, [], ["<a>"]), Tokenizer(BYTES, [], ["<b>"])
    assert overlap([ours, theirs]).only == ((), ())


@given(merge_lists, merge_lists)
def test_merge_lists_differ_from_the_first_rank_on_that_differs(
    ours: list[tuple[bytes, bytes]], theirs: list[tuple[bytes, bytes]]
) -> None:
    found = first_merge_difference(tokenizer(*ours), tokenizer(*theirs))
    if found is None:
        assert ours == theirs
    else:
        assert ours[: found.rank] == theirs[: found.rank]
        assert ours[found.rank : found.rank + 1] != theirs[found.rank : found.rank + 1]


def test_whitespace_without_tokens_does_not_shift_the_tokens_behind_it() -> None:
    vocab = {0: b"<unk>", 1: b"a", 2: b"b", 3: b"</w>"}
    inner = CharacterAlphabet({"a": 1, "b": 2}, unknown=0)
    alphabet = WordEndAlphabet(inner, marker=3)
    marked = Tokenizer(vocab, [], pattern="whitespace", alphabet=alphabet)
    assert cut_text(marked, b"a  b").tolist() == [0, 1, 1, 4, 4]

"""Many pretokens at once get the ids that they get one by one."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.encoding import batch_encoder
from engine.encoding.alphabet import Alphabet, ByteAlphabet, CharacterAlphabet, WholeTokens
from engine.encoding.batch_encoder import BatchEncoder
from engine.encoding.encoders import Encoder, RankHeap
from engine.encoding.merging import columns_of
from engine.text.pretokenize import to_bytes

BYTES = ByteAlphabet(range(256))
pretokens = st.lists(st.text("abc", max_size=12).map(str.encode), max_size=12)


def at_once(encoder: Encoder) -> BatchEncoder:
    return BatchEncoder(encoder.alphabet, columns_of(encoder.table), encoder.encode)


def check(encoder: Encoder, pretokens: list[bytes]) -> None:
    expected = [list(encoder.encode(each)) for each in pretokens]
    found = at_once(encoder).encode(pretokens)
    assert found.counts.tolist() == list(map(len, expected))
    assert found.ids.tolist() == [token_id for ids in expected for token_id in ids]


@st.composite
def tables(draw: st.DrawFn) -> dict[tuple[int, int], tuple[int, int]]:
    """Merges of tokens made before, in any order of ranks."""
    table: dict[tuple[int, int], int] = {}
    for made in range(256, 256 + draw(st.integers(0, 8))):
        tokens = st.sampled_from([97, 98, 99, *range(256, made)])
        table.setdefault((draw(tokens), draw(tokens)), made)
    ranks = draw(st.permutations(range(len(table))))
    return {pair: (rank, made) for rank, (pair, made) in zip(ranks, table.items(), strict=True)}


@given(table=tables(), pretokens=pretokens, whole=st.booleans())
@example({(97, 98): (1, 256), (98, 99): (0, 257)}, [b"abaabc", b"", b"abab"], True)
def test_pretokens_encoded_at_once_are_those_encoded_one_by_one(
    table: dict[tuple[int, int], tuple[int, int]], pretokens: list[bytes], whole: bool
) -> None:
    alphabet: Alphabet = WholeTokens(BYTES, {b"abc": 400}) if whole else BYTES
    check(RankHeap(alphabet, table), pretokens)


@given(
    st.lists(st.text("abcé漢\udce4", max_size=8).map(to_bytes), max_size=8),
    st.sampled_from([None, 0]),
    st.booleans(),
)
def test_letters_are_spelled_as_their_alphabet_spells_them(
    pretokens: list[bytes], unknown: int | None, falls_back_to_bytes: bool
) -> None:
    byte_ids = range(300, 556) if falls_back_to_bytes else None
    alphabet = CharacterAlphabet({"a": 5, "b": 6, "漢": 7, "ab": 9}, byte_ids, unknown)
    check(RankHeap(alphabet, {(5, 6): (0, 9)}), pretokens)


def test_long_pretokens_and_several_blocks_make_no_difference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    encoder = RankHeap(BYTES, {(97, 98): (0, 256), (256, 256): (1, 257)})
    monkeypatch.setattr(batch_encoder, "LONG", 4)
    monkeypatch.setattr(batch_encoder, "BLOCK", 2)
    found = at_once(encoder).encode([b"ab", b"abababab", b"", b"ba", b"abab"])
    assert found.ids.tolist() == [256, 257, 257, 98, 97, 257]
    assert found.counts.tolist() == [1, 2, 0, 2, 1]

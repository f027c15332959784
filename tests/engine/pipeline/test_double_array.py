"""A double array is walked byte by byte; a damaged one is told from a whole one."""

from __future__ import annotations

import struct

import pytest

from engine.pipeline.double_array import is_whole_trie, text_at, walk_trie
from engine.pipeline.sentencepiece import (
    NORMAL,
    UNKNOWN,
    CharacterMap,
    ScoredPiece,
    SentencePieceBPE,
    SentencePieceNormalizer,
    word_pattern,
)

VALUE, LARGE, ENDS = 1 << 31, 1 << 9, 1 << 8
KEYS = {b"a": 0, "é".encode(): 2, "éa".encode(): 5}
TEXTS = b"x\0yz\0z\0"


def laid_out(keys: dict[bytes, int]) -> list[int]:
    """Return the units of keys with their values; the children of each node have a block."""
    nodes = sorted({key[:end] for key in keys for end in range(len(key) + 1)})
    base = {node: 256 * place for place, node in enumerate(nodes, start=1)}
    units = [0] * 256 * (len(nodes) + 1)
    for place in range(1, len(units)):
        units[place] = place % 256 ^ 0xFF  # an unused unit leads to the last one of its block
    units[0] = base[b""] >> 8 << 10 | LARGE
    for node in nodes[1:]:
        place = base[node[:-1]] ^ node[-1]
        units[place] = node[-1] | (place ^ base[node]) << 10 | ENDS * (node in keys)
    for key, value in keys.items():
        units[base[key]] = VALUE | value
    return units


UNITS = laid_out(KEYS)
# Their blocks: the root's children, then those of `a`, of half of `é`, of `é` and of `éa`.
OF_A, OF_HALF, OF_E = 256 + 97, 256 + 0xC3, 768 + 0xA9


def test_each_beginning_of_a_key_is_told_with_its_value() -> None:
    assert list(walk_trie(UNITS, "éab".encode())) == [(1, None), (2, 2), (3, 5)]
    assert list(walk_trie(UNITS, b"a\0")) == [(1, 0)]
    assert list(walk_trie(UNITS, b"b")) == list(walk_trie(UNITS, b"")) == []
    assert list(walk_trie(UNITS[:OF_A], b"a")) == []
    assert list(walk_trie(UNITS[:512], b"a")) == [(1, None)]  # its value was the next unit
    assert [text_at(TEXTS, place) for place in (0, 2, 5)] == ["x", "yz", "z"]
    assert text_at(b"x\0y\xff", 2) == "y\ufffd"


def test_replacements_are_each_there_once_in_order_and_are_values() -> None:
    assert is_whole_trie(UNITS, TEXTS)
    assert not is_whole_trie([], b"")
    assert not is_whole_trie(UNITS[:1280], b"x\0yz\0")
    for texts in ("x\0yz\0\xff\0", "x\0yz\0z", "x\0ya\0a\0", "x\0xz\0xz\0", "x\0y\0zz\0"):
        assert not is_whole_trie(UNITS, texts.encode("latin-1")), texts


@pytest.mark.parametrize(
    "damage",
    [
        *({place: UNITS[place] ^ bits} for place in (OF_A, OF_HALF) for bits in (ENDS, 1 << 30)),
        {OF_A: 98 | UNITS[OF_A] & ~0xFF},  # its unused neighbour's label
        {OF_HALF: (OF_HALF ^ 1280) << 10 | 0xC3},  # too few bytes for a character
        {OF_E: (OF_E ^ 768) << 10 | ENDS | 0xA9, 768: VALUE | 2, 1024: 0xFF},
        *({300: UNITS[300] ^ bits} for bits in (ENDS, 1)),
        {OF_A: UNITS[OF_A - 1] ^ 1},
    ],
)
def test_a_change_of_a_unit_is_found(damage: dict[int, int]) -> None:
    assert not is_whole_trie([damage.get(at, unit) for at, unit in enumerate(UNITS)], TEXTS)


def test_keys_are_characters() -> None:
    for code in (0x01, 0x7F, 0x80, 0x7FF, 0x800, 0xFFFF, 0x10000, 0x10FFFF):
        assert is_whole_trie(laid_out({chr(code).encode(): 0}), b"x\0")
    for key in (b"\x80", b"\xbf", b"\xc1\x80", b"\xc3a", b"\xc3\xc0", b"\xf5\x80\x80\x80"):
        assert not is_whole_trie(laid_out({key: 0}), b"x\0")


def test_the_longest_rule_that_the_text_has_replaces() -> None:
    units = laid_out({b"a": 0, b"abc": 2})
    charsmap = struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + b"x\0y\0"
    rules = CharacterMap(charsmap)
    found = [rules.longest(text, 1) for text in ("-abcd", "-abd", "-ab", "-a", "-b")]
    assert found == [(4, "y"), (2, "x"), (2, "x"), (2, "x"), None]
    normalizer = SentencePieceNormalizer(charsmap, remove_extra_whitespaces=False)
    assert normalizer.normalize(" abc  ab") == "▁▁y▁▁xb"


def test_the_piece_of_the_highest_score_merges_first_whatever_its_id() -> None:
    pieces = [ScoredPiece("<unk>", 0.0, UNKNOWN)]
    scores = {"a": -1.0, "b": -1.0, "c": -1.0, "ab": -9.0, "bc": -5.0}
    pieces += [ScoredPiece(text, score, NORMAL) for text, score in scores.items()]
    model = SentencePieceBPE(pieces)
    assert (model.merges, model.first(1).merges) == ([("b", "c"), ("a", "b")], [("b", "c")])
    assert [token.text for token in model.tokenize("abc")] == ["a", "bc"]


def test_words_are_cut_where_no_token_goes_on() -> None:
    pattern = word_pattern(["▁", ">", "b>▁"])
    assert pattern is not None
    assert pattern.split("▁a>▁a▁b▁a") == ["▁a>▁a", "▁b", "▁a"]
    assert word_pattern(["a"]) is None

"""A double array is walked byte by byte."""

from __future__ import annotations

import struct

from engine.pipeline.double_array import text_at, walk_trie
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
# The first block has the root's children.
OF_A = 256 + 97


def test_each_beginning_of_a_key_is_told_with_its_value() -> None:
    assert list(walk_trie(UNITS, "éab".encode())) == [(1, None), (2, 2), (3, 5)]
    assert list(walk_trie(UNITS, b"a\0")) == [(1, 0)]
    assert list(walk_trie(UNITS, b"b")) == list(walk_trie(UNITS, b"")) == []
    assert list(walk_trie(UNITS[:OF_A], b"a")) == []
    assert list(walk_trie(UNITS[:512], b"a")) == [(1, None)]  # its value was the next unit
    assert [text_at(TEXTS, place) for place in (0, 2, 5)] == ["x", "yz", "z"]
    assert text_at(b"x\0y\xff", 2) == "y\ufffd"


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

"""SentencePiece's stages on the smallest models, by hand."""

from __future__ import annotations

import struct

from test_double_array import laid_out

from engine.pipeline.sentencepiece import (
    NORMAL,
    UNKNOWN,
    CharacterMap,
    ScoredPiece,
    SentencePieceBPE,
    SentencePieceNormalizer,
    word_pattern,
)


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

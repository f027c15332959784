"""The smallest file or regex of each kind that once caused a crash."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import BpeError, PatternError, Tokenizer, TokenizerFileError
from engine.core.errors import LONGEST
from engine.core.gpt2_bytes import spell
from engine.formats import open_tokenizer, save
from engine.formats.safe_pickle import PickleError, load_pickles
from engine.pipeline.sentencepiece import CharacterMap
from engine.text.patterns import as_pattern
from engine.text.pretokenize import SpecialSplitter, pretokens
from engine.text.typed_regex import compile_typed

NOTHING_SPECIAL = SpecialSplitter([])


@pytest.mark.parametrize("source", ["(?a)(?u)x", "(?V0)(?V1)x", "(?L)(?u)x"])
@pytest.mark.parametrize("use", [compile_typed, as_pattern])
def test_flags_that_exclude_each_other_are_a_pattern_error(
    source: str, use: Callable[[str], object]
) -> None:
    with pytest.raises(BpeError):
        use(source)


@pytest.mark.slow  # it takes the whole time limit
@pytest.mark.parametrize(
    ("source", "text"), [("(?:(?:bc)+)+d|.", "bc" * 200), (r"\s*" * 6 + "x|.", " " * 800)]
)
def test_a_slow_regex_that_the_trial_misses_is_stopped_in_use(source: str, text: str) -> None:
    pattern = as_pattern(source)
    with pytest.raises(PatternError, match="takes more than") as raised:
        pattern.split(text)
    assert source[:20] in str(raised.value)
    with pytest.raises(PatternError):
        list(pretokens(text, pattern, NOTHING_SPECIAL))


def test_a_message_quotes_only_a_part_of_a_nested_value() -> None:
    doubled = b"2\x86" * 26  # a pair of a pair of a pair …: 2 ** 26 in all
    with pytest.raises(PickleError):
        load_pickles(b"\x80\x02c_codecs\nencode\nVx\nN" + doubled + b"\x86R.")


def test_a_message_quotes_a_bounded_part_of_a_long_value(tmp_path: Path) -> None:
    vocab = {spell(bytes([byte])): byte for byte in range(256)}
    (tmp_path / "vocab.json").write_text(json.dumps(vocab))
    (tmp_path / "merges.txt").write_text(f"{'a' * 50_000} b\n")
    with pytest.raises(BpeError, match=r"^.*merges\.txt: merge 1 .* belong together") as caught:
        open_tokenizer(tmp_path)
    assert len(str(caught.value)) < 500 + len(str(tmp_path))
    with pytest.raises(BpeError, match=r"^the vocabulary has no token .* needs$") as caught:
        Tokenizer({byte: bytes([byte]) for byte in range(256)}, [(b"a" * 50_000, b"b")])
    assert len(str(caught.value)) <= LONGEST
    tokenizer(tmp_path, {"unk_token": "a" * 5000})
    notes = open_tokenizer(tmp_path / "tokenizer.json").notes
    assert LONGEST - 1 <= max(map(len, notes)) <= LONGEST


def tokenizer(folder: Path, model: dict[str, Any], **stages: Any) -> Tokenizer:
    place = folder / "tokenizer.json"
    usual = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}
    place.write_text(json.dumps({"model": {**usual, **model}, **stages}))
    return Tokenizer.load(place)


def deep(levels: int) -> list[Any]:
    made: list[Any] = []
    for _ in range(levels):
        made = [made]
    return made


@pytest.mark.parametrize("merges", [["a \ud800"], [["a", "\udfff"]], [deep(400)], [{"a": deep(9)}]])
def test_malformed_merges_are_refused(tmp_path: Path, merges: list[Any]) -> None:
    for prefix in ({}, {"continuing_subword_prefix": "##"}):
        with pytest.raises(TokenizerFileError, match="merges"):
            tokenizer(tmp_path, {"merges": merges, **prefix})


@pytest.mark.parametrize("odd", [-1, 1 << 32, 1 << 70])
def test_a_malformed_id_is_refused(tmp_path: Path, odd: int) -> None:
    vocab = {spell(bytes([byte])): byte for byte in range(255)} | {spell(b"\xff"): odd}
    (tmp_path / "vocab.json").write_text(json.dumps(vocab))
    (tmp_path / "merges.txt").write_text("")
    with pytest.raises(BpeError, match=r"\bids?\b"):
        open_tokenizer(tmp_path)


def test_an_empty_added_token_occurs_nowhere(tmp_path: Path) -> None:
    empty = {"id": 3, "content": "", "special": True}
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    opened = tokenizer(tmp_path, {}, added_tokens=[empty | flags])
    assert opened.encode("ab") == [2]
    save(opened, tmp_path / "saved.json", "huggingface")
    assert open_tokenizer(tmp_path / "saved.json").tokenizer.encode("ab") == [2]


def test_a_template_with_an_unknown_id_is_refused(tmp_path: Path) -> None:
    text, mark = (
        {"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": "c", "type_id": 0}},
    )
    template = {
        "type": "TemplateProcessing",
        "single": [mark, text],
        "pair": [text, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"c": {"id": "c", "ids": [77], "tokens": ["c"]}},
    }
    with pytest.raises(TokenizerFileError, match="post_processor"):
        tokenizer(tmp_path, {}, post_processor=template)


REPLACE = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


@pytest.mark.parametrize(
    "stages",
    [
        {"normalizer": {"type": "Sequence", "normalizers": [REPLACE] * 60}},
        {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [BYTES] * 60}},
        {"decoder": {"type": "Sequence", "decoders": [REPLACE] * 60}},
        {"normalizer": REPLACE | {"content": "a" * 300}},
        {"decoder": REPLACE | {"content": "a" * 300}},
    ],
)
def test_stages_that_would_fill_the_memory_are_stopped(
    tmp_path: Path, stages: dict[str, Any]
) -> None:
    def used() -> str:
        opened = tokenizer(tmp_path, {}, **stages)
        return opened.decode(opened.encode("aé"))

    with pytest.raises(TokenizerFileError, match=r"characters|double"):
        used()


def test_a_map_of_characters_cannot_make_a_character_long() -> None:
    with pytest.raises(TokenizerFileError, match="map of characters"):
        CharacterMap(b"\4\0\0\0" + b"\0" * 4 + b"x" * 300)


def test_an_empty_sequence_of_stages_does_nothing(tmp_path: Path) -> None:
    parts = {"pre_tokenizer": "pretokenizers", "post_processor": "processors"}
    for stage in ("normalizer", "decoder", *parts):
        stages = {stage: {"type": "Sequence", parts.get(stage, f"{stage}s"): []}}
        opened = tokenizer(tmp_path, {}, **stages)
        assert (opened.encode("ab"), opened.decode([2])) == ([2], "ab")

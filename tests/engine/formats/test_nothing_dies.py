"""Nothing dies of a file, and a save that is interrupted leaves the old one."""

import contextlib
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import time
from typing import Any

import pytest
from file_checks import ENDS, INTERRUPTIONS, contents, each_interruption

from engine import BpeError, PatternError, Tokenizer, TokenizerFileError, Trainer
from engine.core.errors import LONGEST
from engine.core.gpt2_bytes import spell
from engine.formats import open_tokenizer, save
from engine.formats.safe_pickle import PickleError, load_pickles
from engine.formats.source import describe_older
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
    doubled = b"q\0h\0\x86" * 26  # a pair of a pair of a pair …: 2 ** 26 in all
    with pytest.raises(PickleError, match="cannot be read: builtins bytearray"):
        load_pickles(b"\x80\x03cbuiltins\nbytearray\nN" + doubled + b"\x85R.")


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


WORDS = {b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}


def trained(counts: dict[bytes, int], size: int, special: str, pattern: str) -> Tokenizer:
    trainer = Trainer(counts, size, [special])
    list(trainer.steps())
    return Tokenizer(trainer.vocab, trainer.merges, [special], pattern)


OLD = trained(WORDS, 266, "<s>", "gpt2")
NEW = {
    "other merges": trained({b"mower": 5, b"slow": 2, b"tower": 6}, 264, "<e>", "cl100k"),
    "other settings": trained(WORDS, 266, "<s>", "cl100k"),
    "fewer merges": trained(WORDS, 260, "<s>", "cl100k"),
}


def facts(tokenizer: Tokenizer) -> tuple[object, ...]:
    pattern = tokenizer.pattern.source
    vocab, merges = tuple(tokenizer.vocab.items()), tuple(tokenizer.merges)
    return vocab, merges, tuple(tokenizer.special_tokens), pattern


def opened(folder: Path, new: Tokenizer) -> str:
    """Open what an interrupted save has left; return which of the two tokenizers it is."""
    try:
        found = facts(Tokenizer.load(folder))
    except TokenizerFileError as error:
        return str(error).rpartition("? ")[2].partition(";")[0]
    return {facts(OLD): "old", facts(new): "new"}[found]


@pytest.mark.parametrize("change", NEW)
@pytest.mark.parametrize("kind", INTERRUPTIONS)
def test_one_interrupted_at_any_call_opens_as_the_old_or_the_new_one_or_is_refused(
    tmp_path: Path, change: str, kind: str
) -> None:
    folder, new = tmp_path / "tokenizer", NEW[change]
    found = Counter[str]()
    for interruption in each_interruption(kind):
        OLD.save(folder, overwrite=True)
        for file in folder.iterdir():
            os.utime(file, (time() - 60,) * 2)
        with interruption.among_calls(), contextlib.suppress(*ENDS):
            new.save(folder, overwrite=True)
        before = contents(tmp_path)
        found[opened(folder, new)] += 1
        assert contents(tmp_path) == before  # opening changes nothing
    assert found.keys() <= {"old", "new", "merges.txt is older than vocab.json"}
    assert found["old"] > 8
    assert found["new"]
    assert found.total() - found["old"] - found["new"] <= 3  # between renames


def test_a_file_is_older_if_one_save_cannot_have_written_both(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    assert describe_older(old, new) == ""
    for seconds, is_older in ((1.75, False), (2, True)):
        for path, time_written in ((old, 100), (new, 100 + seconds)):
            path.touch()
            os.utime(path, (time_written,) * 2)
        told = describe_older(new, old)
        assert told == describe_older(old, new)
        assert told.startswith(" old is older than new; if a save was") is bool(told) is is_older


@pytest.mark.parametrize("kind", INTERRUPTIONS)
def test_one_in_a_new_folder_is_there_whole_or_not_at_all(tmp_path: Path, kind: str) -> None:
    folder, found = tmp_path / "made" / "tokenizer", []
    for interruption in each_interruption(kind):
        shutil.rmtree(tmp_path / "made", ignore_errors=True)
        with interruption.among_calls(), contextlib.suppress(*ENDS):
            OLD.save(folder)
        found.append(folder.exists())
        if folder.exists():
            assert facts(Tokenizer.load(folder)) == facts(OLD)
    assert found[-1]
    assert found.count(False) > 8

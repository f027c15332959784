"""Mistral's tekken.json, gzipped files, Whisper's ranks, and files that are known but refused."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from format_files import RANKS, TEKKEN_SPECIALS, tekken
from tiny_tokenizers import GOLDEN, TEXTS, handout

from engine import TokenizerFileError
from engine.formats import open_tokenizer
from engine.text.patterns import PATTERNS

SECOND = {"rank": 1, "token_str": "</s>"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tekken.json"


def test_its_ids_are_tiktokens_after_the_special_tokens(path: Path) -> None:
    library = pytest.importorskip("tiktoken")
    path.write_text(json.dumps(tekken()))
    opened = open_tokenizer(path)
    ranks = {token: n for n, token in enumerate(sorted(RANKS, key=RANKS.__getitem__))}
    theirs = library.Encoding(
        "t", pat_str=PATTERNS["gpt2"].source, mergeable_ranks=ranks, special_tokens={}
    )
    assert opened.format == "tekken"
    for text in TEXTS:
        ids = [TEKKEN_SPECIALS + token_id for token_id in theirs.encode(text)]
        assert opened.tokenizer.allowing([]).encode(text) == ids
        assert opened.tokenizer.decode(ids) == text
    assert opened.tokenizer.encode("<s>low[INST]")[::2] == [1, 3]
    assert open_tokenizer(path.parent).notes == opened.notes
    shutil.copy(GOLDEN / "tokenizer.json", path.parent)
    assert open_tokenizer(path.parent).format == "huggingface"


def test_tokens_beyond_the_vocabulary_size_are_left_out(path: Path) -> None:
    path.write_text(
        json.dumps(tekken(config={"default_vocab_size": len(RANKS) + TEKKEN_SPECIALS - 2}))
    )
    opened = open_tokenizer(path)
    assert max(opened.tokenizer.vocab) == len(RANKS) + TEKKEN_SPECIALS - 3
    assert any("2 of its tokens have no room" in note for note in opened.notes)
    path.write_text(
        json.dumps(
            tekken(config={"default_vocab_size": 1 << 21, "default_num_special_tokens": 1 << 16})
        )
    )
    assert len(open_tokenizer(path).notes) == 1
    path.write_text(json.dumps(tekken(special_tokens=[SECOND])))
    first = open_tokenizer(path).tokenizer.special_tokens[:3]
    assert first == ("<SPECIAL_0>", "<SPECIAL_2>", "<SPECIAL_3>")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"config": {"pattern": "("}}, "tekken.json: "),
        ({"config": {"pattern": 5}}, "config.pattern: should be a text"),
        ({"config": {"default_vocab_size": (1 << 21) + 1}}, "too large for any vocabulary"),
        ({"config": {"default_num_special_tokens": (1 << 16) + 1}}, "too large for any vocab"),
        ({"vocab": [{"rank": 0, "token_bytes": "?"}]}, "is no base64"),
        ({"vocab": [{"rank": 0, "token_bytes": ""}]}, "is empty, or occurs twice"),
        ({"vocab": [{"rank": rank, "token_bytes": "AA=="} for rank in (0, 1)]}, "or occurs twice"),
        ({"vocab": [{"rank": 0, "token_bytes": each} for each in ("AA==", "AQ==")]}, "rank twice"),
        ({"vocab": []}, "lacks 256 of the 256 single bytes"),
        *(
            ({"special_tokens": [{"rank": rank, "token_str": text}, SECOND]}, "ranks that are too")
            for rank, text in ((TEKKEN_SPECIALS, "<s>"), (1, "<s>"), (0, ""))
        ),
    ],
)
def test_what_is_wrong_is_named(path: Path, changes: dict[str, Any], message: str) -> None:
    path.write_text(json.dumps(tekken(**changes)))
    with pytest.raises(TokenizerFileError, match=message):
        open_tokenizer(path)


@pytest.mark.parametrize("name", ["handout.tiktoken", "handout.model", "handout.json"])
def test_a_gzipped_tokenizer_is_read(name: str, tmp_path: Path) -> None:
    (tmp_path / "packed").write_bytes(gzip.compress((GOLDEN / name).read_bytes()))
    plain, packed = open_tokenizer(GOLDEN / name), open_tokenizer(tmp_path / "packed")
    assert (packed.format, packed.notes) == (plain.format, plain.notes)
    assert packed.tokenizer.vocab == plain.tokenizer.vocab


def test_a_damaged_gzip_file_is_refused(tmp_path: Path) -> None:
    data = gzip.compress((GOLDEN / "handout.tiktoken").read_bytes())
    path = tmp_path / "packed"
    path.write_bytes(data[:-200])
    with pytest.raises(TokenizerFileError, match="gzip file that is cut short"):
        open_tokenizer(path)


def test_a_token_without_bytes_is_left_out(tmp_path: Path) -> None:
    data = (GOLDEN / "handout.tiktoken").read_bytes()
    (tmp_path / "multilingual.tiktoken").write_bytes(data + b"= 50256\n")
    opened = open_tokenizer(tmp_path / "multilingual.tiktoken")
    assert any("50256 has no bytes" in note for note in opened.notes)
    for text in ("lowest newest", "żółw 漢字"):
        assert opened.tokenizer.decode(opened.tokenizer.encode(text)) == text
    assert 50256 not in opened.tokenizer.vocab
    first = len(RANKS) + 1  # as in `whisper/tokenizer.py`: after all lines
    assert opened.tokenizer.encode("<|endoftext|><|en|><|0.00|>") == [first, first + 2, first + 107]
    assert opened.tokenizer.encode("<|30.00|>") == [first + 107 + 1500]
    assert opened.tokenizer.special_tokens[-1] == "<|30.00|>"
    assert len(opened.tokenizer.merges) == len(handout().merges)

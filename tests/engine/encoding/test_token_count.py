"""Token counts of texts: block by block, in files, in packed files, and with helpers."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import SpecialTokenFoundError, Tokenizer, train_bpe
from engine.encoding.special_policy import (
    NONE_SPECIAL,
    REFUSE_SPECIAL,
    TextSize,
    file_size,
    text_size,
)
from engine.text.pretokenize import to_text

SAMPLE = Path(__file__).parents[3] / "samples" / "tinystories_valid.txt"
END = "<|endoftext|>"


@pytest.fixture(scope="module")
def stories() -> Tokenizer:
    return Tokenizer(*train_bpe(SAMPLE, 600, [END]), [END])


@given(st.lists(st.binary(max_size=9)))
def test_the_size_does_not_depend_on_the_blocks(blocks: list[bytes]) -> None:
    vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"aa"}
    tokenizer = Tokenizer(vocab, [(b"a", b"a")])
    data = b"".join(blocks)
    expected = TextSize(len(data), len(tokenizer.encode(to_text(data))))
    assert text_size(tokenizer, blocks) == expected


def test_helpers_count_what_one_process_counts(stories: Tokenizer) -> None:
    blocks = [SAMPLE.read_bytes()] * 2
    assert text_size(stories, blocks, workers=2) == text_size(stories, blocks)


def test_a_packed_file_counts_as_its_text(stories: Tokenizer, tmp_path: Path) -> None:
    packed = tmp_path / "packed"  # its name does not say so
    packed.write_bytes(gzip.compress(SAMPLE.read_bytes()))
    text = SAMPLE.read_text()
    assert file_size(stories, packed) == TextSize(len(text.encode()), len(stories.encode(text)))


def test_the_policy_holds(stories: Tokenizer) -> None:
    with pytest.raises(SpecialTokenFoundError):
        file_size(stories, SAMPLE, REFUSE_SPECIAL)
    assert file_size(stories, SAMPLE, NONE_SPECIAL).tokens > file_size(stories, SAMPLE).tokens


def test_an_empty_text_has_no_tokens(stories: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    size = file_size(stories, tmp_path / "empty")
    assert (size, size.bytes_per_token) == (TextSize(0, 0), 0.0)

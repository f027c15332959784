"""Conversion: the files encode like the original, or nothing is written."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from tiny_tokenizers import BYTES

from engine import (
    ConversionError,
    OutputExistsError,
    Tokenizer,
    TokenizerFileError,
    train_bpe,
)
from engine.formats import convert, open_tokenizer, proof, save
from engine.formats.tokenizer_format import Opened
from engine.text.patterns import Alternative, Pattern

SAMPLE = Path(__file__).parents[3] / "samples" / "tinystories_valid.txt"
END = "<|endoftext|>"


@pytest.fixture(scope="module")
def stories() -> Tokenizer:
    return Tokenizer(*train_bpe(SAMPLE, 400, [END]), [END], "cl100k")


def _guessing_open(path: Path, special_tokens: Any = (END,), pattern: Any = None) -> Opened:
    """Open files as if they were known, with a special token."""
    return open_tokenizer(path, special_tokens=special_tokens, pattern=pattern)


def test_each_property_that_is_lost_has_a_sentence(
    stories: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert convert(stories, "tiktoken", tmp_path / "out").losses == (
        "tiktoken does not keep the pattern 'cl100k'; give it when you open the files",
        "tiktoken does not keep which tokens are special (<|endoftext|>); name them when you open "
        "the files",
    )
    monkeypatch.setattr("engine.formats.open_tokenizer", _guessing_open)
    vocab = {i: token for i, token in stories.vocab.items() if token != END.encode()}
    plain = Tokenizer(vocab, stories.merges)
    assert convert(plain, "course-json", tmp_path / "plain.json").losses == (
        "course-json does not keep which tokens are special (none); name them when you open the "
        "files",
    )


def test_tokens_from_all_parts_of_a_vocabulary_are_tried(
    stories: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for most, step in ((5000, 1), (200, 2), (100, 4)):
        monkeypatch.setattr(proof, "TRIED_TOKENS", most)
        apart = next(islice(proof.texts_for(stories), 3, None))
        chosen = sorted(stories.vocab)[::step]
        assert apart == "\n".join(stories.decode([token_id]) for token_id in chosen)


def _careless_save(tokenizer: Tokenizer, path: Path, format: str, **how: Any) -> None:
    """Save without the last merge."""
    *merges, last = tokenizer.merges
    vocab = {n: t for n, t in tokenizer.vocab.items() if t != last[0] + last[1]}
    save(Tokenizer(vocab, merges, tokenizer.special_tokens, tokenizer.pattern), path, format, **how)


def test_a_writer_that_loses_a_merge_is_detected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.formats.save", _careless_save)
    with pytest.raises(ConversionError, match=r"the ids of .The quick.* from token 18"):
        convert(Tokenizer(BYTES | {256: b"ox"}, [(b"o", b"x")]), "gpt2", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_format_refuses_a_tokenizer_that_it_cannot_hold(
    stories: Tokenizer, tmp_path: Path
) -> None:
    pattern = Pattern("mine", "", (Alternative("all", "(?s:.)"),), ())
    mine = Tokenizer(stories.vocab, stories.merges, pattern=pattern)
    with pytest.raises(TokenizerFileError, match=f"{tmp_path}/out: .*'mine'"):
        convert(mine, "gpt2", tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_files_are_overwritten_only_on_request(stories: Tokenizer, tmp_path: Path) -> None:
    convert(stories, "gpt2", tmp_path / "out")
    with pytest.raises(OutputExistsError):
        convert(stories, "gpt2", tmp_path / "out")
    convert(stories, "gpt2", tmp_path / "out", overwrite=True)

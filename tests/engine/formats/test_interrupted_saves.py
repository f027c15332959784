"""A tokenizer whose save was interrupted opens as the old or the new one, or is refused."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections import Counter
from pathlib import Path
from time import time

import pytest
from file_checks import ENDS, INTERRUPTIONS, contents, each_interruption

from engine import Tokenizer, TokenizerFileError, Trainer
from engine.formats.source import describe_older

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

"""Session files: they read back equal; a broken file is refused with a reason."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st

from engine import OutputExistsError, SessionFileError
from engine.learning.session_file import (
    KEY,
    LARGEST,
    SavedFile,
    SavedSession,
    check_unchanged,
    is_session,
    read_session,
    read_session_bytes,
    write_session,
)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("low lower lowest")
    return corpus


def saved(corpus: Path) -> SavedSession:
    return SavedSession(
        SavedFile.of(str(corpus)),
        options=(("vocab_size", 300), ("special_tokens", ("<s>",)), ("pattern", "gpt2")),
        step=12,
        view="encoding",
        text="two\nlines 漢",
        breakpoints=("tie", "count<50"),
        note="for Monday",
    )


def test_a_written_session_reads_back_equal(corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    write_session(path, saved(corpus))
    assert read_session(path) == saved(corpus)
    assert is_session(path.read_bytes()[:4096])
    with pytest.raises(OutputExistsError):
        write_session(path, saved(corpus))
    of_tokenizer = replace(saved(corpus), corpus=None, tokenizer=("vocab", "merges"))
    write_session(path, of_tokenizer, overwrite=True)
    assert read_session(path) == of_tokenizer


def test_a_corpus_is_found_beside_a_moved_session(corpus: Path, tmp_path: Path) -> None:
    write_session(tmp_path / "s.json", saved(corpus))
    elsewhere = tmp_path.rename(tmp_path.with_name("moved"))
    found = read_session(elsewhere / "s.json").corpus
    assert found is not None
    assert Path(found.path) == elsewhere / "corpus.txt"


def test_a_changed_corpus_of_the_same_size_is_noticed(corpus: Path) -> None:
    file = SavedFile.of(str(corpus))
    assert check_unchanged(file) is None
    corpus.write_text("low lower LOWEST")
    changed = "has changed since the session was saved, so steps and counts may differ"
    assert check_unchanged(file) == f"{corpus} {changed}"
    corpus.unlink()
    assert check_unchanged(file) == f"{corpus}: cannot be read: No such file or directory"
    assert check_unchanged(SavedFile("a\0", 0, "")) == "a\0: cannot be read: embedded null byte"


def test_a_device_is_no_corpus_of_a_session() -> None:
    assert "no ordinary file" in (check_unchanged(SavedFile("/dev/zero", 0, "0" * 64)) or "")


def test_no_more_of_a_file_is_read_than_a_session_states(corpus: Path) -> None:
    with corpus.open("wb") as file:
        file.truncate(1 << 34)
    for most, read in ((95, 1), ((1 << 20) - 1, 1), (1 << 20, 2)):
        assert SavedFile.of(str(corpus), most).size == read << 20


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({KEY: 2}, "version 2"),
        ({"step": -1}, "step: should not be negative"),
        ({"step": "12"}, "step: should be a whole number, and is a text"),
        ({"options": {"colour": 1}}, "options.colour: is no option"),
        ({"options": {"vocab_size": "300"}}, "options.vocab_size: should be a whole number"),
        ({"corpus": None}, "neither a corpus nor a tokenizer"),
        ({"corpus": {"path": "a\0b", "bytes": 1, "sha256": "0" * 64}}, "no file can be called"),
        ({"corpus": {"path": "a", "bytes": 1, "sha256": "0"}}, "64 hex digits"),
        ({"tokenizer": ["a", "b", "c"]}, "vocabulary and merges"),
        ({"breakpoints": ["tie"] * 1001}, "1,001 entries, and 1,000 is the most"),
        ({"text": "\ud800"}, "half a character"),
        ({"note": "n" * 4097}, "note: is longer than 4,096 characters"),
    ],
)
def test_a_broken_session_is_refused_with_a_reason(
    corpus: Path, tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    path = tmp_path / "s.json"
    write_session(path, saved(corpus))
    content = json.loads(path.read_text()) | change
    with pytest.raises(SessionFileError, match=said) as error:
        read_session_bytes(json.dumps(content).encode(), path)
    assert str(error.value).startswith(f"{path}: ")


def test_a_session_has_long_texts_and_many_breakpoints(corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    most = replace(saved(corpus), note="n" * 4096, breakpoints=("tie",) * 1000)
    write_session(path, most)
    assert read_session(path) == most
    room = LARGEST - len(path.read_bytes())
    largest = replace(most, text=most.text + "x" * room)
    write_session(path, largest, overwrite=True)
    assert read_session(path) == largest
    with pytest.raises(SessionFileError, match="too large to keep; shorten its text"):
        write_session(path, replace(most, text=most.text + "x" * (room + 1)), overwrite=True)
    with pytest.raises(SessionFileError, match="1,001 entries"):
        write_session(path, replace(most, breakpoints=("tie",) * 1001), overwrite=True)
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(SessionFileError, match="is larger than any session file"):
        read_session(path)


def test_a_session_that_is_cut_short_is_refused(corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    write_session(path, saved(corpus))
    for cut in (b"", path.read_bytes()[:-9], b"[" * 100_000, b"[]", b"null"):
        with pytest.raises(SessionFileError):
            read_session_bytes(cut, path)


@examples(200)
@given(data=st.data())
def test_any_session_file_raises_only_our_errors(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    anything = st.recursive(
        scalars,
        lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner),
        max_leaves=6,
    )
    folder = tmp_path_factory.getbasetemp()
    (folder / "c.txt").write_text("low")
    path = folder / "s.json"
    write_session(path, saved(folder / "c.txt"), overwrite=True)
    content = json.loads(path.read_text())
    target, key = data.draw(st.sampled_from(_places(content)))
    target[key] = data.draw(anything)
    with contextlib.suppress(SessionFileError):
        read_session_bytes(json.dumps(content).encode(), path)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Yield every place in a JSON value that can be replaced."""
    if not isinstance(value, dict | list):
        return []
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    return [(value, key) for key in keys] + [place for key in keys for place in _places(value[key])]

"""A session file from a stranger opens, or is refused in one line, whatever its values are."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from generated import some
from program import BAD_INPUT, run

from bpe_tui.session.declarations import VIEWS
from bpe_tui.session.models import MODELS
from bpe_tui.session.saved_sessions import config_of_session
from engine.core.errors import SessionFileError
from engine.learning.session_file import NAMES, NUMBERS, SavedFile, read_session

OF_ANY_TYPE = [0, -1, 10**9, 10**18, 1 << 63, 10**300, 1.5, True, "9", None, [], {}]
OF_ANY_TYPE += [float("nan"), float("inf"), [[]], [1], ["\0"], "\ud800", "a" * 5000, "\x1b[31m"]
TEXTS = ["", "(a+)+$", "(?i)", "\0", "gpt2:9999999999999,none:1", "words:3", "none", "a" * 300]
PATHS = ["dir", "pipe", "/dev/zero", "-", "https://a.org/x", "*.txt", "..", "s.json", "t.json"]
PLACES = [*TEXTS, *PATHS]
BREAKPOINTS = ["token /(a+)+$/", "count<" + "9" * 4000, "tie or " * 500, "step 99999999999999999"]


def changes() -> Iterator[dict[str, Any]]:
    """Yield the fields of each session that differ from those of a good one."""
    for name in (*NUMBERS, *NAMES, "special_tokens", "unknown"):
        for value in (*OF_ANY_TYPE, *TEXTS, TEXTS[1:], ["a" * 4096] * 900):
            yield {"options": {name: value}}
            yield {"options": {name: value}, "tokenizer": ["t.json"]}
        if name in NUMBERS:
            for model in MODELS:
                yield from ({"options": {"model": model, name: n}} for n in OF_ANY_TYPE[:5])
    for name in ("step", "view", "text", "note", "breakpoints", "tokenizer", "corpus", "options"):
        yield from ({name: value} for value in (*OF_ANY_TYPE, *VIEWS, "ab " * 999))
    yield from ({"breakpoints": [line] * 9} for line in BREAKPOINTS)
    yield from ({"tokenizer": [name] * times} for name in PLACES for times in (1, 2))
    yield from ({"tokenizer": [name], "corpus": None} for name in PLACES)
    for name, values in {"path": [*PLACES, "c.txt\0"], "bytes": [1], "sha256": ["0" * 64]}.items():
        yield from ({"corpus": {name: value}} for value in (*OF_ANY_TYPE, *values))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus, a tokenizer, a folder, and a pipe that nobody writes to."""
    folder = tmp_path_factory.mktemp("session")
    (folder / "c.txt").write_text("low lower lowest newer\n" * 20)
    (folder / "dir").mkdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe")
    to = "--format", "huggingface", "--out", "t.json"
    assert run("train", "c.txt", "--vocab-size", "262", *to, cwd=folder).returncode == 0
    return folder


def write(folder: Path, changed: dict[str, Any]) -> Path:
    """Write a good session with other values, into a folder with its corpus."""
    file = SavedFile.of(str(folder / "c.txt"))
    corpus: Any = {"path": "c.txt", "bytes": file.size, "sha256": file.digest}
    if isinstance(changed.get("corpus"), dict):
        corpus |= changed["corpus"]
        changed = changed | {"corpus": corpus}
    session = {"bpe-tui session": 1, "corpus": corpus, "tokenizer": [], "options": {}, "step": 0}
    session |= {"view": None, "text": "", "breakpoints": [], "note": ""}
    (folder / "s.json").write_text(json.dumps(session | changed))
    return folder / "s.json"


@pytest.mark.parametrize("changed", some(changes(), 60), ids=lambda changed: str(changed)[:60])
def test_any_value_in_a_session_opens_or_is_refused_in_one_line(
    folder: Path, changed: dict[str, Any]
) -> None:
    write(folder, changed)
    done = run("open", "s.json", "--plain", stdin=b"next\nquit\n", cwd=folder)
    assert len(done.stderr) < 9000
    if done.returncode:
        assert (done.returncode, done.stdout) == (BAD_INPUT, b"")
        assert done.stderr.splitlines()[-1].startswith(b"bpe-tui: ")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"options": {"continued": 9}}, "continued: goes on with a tokenizer, and there is none"),
        ({"options": {"special_tokens": ["a" * 257]}}, "one is longer than 256 characters"),
        ({"corpus": {"path": "dir"}}, "or no file: .*dir"),
        pytest.param({"corpus": {"path": "pipe"}}, "or no file: .*pipe", marks=pytest.mark.unix),
        ({"corpus": {"path": "a" * 300}}, "or no file"),
        ({"tokenizer": ["a" * 300]}, "is not there, and nothing is fetched"),
    ],
)
def test_what_no_session_has_is_refused_before_anything_is_opened(
    folder: Path, changed: dict[str, Any], said: str
) -> None:
    path = write(folder, changed)
    with pytest.raises(SessionFileError, match=said) as error:
        config_of_session(read_session(path), path)
    assert str(error.value).startswith(f"{path}: ")

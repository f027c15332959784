"""Every promise of `SECURITY.md` and `docs/trust.md` names tests that exist."""

import ast
import re
import socket
from collections import Counter
from pathlib import Path

import pytest

from engine import Tokenizer, train_bpe

ROOT = Path(__file__).parents[1]
PROMISES = (ROOT / "SECURITY.md", ROOT / "docs" / "trust.md")
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
SOURCES = sorted(path for room in ("engine", "bpe_tui") for path in (ROOT / room).rglob("*.py"))


def promises() -> list[str]:
    """Yield each promise, from its dash to the next dash or the end of the list."""
    text = PROMISES[1].read_text("utf-8")
    lists = re.findall(r"^- \*\*.*?(?=^\S(?<!-)|\Z)", text, re.MULTILINE | re.DOTALL)
    return [promise for each in lists for promise in re.split(r"^- ", each, flags=re.M) if promise]


def test_each_promise_names_a_test() -> None:
    assert len(promises()) > 15
    assert [promise for promise in promises() if not NAMED.search(promise)] == []


@pytest.mark.parametrize("document", PROMISES, ids=lambda path: path.name)
def test_each_test_that_is_named_exists(document: Path) -> None:
    for file, name in NAMED.findall(document.read_text("utf-8")):
        source = (ROOT / file).read_text("utf-8")
        is_there = re.search(rf"^ *(async )?(def|class) {name}\b", source, re.M)
        assert is_there, f"{document.name} names {file}::{name}"


def test_nothing_is_evaluated_or_unpickled() -> None:
    forbidden = {"eval", "exec", "os.system", "os.popen", "pickle.load", "pickle.loads"}
    found: Counter[tuple[str, str]] = Counter()
    word = re.compile(r"\b(eval|exec|system|popen|pickle|shell)\b")
    for path in SOURCES:
        source = path.read_text("utf-8")
        # To parse all modules would take seconds; few have one of these words.
        for node in ast.walk(ast.parse(source if word.search(source) else "")):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in forbidden:
                found[path.relative_to(ROOT).as_posix(), ast.unparse(node.func)] += 1
            assert not (isinstance(node, ast.keyword) and node.arg == "shell"), path
    assert not found


def test_work_with_files_opens_no_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connect(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket, "create_connection", connect)
    monkeypatch.setattr(socket, "getaddrinfo", connect)
    vocab, merges = train_bpe(ROOT / "samples" / "handout.txt", 260, ["<|endoftext|>"])
    Tokenizer(vocab, merges, ["<|endoftext|>"]).save(tmp_path / "tokenizer")
    assert Tokenizer.load(tmp_path / "tokenizer").decode([0, 104]) == "\x00h"

"""Every promise of `SECURITY.md` and `docs/trust.md` names tests that exist."""

from __future__ import annotations

import ast
import os
import re
import socket
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine import Tokenizer, train_bpe
from engine.core.drafts import DRAFT
from engine.counting import cache as counts_cache
from engine.counting.cache import KeptCount
from engine.counting.counts_file import CorpusCount
from engine.text.corpus import Corpus

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


@pytest.fixture
def corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setattr(counts_cache, "WORTH_KEEPING", 1)
    paths = [tmp_path / f"{number}.txt" for number in range(6)]
    for path in paths:
        path.write_bytes(b"low lower ")
    return paths


COUNT = CorpusCount(1, Counter({b"low": 1, b" lower": 1}))
ROOM_FOR_THREE = 3 * len(counts_cache._packed(COUNT))


def place(corpus: Path) -> KeptCount:
    return KeptCount.of(corpus.parent / "cache", Corpus(corpus), "gpt2", (), ROOM_FOR_THREE)


def test_several_programs_may_keep_and_find_counts_in_one_cache(corpora: list[Path]) -> None:
    def use(number: int) -> None:
        kept = place(corpora[number % len(corpora)])
        kept.keep(COUNT)
        found = kept.find()
        assert found is None or found.counts == COUNT.counts

    with ThreadPoolExecutor(8) as programs:
        list(programs.map(use, range(200)))


def test_drafts_count_for_the_limit_of_the_cache(corpora: list[Path]) -> None:
    cache = corpora[0].parent / "cache"
    cache.mkdir()
    draft = cache / f".of-another-program.1{DRAFT}"
    draft.write_bytes(bytes(ROOM_FOR_THREE * 2 // 3))
    for corpus in corpora:
        place(corpus).keep(COUNT)
    assert sum(file.stat().st_size for file in cache.iterdir()) <= ROOM_FOR_THREE


@pytest.mark.parametrize("used", [0, 1 << 33], ids=["back", "ahead"])
def test_a_clock_that_jumps_does_not_let_the_cache_grow(corpora: list[Path], used: int) -> None:
    for corpus in corpora:
        place(corpus).keep(COUNT)
        for file in (corpus.parent / "cache").iterdir():
            os.utime(file, (used, used))
    files = list((corpora[0].parent / "cache").iterdir())
    assert 0 < sum(file.stat().st_size for file in files) <= ROOM_FOR_THREE

"""`bpe-tui train`: what it writes, of each model and after a tokenizer, and how it refuses."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from threading import Thread

import pytest
import tokenizers
from generated import first_quick
from program import (
    BAD_INPUT,
    ENVIRONMENT,
    FILES,
    HANDOUT,
    INTERRUPTED,
    PATIENCE,
    PROGRAM,
    ROOT,
    STORIES,
    refusal,
    run,
    train,
)

from bpe_tui.bpe import model
from bpe_tui.cli import progress
from bpe_tui.session import training
from engine import Tokenizer, train_bpe
from engine.formats import open_tokenizer
from engine.native import KERNEL


def test_train_says_how_it_ends_and_which_trainer_replaces_one_unable_to_follow_the_tie_rule(
    tmp_path: Path,
) -> None:
    result = train(tmp_path, size=1000)
    assert b"no pair is left" in result.stderr
    result = train(tmp_path, "--tie-rule", "first-seen", "--trainer", "fast", "--force")
    assert b"; first-seen ties: trained by heap" in result.stderr


@pytest.mark.skipif(KERNEL is None, reason="the kernel is not compiled here")
def test_a_note_says_that_python_trained_where_the_kernel_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = b"note: Python trained (fast), not the kernel: this corpus is too large for it\n"
    assert note not in train(tmp_path, "--trainer", "native").stderr
    monkeypatch.setattr("engine.native.merging.MOST_CELLS", 1)
    assert note in train(tmp_path, "--trainer", "native", "--force").stderr
    assert note not in train(tmp_path, "--force").stderr


def test_train_takes_the_options_of_the_engine(tmp_path: Path) -> None:
    options = ["--pattern", "whitespace", "--tie-rule", "first-seen", "--trainer", "naive"]
    special = ["--special", "<a>", "--special", "newest"]
    result = train(tmp_path, *options, *special, "--min-count", "3", "--workers", "1", size=400)
    assert result.returncode == 0, result.stderr
    vocab, merges = train_bpe(
        HANDOUT, 400, ["<a>", "newest"], "whitespace", "first-seen", "naive", min_count=3
    )
    loaded = Tokenizer.load(tmp_path)
    assert (loaded.vocab, loaded.merges) == (vocab, merges)
    assert loaded.pattern.name == "whitespace"
    assert b"frequent enough" in result.stderr


@pytest.mark.parametrize("present", [*FILES, "steps.jsonl"])
def test_train_overwrites_only_with_force(tmp_path: Path, present: str) -> None:
    (tmp_path / present).write_text("precious")
    options = ["--steps", str(tmp_path / "steps.jsonl")]
    assert f"{tmp_path / present}: is there already; give --force" in refusal(
        train(tmp_path, *options)
    )
    assert "is there already" in refusal(train(tmp_path, *options, corpus="-"))  # before it is read
    assert os.listdir(tmp_path) == [present]
    assert (tmp_path / present).read_text() == "precious"

    assert train(tmp_path, *options, "--force").returncode == 0
    assert sorted(os.listdir(tmp_path)) == sorted([*FILES, "steps.jsonl"])
    assert (tmp_path / present).read_text() != "precious"


def test_train_refuses_places_that_hold_no_files(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "vocab.json").mkdir()
    assert "file: is not a directory" in refusal(train(tmp_path / "file"))
    assert "file: is not a directory" in refusal(train(tmp_path / "file" / "deeper"))
    assert "no ordinary file" in refusal(train(tmp_path, "--force"))
    assert "no ordinary file" in refusal(train(tmp_path / "out", "--steps", tmp_path, "--force"))
    assert not (tmp_path / "out").exists()


def test_train_does_not_write_one_file_over_another(tmp_path: Path) -> None:
    out = tmp_path / "out"
    corpus = tmp_path / "corpus.txt"
    shutil.copy(HANDOUT, corpus)
    same = refusal(train(out, "--steps", tmp_path / "out" / ".." / "out" / "vocab.json"))
    assert "the same file" in same
    over = refusal(train(out, "--steps", corpus, "--force", corpus=str(corpus)))
    assert "is the corpus" in over
    assert corpus.read_bytes() == Path(HANDOUT).read_bytes()


@pytest.mark.skipif(
    getattr(os, "geteuid", lambda: 1)() == 0, reason="the superuser may write anywhere"
)
def test_train_refuses_a_place_without_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert "no permission" in refusal(train(tmp_path / "out"))


@pytest.mark.parametrize("workers", first_quick(["1", "2"]))
def test_an_interrupt_leaves_no_files_and_no_noise(tmp_path: Path, workers: str) -> None:
    steps = tmp_path / "steps.jsonl"
    slow = ["--trainer", "naive", "--tie-rule", "first-seen", "--workers", workers]
    outputs = ["--out", str(tmp_path / "out"), "--steps", str(steps)]
    program = subprocess.Popen(
        [*PROGRAM, "train", STORIES, "--vocab-size", "9000", *outputs, *slow],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    deadline = time.monotonic() + PATIENCE
    while not any(path.stat().st_size for path in tmp_path.iterdir()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    program.send_signal(signal.SIGINT)
    output, errors = program.communicate(timeout=PATIENCE)
    assert (program.returncode, output, errors) == (INTERRUPTED, b"", b"")
    assert os.listdir(tmp_path) == []


@pytest.mark.unix
def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    """Who opens a named pipe a second time waits for ever."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    content = Path(HANDOUT).read_bytes()
    writer = Thread(target=lambda: pipe.write_bytes(content), daemon=True)
    writer.start()
    of_file, of_pipe = train(tmp_path / "a"), train(tmp_path / "b", corpus=str(pipe))
    writer.join()
    assert of_pipe.returncode == 0
    assert of_pipe.stderr.splitlines()[:-1] == of_file.stderr.splitlines()[:-1]
    assert (tmp_path / "a" / FILES[1]).read_bytes() == (tmp_path / "b" / FILES[1]).read_bytes()


@pytest.mark.unix
def test_train_refuses_pipes_for_phases_and_devices(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    phases = ["--phases", "whitespace:260,none:270"]
    error = refusal(run("train", pipe, *phases, "--out", tmp_path / "a"))
    assert f"{pipe} is read only once; save it to a file" in error
    assert "/dev/zero: is a device" in refusal(train(tmp_path / "a", corpus="/dev/zero"))


def test_of_one_huge_pretoken_the_files_have_what_can_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "MOST_IN_FILES", 100)
    monkeypatch.setattr(progress, "LONG_PRETOKEN", 1000)
    corpus = tmp_path / "ab.txt"
    corpus.write_bytes(b"ab" * 1000)
    monkeypatch.setattr(training, "memory_of_machine", lambda: 64_000)
    result = train(tmp_path / "a", corpus=str(corpus))
    assert result.returncode == 0
    assert b"note: the pattern leaves 2 KB uncut: training takes at least 64 KB" in result.stderr
    assert b"only the first 5 merges are written" in result.stderr
    assert len(Tokenizer.load(tmp_path / "a").merges) == 5  # 2 + 4 + 8 + 16 + 32 bytes
    monkeypatch.setattr(training, "memory_of_machine", lambda: 63_999)
    refused = train(tmp_path / "b", corpus=str(corpus))
    assert refused.returncode == BAD_INPUT
    assert b"at least 64 KB of memory, more than this machine has" in refused.stderr


def test_a_tokenizer_json_keeps_what_cut_the_words(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("don't won't don't\n", encoding="utf-8")
    out = tmp_path / "tokenizer.json"
    train = ("train", tmp_path / "corpus.txt", "--model", "wordpiece", "--vocab-size", "60")
    result = run(*train, "--format", "huggingface", "--out", out)
    assert (result.returncode, result.stdout) == (0, bytes(out) + b"\n")
    opened = open_tokenizer(out)
    assert opened.format == "huggingface"
    tokens = [opened.tokenizer.vocab[n] for n in opened.tokenizer.encode("don't<|endoftext|>")]
    assert tokens == [b"don", b"'t", b"<|endoftext|>"]  # GPT-2's pattern, not BERT's


def test_pieces_that_are_no_utf_8_are_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "corpus").write_bytes(b"low \xff\xff low\n")
    arguments = ("--vocab-size", "60", "--out", tmp_path / "out", "--format", "huggingface")
    result = run("train", tmp_path / "corpus", "--model", "wordpiece", *arguments)
    note, error = result.stderr.decode().splitlines()
    assert result.returncode == BAD_INPUT
    assert note.endswith("is not UTF-8, so it may be no text; its bytes are read as they are")
    near = r"""'\n      "##\udcff": 4,\n    '; train without such text"""
    assert error.endswith(f"out: something that is no UTF-8 cannot be written: {near}")
    assert not (tmp_path / "out").exists()


CODE = ROOT / "samples" / "code.txt"
END = "<|endoftext|>"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a `tokenizer.json` with 13 merges and a special token after the bytes."""
    path = tmp_path_factory.mktemp("own") / "own.json"
    vocab, merges = train_bpe(HANDOUT, 400, [END])
    Tokenizer(vocab, merges, [END]).save(path, "huggingface")
    return path


def test_train_writes_the_longer_tokenizer_in_the_format_it_came_in(
    own: Path, tmp_path: Path
) -> None:
    out, steps = tmp_path / "longer.json", tmp_path / "steps.jsonl"
    asked = ("--tokenizer", own, "--continue", "50", "--out", out, "--steps", steps)
    result = run("train", CODE, *asked)
    assert result.returncode == 0
    assert result.stdout.decode().splitlines() == [str(out), str(steps)]
    before, after = Tokenizer.load(own), Tokenizer.load(out)
    added = len(before.vocab)
    assert f"{added + 50} tokens: {added} of own.json, 50 new" in result.stderr.decode()
    assert after.vocab.items() >= before.vocab.items()
    assert min(after.vocab.keys() - before.vocab.keys()) == added
    text = CODE.read_text(encoding="utf-8")
    assert len(after.encode(text)) < len(before.encode(text))
    assert tokenizers.Tokenizer.from_file(str(out)).encode(text).ids == after.encode(text)
    lines = [json.loads(line) for line in steps.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == len(after.merges)
    assert lines[-1]["new_id"] == added + 49

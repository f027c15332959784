"""The command line, in a process of its own where that matters."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import types
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from generated import first_quick
from inside.bpe_tui.session import RunConfig
from inside.engine.core import unspell
from program import (
    BAD_INPUT,
    BROKEN_PIPE,
    ENVIRONMENT,
    HANDOUT,
    INTERRUPTED,
    PROGRAM,
    STORIES,
    press_on_terminal,
    refusal,
    run,
    run_on_terminal,
    run_process,
    train,
)

import engine
from bpe_tui import cli
from engine import Tokenizer, train_bpe

FILES = ["vocab.json", "merges.txt", "bpe-tui.json"]
NO_ID = "is no token id; ids are whole numbers from 0"


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a tokenizer trained on the stories."""
    out = tmp_path_factory.mktemp("stories")
    train_files(out, STORIES, 600, ["<|endoftext|>"])
    return out


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lecture's tokenizer: `th`, `the`, `the␠`, no pattern, no special tokens."""
    place = tmp_path_factory.mktemp("toy")
    (place / "corpus.txt").write_text("the cat in the hat")
    train_files(place, str(place / "corpus.txt"), 259, [], pattern="none", tie_rule="first-seen")
    return place


def train_files(
    out: Path,
    corpus: str,
    size: int,
    special: list[str],
    pattern: str = "gpt2",
    tie_rule: str = "lexicographic",
) -> None:
    vocab, merges = train_bpe(corpus, size, special, pattern, tie_rule)
    Tokenizer(vocab, merges, special, pattern).save(out)


# -- encode into a file


def test_a_corpus_is_encoded_into_a_file_with_what_students_report(
    tokenizer: Path, tmp_path: Path
) -> None:
    out = tmp_path / "ids.npy"
    command = ["encode", "--tokenizer", tokenizer, STORIES, "--out", out]
    refused = run(*command)
    assert (refused.returncode, out.exists()) == (BAD_INPUT, False)
    assert b"--allow-special all" in refused.stderr
    result = run(*command, "--allow-special", "all")
    ids = np.load(out, mmap_mode="r")
    assert ids.tolist() == Tokenizer.load(tokenizer).encode(Path(STORIES).read_text("utf-8"))
    assert result.stdout == f"{out}\n".encode()
    per_token = Path(STORIES).stat().st_size / len(ids)
    assert f"{len(ids):,} ids (uint16)" in result.stderr.decode()
    assert f"{per_token:.3f} bytes per token" in result.stderr.decode()
    again = run(*command, "--allow-special", "all")
    assert (again.returncode, b"give --force" in again.stderr) == (BAD_INPUT, True)


# -- train


def test_train_writes_what_the_engine_learns(tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = run("train", STORIES, "--vocab-size", "600", "--out", out)
    assert result.returncode == 0, result.stderr
    vocab, merges = train_bpe(STORIES, 600, ["<|endoftext|>"])
    loaded = Tokenizer.load(tmp_path / "out")
    assert loaded.vocab == vocab
    assert loaded.merges == merges
    assert loaded.special_tokens == ("<|endoftext|>",)


def test_train_prints_the_paths_on_stdout_and_the_rest_on_stderr(tmp_path: Path) -> None:
    out, steps = tmp_path / "out", tmp_path / "steps.jsonl"
    result = train(out, "--steps", steps)
    assert result.stdout.decode().splitlines() == [*(str(out / name) for name in FILES), str(steps)]
    assert result.stderr.decode() == (
        "270 tokens: 256 bytes, 1 special, 13 merges; the vocabulary has the size asked for\n"
    )


def test_train_says_that_no_pair_is_left(tmp_path: Path) -> None:
    result = train(tmp_path, size=1000)
    assert b"no pair is left" in result.stderr


def test_train_names_the_trainer_that_replaces_one_unable_to_follow_the_tie_rule(
    tmp_path: Path,
) -> None:
    result = train(tmp_path, "--tie-rule", "first-seen", "--trainer", "fast")
    assert b"; first-seen ties: trained by heap" in result.stderr


def test_the_steps_are_those_of_the_engine(tmp_path: Path) -> None:
    steps = tmp_path / "new" / "steps.jsonl"
    train(tmp_path / "out", "--steps", steps, corpus=STORIES, size=400)
    expected: list[object] = []
    train_bpe(STORIES, 400, ["<|endoftext|>"], on_step=lambda step: expected.append(step.as_dict()))
    written = [json.loads(line) for line in steps.read_text(encoding="utf-8").splitlines()]
    assert written == json.loads(json.dumps(expected))
    assert os.listdir(steps.parent) == ["steps.jsonl"]


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


@pytest.mark.parametrize("format", ["gpt2", "huggingface", "course-json", "tiktoken"])
def test_train_gives_special_tokens_the_first_ids(tmp_path: Path, format: str) -> None:
    options = ["--specials-first", "--special", "<a>", "--special", "<b>", "--format", format]
    result = train(tmp_path / "out", *options, corpus=STORIES, size=300)
    assert result.returncode == 0, result.stderr
    tokenizer = Tokenizer.load(tmp_path / "out", special_tokens=["<a>", "<b>"])
    vocab, _ = train_bpe(STORIES, 300, ["<a>", "<b>"], specials_first=True)
    assert tokenizer.vocab == vocab
    assert tokenizer.encode("<b>a<a>") == [1, 99, 0]


def test_special_tokens_first_is_refused_where_ids_would_disagree(tmp_path: Path) -> None:
    for options in (["--units", "characters"], ["--steps", tmp_path / "s"]):
        result = train(tmp_path / "out", "--specials-first", *options)
        assert (result.returncode, result.stdout) == (BAD_INPUT, b"")
        assert b"--specials-first" in result.stderr


def test_train_without_special_tokens(tmp_path: Path) -> None:
    assert train(tmp_path, "--no-special", size=257).returncode == 0
    assert Tokenizer.load(tmp_path).vocab[256] == b"st"


def test_train_reads_standard_input(tmp_path: Path) -> None:
    text = Path(HANDOUT).read_bytes()
    result = run("train", "-", "--vocab-size", "270", "--out", tmp_path / "piped", stdin=text)
    assert result.returncode == 0, result.stderr
    train(tmp_path / "read")
    for name in FILES:
        assert (tmp_path / "piped" / name).read_bytes() == (tmp_path / "read" / name).read_bytes()


@pytest.mark.parametrize("present", [*FILES, "steps.jsonl"])
def test_train_overwrites_only_with_force(tmp_path: Path, present: str) -> None:
    (tmp_path / present).write_text("precious")
    options = ["--steps", str(tmp_path / "steps.jsonl")]
    assert f"{tmp_path / present}: is there already; give --force" in refusal(
        train(tmp_path, *options)
    )
    assert os.listdir(tmp_path) == [present]
    assert (tmp_path / present).read_text() == "precious"

    assert train(tmp_path, *options, "--force").returncode == 0
    assert sorted(os.listdir(tmp_path)) == sorted([*FILES, "steps.jsonl"])
    assert (tmp_path / present).read_text() != "precious"


def test_outputs_are_checked_before_the_corpus_is_read(tmp_path: Path) -> None:
    (tmp_path / "merges.txt").touch()
    endless = subprocess.Popen(
        [*PROGRAM, "train", "-", "--vocab-size", "300", "--out", tmp_path],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    with endless:
        assert endless.wait(timeout=20) == BAD_INPUT
        assert endless.stderr is not None
        assert b"is there already" in endless.stderr.read()


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


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
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
    deadline = time.monotonic() + 20
    while not any(path.stat().st_size for path in tmp_path.iterdir()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    program.send_signal(signal.SIGINT)
    output, errors = program.communicate(timeout=20)
    assert (program.returncode, output, errors) == (INTERRUPTED, b"", b"")
    assert os.listdir(tmp_path) == []


INTERRUPTED_DURING_AN_IMPORT = """
import signal, sys, time
import bpe_tui.cli
from bpe_tui.__main__ import main

def run():
    import touchy
    time.sleep(20)

bpe_tui.cli.main = run
sys.exit(main())
"""


def test_an_interrupt_during_an_import_is_not_taken_for_damage(tmp_path: Path) -> None:
    touchy = "try: signal.raise_signal(2)\nexcept BaseException: raise ImportError('damaged')"
    (tmp_path / "touchy.py").write_text(f"import signal\n{touchy}\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}){INTERRUPTED_DURING_AN_IMPORT}"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env=ENVIRONMENT, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (INTERRUPTED, b"")


# -- encode and decode


def test_the_lectures_example(toy: Path) -> None:
    result = run("encode", "--tokenizer", toy, "the quick brown fox")
    assert result.stdout == b"258 113 117 105 99 107 32 98 114 111 119 110 32 102 111 120\n"
    assert result.stderr == b""


def test_encode_explains_cuts_and_merges(toy: Path, tokenizer: Path) -> None:
    result = run("encode", "--tokenizer", toy, "the hat", "--explain")
    assert result.stdout.decode() == (
        "the·hat  (whole document)\n"
        "  t h → th (merge 1)\n"
        "  th e → the (merge 2)\n"
        "  the · → the· (merge 3)\n"
        "  (4 ways, at the fewest 4 tokens)\n"
        "  the· h a t = 258 104 97 116\n"
    )
    result = run(
        *("encode", "--tokenizer", tokenizer, "--explain", "--allow-special", "all"),
        stdin=b"\x1b[2J\xff<|endoftext|> 7",
    )
    assert result.stdout.decode() == (
        "␛[  (symbols)\n"
        "  ␛ [ = 27 91\n"
        "2  (numbers)\n"
        "  2 = 50\n"
        "J  (letters)\n"
        "  J = 74\n"
        "<FF>  (symbols)\n"
        "  <FF> = 255\n"
        "<|endoftext|>  (special token)\n"
        "  <|endoftext|> = 256\n"
        "·7  (numbers)\n"
        "  · 7 = 32 55\n"
    )


def test_encode_leaves_merges_out_at_random_and_the_same_each_time(tokenizer: Path) -> None:
    text = "once upon a time there was a little girl"
    encode = ("encode", "--tokenizer", tokenizer, text)
    plain, whole, half, other = (
        run(*encode, *options).stdout
        for options in (
            [],
            ["--dropout", "0"],
            ["--dropout", "0.5"],
            ["--dropout", "0.5", "--seed", "1"],
        )
    )
    again = run_process(*encode, "--dropout", "0.5").stdout
    assert plain == whole
    assert half == again
    assert len({plain, half, other}) == 3
    back = run("decode", "--tokenizer", tokenizer, stdin=half)
    assert back.stdout.decode() == text


def test_dropout_and_json_exclude_each_other(tokenizer: Path) -> None:
    result = run("encode", "--tokenizer", tokenizer, "--dropout", "0.1", "--json", "a")
    assert "leave --json and --explain away" in refusal(result)


def test_no_token_is_longer_than_the_bound(tmp_path: Path) -> None:
    train(tmp_path, "--max-token-length", "3", "--workers", "1", size=400)
    learnt = Tokenizer.load(tmp_path).merges
    assert max(len(left + right) for left, right in learnt) == 3


def test_encode_gives_json(tokenizer: Path) -> None:
    text = "once upon a time<|endoftext|> café 漢字\n"
    result = run("encode", "--tokenizer", tokenizer, "--json", text, "--allow-special", "all")
    facts = json.loads(result.stdout)
    assert facts["ids"] == Tokenizer.load(tokenizer).encode(text)
    assert "<|endoftext|>" in facts["tokens"]
    pieces = [text.encode()[start:end] for start, end in facts["offsets"]]
    assert pieces == [unspell(token) for token in facts["tokens"]]
    assert b"".join(pieces) == text.encode()


@pytest.mark.parametrize("dash", [[], ["-"]])
def test_standard_input_comes_back_from_its_ids(tokenizer: Path, dash: Sequence[str]) -> None:
    text = Path(STORIES).read_bytes()
    allowing = ("--allow-special", "all")
    ids = run("encode", "--tokenizer", tokenizer, *allowing, *dash, stdin=text)
    assert ids.stdout.count(b"\n") == 1
    expected = Tokenizer.load(tokenizer).encode(text.decode())
    assert list(map(int, ids.stdout.split())) == expected
    back = run("decode", "--tokenizer", tokenizer, *dash, stdin=ids.stdout)
    assert back.stdout == text


def test_invalid_utf8_is_encoded_byte_by_byte(tokenizer: Path) -> None:
    data = b"caf\xc3\xa9 \xff\xe6\xbc\xa2 tim\xc3" * 12_000  # more than one block of input
    result = run("encode", "--tokenizer", tokenizer, stdin=data)
    ids = list(map(int, result.stdout.split()))
    assert Tokenizer.load(tokenizer).decode_bytes(ids) == data
    back = run("decode", "--tokenizer", tokenizer, stdin=result.stdout)
    assert back.stdout == data.decode("utf-8", "replace").encode()


def test_an_argument_that_is_no_utf8_is_encoded_byte_by_byte(tokenizer: Path) -> None:
    assert run_process("encode", "--tokenizer", tokenizer, b"\xff\xc3").stdout == b"255 195\n"


def test_the_ids_of_an_empty_text_are_an_empty_line(tokenizer: Path) -> None:
    assert run("encode", "--tokenizer", tokenizer).stdout == b"\n"
    assert run("decode", "--tokenizer", tokenizer, stdin=b"\n").stdout == b""


@pytest.mark.parametrize(
    "ids",
    [
        ["104", "105"],
        ["104,105"],
        ["[104, 105]"],
        ["[104,", "105]"],
        ["[104", ",105]"],
        ["104\n105\n"],
        ["[[104],[105]]"],
    ],
)
def test_decode_reads_ids_in_several_spellings(toy: Path, ids: list[str]) -> None:
    assert run("decode", "--tokenizer", toy, *ids).stdout == b"hi"


def test_decode_reads_a_json_list_from_standard_input(toy: Path) -> None:
    assert run("decode", "--tokenizer", toy, "-", stdin=b"[258,\n 104]\n").stdout == b"the h"


@pytest.mark.parametrize(
    "word", ["x", "1.5", "9" * 5000, "²", "0x10", "1_0", "null", "\udcff", "--typo"]
)
def test_decode_names_an_invalid_id(
    toy: Path, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["decode", "--tokenizer", str(toy), "104", word]) == BAD_INPUT
    assert capsys.readouterr() == ("", f"bpe-tui: {word[:40]!r} {NO_ID}\n")


def test_a_negative_id_is_no_option(toy: Path) -> None:
    assert refusal(run("decode", "--tokenizer", toy, "-5")) == f"bpe-tui: '-5' {NO_ID}\n"


def test_decode_names_an_id_that_the_vocabulary_lacks(toy: Path) -> None:
    result = run("decode", "--tokenizer", toy, "104", "259", "[104, 300]")
    assert (result.returncode, result.stdout.decode()) == (BAD_INPUT, "h\ufffdh\ufffd")
    assert "id 259;" in result.stderr.decode()
    assert "(1 more like it)" in result.stderr.decode()


def test_a_closed_pipe_ends_the_program_quietly(tokenizer: Path) -> None:
    with subprocess.Popen(
        [*PROGRAM, "encode", "--tokenizer", tokenizer, "--explain", "--allow-special", "none"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdout.close()
        program.stdin.write(Path(STORIES).read_bytes()[:20_000])
        program.stdin.close()
        assert program.wait(timeout=20) == BROKEN_PIPE
        assert program.stderr.read() == b""


@pytest.mark.slow  # it starts a process
@pytest.mark.parametrize("closed", ["<&-", "2>&-"])
def test_closed_streams_are_empty_ones(tokenizer: Path, closed: str) -> None:
    command = f'"$@" {closed}'
    arguments = [*PROGRAM, "encode", "--tokenizer", str(tokenizer)]
    result = subprocess.run(
        ["sh", "-c", command, "sh", *arguments], input=b"", capture_output=True, env=ENVIRONMENT
    )
    assert result.returncode == 0
    assert result.stderr == b""


def test_a_full_disk_is_reported_in_one_line(tokenizer: Path) -> None:
    with open("/dev/full", "wb") as full:
        result = subprocess.run(
            [*PROGRAM, "encode", "--tokenizer", tokenizer, "a"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
        )
    assert result.returncode == BAD_INPUT
    assert result.stderr == b"bpe-tui: No space left on device\n"


def test_a_terminal_gets_visible_characters_and_a_pipe_the_bytes(tokenizer: Path) -> None:
    clear = [str(byte) for byte in b"a b\n\x1b[2J\n"]
    assert run_on_terminal("decode", "--tokenizer", tokenizer, *clear) == "a b\r\n␛[2J\r\n"
    assert run("decode", "--tokenizer", tokenizer, *clear).stdout == b"a b\n\x1b[2J\n"


@pytest.mark.slow  # another process on a terminal
def test_a_terminal_gets_a_hostile_file_name_with_visible_characters(tmp_path: Path) -> None:
    hostile = str(tmp_path / "\x1b[31m")
    options = ["train", HANDOUT, "--vocab-size", "258", "--out", hostile]
    assert "\x1b" not in run_on_terminal(*options)
    assert os.fsencode(f"{hostile}/vocab.json") in run(*options, "--force").stdout


# -- damaged tokenizers


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("keep", [0.0, 0.5])
def test_a_half_written_tokenizer_is_refused(
    tokenizer: Path, tmp_path: Path, name: str, keep: float
) -> None:
    shutil.copytree(tokenizer, tmp_path / "cut")
    content = (tmp_path / "cut" / name).read_bytes()
    (tmp_path / "cut" / name).write_bytes(content[: int(len(content) * keep)])
    assert str(tmp_path / "cut") in refusal(run("encode", "--tokenizer", tmp_path / "cut", "a"))


def test_a_missing_vocabulary_is_named(tokenizer: Path, tmp_path: Path) -> None:
    shutil.copytree(tokenizer, tmp_path / "part")
    (tmp_path / "part" / "vocab.json").unlink()
    assert "vocab.json" in refusal(run("decode", "--tokenizer", tmp_path / "part", "1"))


def test_without_merges_ids_are_decoded_and_a_text_is_refused(
    tokenizer: Path, tmp_path: Path
) -> None:
    shutil.copytree(tokenizer, tmp_path / "part")
    (tmp_path / "part" / "merges.txt").unlink()
    assert run("decode", "--tokenizer", tmp_path / "part", "97").stdout == b"a"
    refused = run("encode", "--tokenizer", tmp_path / "part", "a")
    assert refused.returncode == BAD_INPUT
    assert b"its merges are missing" in refused.stderr


@pytest.mark.parametrize("name", ["absent", "empty", "x" * 300])
def test_a_place_without_a_tokenizer_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    assert name in refusal(run("encode", "--tokenizer", tmp_path / name, "a"))


# -- bad input


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([HANDOUT, "--vocab-size", "256"], "too small"),
        ([HANDOUT, "--vocab-size", "-1"], "too small"),
        ([HANDOUT, "--vocab-size", "many"], "'--vocab-size'"),
        ([HANDOUT, "--vocab-size"], "'--vocab-size' requires an argument"),
        ([HANDOUT, "--special", ""], "empty"),
        ([HANDOUT, "--special", "<a>", "--special", "<a>"], "'<a>' is given twice"),
        ([HANDOUT, "--special", "<a>", "--no-special"], "contradict"),
        ([HANDOUT, "--special", b"\xff"], "no valid UTF-8"),
        ([HANDOUT, "--pattern", "gtp2"], "did you mean 'gpt2'?"),
        ([HANDOUT, "--tie-rule", "coin"], "unknown tie rule 'coin'"),
        ([HANDOUT, "--trainer", "personal"], "unknown trainer 'personal'"),
        ([HANDOUT, "--min-count", "0"], "'--min-count'"),
        ([HANDOUT, "--frobnicate"], "--frobnicate"),
        ([HANDOUT, "second.txt"], "second.txt: no such file"),
        (["missing.txt"], "missing.txt: no such file"),
        (["open"], "give a CORPUS"),
        (["open", "train"], "train: no such file"),
        (["--", "--dashed"], "--dashed: no such file"),
        (["empty.txt"], "empty.txt: is empty"),
        (["none/*.txt"], "none/*.txt: no file has a name like that"),
        ([""], "an empty name"),
        (["x" * 300], "too long"),
        ([HANDOUT], "needs a terminal"),
        (["train"], "'CORPUS...'"),
        (["train", HANDOUT, "--out", "out"], "'--vocab-size'"),
        (["train", HANDOUT, "--vocab-size", "300"], "'--out'"),
        (["train", HANDOUT, "--vocab-size", "300", "--out", "out", "--workers", "0"], "--workers"),
        (["train", "missing.txt", "--vocab-size", "300", "--out", "out"], "no such file"),
        (["train", "-", "--vocab-size", "300", "--out", "out"], "standard input: is empty"),
        (["encode", "text"], "'--tokenizer'"),
        (["encode", "--tokenizer", ".", "--json", "--explain"], "contradict"),
        (["decode", "1"], "'--tokenizer'"),
    ],
)
def test_bad_input_is_reported_in_one_line(
    tmp_path: Path, arguments: list[str | bytes], told: str
) -> None:
    (tmp_path / "empty.txt").touch()
    assert told in refusal(run(*arguments, cwd=tmp_path))
    assert os.listdir(tmp_path) == ["empty.txt"]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read anything")
def test_a_corpus_without_permission_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("a")
    (tmp_path / "secret").chmod(0)
    assert "no permission" in refusal(run(tmp_path / "secret"))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"[@click=app.bell]x[/]", "[@click=app.bell]x[/]"),
        (b"[red]x[/red]", "[red]x[/red]"),
        (b"\x1b]52;c;AAAA\x07", "␛]52;c;AAAA␇"),
        (b"two\nlines", "two⏎lines"),
        (b"\xff\xe2\x80\xae", "<FF>‹202E›"),
    ],
)
def test_hostile_names_are_shown_and_not_obeyed(
    name: bytes, shown: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert f"bpe-tui: {shown}: " in refusal(run(name))
    text = os.fsdecode(name)
    train = ["train", HANDOUT, "--out", str(tmp_path), "--vocab-size"]
    for arguments in (
        ["encode", "--tokenizer", text, "a"],
        ["train", text, "--vocab-size", "300", "--out", str(tmp_path)],
        [*train, "300", "--tie-rule", text],
        [*train, "300", text],
        [*train, "300", f"--{text}"],
        [*train, text],
    ):
        assert cli.main(arguments) == BAD_INPUT
        output, error = capsys.readouterr()
        assert output == ""
        assert error.rstrip("\n").isprintable()
        assert error.count("\n") == 1


# -- bpe-tui CORPUS


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[RunConfig]:
    """Return the configs of opened screens, without opening them."""
    configs: list[RunConfig] = []
    screen = types.ModuleType("bpe_tui.app.app")
    monkeypatch.setattr(
        screen, "run_app", lambda config, _, **_named: configs.append(config), raising=False
    )
    monkeypatch.setitem(sys.modules, "bpe_tui.app.app", screen)
    monkeypatch.setattr("bpe_tui.cli.inputs.check_terminal", lambda: None)
    return configs


@pytest.mark.parametrize(
    ("arguments", "config"),
    [
        ([HANDOUT], RunConfig(HANDOUT)),
        (["open", HANDOUT], RunConfig(HANDOUT)),
        (["-"], RunConfig("-")),
        ([HANDOUT, "--vocab-size", "500"], RunConfig(HANDOUT, 500)),
        (["--vocab-size", "500", HANDOUT], RunConfig(HANDOUT, 500)),
        (["--vocab-size=500", HANDOUT], RunConfig(HANDOUT, 500)),
        (["--no-special", HANDOUT], RunConfig(HANDOUT, special_tokens=())),
        (["--special", "<a>", HANDOUT], RunConfig(HANDOUT, special_tokens=("<a>",))),
        (
            ["--pattern", "none", "--tie-rule", "first-seen", HANDOUT, "--min-count", "7"],
            RunConfig(HANDOUT, pattern="none", tie_rule="first-seen", min_count=7),
        ),
        (["--trainer", "naive", HANDOUT], RunConfig(HANDOUT, trainer="naive")),
        (["--model", "unigram", HANDOUT], RunConfig(HANDOUT, model="unigram")),
    ],
)
def test_a_corpus_opens_the_screen(
    opened: list[RunConfig], arguments: list[str], config: RunConfig
) -> None:
    assert cli.main(arguments) == 0
    assert opened == [config]


@pytest.mark.parametrize("arguments", [["open", "train"], ["./train"], ["--", "train"]])
def test_a_file_named_like_a_command_can_be_opened(
    opened: list[RunConfig],
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(HANDOUT, "train")
    assert cli.main(arguments) == 0
    assert [Path(config.corpus).name for config in opened] == ["train"]


def test_bad_input_opens_no_screen(opened: list[RunConfig]) -> None:
    assert cli.main(["--pattern", "none", "missing.txt"]) == BAD_INPUT
    assert cli.main(["--pattern", "nil", HANDOUT]) == BAD_INPUT
    assert opened == []


def test_the_exit_code_of_the_screen_is_passed_on(
    opened: list[RunConfig], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["bpe_tui.app.app"], "run_app", lambda *_, **_named: 3)
    assert cli.main([HANDOUT]) == 3


@pytest.mark.slow  # a process that runs five commands
def test_textual_is_imported_for_the_screen_only(tokenizer: Path, tmp_path: Path) -> None:
    runs = [
        ["--version"],
        ["train", HANDOUT, "--vocab-size", "260", "--out", str(tmp_path)],
        ["encode", "--tokenizer", str(tokenizer), "a", "--explain"],
        ["decode", "--tokenizer", str(tokenizer), "97"],
        ["inspect", str(tokenizer)],
    ]
    code = (
        "import sys; from bpe_tui.cli import main; "
        f"codes = [main(arguments) for arguments in {runs!r}]; "
        "sys.exit(any(codes) or 'textual' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True)
    assert result.returncode == 0, result.stderr


# -- help


@pytest.mark.slow  # it starts a process on a terminal
@pytest.mark.parametrize(("command", "paged"), [("train", True), ("decode", False)])
def test_a_help_page_longer_than_the_terminal_goes_through_the_pager(
    command: str, paged: bool, tmp_path: Path
) -> None:
    with patch.dict(ENVIRONMENT, PAGER="sed s/^/paged:/"):
        [(_, page)] = press_on_terminal([], command, "--help", state=tmp_path)
    assert b"--tokenizer" in page or b"--vocab-size" in page
    assert page.startswith(b"paged:Usage" if paged else b"Usage")


def test_without_arguments_the_help_is_shown_on_stderr() -> None:
    result = run()
    assert result.returncode == BAD_INPUT
    assert result.stdout == b""
    assert result.stderr.startswith(b"Usage: bpe-tui ")


@pytest.mark.parametrize(
    ("command", "headings"),
    [
        ([], ["Options:", "Commands:"]),
        (["open"], ["Arguments:", "Training:"]),
        (["train"], ["Arguments:", "Training:", "Output:"]),
        (["encode"], ["Arguments:", "Tokenizer:", "Output:"]),
        (["decode"], ["Arguments:", "Tokenizer:"]),
    ],
)
def test_each_help_has_groups_and_examples(
    command: list[str], headings: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*command, "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(" ".join(["Usage: bpe-tui", *command]))
    assert set(headings) <= set(lines)
    assert "  Examples:" in lines
    assert not any("\\[" in line for line in lines)


def test_the_version_is_printed() -> None:
    result = run_process("--version")
    assert result.returncode == 0
    told = rf"bpe-tui {re.escape(engine.__version__)}, (with|without) the compiled kernel(: .+)?\n"
    assert re.fullmatch(told, result.stdout.decode())


def test_a_misspelt_command_gets_a_suggestion(tmp_path: Path) -> None:
    for arguments in (["enc"], ["enc", "--tokenizer", "x", "hi"]):
        assert b"did you mean encode?" in run(*arguments).stderr
    (tmp_path / "enc").write_text("low lower")
    assert run("enc", "--plain", cwd=tmp_path).returncode == 0  # a file goes before a guess


def test_files_do_not_go_to_standard_output() -> None:
    result = run("train", HANDOUT, "--vocab-size", "300", "--out", "-")
    assert result.returncode == BAD_INPUT
    assert b"--out" in result.stderr


def test_decode_gives_every_byte_if_asked(tmp_path: Path) -> None:
    run("train", HANDOUT, "--vocab-size", "260", "--out", tmp_path)
    half = "228 184"  # of a character
    assert run("decode", "--tokenizer", tmp_path, half).stdout == "\ufffd".encode()
    assert run("decode", "--bytes", "--tokenizer", tmp_path, half).stdout == b"\xe4\xb8"


def test_a_regex_is_a_pattern(tmp_path: Path) -> None:
    result = run("train", HANDOUT, "--vocab-size", "260", "--pattern", r"\w+|\W", "--out", tmp_path)
    assert result.returncode == 0, result.stderr
    assert Tokenizer.load(tmp_path).pattern.source == r"\w+|\W"
    assert b"missing )" in run(HANDOUT, "--plain", "--pattern", "(a|").stderr


@pytest.mark.slow  # a process of its own
def test_a_shell_completes_command_lines() -> None:
    asked = {"_BPE_TUI_COMPLETE": "complete_bash", "COMP_WORDS": "bpe-tui enc", "COMP_CWORD": "1"}
    done = subprocess.run(PROGRAM, env=ENVIRONMENT | asked, capture_output=True, check=False)
    assert done.stdout.split() == [b"encode"]


def test_a_special_token_that_is_no_utf_8_is_one_sentence(tmp_path: Path) -> None:
    options = ["--vocab-size", "300", "--special", b"<\xff>"]
    for arguments in (["train", HANDOUT, *options, "--out", tmp_path / "out"], [HANDOUT, *options]):
        result = run(*arguments)
        assert result.returncode == BAD_INPUT
        assert result.stdout == b""
        assert result.stderr.count(b"\n") == 1
        assert b"has a lone surrogate" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    first_quick(
        [
            (["encode", "--tokenizer", "{tokenizer}", "hi"], BAD_INPUT),
            (["--version"], BAD_INPUT),
            (["--help"], BAD_INPUT),
            (["decode", "--tokenizer", "{tokenizer}", "97"], BAD_INPUT),
            (["train", HANDOUT, "--vocab-size", "260", "--out", "{out}"], BAD_INPUT),
            (["grade"], BAD_INPUT),
            (["record", HANDOUT, "--steps", "0", "--out", "{out}/low.cast"], 0),
        ]
    ),
)
def test_a_closed_standard_output_is_an_error_if_something_was_to_be_written(
    arguments: list[str], code: int, tokenizer: Path, tmp_path: Path
) -> None:
    given = [each.format(tokenizer=tokenizer, out=tmp_path / "out") for each in arguments]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *PROGRAM, *given],
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        timeout=30,
        check=False,
    )
    assert done.returncode == code, done.stderr
    if code and len(given) > 1:
        [*_, last] = done.stderr.decode().splitlines()
        assert last == "bpe-tui: standard output is closed, and there is something to write"


# -- files that are no text


def test_merges_behind_a_vocabulary_belong_to_the_tokenizer(tokenizer: Path) -> None:
    files = tokenizer / "vocab.json", tokenizer / "merges.txt"
    twice = run("open", "--tokenizer", files[0], "--tokenizer", files[1], HANDOUT, "--plain")
    once = run("open", "--tokenizer", *files, HANDOUT, "--plain")
    assert (once.returncode, once.stdout) == (0, twice.stdout)


def test_a_tokenizer_among_texts_is_not_trained_on(tokenizer: Path, tmp_path: Path) -> None:
    for arguments in (
        ("train", tokenizer / "vocab.json", "--vocab-size", "300", "--out", tmp_path / "out"),
        ("open", HANDOUT, tokenizer / "merges.txt", "--plain"),
        ("open", "--tokenizer", tokenizer, tokenizer / "vocab.json", "--plain"),
    ):
        assert "is no text but a tokenizer" in refusal(run(*arguments))


def test_lines_of_two_words_are_a_text_where_no_vocabulary_is_beside(tmp_path: Path) -> None:
    corpus = tmp_path / "pairs.txt"
    corpus.write_text("hello hallo\ncat Katze\n" * 9)
    out = tmp_path / "out"
    assert run("train", corpus, "--vocab-size", "260", "--out", out).returncode == 0

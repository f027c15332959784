"""`bpe-tui encode` and `decode`, also through pipes, and of damaged tokenizers."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest
import tokenizers
from program import (
    BAD_INPUT,
    BROKEN_PIPE,
    ENVIRONMENT,
    PATIENCE,
    PROGRAM,
    STORIES,
    refusal,
    run,
    run_process,
)
from tokenizers import models, pre_tokenizers

from bpe_tui import cli
from engine import Tokenizer
from engine.core.gpt2_bytes import unspell

NO_ID = "is no token id; ids are whole numbers from 0"


def test_encode_explains_bytes_that_are_no_text_visibly(tokenizer: Path) -> None:
    given, special = b"\x1b[2J\xff<|endoftext|> 7", ("--allow-special", "all")
    explained = run("encode", "--tokenizer", tokenizer, "--explain", *special, stdin=given)
    assert explained.stdout.decode().splitlines() == [
        *("␛[  (symbols)", "  ␛┊[ = 27 91"),
        *("2  (numbers)", "  2 = 50"),
        *("J  (letters)", "  J = 74"),
        *("<FF>  (symbols)", "  <FF> = 255"),
        *("<|endoftext|>  (special token)", "  <|endoftext|> = 256"),
        *("·7  (numbers)", "  ·┊7 = 32 55"),
    ]


@pytest.mark.parametrize(
    ("vocab", "cut", "text", "ids", "lost"),
    [
        ({"u": 0, "g": 1}, "Whitespace", "mug", b"0 1", "m: no token, dropped"),
        ({"t": 0, "æ": 1, "¼": 2}, "ByteLevel", "t漢t", b"0 1 2 0", "漢: no token, dropped"),
        ({"[UNK]": 0, "u": 1}, "Whitespace", "u m", b"1 0", "m: the unknown token"),
    ],
)
def test_characters_that_the_ids_do_not_give_back_are_named(
    vocab: dict[str, int], cut: str, text: str, ids: bytes, lost: str, tmp_path: Path
) -> None:
    theirs = tokenizers.Tokenizer(
        models.BPE(vocab, [], unk_token="[UNK]" if "[UNK]" in vocab else None)
    )
    theirs.pre_tokenizer = (
        pre_tokenizers.ByteLevel(add_prefix_space=False)
        if cut == "ByteLevel"
        else pre_tokenizers.Whitespace()
    )
    theirs.save(str(tmp_path / "tokenizer.json"))
    for explain in ((), ("--explain",)):
        found = run("encode", "--tokenizer", tmp_path, text, *explain)
        assert f"do not give the text back: {lost}" in found.stderr.decode()
    assert run("encode", "--tokenizer", tmp_path, text).stdout.split() == ids.split()
    kept = "u" if "u" in vocab else "t"
    assert b"give the text back" not in run("encode", "--tokenizer", tmp_path, kept).stderr
    if cut == "ByteLevel":
        facts = run("inspect", tmp_path).stdout.decode()
        assert "cannot spell" in facts
        assert "253 of 256 bytes" in facts


def test_ids_of_a_folder_with_an_unknown_class_are_printed_only_as_they_are(
    tokenizer: Path, tmp_path: Path
) -> None:
    for name in ("vocab.json", "merges.txt"):
        shutil.copy(tokenizer / name, tmp_path / name)
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "NougatTokenizer"}')
    refused = run_process("encode", "--tokenizer", tmp_path, "the")
    assert (refused.returncode, refused.stdout) == (1, b"")
    assert b"NougatTokenizer, which is not known here, so ids may differ" in refused.stderr
    ids = run("encode", "--tokenizer", tmp_path, "--as-is", "the").stdout
    assert ids == run("encode", "--tokenizer", tokenizer, "the").stdout


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


def test_invalid_utf8_is_encoded_byte_by_byte_and_nothing_is_an_empty_line(tokenizer: Path) -> None:
    data = b"caf\xc3\xa9 \xff\xe6\xbc\xa2 tim\xc3" * 5_000  # more than one block of input
    result = run("encode", "--tokenizer", tokenizer, stdin=data)
    ids = list(map(int, result.stdout.split()))
    assert Tokenizer.load(tokenizer).decode_bytes(ids) == data
    back = run("decode", "--tokenizer", tokenizer, stdin=result.stdout)
    assert back.stdout == data.decode("utf-8", "replace").encode()
    assert run_process("encode", "--tokenizer", tokenizer, b"\xff\xc3").stdout == b"255 195\n"
    assert run("encode", "--tokenizer", tokenizer).stdout == b"\n"
    assert run("decode", "--tokenizer", tokenizer, stdin=b"\n").stdout == b""


@pytest.mark.parametrize(
    "word", ["x", "1.5", "9" * 5000, "²", "0x10", "1_0", "null", "\udcff", "--typo", "-5"]
)
def test_decode_names_an_invalid_id(
    toy: Path, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["decode", "--tokenizer", str(toy), "104", word]) == BAD_INPUT
    assert capsys.readouterr() == ("", f"bpe-tui: {word[:40]!r} {NO_ID}\n")


@pytest.mark.slow
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
        assert program.wait(timeout=PATIENCE) == BROKEN_PIPE
        assert program.stderr.read() == b""


@pytest.mark.slow
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
    why = "uint16: the highest id, 599, is below 65,536"
    assert f"{len(ids):,} ids ({why})" in result.stderr.decode()
    assert f"{per_token:.3f} bytes per token" in result.stderr.decode()
    again = run(*command, "--allow-special", "all")
    assert (again.returncode, b"give --force" in again.stderr) == (BAD_INPUT, True)


# -- damaged tokenizers


def test_without_merges_ids_are_decoded_and_without_a_vocabulary_nothing_is(
    tokenizer: Path, tmp_path: Path
) -> None:
    shutil.copytree(tokenizer, tmp_path / "part")
    (tmp_path / "part" / "merges.txt").unlink()
    assert run("decode", "--tokenizer", tmp_path / "part", "97").stdout == b"a"
    refused = run("encode", "--tokenizer", tmp_path / "part", "a")
    assert refused.returncode == BAD_INPUT
    assert b"its merges are missing" in refused.stderr
    (tmp_path / "part" / "vocab.json").unlink()
    (tmp_path / "part" / "merges.txt").touch()
    assert "vocab.json" in refusal(run("decode", "--tokenizer", tmp_path / "part", "1"))


def test_an_explanation_of_a_long_pretoken_is_bounded(tokenizer: Path) -> None:
    letters = "".join(Random(1).choices("abcdefghijklmnopqrstuvwxyz", k=1 << 15))
    told = run("encode", "--tokenizer", tokenizer, letters, "--explain").stdout
    assert b"  (32,768 bytes; merges are listed up to 1,024)\n" in told
    assert len(told) < 400_000


def test_documents_drawn_at_random_give_their_compression(tokenizer: Path) -> None:
    command = ["encode", "--tokenizer", tokenizer, STORIES, "--sample", "10"]
    result = run(*command)
    loaded = Tokenizer.load(tokenizer)
    documents = [each for each in Path(STORIES).read_text().split("<|endoftext|>") if each.strip()]
    drawn = Random(0).sample(documents, 10)
    length = sum(len(each.encode()) for each in drawn)
    tokens = sum(len(loaded.encode(each)) for each in drawn)
    assert result.stdout.decode() == (
        f"10 of {len(documents):,} documents (seed 0): {length:,} bytes, {tokens:,} tokens, "
        f"{length / tokens:.3f} bytes per token\n"
    )
    assert run(*command, "--seed", "1").stdout != result.stdout
    assert "contradict" in refusal(run(*command, "--explain"))

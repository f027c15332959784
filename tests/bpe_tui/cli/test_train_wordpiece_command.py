"""`bpe-tui train --model wordpiece`: its files, and its refusals."""

from __future__ import annotations

from pathlib import Path

from program import BAD_INPUT, run

from engine.formats import open_tokenizer


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
    assert note.startswith("bpe-tui: note: ")
    near = r"""'\n      "##\udcff": 4,\n    '; train without such text"""
    assert error.endswith(f"out: something that is no UTF-8 cannot be written: {near}")
    assert not (tmp_path / "out").exists()

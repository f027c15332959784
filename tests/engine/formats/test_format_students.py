"""Files that students save in many ways, which `encode` and `check` read alike."""

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from course_solutions import PLAIN, SAVES, TOK, by_id, decoded, pairs
from tiny_tokenizers import HANDOUT, HANDOUT_MERGES, TEXTS

from engine import BpeError, Tokenizer, TokenizerFileError
from engine.analysis.check.claim import read_claim
from engine.core.gpt2_bytes import spell
from engine.formats import convert, course_files, open_tokenizer


@pytest.mark.parametrize("name", SAVES)
def test_a_saved_solution_is_read_and_notes_say_how(name: str, tmp_path: Path) -> None:
    files, note = SAVES[name]
    for file, content in files.items():
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / file).write_bytes(data)
    paths = [tmp_path / file for file in files]
    for order in (paths, paths[::-1]):
        opened = open_tokenizer(*order)
        assert opened.format.startswith("course-")
        assert any(note in each for each in opened.notes), opened.notes
        assert opened.tokenizer.vocab == PLAIN.vocab
        assert opened.tokenizer.merges == PLAIN.merges
        for text in TEXTS:
            assert opened.tokenizer.encode(text) == PLAIN.encode(text)
        claim, notes = read_claim(*order)
        assert claim.vocab == PLAIN.vocab
        assert [(step.left, step.right) for step in claim.steps] == PLAIN.merges
        assert any(note in each for each in notes)


@pytest.mark.parametrize("name", [n for n, (files, _) in SAVES.items() if "vocab.json" in files])
def test_a_directory_of_a_solution_is_read(name: str, tmp_path: Path) -> None:
    for file, content in SAVES[name][0].items():
        (tmp_path / file).write_text(str(content))
    assert open_tokenizer(tmp_path).tokenizer.merges == PLAIN.merges
    assert open_tokenizer(tmp_path / "vocab.json").tokenizer.merges == PLAIN.merges


@pytest.mark.parametrize("vocab", [by_id(bytes.hex), {"vocab": by_id(list)}])
def test_a_vocabulary_alone_can_be_opened(vocab: Any, tmp_path: Path) -> None:
    (tmp_path / "v.json").write_text(json.dumps(vocab))
    (tmp_path / "v.pkl").write_bytes(pickle.dumps(vocab))
    for name in ("v.json", "v.pkl"):
        opened = open_tokenizer(tmp_path / name)
        assert opened.tokenizer.vocab == PLAIN.vocab
        assert opened.notes == (
            "a vocabulary without its merges: it can be looked at, and ids decode; no text is "
            "encoded",
            f"its tokens are spelled in {'lists of numbers' if 'vocab' in vocab else 'hex'}",
            "the file names no pattern; GPT-2's is taken; --pattern gives another one",
        )
        with pytest.raises(BpeError, match="its merges are missing"):
            opened.tokenizer.encode("low")
    marked = by_id(bytes.hex, TOK) | {"900": "[x]", "901": "</s>"}
    (tmp_path / "v.json").write_text(json.dumps(marked))
    opened = open_tokenizer(tmp_path / "v.json")
    assert opened.notes[-1] == "taken for special, by their brackets: <|endoftext|> [x] </s>"
    assert opened.tokenizer.special_tokens == ("<|endoftext|>", "[x]", "</s>")


@pytest.mark.parametrize("write", [bytes.hex, list, spell, str, decoded])
def test_the_handouts_example_opens_in_any_spelling(
    write: Callable[[bytes], Any], tmp_path: Path
) -> None:
    vocab = {token_id: write(token) for token_id, token in enumerate(HANDOUT)}
    merges = [[write(left), write(right)] for left, right in HANDOUT_MERGES]
    (tmp_path / "t.json").write_text(json.dumps({"vocab": vocab, "merges": merges}))
    (tmp_path / "t.pkl").write_bytes(pickle.dumps((dict(enumerate(HANDOUT)), HANDOUT_MERGES)))
    for name in ("t.json", "t.pkl"):
        opened = open_tokenizer(tmp_path / name)
        assert opened.tokenizer.encode("the cat ate") == [9, 7, 1, 5, 10, 3]
        assert any("what they cannot spell is lost" in note for note in opened.notes)
        claim, _ = read_claim(tmp_path / name)
        assert [(step.left, step.right) for step in claim.steps] == HANDOUT_MERGES


@pytest.mark.parametrize("format", ["course-json", "gpt2", "huggingface"])
def test_a_vocabulary_of_few_bytes_is_saved_and_opened_again(format: str, tmp_path: Path) -> None:
    tok = Tokenizer(dict(enumerate(HANDOUT)), HANDOUT_MERGES)
    convert(tok, format, tmp_path / "tok")
    assert open_tokenizer(tmp_path / "tok").tokenizer.encode("the cat ate") == [9, 7, 1, 5, 10, 3]


def test_few_characters_that_are_not_ascii_may_be_no_bytes(tmp_path: Path) -> None:
    vocab = {"é": 0, "t": 1, "ét": 2}
    (tmp_path / "t.json").write_text(json.dumps({"vocab": vocab, "merges": [["é", "t"]]}))
    with pytest.raises(TokenizerFileError, match="256 single bytes are not all there"):
        open_tokenizer(tmp_path / "t.json")


RAW = "".join(f"{decoded(left)} {decoded(right)}\n" for left, right in PLAIN.merges)


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (
            {"vocab.json": json.dumps(by_id(decoded)), "merges.txt": RAW},
            "tokens that hold spaces or newlines are ambiguous in lines",
        ),
        (
            {
                "vocab.json": json.dumps(by_id(decoded)),
                "merges.json": json.dumps(pairs(decoded)),
            },
            "in which bytes that are no character became U",
        ),
        (
            {
                "vocab.json": json.dumps(by_id(bytes.hex)),
                "merges.json": json.dumps([part.hex() for pair in PLAIN.merges for part in pair]),
            },
            "it is a flat list, with '[0-9a-f]+' in it",
        ),
        (
            {"tok.json": json.dumps({"vocab": by_id(list), "merges": [108, 111]})},
            "it is a flat list, with 108 in it",
        ),
    ],
)
def test_ambiguous_files_are_refused_with_advice(
    files: dict[str, str], reason: str, tmp_path: Path
) -> None:
    for file, content in files.items():
        (tmp_path / file).write_text(content)
    for read in (open_tokenizer, read_claim):
        with pytest.raises(TokenizerFileError, match=reason) as raised:
            read(*(tmp_path / file for file in files))  # type: ignore[operator]
        assert "json.dump({i: t.hex()" in str(raised.value)


def test_what_python_prints_is_refused_with_advice(tmp_path: Path) -> None:
    path = tmp_path / "m.txt"
    for printed in (repr(PLAIN.vocab), repr(PLAIN.merges), f"vocab = {PLAIN.vocab!r}\nmerges = []"):
        path.write_text(printed)
        with pytest.raises(TokenizerFileError, match="is what Python prints"):
            open_tokenizer(path)


def test_merges_in_lines_have_two_tokens_in_any_spelling(tmp_path: Path) -> None:
    path = tmp_path / "merges"
    for text, merges in (
        ("#version: 0.2\n6c 6f\n\n6c6f 77\n", [["6c", "6f"], ["6c6f", "77"]]),
        ("a b\nc d\n", [["a", "b"], ["c", "d"]]),
        ('a" b\n', [['a"', "b"]]),
        ("(b'a', b'b')\nb'a' b'b'\n", [["b'a'", "b'b'"]] * 2),
    ):
        path.write_text(text)
        assert [*map(list, course_files.read_merge_lines(path))] == merges
    for text, said in (
        ("#version: 0.2\na b\n\nc d e\n", "line 4 is not two tokens .* between: 'c d e'; tokens"),
        ('a" b\n" b c\n', "line 2 is not two tokens"),
        ("a b\nc \n", "line 2 has an empty token"),
        ("a b\n" + "c" * 61 + "\n", f"between: '{'c' * 60}'; tokens"),
        ("(b'a', b'b')\nb'a'\n", "line 2 is not two tokens"),
    ):
        path.write_text(text)
        with pytest.raises(TokenizerFileError, match=said):
            course_files.read_merge_lines(path)


def test_the_advised_two_lines_save_a_readable_solution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.formats.source import HOW_TO_SAVE

    monkeypatch.chdir(tmp_path)
    lines = HOW_TO_SAVE.split(": ", 1)[1].split(" and json")
    for line in (lines[0], f"json{lines[1]}"):
        exec(line, {"json": json, "vocab": PLAIN.vocab, "merges": PLAIN.merges})
    assert open_tokenizer(tmp_path).tokenizer.merges == PLAIN.merges


@pytest.mark.parametrize(
    ("rows", "last", "said"),
    [
        ("108 111\n256 119\n", "257 e\n", "line 1201 is '257 e'"),
        ("108 111\n256 119\n", "1 2 3\n", "line 1201 is '1 2 3'"),
    ],
)
def test_a_line_that_is_not_as_the_others_is_named(
    rows: str, last: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "m.txt").write_text(rows * 600 + last)
    with pytest.raises(TokenizerFileError, match=said):
        open_tokenizer(tmp_path / "m.txt")


@pytest.mark.parametrize("merges", [{(b"l", b"o")}, [b"lo", b"low"]])
def test_merges_without_an_order_or_without_parts_are_named(merges: Any, tmp_path: Path) -> None:
    (tmp_path / "tok.pkl").write_bytes(pickle.dumps((PLAIN.vocab, merges)))
    with pytest.raises(TokenizerFileError, match=r"a set, which has no order|parts of each are"):
        open_tokenizer(tmp_path / "tok.pkl")

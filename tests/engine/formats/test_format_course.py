"""JSON of course solutions: every spelling of bytes is recognised and named in a note."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st
from tiny_tokenizers import BYTES, END, GOLDEN, TEXTS, handout, trained

from engine import Tokenizer, TokenizerFileError
from engine.analysis.check.claim import read_claim
from engine.core.gpt2_bytes import spell
from engine.formats import open_tokenizer, save
from engine.text.patterns import Alternative, Pattern

SPELLINGS: dict[str, Callable[[bytes], Any]] = {
    "lists of numbers": list,
    "GPT-2's spelling": spell,
    "latin-1": lambda token: token.decode("latin-1"),
    "hex": bytes.hex,
    "base64": lambda token: b64encode(token).decode(),
}


def spelled(tok: Tokenizer, spelling: str) -> tuple[dict[str, Any], list[list[Any]]]:
    """Return the vocabulary, id → token, and the merges in a spelling."""
    write = SPELLINGS[spelling]
    vocab = {str(token_id): write(token) for token_id, token in tok.vocab.items()}
    return vocab, [[write(left), write(right)] for left, right in tok.merges]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tok.json"


# -- spellings


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_spelling_is_recognised_and_named(spelling: str, path: Path) -> None:
    vocab, merges = spelled(handout(), spelling)
    path.write_text(json.dumps({"vocab": vocab, "merges": merges}))
    opened = open_tokenizer(path)
    assert opened.notes == (
        f"its tokens are spelled in {spelling}",
        "the file names no pattern; GPT-2's is taken; --pattern gives another one",
        f"taken for special, since no merge makes them: {END}",
    )
    for text in TEXTS:
        assert opened.tokenizer.encode(text) == handout().encode(text)


@pytest.mark.parametrize("spelling", SPELLINGS)
@examples(25)
@given(corpus=st.dictionaries(st.binary(max_size=8), st.integers(1, 3), max_size=6))
def test_no_vocabulary_fits_two_spellings(
    tmp_path_factory: pytest.TempPathFactory, spelling: str, corpus: dict[bytes, int]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    tok = trained(corpus)
    path.write_text(json.dumps(spelled(tok, spelling)))
    assert open_tokenizer(path).tokenizer.vocab == tok.vocab
    assert open_tokenizer(path).tokenizer.merges == tok.merges


def test_a_special_token_that_is_not_in_the_spelling_is_text(path: Path) -> None:
    vocab, merges = spelled(handout(), "hex")
    path.write_text(json.dumps([vocab | {"256": END, "900": "fin"}, merges]))
    tok = open_tokenizer(path).tokenizer
    assert tok.encode(f"low{END}fin") == [*handout().encode(f"low{END}"), 900]


# -- arrangements


def arrangements() -> dict[str, dict[str, Any]]:
    """Return name of the arrangement → (file → content)."""
    vocab, merges = spelled(handout(), "latin-1")
    tokens = [vocab[str(token_id)] for token_id in range(len(vocab))]
    return {
        "tokens first": {"f": [{token: int(i) for i, token in vocab.items()}, merges]},
        "a list of tokens": {"f": {"vocab": tokens, "merges": merges}},
        "merges first": {"f": [merges, vocab]},
        "merges as ids": {
            "f": [vocab, [[tokens.index(left), tokens.index(right)] for left, right in merges]]
        },
        "two files": {"a": vocab, "b": merges},
        "two files, merges first": {"a": merges, "b": vocab},
    }


@pytest.mark.parametrize("name", arrangements())
def test_vocabulary_and_merges_are_found_in_any_arrangement(name: str, tmp_path: Path) -> None:
    files = arrangements()[name]
    for file, value in files.items():
        (tmp_path / file).write_text(json.dumps(value, indent=1))
    opened = open_tokenizer(*(tmp_path / file for file in files))
    assert opened.format == "course-json"
    assert opened.tokenizer.merges == handout().merges


def test_a_directory_with_vocab_json_and_merges_json_is_read(tmp_path: Path) -> None:
    vocab, merges = spelled(handout(), "GPT-2's spelling")
    (tmp_path / "vocab.json").write_text(json.dumps(vocab))
    (tmp_path / "merges.json").write_text(json.dumps([f"{left} {right}" for left, right in merges]))
    opened = open_tokenizer(tmp_path)
    assert opened.format == "course-json"
    assert opened.tokenizer.merges == handout().merges


def test_gpt2s_merges_may_begin_with_a_bracket(tmp_path: Path) -> None:
    save(trained({b"[[": 5, b'["': 3}), tmp_path / "tok")
    merges = tmp_path / "tok" / "merges.txt"
    merges.write_text(merges.read_text().removeprefix("#version: 0.2\n"))
    assert merges.read_text().startswith("[ [")
    assert open_tokenizer(tmp_path / "tok" / "vocab.json", merges).format == "gpt2"


def test_hugging_faces_tokenizer_json_is_not_a_course_solution(path: Path) -> None:
    vocab, merges = spelled(handout(), "GPT-2's spelling")
    path.write_text(json.dumps({"version": "1.0", "model": {"vocab": vocab, "merges": merges}}))
    try:
        assert open_tokenizer(path).format != "course-json"
    except TokenizerFileError:
        return


# -- writing


def test_the_written_file_is_latin_1_with_a_line_for_each_token(path: Path) -> None:
    content = json.loads((GOLDEN / "handout.json").read_text())
    assert content["vocab"]["195"] == "Ã"
    assert (content["merges"][0], content["special_tokens"]) == (["s", "t"], {END: 256})
    vocab = {int(i): token.encode("latin-1") for i, token in content["vocab"].items()}
    assert vocab | {256: END.encode()} == handout().vocab


def test_the_written_file_keeps_special_tokens_ids_and_pattern(path: Path) -> None:
    own = Pattern("mine", "", (Alternative("word", r"\w+|\W"),), ())
    tok = Tokenizer(BYTES | {300: b"ab"}, [(b"a", b"b")], {"ab": 400, "漢 字": 299}, own)
    save(tok, path, "course-json")
    again = open_tokenizer(path).tokenizer
    assert again.pattern.source == own.source
    assert again.rules.special_ids == tok.rules.special_ids
    assert again.encode("xab漢 字") == tok.encode("xab漢 字") == [120, 400, 299]
    assert again.vocab == tok.vocab


# -- damage


def changed(**changes: Any) -> str:
    vocab, merges = spelled(handout(), "latin-1")
    return json.dumps({"vocab": vocab, "merges": merges} | changes)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (changed()[:-400], "is no JSON, or cut short"),
        (changed(vocab={}), "the vocabulary is neither a dict nor a list of tokens"),
        (changed(vocab=5), "the vocabulary is neither a dict nor a list of tokens"),
        (changed(vocab={"0": "a"}), "the 256 single bytes are not all there"),
        (changed(vocab={"x": "a"}), "'x' is no token id"),
        (changed(vocab={"-1": "a"}), "'-1' is no token id"),
        (changed(vocab={"1": "a", "01": "b"}), "the id 1 is given to two tokens"),
        (changed(vocab={"a": 1, "b": 1}), "the id 1 is given to two tokens"),
        (changed(vocab={"9" * 11: "a"}), "the id 99999999999 is too high"),
        (changed(merges=5), "the merges are no list of pairs"),
        (changed(merges=[["a"]]), "the merges are no list of pairs"),
        (changed(merges=[["a", "漢"]]), "merge 1 is unknown or not spelled as the vocabulary is"),
        (changed(merges=[["q", "z"]]), r"merge 1 \(q z\) needs the token qz"),
        (changed(merges=[["s", "t"]]), r"no merge makes the token est \(such tokens: "),
        (changed(special_tokens="x"), "its special tokens are no list of text"),
        (changed(special_tokens={END: "x"}), "'x' is no token id"),
        (changed(special_tokens={END: 256, "<e>": 97}), "'<e>' has the id 97 of another token"),
        (changed(pattern=5), "its pattern is no text"),
        (changed(pattern="("), "its pattern cannot be used"),
    ],
)
def test_errors_name_what_is_malformed(path: Path, content: str, message: str) -> None:
    path.write_text(content)
    with pytest.raises(TokenizerFileError, match=message):
        open_tokenizer(path)


def test_one_token_under_two_ids_is_a_mistake_in_a_note(path: Path) -> None:
    vocab, merges = spelled(handout(), "latin-1")
    path.write_text(json.dumps([vocab | {"900": "st"}, merges]))
    opened = open_tokenizer(path)
    assert opened.notes[1].startswith(
        "a mistake: the ids 257 and 900 are the same token, st; `bpe-tui"
    )
    assert opened.tokenizer.encode("lowest") == handout().encode("lowest")


def test_a_special_token_that_merges_make_again_is_special(path: Path) -> None:
    mark = "<|e|>"
    tok = trained({mark.encode(): 9}, [mark])
    assert [i for i, token in tok.vocab.items() if token == mark.encode()] == [256, 260]
    vocab, merges = spelled(tok, "lists of numbers")
    path.write_text(json.dumps({"vocab": vocab, "merges": merges}))
    opened = open_tokenizer(path)
    assert opened.notes[1].startswith("a mistake: the ids 256 and 260 are the same token, <|e|>;")
    assert f"taken for special, although merges make them: {mark}" in opened.notes
    assert opened.tokenizer.encode(f"a{mark}") == [97, 256]
    assert read_claim(path)[0].vocab == tok.vocab


def test_a_gap_in_the_ids_is_a_note(path: Path) -> None:
    vocab, merges = spelled(Tokenizer(BYTES | {300: b"st"}, [(b"s", b"t")]), "latin-1")
    path.write_text(json.dumps([vocab, merges]))
    assert open_tokenizer(path).notes[1] == (
        "44 ids below the highest have no token (256, 257, 258, …)"
    )

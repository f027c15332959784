"""Properties of every format: round trip, recognition, and refusal of damaged files."""

import gzip
import os
import pickle
import random
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from damage import damaged
from file_checks import contents
from format_files import encoding
from generated import examples, some
from hypothesis import given
from hypothesis import strategies as st
from tiny_tokenizers import BYTES, END, GOLDEN, TEXTS, handout, trained

from engine import BpeError, OutputExistsError, Tokenizer, TokenizerFileError, UnknownNameError
from engine.core.errors import LONGEST
from engine.encoding.alphabet import ByteAlphabet, WholeTokens
from engine.formats import (
    FORMATS,
    WRITABLE,
    check_extensible,
    open_tokenizer,
    save,
    source,
    writable_name,
)
from engine.formats.source import TokenizerSource

FILES = {
    "gpt2": "gpt2",
    "tiktoken": "handout.tiktoken",
    "minbpe": "handout.model",
    "course-json": "handout.json",
    "huggingface": "tokenizer.json",
}
"""Format → the golden file that its writer makes of the handout's tokenizer."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("registry")


@pytest.fixture(params=[*FILES, "course-pickle", "tiktoken-pickle", "bert-vocab"])
def example(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """Copy an example; return its format and path."""
    name: str = request.param
    copy = tmp_path / "example"
    if name == "course-pickle":
        copy.write_bytes(pickle.dumps((handout().vocab, handout().merges)))
    elif name == "tiktoken-pickle":
        copy.write_bytes(pickle.dumps(encoding()))
    elif name == "bert-vocab":
        copy.write_bytes(b"[UNK]\n[SEP]\nlow\n##est\n##e\n##r\n")
    elif name == "gpt2":
        shutil.copytree(GOLDEN / FILES[name], copy)
    else:
        shutil.copy(GOLDEN / FILES[name], copy)
    return name, copy


def test_every_writable_name_has_a_golden_file() -> None:
    assert set(FILES) == set(WRITABLE)


@pytest.mark.parametrize("name", FILES)
def test_a_writer_writes_the_golden_file(name: str, tmp_path: Path) -> None:
    save(handout(), tmp_path / FILES[name], name, renumber=True)
    golden = GOLDEN / FILES[name]
    expected = contents(golden) if golden.is_dir() else {golden.name: golden.read_bytes()}
    assert contents(tmp_path / "gpt2" if name == "gpt2" else tmp_path) == expected


@pytest.mark.parametrize("name", WRITABLE)
@examples(40)
@given(
    corpus=st.dictionaries(st.binary(max_size=8), st.integers(1, 3), max_size=6),
    special_tokens=st.lists(
        st.sampled_from([END, "<pad>", "[CLS]", "</s>", "<漢>"]), unique=True, max_size=3
    ),
    pattern=st.sampled_from(["gpt2", "cl100k", "llama3", "none"]),
)
def test_the_written_files_encode_the_same_when_opened(
    place: Path, name: str, corpus: dict[bytes, int], special_tokens: list[str], pattern: str
) -> None:
    tok = trained(corpus, special_tokens, pattern)
    save(tok, place / name, name, overwrite=True, renumber=True)
    given = (special_tokens, pattern) if name == "tiktoken" else (None, None)
    opened = open_tokenizer(place / name, special_tokens=given[0], pattern=given[1])
    again = opened.tokenizer
    assert opened.format == name
    assert again.pattern == tok.pattern
    for text in [*TEXTS, *(key.decode("utf-8", "surrogateescape") for key in corpus)]:
        ids, ids_again = tok.encode(text), again.encode(text)
        assert [again.vocab[i] for i in ids_again] == [tok.vocab[i] for i in ids]
        assert FORMATS[name].prescribes_ids or ids_again == ids


@pytest.mark.parametrize("name", WRITABLE)
def test_an_existing_file_is_not_overwritten_unless_requested(name: str, tmp_path: Path) -> None:
    save(handout(), tmp_path / "tok", name, renumber=True)
    before = contents(tmp_path / "tok") if name == "gpt2" else contents(tmp_path)
    with pytest.raises(OutputExistsError):
        save(trained({b"xyz": 1}), tmp_path / "tok", name, renumber=True)
    assert (contents(tmp_path / "tok") if name == "gpt2" else contents(tmp_path)) == before


@pytest.mark.parametrize(
    "name", [name for name in WRITABLE if name != "tiktoken" and not FORMATS[name].keeps_stages]
)
def test_a_format_of_merges_refuses_a_tokenizer_with_stages(name: str, tmp_path: Path) -> None:
    whole = WholeTokens(ByteAlphabet(range(256)), {b"abc": 256})
    tok = Tokenizer(BYTES | {256: b"abc"}, [], alphabet=whole)
    with pytest.raises(BpeError):
        save(tok, tmp_path / "tok", name, renumber=True)
    assert contents(tmp_path) == {}


def test_exactly_one_format_recognises_a_file(example: tuple[str, Path]) -> None:
    name, path = example
    assert [each for each, f in FORMATS.items() if f.recognises(TokenizerSource([path]))] == [name]
    assert open_tokenizer(path).format == name


OWN = {"tiktoken-pickle": ["<|user_start|>"], "bert-vocab": ["[SEP]"]}
"""Format → special tokens of its example, where not every text may be one."""


def test_settings_of_the_caller_replace_those_of_a_file(example: tuple[str, Path]) -> None:
    name, path = example
    usual = open_tokenizer(path, special_tokens=(own := OWN.get(name, [END])))
    given = [*own, *(["<new>"] if name not in OWN else [])]
    tokenizer = open_tokenizer(path, special_tokens=given, pattern="whitespace").tokenizer
    assert tokenizer.special_tokens == (*given,)
    assert tokenizer.pattern.split("low!") == ["low!"]
    assert tokenizer.encode(own[0]) == usual.tokenizer.encode(own[0])
    assert len(tokenizer.encode("".join(given))) == len(given)


def test_a_format_that_is_only_read_or_unknown_is_not_written_to() -> None:
    assert [writable_name(name) for name in WRITABLE] == [*WRITABLE]
    with pytest.raises(
        TokenizerFileError, match=rf"gguf is only read; choose one of {WRITABLE[0]},"
    ):
        writable_name("gguf")
    with pytest.raises(UnknownNameError, match="unknown format 'gpt'; did you mean 'gpt2'"):
        writable_name("gpt")


def test_a_format_says_before_a_training_whether_it_can_hold_more_merges(tmp_path: Path) -> None:
    for name in WRITABLE:
        check_extensible(trained({b"ab": 2}), tmp_path / "out", name)
    refusal = "minbpe numbers the bytes, .* another format; --format huggingface keeps all ids$"
    full = Tokenizer(BYTES | {256: b"ab"}, [(b"a", b"b")], {END: 257})
    with pytest.raises(TokenizerFileError, match=f"^{tmp_path}/out: {refusal}"):
        check_extensible(full, tmp_path / "out", "minbpe")
    assert contents(tmp_path) == {}


def test_a_file_goes_before_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save(handout(), "cl100k_base", "minbpe", renumber=True)
    assert open_tokenizer("cl100k_base").format == "minbpe"


@pytest.mark.parametrize(
    ("beginning", "message"),
    [
        (b"PK\x03\x04", "is a zip archive; unpack it"),
        (b"PK\x03\x04" + bytes(26) + b"v.npy", r"arrays of NumPy, in which bytes .*json\.dump"),
        (b"PK\x03\x04" + bytes(26) + b"vocab/data.pkl", r"what torch.save writes.*json\.dump"),
        (b"\x93NUMPY\x01\x00v\x00", r"an array of NumPy, in which bytes lose .*json\.dump"),
        (b"\x1f\x8b\x08", "is a damaged gzip file"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a pointer of git-lfs; fetch the file"),
        (b"GGUF", "is damaged, or cut short"),
        (b"", "is empty; save the tokenizer again"),
        (b"Once\x1b upon\na time", r"in a known format; its first line is 'Once\\x1b upon'$"),
        (b"x" * 61, "its first line is '" + "x" * 60 + "…'"),
        (b"x" * 60, "its first line is '" + "x" * 60 + "'$"),
        (b"the 512\n", "its first line is 'the 512'$"),
        (b"the 300\nof 512\n", "its first line is 'the 300'$"),
        (b"\x89PNG\r\n", "in a known format; it begins with the bytes 89 50 4e 47 0d 0a"),
        (b"\n<!doctype HTML>\n<html>", "is an HTML page; download the file itself"),
        (b"1 '\\x00' 1\n2 '\\x01' 1\n", "is RWKV's vocabulary"),
        (b'{"class_name": "Tokenizer", "config": {"num_words": null}}', "a tokenizer of Keras"),
        (b"[\\u0000] 0\n[\\u0001] 1\n[\\u0002] 2\n" * 2, r"minbpe's .vocab.*\.model"),
        (b"<unk>\t0\n<s>\t0\n\xe2\x96\x81t\t-0\n", r"SentencePiece's .vocab.*\.model"),
        (b"\x1b\x00\x00\x00" + bytes(4) + b"\x05\x00\x00\x00<unk>", "a tokenizer.bin"),
        (b"129 b'\\x80' 1\n130 '\"' 1\n", "is RWKV's vocabulary"),
        (b"v3;false;true;false;\nt h\nth e\n", "a file of codes of OpenNMT's Tokenizer"),
        (b"the 512\nof 300\nand 300\n", "a vocabulary of counts, as `subword-nmt get-vocab`"),
        ("the\t512\nété\t300\n".encode(), "a vocabulary of counts"),
        (b'{"low": 5, "lower": 2, " widest": 9}', "is a table of texts and how often each occurs"),
        (b'{"low": 5, "lower": 2, " widest": 2}', "the id 2 is given to two tokens, as if"),
        (b'[["the", 120], ["cat", 4]]', "is a table of texts and how often"),
        (b"mybpe v1\n\n0\n104 117\n", "a file of a fork of minbpe"),
        (b"2 1\n97 4\n98 5\n4 5 6\n1 0 2 3\n", "a model of YouTokenToMe"),
        (
            b"900 1\n" + b"".join(b"%d %d\n" % (4097 + n, 800 - n) for n in range(600)),
            "a model of YouTokenToMe",
        ),
        (b"464 3290 318\n", "a list of ids alone; `bpe-tui decode`"),
        (b"[[464, 3290], [318]]\n", "a list of ids alone"),
    ],
)
def test_the_error_names_the_kind_of_another_file(
    tmp_path: Path, beginning: bytes, message: str
) -> None:
    (tmp_path / "file").write_bytes(beginning)
    with pytest.raises(TokenizerFileError, match=message):
        open_tokenizer(tmp_path / "file")


def test_a_damaged_file_is_refused_or_read(example: tuple[str, Path]) -> None:
    _, path = example
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    for file in files:
        whole = file.read_bytes()
        for seed in some(range(150), 5):
            file.write_bytes(damaged(whole, random.Random(seed)))
            with suppress(BpeError):
                open_tokenizer(path).tokenizer.encode("low lowest")
        file.write_bytes(whole)


LONG = [b"a" * 20_000, b"9" * 5000, b'"' + b"\xc3\xa9" * 9000 + b'"', b"[" * 3000, b"\xff" * 9000]
"""Bytes that a message might quote: a name, a number, a text, brackets, no UTF-8."""


def long_insertions(data: bytes, how_many: int) -> Iterator[bytes]:
    """Yield the data with much inserted, or in the place of a word or a number."""
    chance = random.Random(len(data))
    words = [*re.finditer(rb"[A-Za-z_#]+|[0-9]+", data)]
    for number in range(how_many):
        start = end = chance.randrange(len(data) + 1)
        if words and number % 2:
            start, end = chance.choice(words).span()
        yield data[:start] + LONG[number % len(LONG)] + data[end:]


def test_a_message_about_a_hostile_file_is_bounded(example: tuple[str, Path]) -> None:
    _, path = example
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    for file in files:
        whole = file.read_bytes()
        for hostile in some(long_insertions(whole, 100), 7):
            file.write_bytes(hostile)
            said: list[str] = []
            try:
                opened = open_tokenizer(path)
                said += opened.notes
                opened.tokenizer.encode("low lowest")
            except BpeError as error:
                said.append(str(error))
            assert all(len(message) <= LONGEST and "\n" not in message for message in said)
        file.write_bytes(whole)


@pytest.mark.unix
def test_anything_but_a_plain_file_is_refused_unread(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "fifo", Path("/dev/zero")):
        with pytest.raises(TokenizerFileError, match="is no plain file"):
            open_tokenizer(path)
        with pytest.raises(TokenizerFileError, match="no plain file"):
            open_tokenizer(path, path)


@pytest.mark.parametrize(
    ("limit", "size", "data", "message"),
    [
        ("LARGEST", 8, b"minbpe v", "larger than 0 MB"),
        ("LARGEST", 40, gzip.compress(b"minbpe v1 " * 4, mtime=0), "when it is unpacked"),
        ("MOST_LINES", 3, b"minbpe v1\n\n0\n", "lines; is it a corpus?"),
        ("MOST_VALUES", 5, b'{"config": [[1, 2]], "default_num_special_tokens": 2}', "values; is "),
    ],
)
def test_a_file_may_be_as_large_as_the_limits(
    limit: str,
    size: int,
    data: bytes,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "file").write_bytes(data)
    refused: list[bool] = []
    for allowed in (size, size - 1):
        monkeypatch.setattr(source, limit, allowed)
        with suppress(TokenizerFileError):
            try:
                open_tokenizer(tmp_path / "file")
            except TokenizerFileError as error:
                refused.append(message in str(error))
                raise
    assert refused[-1]
    assert True not in refused[:-1]


@pytest.mark.parametrize(
    ("files", "named"),
    [(0, "no files"), (8, "0, 1, 2, 3, 4, 5, 6, 7"), (9, "0, 1, 2, 3, 4, 5, 6, 7, …")],
)
def test_the_first_eight_files_of_a_folder_are_named(
    files: int, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(files):
        (tmp_path / str(number)).write_text("low")
    (tmp_path / ".hidden").write_text("low")
    with pytest.raises(TokenizerFileError, match=f"; it has {named}$"):
        open_tokenizer(tmp_path)
    monkeypatch.setattr(source, "MOST_SEARCHED", 5)
    assert len(source.files_in(tmp_path)) == min(files, 5)

"""Saved tokenizers come back the same, other programs read them, and damage is detected."""

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest
from file_checks import contents
from format_files import facts, padded_handout
from generated import examples, some
from hypothesis import example, given
from hypothesis import strategies as st
from tiny_tokenizers import END, trained

from engine import (
    BpeError,
    OutputError,
    Tokenizer,
    TokenizerFileError,
    UnknownNameError,
    VocabularyError,
)
from engine.analysis.check.claim import read_claim
from engine.analysis.inspection import Inspection
from engine.encoding.merging import MergesInIds
from engine.formats import gpt2, open_tokenizer, save
from engine.formats.gpt2 import could_be_json, is_spelled_otherwise
from engine.formats.source import TokenizerSource
from engine.native import KERNEL
from engine.pipeline.models import SpelledMerges
from engine.text.patterns import PATTERNS

REPO = Path(__file__).resolve().parents[3]
FILES = ["vocab.json", "merges.txt", "bpe-tui.json"]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Save the handout's tokenizer; return the directory."""
    padded_handout().save(tmp_path / "tok")
    return tmp_path / "tok"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("formats")


@examples(60)
@given(
    corpus=st.dictionaries(st.binary(max_size=8), st.integers(1, 3), max_size=6),
    special_tokens=st.lists(
        st.sampled_from([END, "<pad>", "[CLS]", "two words", "#!", "\n\n", "</s>", "漢", "a b c"]),
        unique=True,
        max_size=3,
    ),
    pattern=st.sampled_from(list(PATTERNS)),
)
@example(corpus={b"## #": 3, b"#": 1}, special_tokens=[END], pattern="gpt2")
@example(corpus={b"    ": 3, b"\n\n\n": 3, b"\r\n": 1}, special_tokens=[END], pattern="gpt2")
@example(corpus={b"#version: 0.2": 3}, special_tokens=[END], pattern="gpt2")
@example(corpus={b"\x00\x00\xff\xff": 3}, special_tokens=[END], pattern="gpt2")
@example(corpus={}, special_tokens=["«end»", "<é>", "Ġ!", "<|終|>", "<a b>", "😀"], pattern="gpt2")
def test_a_saved_tokenizer_is_loaded_again(
    place: Path, corpus: dict[bytes, int], special_tokens: list[str], pattern: str
) -> None:
    tok = trained(corpus, special_tokens, pattern)
    tok.save(place / "gpt2", overwrite=True)
    assert facts(Tokenizer.load(place / "gpt2")) == facts(tok)


def test_without_our_settings_tokens_in_brackets_that_no_merge_makes_are_special(
    saved: Path,
) -> None:
    (saved / "bpe-tui.json").unlink()
    tok = Tokenizer.load(saved)
    assert facts(tok) == facts(padded_handout())


def test_two_tokens_with_one_spelling_are_an_error_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(TokenizerFileError, match="two tokens have the same spelling"):
        trained({b"ab": 2}, ["ab"]).save(tmp_path / "tok")
    assert contents(tmp_path) == {}


def test_files_with_windows_line_ends_are_read(saved: Path) -> None:
    merges = saved / "merges.txt"
    merges.write_bytes(merges.read_bytes().replace(b"\n", b"\r\n"))
    assert facts(Tokenizer.load(saved)) == facts(padded_handout())


@pytest.mark.parametrize(
    ("head", "is_otherwise"),
    [
        ('{"!": 0, "b": 1, "Ā": 2}', False),
        ('{"b": 0, " ": 1}', True),  # a byte as itself
        ('{"b": 0, "\\u0000": 1}', True),
        ('{"00": 0, "01": 1, "02": 2, "03": 3, "<s>": 4, "[X]": 5}', True),
        ('{"00": 0, "01": 1, "02": 2, "<s>": 3, "[X]": 4}', False),  # of three nothing is sure
        ("{\"b'a'\": 0, \"b'b'\": 1, \"b'c'\": 2, \"b'd'\": 3}", True),
        ('{"the": 0, "cat": 1, "sat": 2, "mat": 3}', False),
        ('{"0": "a", "1": "b"}', True),
        ('{"0": "a", "x": "b"}', False),
        ('{"\\\\x": 0, "b": 1}', False),
        *((text, False) for text in ("[1]", "{}", '{"a', "0")),
    ],
)
def test_a_vocabulary_in_another_spelling_is_not_gpt2s(head: str, is_otherwise: bool) -> None:
    assert is_spelled_otherwise(head.encode()) is is_otherwise


def test_lines_that_begin_with_a_bracket_are_no_json() -> None:
    heads = b"[ a\n", b"[ [\n", b"[PAD]\n", b"a", b"", b"[1]", b"[[", b"\n{"
    assert [*map(could_be_json, heads)] == [False] * 5 + [True] * 3


def test_the_two_files_are_found_by_either_and_by_their_folder(saved: Path, tmp_path: Path) -> None:
    vocab, merges, other = saved / "vocab.json", saved / "merges.txt", saved / "a.txt"
    pair = vocab, merges
    mine = tmp_path / "my-vocab.json"
    yours, others = saved / "b-vocab.json", saved / "b-merges.txt"
    for path, copy in ((vocab, mine), (vocab, yours), (merges, others)):
        copy.write_bytes(path.read_bytes())
    other.write_text("{}")
    for paths, found, folder in (
        ([saved], pair, saved),
        ([vocab], pair, saved),
        ([merges], pair, saved),
        ([vocab, merges], pair, None),
        ([merges, vocab], pair, None),
        ([mine, merges], (mine, merges), None),
        ([yours], (yours, others), None),
        ([others], (yours, others), None),
        ([mine], None, None),
        ([other], None, None),
        ([vocab, mine], None, None),
        ([vocab, tmp_path / "missing"], None, None),
    ):
        source = TokenizerSource(paths)
        assert gpt2.both_files(source) == found
        assert gpt2.folder_of(source) == folder
        assert gpt2.recognises(source) is (found is not None or paths == [mine])
        if found:
            assert gpt2.files_of(source) == found
    assert gpt2.files_of(TokenizerSource([mine])) == (mine, None)
    merges.unlink()
    assert gpt2.both_files(TokenizerSource([saved])) is None
    assert gpt2.files_of(TokenizerSource([saved])) == (vocab, None)
    vocab.write_text('{"0": "a", "1": "b"}')
    assert not any(gpt2.recognises(TokenizerSource([path])) for path in (saved, vocab, tmp_path))


def test_the_error_of_merges_alone_names_the_missing_file(saved: Path) -> None:
    (saved / "vocab.json").unlink()
    with pytest.raises(TokenizerFileError, match=r"there is no vocab\.json beside it"):
        open_tokenizer(saved / "merges.txt")


VOCAB = r"""{"a": 0, "b":1, "ab" :2,
 "\u0120": 3, "Ġa": 14, "\"": 5, "\\": 6, "\\\"": 7, "<e>": 8}"""
MERGES = '#version: 0.2\na b\nĠ a\r\n\\ "\n'
EDITS = st.tuples(
    st.integers(1, 80), st.integers(0, 2), st.sampled_from([*'"\\{}:, u01\n\r\0éĠ漢#ab', ""])
)


def _edited(text: str, edits: list[tuple[int, int, str]]) -> str:
    for place, gone, new in edits:
        text = text[:place] + new + text[place + gone :]
    return text


def _read_both(vocab: Path, merges: Path) -> object:
    try:
        read = gpt2.read(TokenizerSource([vocab, merges]))
        read.check_merges()
    except TokenizerFileError as error:
        return str(error)
    return list(read.vocab.items()), list(read.merges), dict(read.never_made)


@examples(2000)
@given(st.lists(EDITS, max_size=2), st.lists(EDITS, max_size=2))
@example([], [])
def test_the_kernel_reads_a_vocabulary_and_merges_as_python_does(
    place: Path, in_vocab: list[tuple[int, int, str]], in_merges: list[tuple[int, int, str]]
) -> None:
    vocab, merges = place / "v.json", place / "m.txt"
    vocab.write_text(_edited(VOCAB, in_vocab), newline="")
    merges.write_text(_edited(MERGES, in_merges), newline="")
    read = _read_both(vocab, merges)
    if KERNEL is not None and not in_vocab and not in_merges:
        assert isinstance(gpt2.read(TokenizerSource([vocab, merges])).merges, MergesInIds)
    with patch("engine.native.vocabularies.KERNEL", None):
        assert _read_both(vocab, merges) == read


IN_JSON = '{"model": {"type": "BPE", "vocab": %s,\n"merges" :[%s ] }, "decoder":null}'
LISTS, TEXTS = r'["a", "b"],[ "Ġ" ,"a" ],["\\", "\""]', r'"a b", "Ġ a","\\ \""'


def _opened_json(path: Path) -> object:
    try:
        opened = open_tokenizer(path)
    except TokenizerFileError as error:
        return str(error)
    found = opened.tokenizer
    return found.vocab, found.merges, dict(found.merge_table), opened.notes, found.pipeline


@examples(2000)
@given(st.lists(EDITS, max_size=2), st.integers(0, 160), st.sampled_from([LISTS, TEXTS]))
@example([], 0, LISTS)
@example([], 0, TEXTS)
def test_the_kernel_reads_a_tokenizer_json_as_python_does(
    place: Path, edits: list[tuple[int, int, str]], start: int, merges: str
) -> None:
    path, moved = place / "t.json", [(start + at, gone, new) for at, gone, new in edits]
    path.write_text(_edited(IN_JSON % (VOCAB, merges), moved), newline="")
    read = _opened_json(path)
    if KERNEL is not None and not edits:
        assert isinstance(read, tuple)
        assert isinstance(read[-1].model.merges, SpelledMerges)
    with patch("engine.native.vocabularies.KERNEL", None):
        assert _opened_json(path) == read


@pytest.mark.parametrize("name", ["", "vocab.json"])
def test_a_vocabulary_alone_is_opened_and_refuses_a_text(saved: Path, name: str) -> None:
    (saved / "merges.txt").unlink()
    opened = open_tokenizer(saved / name)
    tokenizer = opened.tokenizer
    assert tokenizer.vocab == padded_handout().vocab
    assert tokenizer.special_tokens == (END, "<pad>")
    assert tokenizer.decode(padded_handout().encode("lowest")) == "lowest"
    assert "a vocabulary without its merges" in opened.notes[0]
    with pytest.raises(VocabularyError, match="its merges are missing"):
        tokenizer.encode("lowest")
    inspection = Inspection.of_opened(opened).prepare()
    assert (inspection.size, inspection.encodes) == (len(tokenizer.vocab), False)
    with pytest.raises(TokenizerFileError, match="its merges are missing"):
        save(tokenizer, saved / "new.json", "huggingface")
    with pytest.raises(TokenizerFileError, match="a vocabulary without merges"):
        read_claim(saved / name)


@pytest.mark.parametrize("name", ["vocab", "vocab.json", "a.bin"])
def test_from_files_takes_pickles_by_their_content(tmp_path: Path, name: str) -> None:
    tokenizer = padded_handout()
    specials = [END, "<pad>"]
    vocab, merges = tmp_path / name, tmp_path / "merges"
    vocab.write_bytes(pickle.dumps(tokenizer.vocab))
    merges.write_bytes(pickle.dumps(tokenizer.merges))
    read = Tokenizer.from_files(vocab, merges, specials)
    assert facts(read) == facts(tokenizer)
    assert facts(Tokenizer.from_file(vocab, merges, specials)) == facts(read)


def test_from_files_takes_no_special_tokens_but_those_it_is_given(saved: Path) -> None:
    read = Tokenizer.from_files(saved / "vocab.json", saved / "merges.txt")
    assert read.special_tokens == ()
    assert Tokenizer.from_files(saved).special_tokens == padded_handout().special_tokens


@pytest.mark.parametrize(
    ("name", "removed"),
    [(name, None) for name in FILES] + [(name, "bpe-tui.json") for name in FILES[:2]],
)
def test_a_file_cut_short_is_an_error_or_makes_no_difference(
    saved: Path, name: str, removed: str | None
) -> None:
    if removed:
        (saved / removed).unlink()
    whole = (saved / name).read_bytes()
    expected = facts(Tokenizer.load(saved))
    errors: list[str] = []
    for kept in some(
        sorted({*range(0, len(whole), 5), *range(max(len(whole) - 100, 0), len(whole))})
    ):
        (saved / name).write_bytes(whole[:kept])
        try:
            tok = Tokenizer.load(saved)
        except TokenizerFileError as error:
            errors.append(str(error))
        else:
            assert facts(tok) == expected
    assert len(errors) > 10
    assert all(str(saved) in error for error in errors)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is no JSON, or cut short"),
        ("[]", "is no JSON object of tokens and ids"),
        ("{}", "is no JSON object of tokens and ids"),
        ("null", "is no JSON object of tokens and ids"),
        ('{"a": "1"}', "the id of 'a' is no whole number"),
        ('{"a": 1.0}', "the id of 'a' is no whole number"),
        ('{"a": true}', "the id of 'a' is no whole number"),
        ('{"a": -1}', "the id of 'a' is no whole number"),
        ('{"a": NaN}', "the id of 'a' is no whole number"),
        ('{"a": 1, "b": 1}', "the id 1 is given to two tokens"),
        ('{"a": 1, "b": 2, "b": 3}', "has 'b' twice in one object"),
        ('{"a": ' + "9" * 5000 + "}", "vocab.json"),
        ("[" * 100_000, "is no JSON, or cut short"),
        ('{"a": 1}', "do they belong together"),
    ],
)
def test_a_malformed_vocab_is_an_error_that_names_the_file(
    saved: Path, content: str, message: str
) -> None:
    (saved / "vocab.json").write_text(content)
    with pytest.raises(TokenizerFileError, match=message):
        Tokenizer.load(saved)


def test_a_vocab_without_a_byte_is_an_error(saved: Path) -> None:
    vocab = json.loads((saved / "vocab.json").read_text())
    del vocab["!"]
    (saved / "vocab.json").write_text(json.dumps(vocab))
    with pytest.raises(TokenizerFileError, match=r"no token b'!', but needs every single byte"):
        Tokenizer.load(saved)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("st", "line 2 is not two tokens with a space between: 'st'"),
        ("s t x", "line 2 is not two tokens"),
        (" st", "line 2 has an empty token"),
        ("s ", "line 2 has an empty token"),
        ("s\tt", "line 2 is not two tokens"),
        ("漢 t", "line 2 is not two tokens"),
        ("q z", r"merge 1 \(q z\) needs the token qz, which .*vocab\.json does not have"),
    ],
)
def test_a_malformed_merge_is_an_error_that_names_the_line(
    saved: Path, line: str, message: str
) -> None:
    lines = (saved / "merges.txt").read_text().splitlines()
    (saved / "merges.txt").write_text("\n".join([lines[0], line, *lines[2:]]))
    for paths in ((saved,), (saved / "vocab.json", saved / "merges.txt")):
        with pytest.raises(TokenizerFileError, match=message):
            Tokenizer.from_files(*paths)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("{}", TokenizerFileError),
        ("[]", TokenizerFileError),
        ('{"special_tokens": "<s>", "pattern": "gpt2"}', TokenizerFileError),
        ('{"special_tokens": [1], "pattern": "gpt2"}', TokenizerFileError),
        ('{"special_tokens": []}', TokenizerFileError),
        ('{"special_tokens": ["<|endoftext|>", "<pad>"], "pattern": "gpt9"}', UnknownNameError),
    ],
)
def test_malformed_settings_are_an_error(saved: Path, content: str, error: type[BpeError]) -> None:
    (saved / "bpe-tui.json").write_text(content)
    with pytest.raises(error):
        Tokenizer.load(saved)


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_not_utf8_is_an_error(saved: Path, name: str) -> None:
    (saved / name).write_bytes(b"\xff" + (saved / name).read_bytes())
    with pytest.raises(TokenizerFileError, match=f"{name}: is not UTF-8 text"):
        Tokenizer.load(saved)


def test_a_token_in_brackets_that_is_not_utf8_is_an_error(saved: Path) -> None:
    """It looks like a special token but cannot be one."""
    vocab = json.loads((saved / "vocab.json").read_text())
    vocab["<ÿ>"] = 5000
    (saved / "vocab.json").write_text(json.dumps(vocab))
    (saved / "bpe-tui.json").unlink()
    with pytest.raises(TokenizerFileError):
        Tokenizer.load(saved)


@pytest.mark.parametrize("name", ["file/tok", "x" * 5000, "a\0b"])
@pytest.mark.parametrize("call", [Tokenizer.save, Tokenizer.load])
def test_an_impossible_path_is_an_error(
    tmp_path: Path, call: Callable[..., object], name: str
) -> None:
    (tmp_path / "file").write_bytes(b"mine")
    arguments = (padded_handout(),) if call is Tokenizer.save else ()
    with pytest.raises((OutputError, TokenizerFileError)):
        call(*arguments, tmp_path / name)
    assert contents(tmp_path) == {"file": b"mine"}


def test_a_subclass_opens_files_as_itself(tmp_path: Path) -> None:
    class Loud(Tokenizer):
        def encode_loudly(self, text: str) -> list[int]:
            return self.encode(text.upper())

    vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"LO", 257: b"LOW"}
    Tokenizer(vocab, [(b"L", b"O"), (b"LO", b"W")]).save(tmp_path / "folder")
    for opened in (
        Loud.load(tmp_path / "folder"),
        Loud.from_files(tmp_path / "folder" / "vocab.json", tmp_path / "folder" / "merges.txt"),
    ):
        assert opened.encode_loudly("low") == [257]

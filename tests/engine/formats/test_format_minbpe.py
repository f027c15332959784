"""minbpe's `.model` files, against minbpe, and tokenizers that such a file cannot hold."""

from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path

import pytest
import regex
from generated import examples
from hypothesis import given
from hypothesis import strategies as st
from tiny_tokenizers import BYTES, END, handout, trained

from engine import Tokenizer, TokenizerFileError, VocabularyError
from engine.formats import minbpe, open_tokenizer, save
from engine.formats.tokenizer_format import renumbered


class Minbpe:
    """A copy of minbpe's `RegexTokenizer`: load, then encode with all special tokens."""

    def __init__(self, path: Path) -> None:
        self.merges: dict[tuple[int, int], int] = {}
        self.special_tokens: dict[str, int] = {}
        with path.open(encoding="utf-8") as file:
            assert file.readline().strip() == "minbpe v1"
            self.pattern = regex.compile(file.readline().strip())
            for _ in range(int(file.readline().strip())):
                special, special_id = file.readline().strip().split()
                self.special_tokens[special] = int(special_id)
            for made, line in enumerate(file, start=256):
                left, right = map(int, line.split())
                self.merges[left, right] = made

    def encode(self, text: str) -> list[int]:
        if not self.special_tokens:
            return self.encode_ordinary(text)
        special = "(" + "|".join(map(regex.escape, self.special_tokens)) + ")"
        ids: list[int] = []
        for part in regex.split(special, text):
            known = self.special_tokens.get(part)
            ids += self.encode_ordinary(part) if known is None else [known]
        return ids

    def encode_ordinary(self, text: str) -> list[int]:
        return [i for chunk in self.pattern.findall(text) for i in self.encode_chunk(chunk)]

    def encode_chunk(self, chunk: str) -> list[int]:
        ids = list(chunk.encode())
        while len(ids) >= 2:
            pair = min(pairwise(ids), key=lambda p: self.merges.get(p, 1 << 40))
            if pair not in self.merges:
                break
            merged, place = [], 0
            while place < len(ids):
                here = tuple(ids[place : place + 2]) == pair
                merged.append(self.merges[pair] if here else ids[place])
                place += 1 + here
            ids = merged
        return ids


def model(pattern: str, specials: str, *merges: str) -> str:
    return "\n".join(["minbpe v1", pattern, *specials.splitlines(), *merges]) + "\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tok.model"


@examples(60)
@given(
    corpus=st.dictionaries(st.binary(max_size=8), st.integers(1, 3), max_size=6),
    text=st.text(max_size=20),
    pattern=st.sampled_from(["gpt2", "llama3", "whitespace", "none"]),
)
def test_minbpe_encodes_alike_for_any_merges(
    tmp_path_factory: pytest.TempPathFactory, corpus: dict[bytes, int], text: str, pattern: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.model"
    save(trained(corpus, [END], pattern), path, "minbpe", overwrite=True, renumber=True)
    ours = open_tokenizer(path).tokenizer
    assert Minbpe(path).encode(text + END + text) == ours.encode(text + END + text)


def test_two_merges_may_make_the_same_bytes(path: Path) -> None:
    """minbpe distinguishes them by their ids, and so must we."""
    path.write_text(model("", "0", "97 98", "98 99", "256 99", "97 257"))
    tok = open_tokenizer(path).tokenizer
    assert tok.vocab[258] == tok.vocab[259] == b"abc"
    assert tok.encode("abc") == Minbpe(path).encode_chunk("abc") == [258]


def test_a_basic_tokenizer_has_no_pattern(path: Path) -> None:
    path.write_text(model("", "0", "97 32", "256 98"))
    opened = open_tokenizer(path)
    assert opened.tokenizer.encode("a b") == [257]
    assert opened.notes == ("its pattern is the one called none here",)


def test_an_unknown_pattern_is_used_as_a_regex(path: Path) -> None:
    path.write_text(model(r"\w+|\W", "0", "97 98"))
    opened = open_tokenizer(path)
    assert opened.tokenizer.pattern.source == r"\w+|\W"
    assert opened.tokenizer.encode("ab ab") == [256, 32, 256]
    assert opened.notes == (r"its pattern is none of the named ones: \w+|\W",)


def test_special_tokens_keep_their_ids_and_may_hold_spaces(path: Path) -> None:
    path.write_text(model("", "2\n<a b> 999999999\n<c> 257", "97 98"))
    assert open_tokenizer(path).tokenizer.encode("ab<a b><c>") == [256, 999_999_999, 257]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("minbpe v2\n", "line 1 is another version than 'minbpe v1'"),
        ("minbpe v1\n", "ends too early; is it cut short?"),
        (model("(a", "0"), r"line 2 is a pattern that cannot be used \(missing \)\)"),
        (model("(a)|b", "0"), "it captures groups"),
        (model("((a{999}){999}){999}", "0"), "repeats something more than"),
        (model("", "many"), "line 3 does not say how many special tokens follow"),
        (model("", "-1"), "line 3 does not say how many special tokens follow"),
        (model("", "2\n<a> 300"), "ends too early; is it cut short?"),
        (model("", "1\n<a>"), "line 4 is no special token with its id: '<a>'"),
        (model("", "1\n<a> x"), "line 4 is no special token with its id"),
        (model("", "1\n<a> 10000000000"), "line 4 is no special token with its id"),
        (model("", "2\n<a> 300\n<a> 301"), "line 5 has a special token or its id again"),
        (model("", "2\n<a> 300\n<b> 300"), "line 5 has a special token or its id again"),
        (model("", "1\n<a> 97"), "the special token '<a>' has the id 97 of another token"),
        (model("", "0", "97"), "line 4 is no pair of ids: '97'"),
        (model("", "0", "97 98 99"), "line 4 is no pair of ids"),
        (model("", "0", "97 x"), "line 4 is no pair of ids"),
        (model("", "0", "97 256"), "line 4 merges a token that is not made yet, 256"),
        (model("", "0", "97 98", "97 98"), "line 5 merges a pair again"),
        (model("", "0", "97 98", ""), "line 5 is no pair of ids: ''"),
    ],
)
def test_a_malformed_line_is_named(path: Path, content: str, message: str) -> None:
    path.write_text(content)
    with pytest.raises(TokenizerFileError, match=message):
        open_tokenizer(path)


def test_merges_that_keep_doubling_a_token_are_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_text(model("", "0", "108 111", "256 119"))
    for limit in (5, 4):  # lo and low
        monkeypatch.setattr(minbpe, "LARGEST", limit)
        with nullcontext() if limit == 5 else pytest.raises(TokenizerFileError, match="than 0 MB"):
            assert open_tokenizer(path).tokenizer.encode("low") == [257]
    monkeypatch.undo()
    path.write_text(model("", "0", "97 97", *(f"{i} {i}" for i in range(256, 300))))
    with pytest.raises(TokenizerFileError, match="its tokens take more than"):
        open_tokenizer(path)


def test_other_ids_than_minbpes_are_renumbered_on_request(path: Path) -> None:
    with pytest.raises(TokenizerFileError, match="this tokenizer has other ids"):
        save(handout(), path, "minbpe")
    save(handout(), path, "minbpe", renumber=True)
    assert open_tokenizer(path).tokenizer.special_ids == {272}


@pytest.mark.parametrize("special", ["two words", "\n", "a ", "a\x85b"])
def test_a_special_token_that_minbpe_could_not_read_is_not_written(
    path: Path, special: str
) -> None:
    with pytest.raises(TokenizerFileError, match="which minbpe cannot read"):
        save(Tokenizer(BYTES, [], [special]), path, "minbpe")


def test_tokens_that_no_merge_makes_cannot_be_renumbered(path: Path) -> None:
    swapped = {0: b"\x01", 1: b"\0"}
    for vocab in (BYTES | {256: b"abc"}, BYTES | swapped):
        with pytest.raises(TokenizerFileError, match="this tokenizer has other ids"):
            save(Tokenizer(vocab, []), path, "minbpe")
    with pytest.raises(VocabularyError, match="not all bytes, special tokens, or made by one"):
        renumbered(Tokenizer(BYTES | {256: b"abc"}, []))

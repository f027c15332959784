"""tokenizer.json as a file: Hugging Face's library reads it, and damaged files are errors."""

import json
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from damage import damaged
from format_files import facts, padded_handout
from fuzz_formats import hugging_faces
from generated import examples, some
from hypothesis import given
from hypothesis import strategies as st
from odd_texts import in_old_unicode, sample_texts, texts
from pipelines import BUILDERS, built
from tiny_tokenizers import BYTES, END, trained
from tokenizers import Tokenizer as Theirs

from engine import BpeError, Tokenizer, TokenizerFileError
from engine.encoding.alphabet import ByteAlphabet, WholeTokens
from engine.formats import open_tokenizer
from engine.text.patterns import PATTERNS, Alternative, Pattern

FACES = hugging_faces()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_written_file_gives_the_same_ids_in_hugging_face(place: Path, pattern: str) -> None:
    counts: dict[bytes, int] = {}
    for text in sample_texts():
        for pretoken in PATTERNS[pattern].split(text)[:500]:
            counts[pretoken.encode()[:200]] = counts.get(pretoken.encode()[:200], 0) + 1
    ours = trained(counts, [END, "<pad>"], pattern, merges=120)
    ours.save(place / "written.json", "huggingface", overwrite=True)
    theirs = Theirs.from_file(str(place / "written.json"))
    assert facts(Tokenizer.load(place / "written.json")) == facts(ours)

    @examples(40)
    @given(st.lists(texts(10) | st.sampled_from([END, "<pad>"]), max_size=4))
    def is_the_same(parts: list[str]) -> None:
        text = "".join(parts)
        ids = ours.encode(text)
        assert theirs.encode(text).ids == ids
        assert theirs.decode(ids, skip_special_tokens=False) == ours.decode(ids) == text

    is_the_same()
    for text in sample_texts():
        assert theirs.encode(in_old_unicode(text)).ids == ours.encode(in_old_unicode(text))


def test_a_directory_gets_a_file_of_the_usual_name(tmp_path: Path) -> None:
    padded_handout().save(tmp_path, "huggingface")
    assert [path.name for path in tmp_path.iterdir()] == ["tokenizer.json"]
    assert open_tokenizer(tmp_path).format == "huggingface"


def test_whole_tokens_are_written_as_ignored_merges(place: Path) -> None:
    vocab = BYTES | {256: b"ab", 257: b"abc"}
    alphabet = WholeTokens(ByteAlphabet(range(256)), {b"abc": 257, b"ab": 256})
    ours = Tokenizer(vocab, [(b"a", b"b")], alphabet=alphabet)
    ours.save(place / "whole.json", "huggingface")
    theirs = Theirs.from_file(str(place / "whole.json"))
    for text in ("abc", "abcd", "ab abc"):
        assert theirs.encode(text).ids == ours.encode(text)
        assert Tokenizer.load(place / "whole.json").encode(text) == ours.encode(text)


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        (
            lambda: Tokenizer(
                BYTES, [], pattern=Pattern("v", "", (Alternative("v", "[ae]+"),), ())
            ),
            "the pattern 'v' is not one of the named ones",
        ),
        (lambda: trained({b"ab": 2}, ["ab"]), "have the same spelling, 'ab'"),
        (
            lambda: Tokenizer(
                BYTES | {256: b"aa", 257: b"aaa"},
                [],
                table={(97, 97): (0, 256), (97, 256): (1, 257), (256, 97): (1, 257)},
            ),
            "several merges share the rank 1 and could overlap",
        ),
        (
            lambda: Tokenizer(
                BYTES | {256: b"ab"}, [], alphabet=WholeTokens(ByteAlphabet(range(256)), {})
            ),
            "does not work on bytes",
        ),
    ],
)
def test_a_tokenizer_that_the_file_cannot_hold_is_refused(
    tmp_path: Path, made: Any, problem: str
) -> None:
    with pytest.raises(TokenizerFileError, match=problem):
        made().save(tmp_path / "tok.json", "huggingface")
    assert list(tmp_path.iterdir()) == []


def spelled(**changes: Any) -> dict[str, Any]:
    """Return a small file with changes."""
    whole = json.loads(built(BUILDERS[-1]).to_str())
    whole["model"] |= changes.pop("model", {})
    return whole | changes


BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}


def load(place: Path, whole: Any) -> Tokenizer:
    (place / "odd.json").write_text(json.dumps(whole))
    return Tokenizer.load(place / "odd.json")


@pytest.mark.parametrize(
    "merges", [["a b", "ab c"], ["#version: 0.2", "a b"], [["b", "c"], ["a", "b"], ["b", "c"]], []]
)
def test_merges_in_either_spelling_are_read_alike(place: Path, merges: list[Any]) -> None:
    whole = spelled(model={"merges": merges})
    theirs = Theirs.from_str(json.dumps(whole))
    for text in ("abc", "bcab", "aabbcc"):
        assert load(place, whole).encode(text) == theirs.encode(text).ids


def unigram(*vocab: Any, **more: Any) -> dict[str, Any]:
    return {"model": {"type": "Unigram", "vocab": [*vocab], **more}}


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (
            {"model": {"type": "Gzip"}},
            "the model 'Gzip' is not supported; there are: BPE, WordPiece, Unigram, WordLevel",
        ),
        (
            {"model": {"type": "WordPiece", "unk_token": "[UNK]"}},
            r"model.unk_token: '\[UNK\]' is not in the vocab",
        ),
        (unigram(["a", -1.0], ["b"]), r"model.vocab: \[1\] is no piece with its score"),
        (unigram(["a", -1.0], ["a", -2.0]), "model.vocab: piece 'a' is empty or occurs twice"),
        (unigram(["a", -1e300], ["b", float("nan")]), r"vocab: \[1\] is no piece with its score"),
        (unigram(["a", -1.0], unk_id=7), "model.vocab: there is no piece 7"),
        ({"model": {"merges": 3}}, "model.merges: should be a list, and is a whole number"),
        ({"model": {"merges": ["ab"]}}, r"model.merges: \[0\] is not two tokens: 'ab'"),
        ({"model": {"merges": [["a", 1]]}}, r"model.merges: \[0\] is not two tokens"),
        ({"model": {"merges": ["a b", "c c"]}}, r"merges: \[1\] needs the token 'cc', which the v"),
        ({"model": {"vocab": {"a": 0, "b": 0}}}, "vocab: the id 0 is given to 'a' and 'b'"),
        ({"model": {"vocab": {"a": 1.5}}}, "vocab: the id of 'a' is no whole number"),
        ({"model": {"vocab": {"a": -1}}}, "vocab: the id of 'a' is no whole number"),
        ({"model": {"vocab": {"a": 1 << 32}}}, "vocab: the id of 'a' is larger than 4,294,967,295"),
        ({"model": {"vocab": []}}, "model.vocab: should be an object, and is a list"),
        ({"model": {"vocab": {"\ud800": 1}}}, "model.vocab: holds half a character"),
        ({"model": {"dropout": "much"}}, "model.dropout: should be a number or null"),
        ({"added_tokens": [{"content": "x"}]}, r"added_tokens\[0\].single_word: is missing"),
        ({"added_tokens": {}}, "added_tokens: should be a list, and is an object"),
        ({"pre_tokenizer": "ByteLevel"}, "pre_tokenizer: should be an object, and is a text"),
        ({"decoder": {"type": "Strip", "content": "ab"}}, "content: should be a single character"),
        ({"decoder": {"type": "Undo"}}, "the decoder 'Undo' is not supported"),
        (
            {"post_processor": {"type": "BertProcessing", "sep": ["a"], "cls": ["a", 1]}},
            "post_processor.sep: should be a token and its id",
        ),
        (
            {
                "normalizer": {"type": "Strip", "strip_left": True, "strip_right": True},
                "added_tokens": [
                    {
                        **dict.fromkeys(("single_word", "lstrip", "rstrip", "special"), False),
                        "id": 9,
                        "content": " ",
                        "normalized": True,
                    }
                ],
            },
            r"added_tokens\[0\].content: ' ' is empty after normalization",
        ),
    ],
)
def test_errors_name_what_is_wrong_or_missing(
    place: Path, changes: dict[str, Any], problem: str
) -> None:
    with pytest.raises(TokenizerFileError, match=problem) as caught:
        load(place, spelled(**changes))
    assert str(caught.value).startswith(f"{place / 'odd.json'}: ")


@pytest.mark.parametrize("name", FACES)
def test_a_damaged_file_is_read_or_refused(place: Path, name: str) -> None:
    data = json.dumps(FACES[name]).encode()
    for seed in some(range(400), 16):
        (place / "odd.json").write_bytes(damaged(data, Random(seed)))
        with suppress(BpeError):
            tokenizer = Tokenizer.load(place / "odd.json")
            tokenizer.decode(tokenizer.encode("abc <|endoftext|> Ab12 é 漢"))


@examples(60)
@given(st.floats(0, 1), st.binary(max_size=3))
def test_a_file_cut_short_is_refused(place: Path, share: float, junk: bytes) -> None:
    data = json.dumps(FACES["hf-like-llama-3"]).encode()
    (place / "cut.json").write_bytes(data[: int(share * (len(data) - 1))] + junk)
    with pytest.raises(TokenizerFileError, match=r"cut\.json"):
        Tokenizer.load(place / "cut.json")


NO_STAGES: dict[str, Any] = {
    **dict.fromkeys(("truncation", "padding", "normalizer", "pre_tokenizer")),
    **dict.fromkeys(("post_processor", "decoder")),
    "version": "1.0",
    "added_tokens": [],
}
WORDS = {"unk_token": "[UNK]", "vocab": {"[UNK]": 0, "hug": 1, "##s": 2}}
WITHOUT_TYPE = [
    {"continuing_subword_prefix": "##", "max_input_chars_per_word": 100, **WORDS},
    WORDS,
    {"vocab": {"h": 0, "u": 1, "g": 2, "hu": 3, "hug": 4}, "merges": ["h u", "hu g"]},
    {"unk_id": 0, "vocab": [["<unk>", 0.0], ["hug", -1.0], ["s", -2.0], ["h", -9.0]]},
]
ALL_BUT_TAB = {f"<0x{byte:02X}>": 2 + byte for byte in range(256) if byte != 9}


@pytest.mark.parametrize("fuse_unk", [True, False])
@pytest.mark.parametrize("unk_token", ["<unk>", None])
@examples(60)
@given(texts=st.lists(st.text("aé\t漢b", max_size=12), min_size=5, max_size=5))
def test_a_character_with_a_missing_byte_is_unknown(
    place: Path, unk_token: str | None, fuse_unk: bool, texts: list[str]
) -> None:
    vocab = {"<unk>": 0, "a": 1, **ALL_BUT_TAB}
    model = {"type": "BPE", "unk_token": unk_token, "fuse_unk": fuse_unk, "byte_fallback": True}
    content = NO_STAGES | {"model": {**model, "vocab": vocab, "merges": []}}
    assert_as_theirs(place, content, texts)


@pytest.mark.parametrize("model", WITHOUT_TYPE)
def test_a_model_without_a_type_is_known_by_its_settings(
    place: Path, model: dict[str, Any]
) -> None:
    assert_as_theirs(place, NO_STAGES | {"model": model}, ["hug", "hugs", "xx", "shug"])


def assert_as_theirs(place: Path, content: dict[str, Any], texts: list[str]) -> None:
    library = pytest.importorskip("tokenizers")
    path = place / "bare.json"
    path.write_text(json.dumps(content))
    ours, theirs = Tokenizer.load(path), library.Tokenizer.from_str(json.dumps(content))
    for text in texts:
        ids = theirs.encode(text, add_special_tokens=False).ids
        assert ours.encode(text) == ids
        assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)

"""GGUF files: ids equal those of the tokenizer that a file was made from, and limits hold."""

import gzip
import json
import random
import struct
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from gguf_files import (
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    gguf,
    llama_json,
    of_bytes,
    of_pieces,
    of_sentencepiece,
    processor,
)
from model_pipelines import bert
from odd_texts import CHARACTERS, sample_texts
from pipelines import built, deepseek, gpt2, llama3
from tokenizers import Regex, pre_tokenizers

from engine import Tokenizer, TokenizerFileError
from engine.analysis.text_comparison import first_merge_difference, overlap
from engine.formats import gguf as gguf_format
from engine.formats import gguf_header, open_tokenizer, save
from engine.formats.gguf import TokenizerPairs
from engine.formats.gguf_cuts import CUTS, pre_tokenizer_named
from engine.formats.gguf_cuts import NAMES as PRE_NAMES
from engine.formats.source import TokenizerSource
from engine.formats.tokenizer_format import Opened

TEXTS = (
    "Hello, WORLD's  12345 x=(1+2);\n\n\tdon't DON'T \n ",
    "漢字かな カナ 12½ naïve café… Привет 한글 🙂👩\u200d👩 e\u0301 <|endoftext|>",
    " two  spaces\r\n   and [MASK] ▁three▁ <s>low</s> \u3000x",
    " ".join(CHARACTERS),
    *(text[:1500] for text in sample_texts()),
)


def opened(folder: Path, pairs: dict[str, Any], **how: Any) -> Opened:
    path = folder / "model.gguf"
    path.write_bytes(gguf(pairs, **how))
    return open_tokenizer(path)


def check_equal(folder: Path, ours: Tokenizer, theirs: tokenizers.Tokenizer) -> None:
    """Check that the ids are the library's, and that `compare` finds no difference."""
    path = folder / "tokenizer.json"
    theirs.save(str(path))
    in_json = open_tokenizer(path).tokenizer
    for text in TEXTS:
        ids = theirs.encode(text, add_special_tokens=False).ids
        assert ours.encode(text) == ids == in_json.encode(text)
        assert ours.decode(ids) == in_json.decode(ids)
    assert overlap([ours, in_json]).only == ((), ())
    assert first_merge_difference(ours, in_json) is None
    assert ours.special_ids == in_json.special_ids


def adds(text: str) -> str:
    return f"its template adds {text} to a text; encode does so with --template"


@pytest.mark.parametrize(
    ("build", "pre", "notes"),
    [
        (gpt2, "gpt-2", ()),
        (llama3, "llama-bpe", (adds("!"),)),  # its token 0
        (deepseek, "deepseek-v3", ()),
    ],
)
def test_byte_level_bpe_equals_the_tokenizer_json_it_was_made_from(
    build: Any, pre: str, notes: tuple[str, ...], tmp_path: Path
) -> None:
    theirs = built(build)
    found = opened(tmp_path, of_bytes(theirs, pre, bos_token_id=0, eos_token_id=0))
    assert found.format == "gguf"
    assert found.notes == (f"a GGUF file's tokenizer, gpt2, cut as {pre}", *notes)
    check_equal(tmp_path, found.tokenizer, theirs)


def test_llama_equals_sentencepiece_and_the_tokenizer_json(tmp_path: Path) -> None:
    found = opened(tmp_path, of_sentencepiece("bpe", "like Llama"))
    library = processor("bpe", "like Llama")
    for text in TEXTS:
        if not any(mark in text for mark in ("<unk>", "<s>", "</s>")):
            assert found.tokenizer.encode(text) == library.encode(text)
    assert found.notes == ("a GGUF file's tokenizer, llama", adds("<s>"))
    check_equal(tmp_path, found.tokenizer, llama_json("like Llama"))


@pytest.mark.parametrize("variant", ["plain", "as it is"])
def test_t5_equals_sentencepiece(variant: str, tmp_path: Path) -> None:
    found = opened(tmp_path, of_sentencepiece("unigram", variant))
    assert found.notes == ("a GGUF file's tokenizer, t5", adds("</s>"))
    library = processor("unigram", variant)
    for text in TEXTS:
        if not any(mark in text for mark in ("<unk>", "<s>", "</s>")):
            assert found.tokenizer.encode(text) == library.encode(text)


def test_t5_sums_scores_in_64_bits_as_llama_cpp_and_the_tokenizer_json_do(tmp_path: Path) -> None:
    chance = random.Random(9)
    texts = ["<unk>", "▁", ".", "...", "a", "aa", "aaa", "ab", "b", "b."]
    for _ in range(20):
        scores = [0.0, *(-chance.choice([2.1, 3.3, 4.7, 9.9]) for _ in texts[1:])]
        scores = list(struct.unpack(f"<{len(texts)}f", struct.pack(f"<{len(texts)}f", *scores)))
        kinds = [UNKNOWN, *(NORMAL for _ in texts[1:])]
        pairs = {"tokens": texts, "scores": scores, "token_type": kinds, "unknown_token_id": 0}
        found = opened(tmp_path, {"model": "t5", "add_space_prefix": False, **pairs})
        library = tokenizers.models.Unigram(list(zip(texts, scores, strict=True)), 0, False)
        for _ in range(30):
            text = "".join(chance.choices(["." * 9, "a" * 7, "a", "b", ".", "x"], k=9))
            theirs = [token.id for token in library.tokenize(text)]
            assert found.tokenizer.encode(text) == theirs


def test_bert_equals_the_tokenizer_json_it_was_made_from(tmp_path: Path) -> None:
    theirs = bert()
    found = opened(tmp_path, of_pieces(theirs))
    check_equal(tmp_path, found.tokenizer, theirs)
    pipeline = found.tokenizer.pipeline
    assert pipeline is not None
    template = json.loads(theirs.to_str())["post_processor"]
    assert pipeline.to_json()["post_processor"] == template  # type: ignore[attr-defined]


def test_roles_of_bert_that_the_file_leaves_out_are_those_of_its_first_vocabulary(
    tmp_path: Path,
) -> None:
    words = [f"▁{number}" for number in range(100)]
    words += ["[UNK]", "[CLS]", "[SEP]", "▁low", "[x", "er"]
    found = opened(tmp_path, {"model": "bert", "tokens": words})
    assert found.notes == ("a GGUF file's tokenizer, bert", adds("[CLS] [SEP]"))
    assert found.tokenizer.encode("low lower q") == [103, 103, 105, 100]
    assert found.tokenizer.vocab[104] == b"##[x"


@pytest.mark.parametrize("pre", sorted({cut: name for name, cut in PRE_NAMES.items()}.values()))
def test_each_way_to_cut_is_that_of_hugging_faces_library(pre: str, tmp_path: Path) -> None:
    found = opened(tmp_path, of_bytes(built(gpt2), pre))
    save(found.tokenizer, tmp_path / "saved.json", "huggingface")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "saved.json"))
    for text in (*TEXTS, "Hello, WORLD's 12345 x=(1+2);\n\n\t漢字かな 12½ don't DON'T \n "):
        assert found.tokenizer.encode(text) == theirs.encode(text, add_special_tokens=False).ids
    assert set(PRE_NAMES.values()) == set(CUTS)


def test_an_unknown_way_to_cut_is_refused_unless_a_pattern_is_given(tmp_path: Path) -> None:
    with pytest.raises(TokenizerFileError, match=r"'kimi-k9', are not known here; --pattern"):
        opened(tmp_path, of_bytes(built(gpt2), "kimi-k9"))
    found = open_tokenizer(tmp_path / "model.gguf", pattern="cl100k")
    assert found.tokenizer.pattern.name == "cl100k"


OF_LLAMA_CPP = {
    "default": (
        r"[\p{P}\$\+<=>\^~\|]+",
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)",
        r"\p{N}+",
        r"[0-9][0-9][0-9]",
    ),
    "superbpe": (r"\p{N}+", r"(?=(\d{3})+(?!\d))"),
    "kimi-k2": (
        r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*"
        r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+"
        r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    ),
    "jais-2": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
        + "".join(rf"|\s{{{run}}}(?!\S)" for run in (512, 256, 128, 64, 32, 16, 8, 4))
        + r"|\s{1,2}(?!\S)|\s{1}",
    ),
    "exaone-moe": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+"
        r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+",
    ),
}
"""llama.cpp's name → its regexes, each of which cuts the pieces of the one before."""


@pytest.mark.parametrize("pre", OF_LLAMA_CPP)
def test_a_newer_name_cuts_by_the_regexes_of_llama_cpp(pre: str) -> None:
    splits = [pre_tokenizers.Split(Regex(each), "isolated") for each in OF_LLAMA_CPP[pre]]
    spelled = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    theirs = pre_tokenizers.Sequence([*splits, spelled])
    ours = pre_tokenizer_named(pre)
    for text in (*TEXTS, "a 12345 1234567$+ab12", f"a{' ' * 13}b{' ' * 700}c"):
        assert ours.pieces(text, first=True) == [
            piece for piece, _ in theirs.pre_tokenize_str(text)
        ]


def test_gemma_4_merges_characters_and_marks_spaces(tmp_path: Path) -> None:
    tokens = ["a", "▁", "b", "\n", "▁b", "a▁b", "\n\n", "<0xC3>", "<0xA9>"]
    merges = ["▁ b", "a ▁b", "\n \n"]
    found = opened(tmp_path, {"model": "gemma4", "tokens": tokens, "merges": merges})
    assert found.tokenizer.encode("a b\n\né") == [5, 6, 7, 8]
    assert found.tokenizer.decode([5, 6, 7, 8]) == "a b\n\né"


@pytest.mark.parametrize("lowers", [False, True])
def test_words_between_white_space_merge_characters(tmp_path: Path, lowers: bool) -> None:
    tokens = [*"aBbÉé中文", "Bb", "bb", "中文", "<0xC3>", "<0xB1>"]
    merges = ["B b", "b b", "中 文"]
    pairs = {"model": "whitespace", "pre": "whitespace", "tokens": tokens, "merges": merges}
    found = opened(tmp_path, pairs | {"normalizer.lowercase": lowers}).tokenizer
    ids = {token: place for place, token in enumerate(tokens)}
    model = tokenizers.models.BPE(ids, [tuple(each.split()) for each in merges], byte_fallback=True)
    theirs = tokenizers.Tokenizer(model)
    theirs.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    if lowers:
        theirs.normalizer = tokenizers.normalizers.Lowercase()
    for text in ("Bb  aÉ中文\n中 文 ñ", "aBbé\u3000bb", *TEXTS):
        assert found.encode(text) == theirs.encode(text).ids


def test_among_llama_cpp_s_cuts_white_space_that_has_tokens_stays(tmp_path: Path) -> None:
    pairs = {"model": "gpt2", "pre": "whitespace", "tokens": ["a", "ab", "b", "<0x20>"]}
    found = opened(tmp_path, pairs | {"merges": ["a b"]}).tokenizer
    assert found.encode("ab a") == [1, 3, 0]
    assert found.decode([1, 3, 0]) == "ab a"


def test_gemma_4_begins_with_its_bos_whatever_the_file_says(tmp_path: Path) -> None:
    pairs = {"model": "gemma4", "tokens": ["<bos>", "a"], "merges": [], "token_type": (3, 1)}
    found = opened(tmp_path, pairs | {"bos_token_id": 0, "add_bos_token": False}).tokenizer
    assert found.encode("a", template=True) == [0, 1]


def test_a_file_that_names_no_way_to_cut_takes_the_default_and_says_so(tmp_path: Path) -> None:
    pairs = of_bytes(built(gpt2), "default")
    named = opened(tmp_path, pairs)
    del pairs["pre"]
    found = opened(tmp_path, pairs)
    taken = "the file names no pattern; llama.cpp's default is taken; --pattern gives another one"
    assert taken in named.notes
    assert taken in found.notes
    assert all(found.tokenizer.encode(text) == named.tokenizer.encode(text) for text in TEXTS)


def test_tokens_have_the_numbers_and_kinds_of_the_header() -> None:
    texts = ["<s>", "a", "", "[PAD3]", "[PAD9]", "<0x41>", "[PAD6]"]
    kinds = (CONTROL, 0, NORMAL, UNUSED, USER_DEFINED, BYTE, NORMAL)
    scores = (0.5, 2.0**66, 0.0, 0.0, 0.0, 0.0, -(2.0**66))
    pairs = TokenizerPairs({"tokens": texts, "token_type": kinds, "scores": scores})
    assert pairs.tokens == [
        (0, "<s>", 0.5, CONTROL),
        (1, "a", 2.0**66, NORMAL),
        (4, "[PAD9]", 0.0, USER_DEFINED),
        (5, "<0x41>", 0.0, BYTE),
        (6, "[PAD6]", -(2.0**66), NORMAL),
    ]
    roles = {"bos_token_id": 0, "eos_token_id": 3, "mask_token_id": 1.0, "cls_token_id": -1}
    pairs = TokenizerPairs({"tokens": ["a", "b", "<0x42>"], **roles})
    assert [token.kind for token in pairs.tokens] == [CONTROL, NORMAL, BYTE]
    assert pairs.token_with("bos") == (0, "a", 0.0, CONTROL)
    assert [pairs.token_with(role, 1) for role in ("eos", "mask", "cls")] == [None] * 3
    assert pairs.token_with("sep", 1) == (1, "b", 0.0, NORMAL)


def test_control_tokens_are_special_and_fillers_are_left_out(tmp_path: Path) -> None:
    pairs = of_bytes(built(gpt2), "gpt-2", bos_token_id=0, add_bos_token=True)
    size = len(pairs["tokens"])
    pairs["tokens"] += ["<tool>", f"[PAD{size + 1}]", f"[PAD{size + 2}]", ""]
    pairs["token_type"] += [USER_DEFINED, UNUSED, USER_DEFINED, NORMAL]
    found = opened(tmp_path, pairs)
    assert found.tokenizer.encode("<tool><|endoftext|>") == [size, 0]
    assert max(found.tokenizer.vocab) == size
    assert "3 of its tokens only fill the vocabulary up, and are left out" in found.notes
    assert found.notes[-1].startswith("its template adds <|endoftext|> to a text")
    pipeline = found.tokenizer.pipeline
    assert pipeline is not None
    assert pipeline.run("low").ids[0] == 0
    named = open_tokenizer(tmp_path / "model.gguf", special_tokens=["<tool>"]).tokenizer
    assert named.special_tokens == ("<tool>",)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("order", ["<", ">"])
def test_both_orders_of_bytes_and_both_versions_are_read(
    order: str, version: int, tmp_path: Path
) -> None:
    pairs = of_sentencepiece("bpe", "like Llama")
    found = opened(tmp_path, pairs, order=order, version=version)
    ids = processor("bpe", "like Llama").encode("low lowest")
    assert found.tokenizer.encode("low lowest") == ids


def test_a_file_of_the_gguf_library_is_read(tmp_path: Path) -> None:
    library = pytest.importorskip("gguf")
    theirs = built(llama3)
    pairs = of_bytes(theirs, "llama-bpe")
    for endian in (library.GGUFEndian.LITTLE, library.GGUFEndian.BIG):
        writer = library.GGUFWriter(tmp_path / "theirs.gguf", "llama", endianess=endian)
        writer.add_uint32("llama.context_length", 8192)
        writer.add_array("general.tags", ["text-generation", "a"])
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("llama-bpe")
        writer.add_token_list(pairs["tokens"])
        writer.add_token_types(pairs["token_type"])
        writer.add_token_merges(pairs["merges"])
        writer.add_chat_template("{{ messages }}")
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.close()
        found = open_tokenizer(tmp_path / "theirs.gguf").tokenizer
        for text in TEXTS:
            assert found.encode(text) == theirs.encode(text, add_special_tokens=False).ids


def test_the_tensors_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.gguf"
    path.write_bytes(gguf(of_bytes(built(gpt2), "gpt-2"), tensors=1 << 40))
    with path.open("r+b") as file:
        file.truncate(5 << 30)  # a file with holes, which takes no room
    assert open_tokenizer(path).tokenizer.encode("low")


def test_a_folder_has_one_model_perhaps_in_parts(tmp_path: Path) -> None:
    first, later = "m-00001-of-00002.gguf", "m-00002-of-00002.gguf"
    for names, found in (
        (["m.gguf"], "m.gguf"),
        ([first, later, "m.txt"], first),
        ([later], None),
        (["a.gguf", "b.gguf"], None),
        ([], None),
    ):
        for path in tmp_path.iterdir():
            path.unlink()
        for name in names:
            (tmp_path / name).write_bytes(b"GGUF" if name == found else b"")
        chosen = gguf_format._path_of(TokenizerSource([tmp_path]))
        assert chosen == (found and tmp_path / found)
        assert gguf_format.recognises(TokenizerSource([tmp_path])) is (found is not None)


def test_a_packed_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(gguf(of_bytes(built(gpt2), "gpt-2"))))
    assert open_tokenizer(tmp_path / "a.gz").format == "gguf"


def header(*parts: bytes, count: int = 1) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, 0, count) + b"".join(parts)


def key(name: str, kind: int) -> bytes:
    return struct.pack("<Q", len(name)) + name.encode() + struct.pack("<I", kind)


NESTED = struct.pack("<IQ", 9, 1) * 40 + struct.pack("<IQ", 0, 0)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"GGUF", "cut short"),
        (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "version 1; known are 2 and 3"),
        (b"GGUF" + struct.pack("<IQQ", 4, 0, 0), "version 4"),
        (header(count=1 << 60), "pairs in its header"),
        (header(), "cut short"),
        (header(struct.pack("<Q", 1 << 63)), "cut short"),
        (header(key("a", 99)), "unknown type 99"),
        (header(key("a", 9), struct.pack("<IQ", 8, 1 << 62)), "a list of .* does not fit"),
        (header(key("a", 9), struct.pack("<IQ", 8, 2), bytes(15)), "a list of 2 does not fit"),
        (header(key("a", 9), struct.pack("<IQ", 8, 2), bytes(16), b"\xff"), "without a tokenizer"),
        (header(key("a", 9), struct.pack("<IQ", 77, 1)), "unknown type 77"),
        (header(key("a", 9), NESTED), "nested deeper than 4"),
        (header(key("a", 7) + b"\0", key("a", 7) + b"\0", count=2), "the key 'a' twice"),
        (header(struct.pack("<Q", 2) + b"\xff\xff"), "no UTF-8"),
        (gguf({"general.name": "x"}), "is a GGUF file without a tokenizer"),
        (gguf({"model": 3}), "tokenizer.ggml.model should be a str"),
        (
            gguf({"model": "rwkv", "tokens": ["a"]}),
            "of the kind 'rwkv'; known are gpt2, gemma4, whitespace, llama",
        ),
        (gguf({"model": "gpt2"}), "has 0 tokens"),
        (gguf({"model": "gpt2", "tokens": [1]}), "tokens should be a list of texts"),
        (gguf({"model": "gpt2", "tokens": ["a", "a"]}), "the token 'a' twice"),
        (gguf({"model": "gpt2", "tokens": [""]}), "no token with a text"),
        (gguf({"model": "gpt2", "tokens": ["a"], "token_type": [7]}), "type of its token 'a'"),
        (gguf({"model": "gpt2", "tokens": ["a"], "scores": [float("nan")]}), "score or type"),
        (
            gguf({"model": "gpt2", "tokens": ["a"], "scores": [-(2.0**66 + 2.0**44)]}),
            "score or type",
        ),
        (gguf({"model": "gpt2", "tokens": ["a", "b"], "token_type": [1]}), "a number for each"),
        (gguf({"model": "gpt2", "tokens": ["a"], "merges": ["a"]}), "merge 0 is not two tokens"),
        (gguf({"model": "gpt2", "tokens": ["a"], "merges": ["a "]}), "merge 0 is not two tokens"),
        (gguf({"model": "gpt2", "tokens": ["a"], "merges": ["a b"]}), "needs the token 'b'"),
        (gguf({"model": "llama", "tokens": ["u", "ab", "a"]}), "made of the character 'b'"),
        (gguf({"model": "llama", "tokens": ["u", "<0x41>"]}), "255 of the 256 pieces"),
        (gguf({"model": "llama", "tokens": ["a"], "add_space_prefix": 1}), "should be a bool"),
        (gguf({"model": "t5", "tokens": ["a"]}), "no unknown token"),
        (gguf({"model": "bert", "tokens": ["a"]}), "no unknown token"),
        (gguf({"model": "bert", "tokens": ["▁a"], "unknown_token_id": 0}), "no unknown token"),
        (gguf({"model": "bert", "tokens": ["▁##a", "a"]}), "the piece '##a' twice"),
        (
            gguf({"model": "t5", "tokens": list("abc"), "precompiled_charsmap": b"abcdef"}),
            "map of characters is damaged",
        ),
        (
            gguf({"model": "t5", "tokens": list("abc"), "precompiled_charsmap": [0.5]}),
            "precompiled_charsmap should be a list of bytes",
        ),
    ],
)
def test_a_damaged_file_is_refused_in_a_sentence(data: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(TokenizerFileError, match=message):
        open_tokenizer(tmp_path / "a")


LISTS = gguf({"model": "bert", "tokens": ["[UNK]"], "a": [[[[1, 2]]]], "unknown_token_id": 0})
NO_LISTS = header(*(key(str(number), 7) + b"\0" for number in range(9)), count=9)


@pytest.mark.parametrize(
    ("data", "limit", "size", "message"),
    [
        (LISTS, "LARGEST_HEADER", len(LISTS), "header is larger than 0 MB"),
        (LISTS, "MOST_ITEMS", 6, "more than 5 items in its header"),
        (LISTS, "DEEPEST", 4, "nested deeper than 3"),
        (NO_LISTS, "MOST_PAIRS", 9, "has 9 pairs in its header"),
    ],
)
def test_a_header_may_be_as_large_as_its_limits(
    data: bytes,
    limit: str,
    size: int,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "a").write_bytes(data)
    monkeypatch.setattr(gguf_header, limit, size)
    monkeypatch.setattr(gguf_header, "_BLOCK", 1)  # nothing is read ahead
    assert len(gguf_header.read_pairs(tmp_path / "a")) == (4 if data is LISTS else 0)
    monkeypatch.setattr(gguf_header, limit, size - 1)
    with pytest.raises(TokenizerFileError, match=message):
        gguf_header.read_pairs(tmp_path / "a")

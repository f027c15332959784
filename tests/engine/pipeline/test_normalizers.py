"""Normalizers, and the table of characters in a model of SentencePiece."""

import base64
import json
import pickle
import struct
from functools import cache, partial
from itertools import product
from typing import Any

import pytest
import regex
from generated import first_quick
from hypothesis import example, given
from hypothesis import strategies as st
from odd_texts import in_old_unicode, sample_texts, texts
from sheets import check_sheet, refusal
from tokenizers import NormalizedString
from tokenizers import normalizers as theirs

from engine import TokenizerFileError
from engine.core.json_fields import Fields
from engine.pipeline.double_array import text_at, walk_trie
from engine.pipeline.normalizers import NORMALIZERS, Aligned, Normalizer
from engine.pipeline.sentencepiece import (
    NORMAL,
    UNKNOWN,
    CharacterMap,
    ScoredPiece,
    SentencePieceBPE,
    SentencePieceNormalizer,
    word_pattern,
)


def charsmap(rules: dict[str, str]) -> str:
    """Return a `precompiled_charsmap` for keys of one byte: a double array, laid out by hand."""
    units = [0] * 1024
    units[0] = 256 << 10  # the children of the root begin at 256
    replacements = b""
    for key, new in rules.items():
        (byte,) = key.encode()
        child = 256 ^ byte
        units[child] = byte | 1 << 8 | (child ^ (512 + byte)) << 10
        units[512 + byte] = 1 << 31 | len(replacements)
        replacements += new.encode() + b"\0"
    trie = struct.pack(f"<{len(units)}I", *units)
    return base64.b64encode(struct.pack("<I", len(trie)) + trie + replacements).decode()


def bert(clean: bool, chinese: bool, accents: bool | None, lower: bool) -> dict[str, Any]:
    settings = {"clean_text": clean, "handle_chinese_chars": chinese, "strip_accents": accents}
    return {"type": "BertNormalizer", **settings, "lowercase": lower}


PREPEND = {"type": "Prepend", "prepend": "▁"}
MARK = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
BOTH_WAYS = [*product((True, False), repeat=2)]
SPELLED: list[dict[str, Any]] = [
    *({"type": form} for form in ("NFC", "NFD", "NFKC", "NFKD")),
    {"type": "Lowercase"},
    {"type": "StripAccents"},
    {"type": "Nmt"},
    {"type": "ByteLevel"},
    *({"type": "Strip", "strip_left": left, "strip_right": right} for left, right in BOTH_WAYS),
    PREPEND,
    MARK,
    {"type": "Replace", "pattern": {"String": ""}, "content": "-"},
    {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
    {"type": "Replace", "pattern": {"Regex": "[a-z]*"}, "content": r"<\1>"},
    {"type": "Replace", "pattern": {"Regex": "^|$"}, "content": "|"},
    bert(True, True, None, True),
    bert(True, False, False, False),
    bert(False, True, True, False),
    bert(False, False, False, True),
    bert(True, True, None, False),
    {"type": "Precompiled", "precompiled_charsmap": charsmap({"A": "aa", "\t": " ", "z": ""})},
    {"type": "Sequence", "normalizers": [PREPEND, {"type": "NFKC"}, MARK]},
    {"type": "Sequence", "normalizers": []},
]


def name_of(spelled: dict[str, Any]) -> str:
    return f"{spelled['type']}{list(spelled.values())[1:]}"


def their_normalizer(spelled: dict[str, Any]) -> Any:
    """Hugging Face's normalizer, through a whole file: there is no other way in."""
    from tokenizers import Tokenizer, models

    whole = json.loads(Tokenizer(models.BPE()).to_str()) | {"normalizer": spelled}
    return Tokenizer.from_str(json.dumps(whole)).normalizer


def ours(spelled: dict[str, Any]) -> Normalizer:
    return NORMALIZERS.from_json(Fields(spelled, "normalizer"))


def test_every_normalizer_is_compared() -> None:
    assert {spelled["type"] for spelled in SPELLED} == set(NORMALIZERS)
    named = {name for name in dir(theirs) if name[0].isupper()}
    assert set(NORMALIZERS) == named - {"Normalizer", "NORMALIZERS"}


UNIFORM = [(0x3400, 0x9FFF), (0x17000, 0x18CFF), (0x20000, 0x2F7FF), (0x30000, 0xDFFFF)]
"""Blocks of ideographs, which are all alike."""


@cache
def known_characters() -> list[str]:
    """Return the characters of the newest Unicode that is at hand."""
    characters = map(chr, [*range(0xD800), *range(0xF900, 0xE0200)])
    known = filter(regex.compile(r"\P{Cn}").match, characters)
    return [c for c in known if not any(first <= ord(c) <= last for first, last in UNIFORM)]


@pytest.mark.parametrize(
    "name",
    ["NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "BertNormalizer", "Strip", "Nmt"],
)
@pytest.mark.parametrize(
    "around", first_quick(["a\u0301{}\u0323", "{}", "\u1100{}\u1161", "\u0323{}\u0301"])
)
def test_every_character_is_normalized_as_by_hugging_face(name: str, around: str) -> None:
    stage, reference = NORMALIZERS[name](), getattr(theirs, name)()
    text = "\n".join(map(around.format, known_characters()))
    if stage.normalize(text) != reference.normalize_str(text):
        for each in map(around.format, known_characters()):
            assert stage.normalize(each) == reference.normalize_str(each), ascii(each)


@pytest.mark.parametrize("spelled", SPELLED, ids=name_of)
def test_each_character_comes_from_where_hugging_face_says(spelled: dict[str, Any]) -> None:
    reference, normalizer = their_normalizer(spelled), ours(spelled)
    assert normalizer.to_json() == spelled
    assert pickle.loads(pickle.dumps(normalizer)) == normalizer  # as for a helper process

    @given(texts())
    @example("가각ᄀ\u1161\u11a8 e\u0301\u0323")
    @example("㋿A\u0898\u0301e\u1abf\u0301\u1c89")
    @example("xe\u0301y İx  \n ﬃ½\u0301 a\u0305\u0301\u0323\u0334")
    @example("a\u0305\u0301")
    @example("")
    @example(" \x1c A\u0323\u0307B\u0301 ΑΣ ÅﬃZz ")
    def is_aligned(text: str) -> None:
        aligned, other = normalizer.align(Aligned.of(text)), NormalizedString(text)
        reference.normalize(other)
        assert aligned.text == normalizer.normalize(text) == other.normalized
        assert len(aligned.spans) == len(aligned.text)
        assert list(aligned.spans) == sorted(aligned.spans)
        for at, (start, end) in enumerate(aligned.spans):
            if start == end:  # an insertion; the library names the character before it
                assert (spelled["type"], 0 <= start <= len(text)) == ("Replace", True)
            elif spelled["type"] != "Precompiled":  # a grapheme, not each of its characters
                assert text[start:end] == other[at : at + 1].original

    is_aligned()
    for text in map(in_old_unicode, sample_texts()):
        assert normalizer.normalize(text) == reference.normalize_str(text)


@given(texts(), st.integers(0, 30), st.integers(0, 30))
def test_a_part_of_a_text_knows_its_place(text: str, start: int, end: int) -> None:
    part = Aligned.of(text).part(start, end)
    first, last = part.span(0, len(part.text))
    assert text[first:last] == part.text
    assert (Aligned.of("").is_first, Aligned.of("a", 1).is_first) == (True, False)


def nested(depth: int) -> list[dict[str, Any]]:
    return [{"type": "Sequence", "normalizers": nested(depth - 1)}] if depth else []


WRONG: list[dict[str, Any]] = [
    *({"type": "Lower"}, {}, {"type": "Prepend"}, {"type": "Strip", "strip_left": 1}),
    *({"type": "Prepend", "prepend": each} for each in (3, "\ud800")),
    {"type": "Replace", "pattern": {"Regex": r"\1"}, "content": ""},
    {"type": "Replace", "pattern": {"String": "a"}, "content": "b" * 257},
    *({"type": "Sequence", "normalizers": parts} for parts in ([{"type": "NFC"}, 3], nested(33))),
    *({"type": "Precompiled", "precompiled_charsmap": m} for m in ("AAA", "BAAAAAAA", "BQAAAAAA")),
]


def test_an_error_names_the_wrong_key() -> None:
    check_sheet("errors/normalizers", map(partial(refusal, ours), WRONG))
    assert ours({"type": "Precompiled", "precompiled_charsmap": "AAAAAA=="}).normalize("aé") == "aé"


def test_a_sequence_has_at_most_256_stages_and_long_patterns_count_as_several() -> None:
    def of(*parts: dict[str, Any]) -> dict[str, Any]:
        return {"type": "Sequence", "normalizers": [*parts]}

    nfc, longer = {"type": "NFC"}, {"type": "Replace", "content": ""}
    long = [longer | {"pattern": {"String": "a" * 512 * times}} for times in (255, 256)]
    for most, too_many in (
        (of(*[nfc] * 256), of(*[nfc] * 257)),
        (of(of(*[nfc] * 255)), of(of(*[nfc] * 256))),
        (of(long[0]), of(long[1])),
    ):
        assert ours(most).to_json() == most
        with pytest.raises(TokenizerFileError, match="has more than 256 stages"):
            ours(too_many)


def test_a_text_grows_to_32_times_its_length_and_65536_characters() -> None:
    longer = {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 256}
    several = ours({"type": "Sequence", "normalizers": [*nested(31), longer]})
    # 256 × 297 + 32 = 32 × 329 + 65,536 = 76,064; with a `b` less, 76,063 > 76,032.
    largest, too_large = "a" * 297 + "b" * 32, "a" * 297 + "b" * 31
    assert len(several.normalize(largest)) == len(several.align(Aligned.of(largest)).text) == 76_064
    for grow in (several.normalize, lambda text: several.align(Aligned.of(text))):
        with pytest.raises(TokenizerFileError, match="up to Replace make 76,063 characters of 328"):
            grow(too_large)


VALUE, LARGE, ENDS = 1 << 31, 1 << 9, 1 << 8
KEYS = {b"a": 0, "é".encode(): 2, "éa".encode(): 5}
TEXTS = b"x\0yz\0z\0"


def laid_out(keys: dict[bytes, int]) -> list[int]:
    """Return the units of keys with their values; the children of each node have a block."""
    nodes = sorted({key[:end] for key in keys for end in range(len(key) + 1)})
    base = {node: 256 * place for place, node in enumerate(nodes, start=1)}
    units = [0] * 256 * (len(nodes) + 1)
    for place in range(1, len(units)):
        units[place] = place % 256 ^ 0xFF  # an unused unit leads to the last one of its block
    units[0] = base[b""] >> 8 << 10 | LARGE
    for node in nodes[1:]:
        place = base[node[:-1]] ^ node[-1]
        units[place] = node[-1] | (place ^ base[node]) << 10 | ENDS * (node in keys)
    for key, value in keys.items():
        units[base[key]] = VALUE | value
    return units


UNITS = laid_out(KEYS)
# The first block has the root's children.
OF_A = 256 + 97


def test_each_beginning_of_a_key_is_told_with_its_value() -> None:
    assert list(walk_trie(UNITS, "éab".encode())) == [(1, None), (2, 2), (3, 5)]
    assert list(walk_trie(UNITS, b"a\0")) == [(1, 0)]
    assert list(walk_trie(UNITS, b"b")) == list(walk_trie(UNITS, b"")) == []
    assert list(walk_trie(UNITS[:OF_A], b"a")) == []
    assert list(walk_trie(UNITS[:512], b"a")) == [(1, None)]  # its value was the next unit
    assert [text_at(TEXTS, place) for place in (0, 2, 5)] == ["x", "yz", "z"]
    assert text_at(b"x\0y\xff", 2) == "y\ufffd"


def test_the_longest_rule_that_the_text_has_replaces() -> None:
    units = laid_out({b"a": 0, b"abc": 2})
    charsmap = struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + b"x\0y\0"
    rules = CharacterMap(charsmap)
    found = [rules.longest(text, 1) for text in ("-abcd", "-abd", "-ab", "-a", "-b")]
    assert found == [(4, "y"), (2, "x"), (2, "x"), (2, "x"), None]
    normalizer = SentencePieceNormalizer(charsmap, remove_extra_whitespaces=False)
    assert normalizer.normalize(" abc  ab") == "▁▁y▁▁xb"


def test_the_piece_of_the_highest_score_merges_first_whatever_its_id() -> None:
    pieces = [ScoredPiece("<unk>", 0.0, UNKNOWN)]
    scores = {"a": -1.0, "b": -1.0, "c": -1.0, "ab": -9.0, "bc": -5.0}
    pieces += [ScoredPiece(text, score, NORMAL) for text, score in scores.items()]
    model = SentencePieceBPE(pieces)
    assert (model.merges, model.first(1).merges) == ([("b", "c"), ("a", "b")], [("b", "c")])
    assert [token.text for token in model.tokenize("abc")] == ["a", "bc"]


def test_words_are_cut_where_no_token_goes_on() -> None:
    pattern = word_pattern(["▁", ">", "b>▁"])
    assert pattern is not None
    assert pattern.split("▁a>▁a▁b▁a") == ["▁a>▁a", "▁b", "▁a"]
    assert word_pattern(["a"]) is None

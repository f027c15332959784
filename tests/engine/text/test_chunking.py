"""Cutting a text: into pretokens, into chunks, and at places that no pretoken crosses."""

import json
import os
from array import array
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise, product
from pathlib import Path
from unittest import mock

import pytest
import regex
import tiktoken
from chunk_texts import CORPORA, SPECIALS, one_pass
from counting_texts import TEXT_PIECES
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st

from engine import (
    BpeError,
    SpecialTokenError,
    Tokenizer,
    Trainer,
    check,
    count_pretokens,
    train_bpe,
)
from engine.counting.count import count_begun
from engine.native import KERNEL, SWITCH
from engine.native.counting import KernelCounter
from engine.native.scanning import MARK, PAGE, SCANNED
from engine.pipeline.added_tokens import SectionSplitter
from engine.pipeline.normalizers import Lowercase
from engine.text import pretokenize
from engine.text.cutting import classes_of, cutter_for, regex_cutter
from engine.text.patterns import PATTERNS, Alternative, BorderTables, Pattern
from engine.text.pretokenize import (
    Chunk,
    ChunkCutter,
    SpecialSplitter,
    check_special_tokens,
    in_lower_case,
    pretokens,
    to_bytes,
    to_text,
    to_texts,
    without_stray_surrogates,
)

TINY = st.integers(1, 64)


def documents_of(data: bytes, special_tokens: Sequence[str]) -> int:
    """Count the stretches between special tokens that hold more than whitespace."""
    stretches = one_pass(data, "none", special_tokens)
    return sum(any(text.decode("utf-8", "replace").strip() for text in s) for s in stretches)


def pieces_of(
    data: bytes, pattern: str, special_tokens: Sequence[str] = (), size: int = 4, block: int = 4
) -> list[Chunk]:
    """Cut a stream of blocks into pieces."""
    cutter = ChunkCutter(PATTERNS[pattern], SpecialSplitter(special_tokens), size)
    pieces: list[Chunk] = []
    for start in range(0, len(data), block):
        pieces += cutter.feed(data[start : start + block])
    return [*pieces, *cutter.finish()]


@pytest.mark.parametrize("special_tokens", [["aab", "ba"], ["abab"], ["a", "bab"], ["aba", "bb"]])
def test_a_search_from_near_the_end_finds_the_last_special_token_of_one_from_the_left(
    special_tokens: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cutter = ChunkCutter(PATTERNS["gpt2"], SpecialSplitter(special_tokens), 4)
    for near, letters in product((1, 2, 4), product(b"ab", repeat=9)):
        monkeypatch.setattr(pretokenize, "NEAR_END", near)
        found = regex.finditer("|".join(special_tokens).encode(), text := bytes(letters))
        ends = [0, *(each.end() for each in found if each.start() < 7)]
        assert cutter._end_of_last_special(text, 7) == ends[-1]


@pytest.mark.parametrize("pattern", PATTERNS)
@examples(120)
@given(CORPORA, SPECIALS, TINY, TINY)
@example("low\u3000 low".encode(), [], 1, 1)
@example(b"a \n b\n\nc\n d", [], 1, 1)
@example("a\n\u00a0\nb\n\u3000\n".encode(), [], 1, 1)
@example(b"x!\n/y", [], 1, 1)
@example(b"<a><a> <a><b", ["<a>", "<a><a>", "<a><b>"], 1, 1)
def test_the_pretokens_of_the_pieces_are_those_of_the_whole(
    pattern: str, data: bytes, special_tokens: list[str], size: int, block: int
) -> None:
    pieces = pieces_of(data, pattern, special_tokens, size, block)
    assert b"".join(piece.data for piece in pieces) == data
    in_pieces = [
        pretoken
        for piece in pieces
        for stretch in one_pass(piece.data, pattern, special_tokens)
        for pretoken in stretch
    ]
    assert in_pieces == [p for stretch in one_pass(data, pattern, special_tokens) for p in stretch]


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k", "none"])
@examples(200)
@given(CORPORA, SPECIALS, TINY, TINY)
@example(b"one<a> two three", ["<a>"], 11, 11)
@example(b"one two<a> three", ["<a>"], 1, 1)
@example(b"\nOnce", [], 1, 1)
def test_a_document_in_several_pieces_is_counted_once(
    pattern: str, data: bytes, special_tokens: list[str], size: int, block: int
) -> None:
    splitter = SpecialSplitter(special_tokens)
    counted = sum(
        count_begun(splitter.documents(piece.data), piece.continues)
        for piece in pieces_of(data, pattern, special_tokens, size, block)
    )
    assert counted == documents_of(data, special_tokens)


def test_a_place_to_cut_is_searched_whenever_the_text_has_doubled() -> None:
    searched: list[int] = []
    cutter = ChunkCutter(PATTERNS["gpt2"], SpecialSplitter([]), 4)
    with mock.patch.object(cutter, "_last_cut", lambda text: searched.append(len(text)) or (0, 0)):
        for _ in range(70):
            assert list(cutter.feed(b"x")) == []
    assert searched == [4, 8, 16, 32, 64]


@pytest.mark.parametrize(("pattern", "data"), [("gpt2", b"x" * 1000), ("none", b"a b " * 250)])
def test_a_stretch_without_a_safe_cut_is_one_piece(pattern: str, data: bytes) -> None:
    assert [piece.data for piece in pieces_of(data, pattern)] == [data]
    cutter = ChunkCutter(PATTERNS[pattern], SectionSplitter([], Lowercase(), None), 4)
    text = b"a b " * 9  # a normalizer may look at all of the text before a piece
    assert [*cutter.feed(text), *cutter.finish()] == [Chunk(text, False)]


pytestmark = pytest.mark.skipif(KERNEL is None, reason="the kernel is not compiled here")
every_pattern = pytest.mark.parametrize("name", sorted(SCANNED))
SCANNERS = {} if KERNEL is None else {name: cutter_for(PATTERNS[name]) for name in SCANNED}

# Letters with and without case, marks, numbers that are not digits, spaces, contractions.
TRICKY = "aAzZ09 \n\r\t'sSdDlLvVeErRſtTmM.,/ǅʰªא\u0301\u0345\u00a0\u2028\x1c\u3000²Ⅷ中ßẞ\0😀"
TEXTS = st.one_of(
    st.text(TRICKY, max_size=40).map(str.encode),
    st.text(max_size=20).map(to_bytes),
    st.lists(st.sampled_from(TEXT_PIECES) | st.binary(max_size=3), max_size=20).map(b"".join),
)


def by_scanner(name: str, texts: list[bytes]) -> list[bytes]:
    """Return the pretokens of all texts, each cut separately by the scanner."""
    joined = b"".join(texts)
    lengths, counts = SCANNERS[name](joined, array("q", map(len, texts)))
    assert sum(counts) == len(lengths)
    return [joined[start:end] for start, end in pairwise(accumulate(lengths, initial=0))]


def by_regex(name: str, texts: list[bytes]) -> list[bytes]:
    return [to_bytes(cut) for text in texts for cut in PATTERNS[name].split(to_text(text))]


@every_pattern
@examples(1000)
@given(texts=st.lists(TEXTS, min_size=1, max_size=3))
@example(texts=[b"", b"'\xc5\xbf", b"I'LL \n \n  x", b"\xf0\x9f\x98", b"\xed\xa0\x80a"])
def test_a_scanner_cuts_like_the_regex(name: str, texts: list[bytes]) -> None:
    assert by_scanner(name, texts) == by_regex(name, texts)


@every_pattern
def test_scanner_and_regex_cut_every_short_text_alike(name: str) -> None:
    texts = ["".join(some).encode() for some in product("aA1. \n'", repeat=4)]
    cut = SCANNERS[name](b"".join(texts), array("q", map(len, texts)))
    assert cut == regex_cutter(PATTERNS[name])(b"".join(texts), array("q", map(len, texts)))


@every_pattern
def test_every_character_of_two_planes_has_the_class_of_the_regex(name: str) -> None:
    planes = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x20000)])).encode()
    cut = SCANNERS[name](planes, array("q", [len(planes)]))
    assert cut == regex_cutter(PATTERNS[name])(planes, array("q", [len(planes)]))


def test_python_says_of_each_character_what_regex_says_or_leaves_it_to_regex() -> None:
    left = []
    for page in range(0x110000 // PAGE):
        in_python, in_regex = (classes_of("", page, is_again) for is_again in (False, True))
        in_python = bytes(classes & ~MARK for classes in in_python)
        assert in_python == bytes(r if p else 0 for p, r in zip(in_python, in_regex, strict=True))
        left += [chr(PAGE * page + place) for place in range(PAGE) if not in_python[place]]
    # None of ASCII, and few that texts have; Python and `regex` may be of several Unicodes.
    assert {"ʕ", "ẞ", "😀", "\u0378"} < set(left)
    assert not set("éß–“”Жאن中あ한€\xa0") & set(left)
    assert min(left) > "\x7f"


@pytest.mark.parametrize("name", [name for name, pattern in PATTERNS.items() if pattern.borders])
def test_patterns_that_the_kernel_does_not_know_are_cut_by_their_regex(name: str) -> None:
    cut = cutter_for(PATTERNS[name])(b" low  .", array("q", [4, 3]))
    assert cut == regex_cutter(PATTERNS[name])(b" low  .", array("q", [4, 3]))


PARTS = st.sampled_from(TEXT_PIECES) | st.binary(max_size=70)
WITH_RUNS = st.lists(PARTS | PARTS.map(lambda part: part * 9), max_size=20).map(b"".join)


def pieces_by_regex(pattern: Pattern, text: bytes) -> list[bytes]:
    borders = {match.start() for match in pattern.cut_regex.finditer(text)}
    ends = sorted({0, *borders, len(text)})
    return [text[begin:end] for begin, end in pairwise(ends)]


@pytest.mark.parametrize("wish", ["", "plain"])
@pytest.mark.parametrize("name", [name for name in PATTERNS if PATTERNS[name].borders])
@examples(200)
@given(text=WITH_RUNS)
def test_the_kernel_cuts_at_the_borders(name: str, wish: str, text: bytes) -> None:
    pattern = PATTERNS[name]
    with mock.patch.dict(os.environ, {SWITCH: wish}):
        counted = KernelCounter(BorderTables.of(pattern.borders).packed, []).count(text)
    expected = [*dict.fromkeys(pieces_by_regex(pattern, text))]
    assert [*counted.new_sizes] == [*map(len, expected)]
    assert counted.new == b"".join(expected)


EOT = "<|endoftext|>"
NO_SPECIALS = SpecialSplitter([])
every_name = pytest.mark.parametrize("name", PATTERNS)
any_text = st.text(st.characters(exclude_categories=()), max_size=20)


class TestBytesAndText:
    @given(st.binary())
    def test_any_bytes_come_back_the_same(self, data: bytes) -> None:
        assert to_bytes(to_text(data)) == data

    def test_each_invalid_byte_is_one_character(self) -> None:
        assert to_text(b"a\xff\xfeb") == "a\udcff\udcfeb"
        assert without_stray_surrogates("\udcc3\udca9 \udcff\ud800") == "é \udcff\ufffd"

    def test_a_pair_of_surrogates_is_its_character_and_a_lone_one_the_replacement(self) -> None:
        assert to_bytes("\ud83d\ude42") == "🙂".encode()
        for lone in "\ud800\udbff\udc00\udfff":
            assert to_bytes(f"\udcff{lone}b") == b"\xff" + "\ufffdb".encode()

    # U+DC80 to U+DCFF are escaped bytes here, and invalid in tiktoken.
    @given(
        st.text(
            st.characters(exclude_categories=()).filter(lambda c: not "\udc80" <= c <= "\udcff")
        )
    )
    def test_other_surrogates_are_encoded_as_in_tiktoken(self, text: str) -> None:
        byte_level = tiktoken.Encoding(
            "bytes",
            pat_str=r"(?s:.)",
            mergeable_ranks={bytes([byte]): byte for byte in range(256)},
            special_tokens={},
        )
        assert to_bytes(text) == bytes(byte_level.encode_ordinary(text))


@pytest.mark.parametrize(
    ("specials", "text", "pieces"),
    [
        pytest.param(["<s>"], "<s>a<s><s>b<s>", "[<s>] a [<s>] [<s>] b [<s>]", id="every place"),
        pytest.param(["<a>", "<a><b>"], "x<a><b><a>y", "x [<a><b>] [<a>] y", id="longest first"),
        pytest.param(["<a><b>", "<a>"], "x<a><b><a>y", "x [<a><b>] [<a>] y", id="in any order"),
        pytest.param(["ab", "bcd"], "abcd", "[ab] cd", id="leftmost before longest"),
        pytest.param(["a.c", "(", "|"], "abc|(a.c", "abc [|] [(] [a.c]", id="text, not regex"),
        pytest.param([], "a<s>b", "a<s>b", id="none"),
        pytest.param(["<s>"], "", "", id="empty text"),
    ],
)
def test_special_tokens_are_cut_out(specials: list[str], text: str, pieces: str) -> None:
    found = SpecialSplitter(specials).split_text(text)
    assert [f"[{piece}]" if special else piece for piece, special in found] == pieces.split()


@pytest.mark.parametrize(
    ("specials", "problem"),
    [(["<s>", ""], "empty"), (["<s>", "<t>", "<s>"], "'<s>' is given twice")],
)
def test_unusable_special_tokens_are_refused(specials: list[str], problem: str) -> None:
    with pytest.raises(SpecialTokenError, match=problem):
        check_special_tokens(specials)


def test_a_beginning_that_special_tokens_share_is_compiled_once() -> None:
    begin = "<|é+ the same beginning|"
    splitter = SpecialSplitter([begin, *(f"{begin}{number}" for number in range(3))])
    text = f"a{begin}2{begin}b"
    pieces = [("a", False), (f"{begin}2", True), (begin, True), ("b", False)]
    assert list(splitter.split_text(text)) == pieces
    assert splitter.documents(text.encode()) == [b"a", b"", b"b"]
    assert splitter.text_regex.pattern.count("beginning") == 1


def test_the_longest_special_token_is_measured_in_bytes() -> None:
    assert SpecialSplitter(["abc", "éé"]).longest == 4
    assert SpecialSplitter([]).longest == 0


def test_documents_are_between_the_special_tokens_and_may_be_empty() -> None:
    found = SpecialSplitter([EOT]).documents(f"{EOT}a{EOT}{EOT}b\xff".encode("latin-1"))
    assert found == [b"", b"a", b"", b"b\xff"]
    assert NO_SPECIALS.documents(b"a\xffb") == [b"a\xffb"]


@given(
    st.lists(
        st.sampled_from([b"<s>", b"<s><t>", "‹é›".encode(), b"a", b" ", b"<", b"\xe2", b"\x80\xb9"])
    ).map(b"".join)
)
def test_bytes_and_text_are_cut_alike(data: bytes) -> None:
    splitter = SpecialSplitter(["<s>", "<s><t>", "‹é›"])
    pieces = splitter.split_text(to_text(data))
    from_text = [to_bytes(piece) for piece, special in pieces if not special]
    assert [document for document in splitter.documents(data) if document] == from_text


class TestPretokens:
    def test_a_pattern_does_not_look_across_a_special_token(self) -> None:
        found = pretokens("a  <s> b", PATTERNS["gpt2"], SpecialSplitter(["<s>"]))
        # At the end of a document a run of spaces stays whole.
        assert [p.text for p in found] == ["a", "  ", "<s>", " b"]

    def test_text_without_a_match_is_kept_and_an_empty_match_is_no_pretoken(self) -> None:
        vowels = Pattern("vowels", "runs of vowels", (Alternative("vowels", "[aeiou]*(?!$)"),), ())
        found = pretokens("<s>beauty", vowels, SpecialSplitter(["<s>"]))
        assert [(p.text, p.start, p.end, p.alternative is not None) for p in found] == [
            ("<s>", 0, 3, False),
            ("b", 3, 4, False),
            ("eau", 4, 7, True),
            ("t", 7, 8, False),
            ("y", 8, 9, False),
        ]

    @every_name
    @given(
        text=any_text, specials=st.lists(st.text(min_size=1, max_size=2), unique=True, max_size=2)
    )
    def test_joined_they_are_the_text(self, name: str, text: str, specials: list[str]) -> None:
        found = list(pretokens(text, PATTERNS[name], SpecialSplitter(specials)))
        for pretoken in found:
            assert (pretoken.alternative is None) == pretoken.special
            if pretoken.alternative is not None:
                assert regex.match(pretoken.alternative.regex, pretoken.text)
        assert "".join(p.text for p in found) == text
        assert b"".join(p.bytes for p in found) == to_bytes(text)
        assert all(text[p.start : p.end] == p.text != "" for p in found)
        assert all(p.text in specials for p in found if p.special)


# A user's regex need not cover the text, and may match nothing.
LOOSE = {
    "vowels": "[aeiou]+",
    "a or nothing": "a*",
    "nothing first": "|a+",
    "the end": "$",
    "covers all": "(?s:.)",
}


OWN = [Pattern(name, "one of our own", (Alternative(name, LOOSE[name]),), ()) for name in LOOSE]


@pytest.mark.parametrize("pattern", [*OWN, *PATTERNS.values()])
@given(text=st.text("ab\n", max_size=8) | any_text)
def test_a_pattern_splits_a_text_into_its_pretokens(pattern: Pattern, text: str) -> None:
    found = [p.text for p in pretokens(text, pattern, NO_SPECIALS)]
    assert pattern.split(text) == found


@given(st.lists(st.binary(max_size=6) | st.sampled_from([b"\x1d\x1e", b"\x1d", "aΣ".encode()])))
def test_texts_decoded_together_equal_texts_decoded_one_by_one(datas: list[bytes]) -> None:
    texts = to_texts(datas)
    assert texts == list(map(to_text, datas))
    assert in_lower_case(texts) == [text.lower() for text in texts]


@pytest.mark.parametrize("token", ["\udcff", "<\ud800>", "\ud83d\ude00"])
def test_a_special_token_with_a_lone_surrogate_is_refused_at_each_door(
    token: str, tmp_path: Path
) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("low lower", encoding="utf-8")
    doors: list[Callable[[], object]] = [
        lambda: train_bpe(corpus, 300, [token]),
        lambda: Trainer({b"low": 1}, 300, [token]),
        lambda: count_pretokens(corpus, special_tokens=[token]),
        lambda: Tokenizer({byte: bytes([byte]) for byte in range(256)}, [], [token]),
        lambda: Tokenizer({byte: bytes([byte]) for byte in range(256)}, [], {token: 256}),
        lambda: check(None, [(b"l", b"o")], corpus, special_tokens=[token]),
    ]
    for door in doors:
        with pytest.raises(
            SpecialTokenError, match="it has a lone surrogate, which is no character"
        ):
            door()


def test_half_a_character_in_a_tokenizer_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    added = {"id": 3, "content": "<\ud800>", "special": True}
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}
    for vocab in (model["vocab"], {**model["vocab"], "<\ud800>": 3}):  # type: ignore[dict-item]
        content = {"version": "1.0", "added_tokens": [added], "model": {**model, "vocab": vocab}}
        file.write_text(json.dumps(content), encoding="utf-8")
        with pytest.raises(BpeError, match=r"half a character|lone surrogate"):
            Tokenizer.load(file)

"""From bytes to pretokens and back: nothing is lost, and special tokens are cut first."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import regex
import tiktoken
from hypothesis import given
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
from engine.text.patterns import PATTERNS, Alternative, Pattern
from engine.text.pretokenize import (
    SpecialSplitter,
    check_special_tokens,
    in_lower_case,
    pretokens,
    to_bytes,
    to_text,
    to_texts,
    without_stray_surrogates,
)

EOT = "<|endoftext|>"
NO_SPECIALS = SpecialSplitter([])
every_pattern = pytest.mark.parametrize("name", PATTERNS)
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

    @every_pattern
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

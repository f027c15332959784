"""The tokenizer equals tiktoken and tokenizers, loses nothing, and handles special tokens."""

import json
import tracemalloc
from itertools import count, islice, pairwise, repeat
from pathlib import Path
from unittest import mock

import oracles
import pytest
import tiktoken
import tokenizers
from chunk_texts import CORPORA, PIECES, SPECIALS
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st
from merge_lists import in_python
from tiny_tokenizers import BYTES, END, HANDOUT, HANDOUT_MERGES, trained
from tokenizers import decoders, models, pre_tokenizers

from engine import (
    EncodeStep,
    TextError,
    Tokenizer,
    UnknownNameError,
    UnknownTokenIdError,
    VocabularyError,
)
from engine.encoding import text_encoder
from engine.encoding import tokenizer as tokenizer_module
from engine.encoding.alphabet import ByteAlphabet, CharacterAlphabet
from engine.encoding.extension import extended
from engine.text.patterns import PATTERNS
from engine.text.pretokenize import to_text

REPO = Path(__file__).resolve().parents[3]
SAMPLES = [path.read_text() for path in sorted((REPO / "samples").glob("*.txt"))]
SHARED = REPO.parent / "shared" / "data"
GPT2_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

# Characters that have been in Unicode for years: the libraries' tables differ in the new ones.
TEXTS = st.lists(
    st.one_of(
        st.sampled_from([*PIECES, END, END[:5], " the", "ing", "don't", "I'LL", "x = [1]\n\n"]),
        st.text(st.characters(exclude_categories=["Cs", "Cn", "Co"]), max_size=3),
    ),
    max_size=25,
).map("".join)


TRAINED = trained({b" low": 5, b" lower": 2, b"low": 9, "\u3000é".encode(): 3, b"<a>": 4}, [])


# -- equal to the other libraries


@pytest.fixture(scope="module")
def gpt2_files() -> tuple[Path, Path]:
    files = SHARED / "gpt2_vocab.json", SHARED / "gpt2_merges.txt"
    for file in files:
        if not file.exists():
            pytest.skip(f"{file} is not there")
    return files


@pytest.fixture(scope="module")
def our_gpt2(gpt2_files: tuple[Path, Path]) -> Tokenizer:
    return Tokenizer.from_files(*gpt2_files, special_tokens=[END])


@pytest.fixture(scope="module")
def tiktokens_gpt2(gpt2_files: tuple[Path, Path]) -> tiktoken.Encoding:
    byte_of = {char: byte for byte, char in oracles.gpt2_bytes_to_unicode().items()}
    vocab: dict[str, int] = json.loads(gpt2_files[0].read_text())
    special = {END: vocab.pop(END)}
    ranks = {bytes(byte_of[char] for char in token): rank for token, rank in vocab.items()}
    return tiktoken.Encoding(
        "gpt2", pat_str=GPT2_PATTERN, mergeable_ranks=ranks, special_tokens=special
    )


@pytest.fixture(scope="module")
def hugging_face_gpt2(gpt2_files: tuple[Path, Path]) -> tokenizers.Tokenizer:
    tok = tokenizers.Tokenizer(models.BPE.from_file(*map(str, gpt2_files)))
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok.decoder = decoders.ByteLevel()
    tok.add_special_tokens([END])
    return tok


def test_with_gpt2s_files_the_samples_get_the_ids_of_both_other_libraries(
    our_gpt2: Tokenizer, tiktokens_gpt2: tiktoken.Encoding, hugging_face_gpt2: tokenizers.Tokenizer
) -> None:
    for text in SAMPLES:
        ids = our_gpt2.encode(text)
        assert ids == tiktokens_gpt2.encode(text, allowed_special="all")
        assert ids == hugging_face_gpt2.encode(text).ids
        assert our_gpt2.decode(ids) == text


@examples(300)
@given(text=TEXTS)
def test_with_gpt2s_files_any_text_gets_the_ids_of_both_other_libraries(
    our_gpt2: Tokenizer,
    tiktokens_gpt2: tiktoken.Encoding,
    hugging_face_gpt2: tokenizers.Tokenizer,
    text: str,
) -> None:
    ids = our_gpt2.encode(text)
    assert ids == tiktokens_gpt2.encode(text, allowed_special="all")
    assert ids == hugging_face_gpt2.encode(text).ids


@examples(100)
@given(ids=st.lists(st.integers(0, 50256), max_size=12))
def test_any_ids_are_decoded_as_tiktoken_decodes_them(
    our_gpt2: Tokenizer, tiktokens_gpt2: tiktoken.Encoding, ids: list[int]
) -> None:
    """Ids in an order that no text has give broken characters, too."""
    assert our_gpt2.decode_bytes(ids) == tiktokens_gpt2.decode_bytes(ids)
    assert our_gpt2.decode(ids) == tiktokens_gpt2.decode(ids)


# -- decoding


@pytest.mark.parametrize("pattern", PATTERNS)
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_decoding_gives_the_text_back(pattern: str, text: str) -> None:
    tok = Tokenizer(TRAINED.vocab, TRAINED.merges, ["<a>"], pattern)
    assert tok.decode(tok.encode(text)) == text


@given(st.binary())
def test_invalid_bytes_are_restored(data: bytes) -> None:
    assert TRAINED.decode_bytes(TRAINED.encode(to_text(data))) == data
    assert TRAINED.decode([ord("a"), 0xFF, ord("b")]) == "a\ufffdb"


class TestSurrogates:
    """A `str` can hold halves of UTF-16 pairs, which have no bytes of their own."""

    def test_a_pair_that_means_a_letter_is_cut_as_a_letter(self) -> None:
        """`𝐀b` is one word, so a merge may join its bytes; tiktoken puts pairs together first."""
        tok = Tokenizer(BYTES | {256: b"\x80b"}, [(b"\x80", b"b")])
        assert tok.encode("\N{MATHEMATICAL BOLD CAPITAL A}b") == [0xF0, 0x9D, 0x90, 256]
        assert tok.encode("\ud835\udc00b") == [0xF0, 0x9D, 0x90, 256]

    def test_in_chunks_they_are_encoded_as_in_one_text(self) -> None:
        tok = Tokenizer(BYTES | {256: b"a\xc3"}, [(b"a", b"\xc3")])
        for chunks in (["a", "\ud83d\ude00"], ["a\udcc3", "\udca9"], ["\udcff \ud800"]):
            assert list(tok.encode_iterable(chunks)) == tok.encode("".join(chunks))


# -- a text in chunks


@st.composite
def chunked_texts(draw: st.DrawFn) -> list[str]:
    text = to_text(draw(CORPORA))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    return [text[start:end] for start, end in pairwise([0, *cuts, len(text)])]


@pytest.mark.parametrize("pattern", PATTERNS)
@examples(80)
@given(chunks=chunked_texts(), special_tokens=SPECIALS, piece=st.integers(1, 40))
@example(chunks=["l", "ow", "", "er <", "a", ">"], special_tokens=["<a>"], piece=1)
def test_a_text_in_chunks_has_the_ids_of_the_whole(
    pattern: str, chunks: list[str], special_tokens: list[str], piece: int
) -> None:
    tok = Tokenizer(TRAINED.vocab, TRAINED.merges, special_tokens, pattern)
    with mock.patch.object(tokenizer_module, "ITERABLE_PIECE", piece):
        assert list(tok.encode_iterable(chunks)) == tok.encode("".join(chunks))


def test_chunks_are_read_only_as_far_as_needed() -> None:
    numbers = count()  # the text never ends
    ids = TRAINED.encode_iterable("low lower " * 1000 for _ in zip(numbers, strict=False))
    assert next(numbers) == 0
    assert TRAINED.decode(islice(ids, 1000)).startswith("low lower low lower ")
    assert next(numbers) * 10_000 < 3 * tokenizer_module.ITERABLE_PIECE


@pytest.mark.slow  # a big text
def test_memory_does_not_grow_with_the_text() -> None:
    chunks = repeat("Once upon a time there was a low lower lowest thing.\n" * 100, 600)
    tracemalloc.start()
    try:
        encoded = sum(1 for _ in TRAINED.encode_iterable(chunks))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert encoded > 1_000_000
    assert peak < 4_000_000


# -- many texts


class TestBatch:
    def test_helpers_give_the_same_ids(self) -> None:
        """Bytes and special tokens whose ids do not follow from the vocab are included."""
        tok = Tokenizer(TRAINED.vocab, TRAINED.merges, ["low", "<s>"])
        texts = [f"low lower {n}<s>{to_text(bytes([n, 128 + n]))}" for n in range(60)]
        with mock.patch.object(text_encoder, "BATCH", 100):
            assert tok.encode_batch(texts, workers=2) == [tok.encode(text) for text in texts]


# -- special tokens


class TestSpecialTokens:
    def test_without_any_no_text_is_special(self) -> None:
        tok = Tokenizer(BYTES | {256: END.encode()}, [])
        assert (tok.encode(END), tok.special_ids) == (list(END.encode()), frozenset())

    def test_one_that_the_vocab_has_keeps_its_id_and_others_get_the_next(self) -> None:
        has = Tokenizer(BYTES | {999: b"<s>"}, [], ["<s>"])
        assert (has.encode("a<s>"), has.special_ids) == ([ord("a"), 999], {999})
        tok = Tokenizer(BYTES | {300: b"ab"}, [(b"a", b"b")], ["<t>", "<s>"])
        assert tok.encode("<t>aba<s>b") == [301, 300, ord("a"), 302, ord("b")]
        assert tok.decode([301, 302]) == "<t><s>"
        assert (tok.vocab[301], tok.vocab[302]) == (b"<t>", b"<s>")
        assert tok.special_tokens == ("<t>", "<s>")

    def test_one_that_is_learnt_as_an_ordinary_token_too_has_an_id_of_its_own(self) -> None:
        tok = trained({b"ab": 2}, ["ab"])
        assert tok.vocab[256] == tok.vocab[257] == b"ab"
        assert tok.encode("ab") == [256]
        assert list(tok.steps(b"ab"))[-1].after == (257,)

    def test_they_are_numbered_beside_merges_in_ids_and_any_alphabet(self) -> None:
        vocab, merges, table = BYTES | {256: b"ab"}, [(b"a", b"b")], {(97, 98): (0, 256)}
        assert Tokenizer(vocab, None, {"<s>": 300}, table=table).encode("ab<s>") == [256, 300]
        spelled = Tokenizer(vocab, merges, {"<s>": 300}, alphabet=ByteAlphabet(range(256)))
        assert spelled.encode("ab<s>") == [256, 300]
        assert Tokenizer(vocab, None, ["ab"], table=table).encode("ab") == [257]
        in_place = Tokenizer(vocab, None, {"<s>": 97}, alphabet=spelled.alphabet, table=table)
        assert in_place.merges == merges
        assert Tokenizer({}, [], ["<s>"], alphabet=CharacterAlphabet({})).special_ids == {0}


def test_more_merges_come_after_all_of_its_own() -> None:
    shared = Tokenizer(BYTES | {256: b"ow", 257: b"wo"}, None, table=TWO_OF_ONE_RANK)
    longer = extended(shared, [((108, 256), 301)])
    assert longer.merge_table == TWO_OF_ONE_RANK | {(108, 256): (4, 301)}
    assert (longer.encode("low"), longer.merges[-1]) == ([301], (b"l", b"ow"))


TWO_OF_ONE_RANK = {(111, 119): (3, 256), (119, 111): (3, 257)}


# -- callbacks and errors


def test_on_step_gets_each_merge_pretoken_by_pretoken() -> None:
    tok = Tokenizer(BYTES | {256: b"lo", 257: b"low"}, [(b"l", b"o"), (b"lo", b"w")], ["<s>"])
    told: list[EncodeStep] = []
    ids = tok.encode("low<s>lo slow", on_step=told.append)
    assert ids == tok.encode("low<s>lo slow")
    assert [step.pretoken for step in told] == [*[b"low"] * 2, b"lo", *[b" slow"] * 2]
    assert [step.token_id for step in told] == [256, 257, 256, 256, 257]


def test_a_callback_that_raises_stops_encoding_and_reaches_the_caller() -> None:
    enough = KeyError("enough")
    told: list[EncodeStep] = []

    def stop(step: EncodeStep) -> None:
        told.append(step)
        raise enough

    with pytest.raises(KeyError) as caught:
        TRAINED.encode("low low low", on_step=stop)
    assert caught.value is enough
    assert len(told) == 1
    with mock.patch.object(tokenizer_module, "LONGEST_STEPPED", 4):
        assert TRAINED.encode("xxxx", on_step=told.append) == [120] * 4
        with pytest.raises(TextError, match="has 5 bytes, and on_step takes at most 4; encode"):
            TRAINED.encode("x xxxx", on_step=told.append)
    for how in ({"on_step": told.append}, {"template": True}, {}):
        with pytest.raises(TextError, match="of type bytes; decode the bytes first"):
            TRAINED.encode(b"low", **how)  # type: ignore[arg-type]


def test_a_tokenizer_does_not_change_with_its_arguments() -> None:
    vocab, merges = BYTES | {256: b"ab"}, [(b"a", b"b")]
    tok = Tokenizer(vocab, merges, ["<s>"])
    vocab.clear()
    merges.clear()
    assert tok.encode("ab<s>") == [256, 257]
    assert tok.decode([256, 257]) == "ab<s>"


@pytest.mark.parametrize("unknown", [257, -1, 10**30])
def test_an_unknown_id_is_an_error_that_names_it(unknown: int) -> None:
    tok = Tokenizer(BYTES | {256: b"ab"}, [(b"a", b"b")])
    with pytest.raises(UnknownTokenIdError, match=f"id {unknown}; .* 257 tokens"):
        tok.decode([97, unknown])


@pytest.mark.parametrize(
    ("vocab", "merges", "message"),
    [
        ({}, [], r"no token b'\\x00', but needs every single byte"),
        (dict(list(BYTES.items())[:255]), [], r"no token b'\\xff', but needs every single byte"),
        (BYTES, ["a b"], r"no token b'ab', which merge 1 \(b'a' \+ b'b'\) needs"),
        (
            BYTES | {256: b"yz"},
            ["y z", "xy z"],
            r"no token b'xy', which merge 2 \(b'xy' \+ b'z'\) n",
        ),
        (BYTES | {-1: b"ab"}, [], "an id is negative or larger than 4,294,967,295, which none may"),
        (BYTES | {1 << 32: b"ab"}, [], "an id is negative or larger than 4,294,967,295, which"),
    ],
)
def test_a_vocab_that_lacks_a_token_is_an_error_that_names_it(
    vocab: dict[int, bytes], merges: list[str], message: str
) -> None:
    pairs = [(left.encode(), right.encode()) for left, right in map(str.split, merges)]
    with pytest.raises(VocabularyError, match=message):
        Tokenizer(vocab, pairs)


def test_the_handouts_example_needs_only_its_few_bytes() -> None:
    tok = Tokenizer(dict(enumerate(HANDOUT)), HANDOUT_MERGES)
    for each in (tok, in_python(tok)):
        assert each.encode("the cat ate") == [9, 7, 1, 5, 10, 3]
        assert each.encode("xthezé") == [9]  # other bytes are left out
    assert tok.decode([9, 7, 1, 5, 10, 3]) == "the cat ate"
    assert Tokenizer({(1 << 32) - 1: b"a"}, []).encode("bab") == [(1 << 32) - 1]
    assert len(tok.encode_traced("the cat").ids) == 4


def test_an_unknown_name_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="unknown pattern 'gpt-2'; did you mean 'gpt2'"):
        Tokenizer(BYTES, [], pattern="gpt-2")

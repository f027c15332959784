"""The kernel spells pretokens as each model does in Python, and decodes as each decoder does.

`test_format_sentencepiece` and `test_tokenizer_json` compare the ids with the libraries'.
"""

import random
from array import array
from collections.abc import Callable
from itertools import chain, product
from typing import Any

import numpy as np
import pytest
from generated import examples, some
from hypothesis import given
from hypothesis import strategies as st
from merge_lists import in_python

from engine import Tokenizer
from engine.core.gpt2_bytes import BYTE_TO_CHAR
from engine.counting.count import counter_for
from engine.encoding.token_decoder import TokenDecoder
from engine.native import KERNEL
from engine.pipeline import decoders, normalizers, pretokenizers
from engine.pipeline.added_tokens import AddedToken
from engine.pipeline.as_tokenizer import tokenizer_of
from engine.pipeline.models import BPE, Model, Unigram, WordPiece
from engine.pipeline.oniguruma import TextOrRegex
from engine.pipeline.pipeline import Pipeline
from engine.pipeline.sentencepiece import (
    BYTE,
    NORMAL,
    UNKNOWN,
    USER_DEFINED,
    ScoredPiece,
    SentencePieceBPE,
    SentencePieceDecoder,
    SentencePieceNormalizer,
    SentencePieceUnigram,
)
from engine.text.patterns import PATTERNS
from engine.text.pretokenize import ChunkCutter, to_text

pytestmark = pytest.mark.skipif(KERNEL is None, reason="the kernel is not compiled here")

LETTERS = "abé漢▁"
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def texts_of(rng: random.Random, letters: str = LETTERS, count: int = 60) -> list[str]:
    """Return different texts of letters; all short ones are rarely missing."""
    lengths = (rng.choice((1, 1, 2, 2, 3, 4, 6)) for _ in range(count))
    return list(dict.fromkeys("".join(rng.choices(letters, k=length)) for length in lengths))


def scored(rng: random.Random, size: float) -> list[tuple[str, float]]:
    """Return pieces with scores of which many are equal."""
    return [(text, -size * rng.randrange(1, 6) * len(text)) for text in texts_of(rng)]


def sentencepieces(rng: random.Random, size: float) -> tuple[list[ScoredPiece], bool]:
    has_bytes = rng.random() < 0.5
    marks = [ScoredPiece("<unk>", 0, UNKNOWN), ScoredPiece("b漢", 0, USER_DEFINED)]
    normal = [ScoredPiece(*piece, NORMAL) for piece in scored(rng, size) if piece[0] != "b漢"]
    in_bytes = [ScoredPiece(name, 0, BYTE) for name in BYTES if has_bytes]
    return [*marks, *normal, *in_bytes], has_bytes


def unigram(rng: random.Random) -> Model:
    has_bytes = rng.random() < 0.5
    pieces = [*scored(rng, 1), *((name, -20.0) for name in BYTES if has_bytes)]
    return Unigram([("<unk>", 0.0), *pieces], 0, has_bytes)


def sentencepiece_unigram(rng: random.Random) -> Model:
    # With such scores sums are counted anew after a few pieces.
    return SentencePieceUnigram(*sentencepieces(rng, rng.choice((0.1, 7_000))), rng.random() < 0.3)


def sentencepiece_bpe(rng: random.Random) -> Model:
    return SentencePieceBPE(*sentencepieces(rng, 1))


def word_piece(rng: random.Random) -> Model:
    pieces = texts_of(rng, "abé漢#"), [f"##{text}" for text in texts_of(rng, "abé漢")]
    known = dict.fromkeys(["[UNK]", *pieces[0], *pieces[1]])
    return WordPiece({text: i for i, text in enumerate(known)}, max_input_chars_per_word=9)


def character_bpe(rng: random.Random) -> Model:
    fuses, has_bytes = rng.random() < 0.5, rng.random() < 0.5
    vocab = dict.fromkeys(["<unk>", *"abé▁", *(BYTES if has_bytes else ())])
    merges: list[tuple[str, str]] = []
    for _ in range(20):
        left, right = rng.choices([text for text in vocab if text[:1] not in "<"], k=2)
        if left + right not in vocab:
            vocab[left + right] = None
            merges.append((left, right))
    ids = {text: i for i, text in enumerate(vocab)}
    return BPE(ids, merges, unk_token="<unk>", fuse_unk=fuses, byte_fallback=has_bytes)


STAGES: dict[str, pretokenizers.PreTokenizer | None] = {
    "whole": None,
    "words": pretokenizers.Metaspace(),
    "first": pretokenizers.Metaspace("▁", "first"),
    "spaces": pretokenizers.Sequence([pretokenizers.WhitespaceSplit(), pretokenizers.Metaspace()]),
    "bert": pretokenizers.BertPreTokenizer(),
}
MODELS = unigram, sentencepiece_unigram, sentencepiece_bpe, word_piece, character_bpe


def both_ways(tokenizer: Tokenizer, text: str) -> tuple[list[int], list[int]]:
    """Return the ids that the kernel finds, and those of Python."""
    assert tokenizer._encoder.kernel.encoder is not None
    return tokenizer.encode(text), in_python(tokenizer).encode(text)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("make", MODELS)
def test_the_ids_are_those_of_python(make: Callable[[random.Random], Model], stage: str) -> None:
    for seed in some(range(60)):
        rng = random.Random(seed)
        tokenizer = tokenizer_of(Pipeline(make(rng), pre_tokenizer=STAGES[stage]))
        for length in (0, 1, 2, 3, 5, 8, 30, 200):
            text = "".join(rng.choices(LETTERS + "xx漢#.,!  \n\u3000\ud800\udcff", k=length))
            if "\udcff" in text and getattr(tokenizer.pipeline.model, "byte_fallback", False):
                text = text.replace("\udcff", "")  # Python has no bytes for it
            found, expected = both_ways(tokenizer, text)
            assert found == expected, (seed, text)


def test_a_long_text_of_pieces_that_overlap_is_searched_as_a_whole() -> None:
    pieces = [("<unk>", 0.0), ("a", -3.0), ("aa", -2.0), ("aaa", -1.5), ("ab", -1.0), ("b", -1.0)]
    tokenizer = tokenizer_of(Pipeline(Unigram(pieces, 0)))
    for text in ("a" * 5_000, "aab" * 3_000, "a" * 4_999 + "b漢漢<unk>漢"):
        found, expected = both_ways(tokenizer, text)
        assert found == expected


RULES = [normalizers.NFKC(), normalizers.Lowercase(), normalizers.StripAccents(), normalizers.Nmt()]


@pytest.mark.parametrize("removes", [True, False])
@pytest.mark.parametrize("kept", [(), ("a b", "▁é", "  ")])
def test_a_text_is_normalized_as_in_python(removes: bool, kept: tuple[str, ...]) -> None:
    rng = random.Random(7)
    for prefix, marks, behind in [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]:
        stage = SentencePieceNormalizer(b"", kept, bool(prefix), removes, bool(marks), bool(behind))
        for length in (0, 1, 2, 3, 4, 9) * 6:
            text = "".join(rng.choices("  ab▁é\ud800\0", k=length))
            assert stage.normalize(text) == super(type(stage), stage).normalize(text), text


@pytest.mark.parametrize("stage", [*RULES, normalizers.BertNormalizer()])
def test_normalizing_at_once_equals_normalizing_by_edits(stage: normalizers.Normalizer) -> None:
    rng = random.Random(8)
    for length in (1, 2, 5, 30, 300):
        text = "".join(rng.choices("aA é\u0301\t\n\rΣİ漢ﬁ▁\u200b\x7f각각\x00,.", k=length))
        assert stage.normalize(text) == stage.align(normalizers.Aligned.of(text)).text


def test_a_text_that_is_composed_can_be_cut_at_borders() -> None:
    cut = [pretokenizers.Split(TextOrRegex(regex=PATTERNS["qwen2"].source), "Isolated")]
    cut.append(pretokenizers.ByteLevel(add_prefix_space=False, use_regex=False))
    model = BPE({character: byte for byte, character in BYTE_TO_CHAR.items()}, [])
    pipeline = Pipeline(model, (AddedToken("<s>"),), normalizers.NFC(), pretokenizers.Sequence(cut))
    tokenizer, rng = tokenizer_of(pipeline), random.Random(10)
    assert pipeline.splitter.by_pieces
    for length in [*range(1, 25)] * 8:
        pool = "ab e1 \n\r\t.=<A\u0301\u0338éÅ\u212b\u037e\u1fef\u2000한\u1100\u1161\u11a8"
        text = "".join(rng.choices([*pool, "<s>"], k=length))
        cutter = ChunkCutter(tokenizer.pattern, pipeline.splitter, 3)
        chunks = cutter.cut(bytes((byte,)) for byte in text.encode())
        parts = [tokenizer.encode(to_text(chunk.data)) for chunk in chunks]
        assert [*chain.from_iterable(parts)] == tokenizer.encode(text), text
    # What counts pretokens composes, too.
    counter = counter_for(tokenizer.pattern, pipeline.splitter)
    assert counter.count("e\u0301".encode(), False) == ({"é".encode(): 1}, 1)


# Decoding


SPARSE = {0: b"", 2: b"\xe6", 3: b"a" * 40, 70: b"\xbc\xa2", 71: b"low"}


@examples(200)
@given(st.lists(st.sampled_from([*SPARSE] * 9 + [1, 72, -1, 2**31, 2**70, True, 2.0, "a", None])))
def test_ids_are_joined_as_in_python(ids: list[Any]) -> None:
    decoder = TokenDecoder(SPARSE, None)
    known = all(type(each) is int and each in SPARSE for each in ids)
    expected = b"".join(SPARSE[each] for each in ids if known)
    assert decoder.bytes_of(ids) == (expected if known else None)
    assert decoder.text_of(ids) == (expected.decode("utf-8", "replace") if known else None)
    if known:
        kinds = np.int64, np.uint16, np.int32, np.uint8
        arrays = [array("i", ids), *(np.array(ids, kind) for kind in kinds)]
        assert [decoder.bytes_of(each) for each in arrays] == [expected] * 5


def test_other_arrays_of_ids_take_the_general_way() -> None:
    decoder = TokenDecoder(SPARSE, None)
    others = [
        np.array([71.0]),
        np.array([[71]]),
        np.array([2**40]),
        np.array([-1]),
        array("q", [71]),
    ]
    assert [decoder.bytes_of(each) for each in [*others, (71,), "a", None]] == [None] * 8


@pytest.mark.parametrize(
    "decoder",
    [
        decoders.ByteLevel(),
        decoders.Sequence(
            [
                decoders.Replace(TextOrRegex(text="▁"), " "),
                *(decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)),
            ]
        ),
        *(
            SentencePieceDecoder({"<s>"}, "<unk>", " ⁇ ", *flags)
            for flags in product((True, False), repeat=3)
        ),
    ],
)
def test_tokens_are_decoded_as_one_by_one(decoder: decoders.Decoder) -> None:
    texts = [
        "<unk>",
        "<s>",
        "▁",
        "▁a",
        "a▁b",
        "Ġx",
        "é",
        "ĠæĹ",
        "<0xE6>",
        "<0xBC>",
        "<0xA2>",
        "<0x41>",
    ]
    pipeline = Pipeline(BPE({text: i for i, text in enumerate(texts)}, []), decoder=decoder)
    rng = random.Random(9)
    for length in [*range(12)] * 20:
        ids = rng.choices(range(len(texts)), k=length)
        fast = pipeline.fast_decode
        assert fast is not None
        assert fast(ids) in (pipeline.decode(ids), None)
        assert fast([*ids, 99]) is None
    assert fast([3, 4]) is not None

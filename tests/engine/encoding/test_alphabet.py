"""Alphabets spell a pretoken before any merge, and encoding follows from them."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sheets import check_samples

from engine import Tokenizer
from engine.core.gpt2_bytes import BYTE_TO_CHAR
from engine.encoding.alphabet import (
    BYTES,
    Alphabet,
    ByteAlphabet,
    CharacterAlphabet,
    WholeTokens,
    WordEndAlphabet,
)
from engine.encoding.encoders import RankHeap
from engine.encoding.rules import first_merge_across, trace
from engine.pipeline.sentencepiece import SymbolAlphabet

CHARACTERS = {"a": 300, "é": 301, "漢": 302}
BYTE_IDS = list(range(1000, 1256))

ALPHABETS: list[Alphabet] = [
    BYTES,
    ByteAlphabet(BYTE_IDS),
    CharacterAlphabet(CHARACTERS),
    CharacterAlphabet(CHARACTERS, BYTE_IDS),
    CharacterAlphabet(CHARACTERS, unknown=0),
    CharacterAlphabet(CHARACTERS, unknown=0, fuse_unknown=True),
    CharacterAlphabet(CHARACTERS | {"##a": 400, "##é": 401}, unknown=0, prefix="##"),
    WholeTokens(BYTES, {b"ab": 400}),
    WordEndAlphabet(CharacterAlphabet(CHARACTERS, unknown=0), marker=9),
]


@pytest.mark.parametrize("alphabet", ALPHABETS)
@given(text=st.text("aé漢bx"))
def test_edges_surround_the_ids_and_cover_the_pretoken(alphabet: Alphabet, text: str) -> None:
    pretoken = text.encode()
    ids, edges = alphabet.spell(pretoken), list(alphabet.edges(pretoken))
    assert len(edges) == len(ids) + 1
    assert edges == sorted(edges)
    assert set(ids) <= set(alphabet.token_ids)
    assert not ids or (edges[0], edges[-1]) == (0, len(pretoken))
    copy = pickle.loads(pickle.dumps(alphabet))  # for a helper process
    assert [copy == other for other in ALPHABETS] == [alphabet is other for other in ALPHABETS]
    assert copy.spell(pretoken) == ids


def of_characters() -> Tokenizer:
    vocab = {0: b"<unk>", 1: "漢".encode(), 2: "字".encode(), 3: "漢字".encode()}
    alphabet = CharacterAlphabet({"漢": 1, "字": 2}, unknown=0)
    merges = [("漢".encode(), "字".encode())]
    return Tokenizer(vocab, merges, pattern="none", alphabet=alphabet)


def test_characters_merge_as_bytes_do() -> None:
    tokenizer = of_characters()
    assert tokenizer.encode("漢字ß漢") == [3, 0, 1]
    [piece] = trace(tokenizer, "漢字ß漢")
    assert [merge.step.after for merge in piece.merges] == [(3, 0, 1)]


def test_a_merge_across_a_border_is_in_bytes_for_any_alphabet() -> None:
    crossing = first_merge_across(of_characters().rules, "ß漢字".encode(), [5])
    assert crossing is not None
    assert (crossing.start, crossing.end) == (2, 8)


def test_the_leftmost_of_merges_with_one_rank_is_first() -> None:
    """In tiktoken, too, any two tokens merge if their bytes are a token."""
    vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"aa", 257: b"aaa"}
    table = {(97, 97): (0, 256), (256, 97): (1, 257), (97, 256): (1, 257)}
    tokenizer = Tokenizer(vocab, [(b"a", b"a"), (b"aa", b"a")], pattern="none", table=table)
    assert tokenizer.encode("aaaaa") == [256, 257]
    assert RankHeap(BYTES, table).encode(b"aaaaa") == [256, 257]


def test_affixes_depend_on_the_place_of_a_character() -> None:
    characters = {"a": 0, "##b": 1, "##c</w>": 2, "a</w>": 3}
    alphabet = CharacterAlphabet(characters, unknown=9, prefix="##", suffix="</w>")
    assert alphabet.spell(b"abc") == [0, 1, 2]
    assert alphabet.spell(b"a") == [3]
    assert alphabet.spell(b"cba") == [9, 1, 9]


PRINTED = {letter: 500 + byte for byte, letter in enumerate(BYTE_TO_CHAR.values())}
ENDED = {f"{letter}</w>": 800 + byte for byte, letter in enumerate(BYTE_TO_CHAR.values())}
UNKNOWN = CharacterAlphabet(CHARACTERS, unknown=0)
WITHOUT_9F = [None if token_id == 1000 + 0x9F else token_id for token_id in BYTE_IDS]
DESCRIBED: list[Alphabet] = [
    *ALPHABETS,
    CharacterAlphabet(CHARACTERS | {"▁": 303}, BYTE_IDS),
    CharacterAlphabet(PRINTED | ENDED, suffix="</w>", by_byte=True),
    CharacterAlphabet({"Ã": 1, "©": 2}, by_byte=True),
    *(CharacterAlphabet({"a": 1}, WITHOUT_9F, unknown=0, fuse_unknown=f) for f in (True, False)),
    SymbolAlphabet(UNKNOWN, {"aé": 7, "éa": 8, "éaé": 9}),
]


def test_an_alphabet_says_what_a_token_is_before_any_merge() -> None:
    samples = []
    for alphabet in DESCRIBED:
        told = f"{type(alphabet).__name__} of {alphabet.unit}s"
        told += f", {len(set(alphabet.token_ids))} tokens"
        samples.append([f"{told}: {alphabet.beginning}; {alphabet.exceptions}"])
        for text in ("éaa", "ßßaéaé", "ßéßa", " "):
            edges = list(alphabet.edges(text.encode()))
            samples[-1].append(f"    {text}: {alphabet.spell(text.encode())} {edges}")
    check_samples("alphabets", samples)


def test_every_kind_of_alphabet_has_its_sentence() -> None:
    kinds = {type(alphabet) for alphabet in DESCRIBED}
    no_text = {"MissingMerges", "ModelAlphabet"}  # without merges
    missing = {kind.__name__ for kind in Alphabet.__subclasses__()} - no_text
    assert {kind.__name__ for kind in kinds} >= missing

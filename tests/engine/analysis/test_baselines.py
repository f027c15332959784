"""Words, characters and bytes as tokens: the text that each keeps or loses."""

from __future__ import annotations

from itertools import islice, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sheets import check_samples

from engine import Tokenizer, UnknownTokenIdError, VocabSizeError, count_pretokens
from engine.analysis.baselines import BASELINES, ByteTokenizer, CharacterTokenizer
from engine.text.pretokenize import to_bytes

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
every_kind = pytest.mark.parametrize("name", BASELINES)

CATS = {b"the": 3, b" ": 5, b"cat": 2, b"sat": 2, b"!": 1}


def test_each_kind_numbers_and_spells_as_the_sheet_says() -> None:
    counts = CATS | {"né".encode(): 2, "e\u0301".encode(): 1, b" ": 5, b"\n": 9, b"cat!": 1}
    samples = []
    for name, size, pattern in product(BASELINES, (None, 5), ("bert", "whitespace", "gpt2")):
        if (name, size) not in (("byte", 5), ("character", None)):
            tokenizer = BASELINES[name].train(counts, size, ["<s>"], pattern)
            vocab = tokenizer.vocab
            first = [vocab[i] for i in islice(vocab, 12)]
            samples.append([f"{name}, {size=}, {pattern}", f"    {first}"])
            for text in ("the  cat!\n né<s>ten", "cat! e\u0301"):
                ids = tokenizer.encode(text)
                samples[-1].append(f"    {text!r}: {ids} {tokenizer.decode(ids)!r}")
    check_samples("baselines", samples)


class TestCharacters:
    def test_have_the_numbers_of_unicode(self) -> None:
        tokenizer = CharacterTokenizer.train({}, special_tokens=["<s>"])
        text = "the 你好🙂\n"
        assert tokenizer.encode(text) == [*map(ord, text)]
        assert tokenizer.encode("<s>a") == [0x110000, 97]
        assert tokenizer.decode([*map(ord, text), 0x110000]) == f"{text}<s>"

    def test_are_all_of_unicode_without_surrogates(self) -> None:
        vocab = CharacterTokenizer.train({}, 300, ["<s>"]).vocab
        assert len(vocab) == sum(1 for _ in vocab) == 0x110000 - 0x800 + 1
        assert all(surrogate not in vocab for surrogate in (0xD800, 0xDFFF, -1, 0x110001))
        assert vocab[0x10FFFF] == chr(0x10FFFF).encode()


class TestBytes:
    def test_are_the_ids_of_bpe_without_merges_and_need_no_corpus(self) -> None:
        assert ByteTokenizer.train({}).vocab == ByteTokenizer.train(CATS).vocab
        bpe = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [])
        ours = ByteTokenizer.train({})
        assert ours.unknown_id is None

        @given(text=st.text())
        def are_alike(text: str) -> None:
            assert ours.encode(text) == bpe.encode(text)
            assert ours.decode(ours.encode(text)) == text

        are_alike()


texts = st.text("the cat!é漢\n\udcff", max_size=20)


@every_kind
@given(text=texts, special=st.booleans())
def test_units_have_the_ids_of_the_encoding(name: str, text: str, special: bool) -> None:
    tokenizer = BASELINES[name].train(CATS, special_tokens=["at"] if special else [])
    units, ids = list(tokenizer.known_units(text)), tokenizer.encode(text)
    for (unit, known), token_id in zip(units, ids, strict=True):
        assert known in (None, token_id)
        assert (known is not None) == (tokenizer.vocab[token_id] == unit)
    kept = "".join(text.split()) if name == "word" else text
    assert b"".join(unit for unit, _ in units) == to_bytes(kept)


@every_kind
def test_special_tokens_are_one_id_wherever_they_occur(name: str) -> None:
    tokenizer = BASELINES[name].train(CATS, special_tokens=["<s>", "<s><s>"])
    ids = tokenizer.encode("<s><s><s>")
    assert [tokenizer.vocab[token_id] for token_id in ids] == [b"<s><s>", b"<s>"]


@every_kind
def test_the_training_text_is_known(name: str) -> None:
    path = SAMPLES / "tinystories_valid.txt"
    counts = count_pretokens(path, "bert", ["<|endoftext|>"])
    tokenizer = BASELINES[name].train(counts, special_tokens=["<|endoftext|>"])
    units = list(tokenizer.known_units(path.read_text()[:20_000]))
    assert None not in dict(units).values()
    assert b"<|endoftext|>" in dict(units)


@every_kind
def test_the_error_of_an_unknown_id_names_it(name: str) -> None:
    with pytest.raises(UnknownTokenIdError, match="no token with the id 55555"):  # a surrogate
        BASELINES[name].train(CATS).decode([55555])


@pytest.mark.parametrize("name", [name for name in BASELINES if name != "character"])
def test_a_size_without_room_is_an_error(name: str) -> None:
    least = 258 if name == "byte" else 3
    assert BASELINES[name].train(CATS, least, ["<a>", "<b>"]).vocab_size == least
    with pytest.raises(VocabSizeError, match=f"need at least {least}"):
        BASELINES[name].train(CATS, least - 1, ["<a>", "<b>"])

"""Pipelines of runs encode as the runs do; losses of a text are listed by stage."""

import json
from functools import partial
from pathlib import Path

import pytest
from generated import examples
from hypothesis import given
from odd_texts import texts
from sheets import check_sheet, refusal
from tokenizers import Tokenizer as Theirs
from tokenizers import models, pre_tokenizers
from unigram_by_hand import ids_of

from engine import Tokenizer, TokenizerFileError
from engine.core.gpt2_bytes import BYTE_TO_CHAR
from engine.core.json_fields import Fields
from engine.formats.own_pipelines import pipeline_of, unigram_pipeline, wordpiece_pipeline
from engine.pipeline.added_tokens import AddedToken
from engine.pipeline.as_tokenizer import ModelAlphabet, tokenizer_of
from engine.pipeline.decoders import WordPiece as WordPieceDecoder
from engine.pipeline.losses import Change, losses
from engine.pipeline.models import BPE, LARGEST_ID, MODELS, WordPiece
from engine.pipeline.normalizers import NFD, Lowercase, Sequence, StripAccents
from engine.pipeline.pipeline import Pipeline
from engine.pipeline.post_processors import template_of
from engine.pipeline.pretokenizers import BertPreTokenizer
from engine.text.patterns import PATTERNS
from engine.unigram.lattice import Lattice
from engine.unigram.pieces import PieceTable
from engine.unigram.pieces import spelled as with_spaces_spelled
from engine.wordpiece.tokenizer import WordPieceTokenizer

PIECES = ["[UNK]", "[CLS]", "[SEP]", "the", "t", "h", "a", "b", "!", "'"]
PIECES += ["##h", "##e", "##b", "##c"]


@examples(100)
@given(texts())
def test_wordpiece_as_a_pipeline_gives_the_same_ids(text: str) -> None:
    tokenizer = WordPieceTokenizer(dict(enumerate(map(str.encode, PIECES))), PIECES[:3])
    pipeline = wordpiece_pipeline(tokenizer)
    assert [token.token_id for token in pipeline.run(text).text.tokens] == tokenizer.encode(text)


@examples(100)
@given(texts())
def test_unigram_as_a_pipeline_gives_the_same_ids(text: str) -> None:
    characters = sorted(set("▁abcdefst'!é漢"))
    pieces = [("<unk>", 0.0), ("▁the", -2.0), *((each, -4.0) for each in characters)]
    texts, scores = zip(*pieces, strict=True)
    table = PieceTable(texts, scores, unknown=0)
    words = map(with_spaces_spelled, PATTERNS["gpt2"].split(text))
    expected = [id_ for word in words for id_ in ids_of(Lattice(word, table).best, 0)]
    assert unigram_pipeline(pieces, []).run(text).ids == expected


def test_merges_of_one_rank_are_written_unless_they_could_overlap() -> None:
    made = {256: b"ab", 257: b"cd", 258: b"aa"}
    vocab = {byte: bytes([byte]) for byte in range(256)} | made

    def merges_of(table: dict[tuple[int, int], tuple[int, int]]) -> object:
        model = pipeline_of(Tokenizer(vocab, None, {}, table=table), Path("here")).model
        return isinstance(model, BPE) and model.merges

    assert merges_of({(97, 97): (0, 258)}) == [("a", "a")]
    assert merges_of({(97, 98): (0, 256), (99, 100): (0, 257)}) == [("a", "b"), ("c", "d")]


def test_without_a_pre_tokenizer_text_is_cut_where_no_merge_of_spaces_joins() -> None:
    model = BPE({"▁": 0, "a": 1, "▁a": 2}, [("▁", "a")])
    assert tokenizer_of(Pipeline(model)).pattern.name == "sentencepiece"
    whole = Pipeline(BPE(model.vocab, model.merges, end_of_word_suffix="</w>"))
    assert tokenizer_of(whole).pattern.name == "none"


def test_every_pipeline_of_a_run_is_loaded_by_hugging_face() -> None:
    vocab = dict(enumerate(map(str.encode, PIECES)))
    pieces = [("<unk>", 0.0), ("▁the", -2.0), ("▁", -3.0), ("a", -3.5)]
    of_words = wordpiece_pipeline(WordPieceTokenizer(vocab, PIECES[1:3]))
    assert of_words.run("the").ids == [1, 3, 2]
    for pipeline in (of_words, unigram_pipeline(pieces, [])):
        theirs = Theirs.from_str(json.dumps(pipeline.to_json())).encode("the  a the!")
        run = pipeline.run("the  a the!")
        assert run.ids == theirs.ids
        assert [token.span for token in run.tokens] == theirs.offsets


def test_a_token_that_is_an_affix_alone_keeps_it() -> None:
    vocab = {"##": 0, "##a": 1, "</w>": 2, "a</w>": 3}
    model = BPE(vocab, [], continuing_subword_prefix="##", end_of_word_suffix="</w>")
    assert model.tokens(in_bytes=False) == {0: b"##", 1: b"a", 2: b"</w>", 3: b"a"}
    fallback = BPE({"<0x41>": 0, "a": 1}, [], byte_fallback=True)
    assert fallback.tokens(in_bytes=False) == {0: b"A", 1: b"a"}


def test_a_whole_token_is_looked_up_in_bytes_or_in_characters() -> None:
    letters = {letter: byte for byte, letter in BYTE_TO_CHAR.items()}
    model = BPE(letters | {"Ġa": 256, "ｘ": 257}, [], ignore_merges=True)
    assert model.alphabet(in_bytes=True).spell(b" a") == [256]
    assert model.alphabet(in_bytes=False).spell("Ġa".encode()) == [256]
    words = ModelAlphabet(WordPiece({"[UNK]": 0, "Ġa": 1}), in_bytes=True)
    assert (words.spell(b" a"), words.edges(b" a")) == ([1], [0, 2])


def test_models_are_read_or_refused_at_the_edges_of_their_tables() -> None:
    model = {"vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["#version: 0.2", "a b"]}
    read = MODELS.from_json(Fields(model))
    assert isinstance(read, BPE)
    assert read.merges == [("a", "b")]
    largest = {"vocab": {"a": LARGEST_ID, "b": LARGEST_ID}, "unk_token": "a"}
    with pytest.raises(TokenizerFileError, match="the id 4294967295 is given to 'a' and 'b'"):
        MODELS.from_json(Fields(largest))


@pytest.mark.parametrize("in_bytes", [False, True])
@pytest.mark.parametrize("unknown", [None, "<unk>"])
@pytest.mark.parametrize("missing", ["", "c3", "6d"])
@pytest.mark.parametrize(("prefix", "suffix"), [("", ""), ("##", ""), ("", "</w>"), ("@", "</w>")])
def test_bytes_that_spell_an_unknown_character_are_those_of_the_library(
    prefix: str, suffix: str, missing: str, unknown: str | None, in_bytes: bool, tmp_path: Path
) -> None:
    tokens = ["a", "b", f"{prefix}b", f"a{suffix}", f"{prefix}b{suffix}", "Ġ", "Ã"]
    tokens += [f"<0x{byte:02X}>" for byte in range(256) if f"{byte:02x}" != missing]
    vocab = {token: i for i, token in enumerate(dict.fromkeys([*tokens, *filter(None, [unknown])]))}
    given = {"continuing_subword_prefix": prefix, "end_of_word_suffix": suffix}
    given["unk_token"] = unknown or ""
    named = {key: text for key, text in given.items() if text}
    model = models.BPE(vocab, [], byte_fallback=True, **named)
    theirs = Theirs(model)
    if in_bytes:
        theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    theirs.save(str(tmp_path / "tokenizer.json"))
    ours = Tokenizer.load(tmp_path / "tokenizer.json")
    for text in ("ab", "mug a", "é漢b m", "bé", "m", "漢漢a"):
        assert ours.encode(text) == theirs.encode(text).ids
        traced = ours.encode_traced(text)
        assert list(traced.ids) == theirs.encode(text).ids


def test_a_wrong_template_is_an_error() -> None:
    made = partial(template_of, pair="$A $B", ids={"[CLS]": 1, "[SEP]": 2})
    wrong = ("[CLS] [SEP]", "$A $B", "[X] $A", "$B")
    check_sheet("errors/templates", map(partial(refusal, made), wrong))


def test_losses_are_listed_by_stage() -> None:
    pipeline = Pipeline(
        WordPiece({"[UNK]": 0, "cafe": 1, "the": 2}),
        (AddedToken("<s>"),),
        Sequence([NFD(), StripAccents(), Lowercase()]),
        BertPreTokenizer(),
        decoder=WordPieceDecoder(),
    )
    found = losses(pipeline, pipeline.run("<s>The  Café 漢字"))
    assert found.changed == (Change("T", "t"), Change("C", "c"), Change("é", "e"))
    assert found.dropped == ("  ", " ")
    assert found.unknown == ("漢字",)
    assert found.skipped == ("<s>",)
    assert not found.comes_back
    assert losses(pipeline, pipeline.run("the cafe")).comes_back

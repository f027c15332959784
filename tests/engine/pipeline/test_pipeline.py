"""A whole pipeline, and its last stages: templates around the ids, and decoders."""

import json
import random
from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import pytest
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st
from model_pipelines import MODEL_BUILDERS
from odd_texts import CHARACTERS, in_old_unicode, sample_texts, texts
from pipelines import BUILDERS, built, gpt2
from sheets import check_sheet, refusal
from tokenizers import Tokenizer, decoders, models
from tokenizers import Tokenizer as Theirs

from engine import TokenizerFileError
from engine.core.json_fields import Fields
from engine.pipeline.decoders import DECODERS
from engine.pipeline.pipeline import Pipeline
from engine.pipeline.post_processors import POST_PROCESSORS, spelled_template, template_of

Build = Callable[[], Theirs]
every_kind = pytest.mark.parametrize(
    "build", [*BUILDERS, *MODEL_BUILDERS], ids=lambda build: str(build.__name__)
)


@cache
def ours(build: Build) -> Pipeline:
    return Pipeline.from_json(Fields(json.loads(built(build).to_str())))


def checked(build: Build, text: str) -> None:
    theirs = built(build)
    try:
        expected = theirs.encode(text)
    except BaseException as panic:
        if "AddedVocabulary bad split" in str(panic):
            return  # the library does not survive whitespace that several tokens take
        raise
    run = ours(build).run(text)
    assert run.ids == expected.ids
    assert [token.text for token in run.tokens] == expected.tokens
    special = [int(token.from_template) for token in run.tokens]
    assert special == expected.special_tokens_mask
    if build.__name__ != "plain":  # what it lacks has no width there, which moves the rest
        assert [token.span for token in run.tokens] == expected.offsets
    assert run.decoded == theirs.decode(expected.ids)


@every_kind
def test_ids_tokens_places_and_text_are_those_of_hugging_face(build: Build) -> None:
    specials = [token.content for token in built(build).get_added_tokens_decoder().values()]
    some = st.lists(texts(8) | st.sampled_from([*specials, " the ", "HELLO"]), max_size=6)

    @examples(80)
    @given(some.map("".join))
    def is_the_same(text: str) -> None:
        checked(build, in_old_unicode(text))

    is_the_same()
    for text in sample_texts():
        checked(build, in_old_unicode(text)[:1500])


TEXTS = ["", " ", "a", " a", "  a", "a  b ", " \n a\t ", "the<|endoftext|>  x", " é ½  the\u3000"]


@pytest.mark.parametrize(("trims", "adds_space"), [*product((True, False), repeat=2)])
@pytest.mark.parametrize("name", ["ByteLevel", "RobertaProcessing", "Sequence"])
def test_spans_are_trimmed_as_by_hugging_face(name: str, trims: bool, adds_space: bool) -> None:
    settings: dict[str, Any] = {"trim_offsets": trims, "add_prefix_space": adds_space}
    byte_level = {"type": "ByteLevel", **settings, "use_regex": True}
    around = {"sep": ["</s>", 2], "cls": ["<s>", 1]}
    stage = {
        "ByteLevel": byte_level,
        "RobertaProcessing": {"type": "RobertaProcessing", **around, **settings},
        "Sequence": {"type": "Sequence", "processors": [byte_level, byte_level]},
    }[name]
    spelled = json.loads(built(gpt2).to_str()) | {"post_processor": stage}
    for is_added in (True, False):
        spelled["pre_tokenizer"]["add_prefix_space"] = is_added
        theirs, ours = Theirs.from_str(json.dumps(spelled)), Pipeline.from_json(Fields(spelled))
        for text in TEXTS:
            run, expected = ours.run(text), theirs.encode(text)
            assert run.ids == expected.ids
            assert [token.span for token in run.tokens] == expected.offsets


def special(token: str) -> dict[str, Any]:
    return {"SpecialToken": {"id": token, "type_id": 0}}


def text(name: str) -> dict[str, Any]:
    return {"Sequence": {"id": name, "type_id": 0}}


def template(single: list[dict[str, Any]], ids: int = 1) -> dict[str, Any]:
    token = {"id": "<s>", "ids": [7] * ids, "tokens": ["<s>"] * ids}
    pair = [text("A"), special("<s>"), text("B")]
    settings = {"single": single, "pair": pair, "special_tokens": {"<s>": token}}
    return {"type": "TemplateProcessing", **settings}


BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}


WRONG: list[dict[str, Any]] = [
    *(template([text("A"), text("B")]), template([text("C")]), template([text("A")], 4097)),
    template([special("<s>")], 4097),
    {"type": "Sequence", "processors": [template([text("A")])] * 2},
]


def test_an_error_names_the_wrong_key() -> None:
    read = POST_PROCESSORS.from_json
    check_sheet("errors/post_processors", (refusal(lambda w: read(Fields(w)), w) for w in WRONG))


def test_a_template_adds_4096_tokens_and_stands_beside_byte_level() -> None:
    largest = template([special("<s>"), text("A")], 4096)
    several = {"type": "Sequence", "processors": [BYTE_LEVEL, largest, BYTE_LEVEL]}
    stage = POST_PROCESSORS.from_json(Fields(several))
    assert stage.process([5, 6]) == [7] * 4096 + [5, 6]
    assert stage.process([5], [6]) == [5] + [7] * 4096 + [6]
    bare = POST_PROCESSORS.from_json(Fields({"type": "Sequence", "processors": [BYTE_LEVEL]}))
    assert (bare.process([5, 6]), bare.process([5], [6])) == ([5, 6], [5, 6])
    typed = "[CLS] $A:1 [SEP]:2"
    assert spelled_template(template_of(typed, "$A $B:1", {"[CLS]": 1, "[SEP]": 2})) == typed


DECODED_BYTES = {"add_prefix_space": True, "trim_offsets": True, "use_regex": True}
METASPACE = {"replacement": "▁", "split": True}
SCHEMES = "always", "never", "first"
CTC = {"pad_token": "<p>", "word_delimiter_token": "|"}
BYTE_FALLBACK = {"type": "ByteFallback"}
REPLACE = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}


def strip(start: int, stop: int) -> dict[str, Any]:
    return {"type": "Strip", "content": " ", "start": start, "stop": stop}


SPELLED: list[dict[str, Any]] = [
    {"type": "ByteLevel", **DECODED_BYTES},
    BYTE_FALLBACK,
    {"type": "Fuse"},
    *({"type": "Metaspace", "prepend_scheme": each, **METASPACE} for each in SCHEMES),
    *({"type": "WordPiece", "prefix": "##", "cleanup": cleanup} for cleanup in (True, False)),
    {"type": "BPEDecoder", "suffix": "</w>"},
    *({"type": "CTC", **CTC, "cleanup": cleanup} for cleanup in (True, False)),
    REPLACE,
    {"type": "Replace", "pattern": {"Regex": "[a-c]+|$"}, "content": "_"},
    *(strip(*edges) for edges in ((1, 0), (0, 2), (1, 1), (5, 5))),
    {"type": "Sequence", "decoders": [REPLACE, BYTE_FALLBACK, {"type": "Fuse"}, strip(1, 0)]},
]

WORDS = [
    *("<0xE6>", "<0xbc>", "<0xA2>", "<0x+1>", "<0xZZ>", "##ing", "n't", "<p>", "|", "a|b", "a##b"),
    *("▁the", "▁", "the</w>", "</w>", "Ġthe", "æ", "¼", "¢", "do not", " ' ", " .", "  ", ""),
]
TOKENS = st.lists(
    st.text(st.sampled_from(CHARACTERS), max_size=5) | st.sampled_from(WORDS), max_size=8
)


def name_of(spelled: dict[str, Any]) -> str:
    return f"{spelled['type']}{list(spelled.values())[1:]}"[:60]


def test_every_decoder_is_compared() -> None:
    assert {spelled["type"] for spelled in SPELLED} == set(DECODERS)
    named = {name for name in dir(decoders) if name[0].isupper()}
    assert named - set(DECODERS) == {"Decoder", "DecodeStream"}


@pytest.mark.parametrize("spelled", SPELLED, ids=name_of)
def test_tokens_are_decoded_as_by_hugging_face(spelled: dict[str, Any]) -> None:
    whole = json.loads(Tokenizer(models.BPE()).to_str()) | {"decoder": spelled}
    reference = Tokenizer.from_str(json.dumps(whole)).decoder
    ours = DECODERS.from_json(Fields(spelled, "decoder"))
    assert ours.to_json() == spelled

    @given(TOKENS)
    @example(["<0xE6>", "<0xBC>", "<0xA2>", "<0xE6>", "a", "<0xE6>"])
    @example(["a", "a", " do not", " n't", " ' ", "##b", " ."])
    @example([])
    def is_the_same(tokens: list[str]) -> None:
        if spelled["type"] == "Strip":
            # The library panics if nothing of the tokens is left.
            tokens = [token for token in tokens if token.strip(spelled["content"])]
        assert ours.decode(tokens) == reference.decode(tokens)

    is_the_same()
    chance = random.Random(1)
    for _ in range(60):
        is_the_same.hypothesis.inner_test(chance.choices(WORDS, k=6))


def test_tokens_grow_to_32_times_their_length_and_65536_characters() -> None:
    longer = {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 256}
    several = DECODERS.from_json(Fields({"type": "Sequence", "decoders": [longer]}))
    # 256 × 297 + 32 = 32 × 329 + 65,536 = 76,064; with a `b` less, 76,063 > 76,032.
    assert len(several.decode(["a" * 297, "b" * 32])) == 76_064
    with pytest.raises(TokenizerFileError, match="up to Replace make 76,063 characters of 328"):
        several.decode(["a" * 297, "b" * 31])

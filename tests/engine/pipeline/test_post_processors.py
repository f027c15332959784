"""Post-processors put spans and special tokens where Hugging Face's library puts them."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest
from pipelines import built, gpt2
from sheets import check_sheet, refusal
from tokenizers import Tokenizer as Theirs

from engine.core.json_fields import Fields
from engine.pipeline.pipeline import Pipeline
from engine.pipeline.post_processors import POST_PROCESSORS, spelled_template, template_of

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

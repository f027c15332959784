"""Each decoder makes the text that Hugging Face's makes of the same tokens."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from odd_texts import CHARACTERS
from tokenizers import Tokenizer, decoders, models

from engine import TokenizerFileError
from engine.core.json_fields import Fields
from engine.pipeline.decoders import DECODERS

BYTE_LEVEL = {"add_prefix_space": True, "trim_offsets": True, "use_regex": True}
METASPACE = {"replacement": "▁", "split": True}
SCHEMES = "always", "never", "first"
CTC = {"pad_token": "<p>", "word_delimiter_token": "|"}
BYTE_FALLBACK = {"type": "ByteFallback"}
REPLACE = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}


def strip(start: int, stop: int) -> dict[str, Any]:
    return {"type": "Strip", "content": " ", "start": start, "stop": stop}


SPELLED: list[dict[str, Any]] = [
    {"type": "ByteLevel", **BYTE_LEVEL},
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

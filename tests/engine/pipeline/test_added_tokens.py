"""Added tokens are found, and the text between them prepared, as in Hugging Face's library."""

import json
import re
from time import process_time
from typing import Any

import pytest
import tokenizers
from generated import examples
from hypothesis import given
from hypothesis import strategies as st
from sheets import check_sheet
from test_pretokenizers import DIGITS, byte_level, metaspace, sequence, split
from tokenizers import Tokenizer, models

from engine.core.json_fields import Fields
from engine.pipeline.added_tokens import (
    AddedToken,
    SectionSplitter,
    TokenFinder,
    number_added_tokens,
    without_repeats,
)
from engine.pipeline.as_tokenizer import tokenizer_of
from engine.pipeline.normalizers import NORMALIZERS
from engine.pipeline.pipeline import Pipeline
from engine.pipeline.pretokenizers import PRETOKENIZERS

Spelled = dict[str, Any] | None


@examples(200)
@given(
    tokens=st.lists(st.text("ab<>]^-", min_size=1, max_size=4), unique=True, max_size=6),
    text=st.text("ab<>]^-", max_size=20),
)
def test_the_leftmost_and_then_the_longest_is_found(tokens: list[str], text: str) -> None:
    longest_first = sorted(tokens, key=len, reverse=True)
    regex = re.compile("|".join(map(re.escape, longest_first)) or "(?!)")
    found = list(TokenFinder([(token, AddedToken(token)) for token in tokens]).find(text))
    places = [(start, end) for start, end, token in found if token is not None]
    assert places == [match.span() for match in regex.finditer(text)]
    assert "".join(text[start:end] for start, end, _ in found) == text
    assert all(start < end for start, end, _ in found)


def test_very_many_are_found_at_once() -> None:
    many = [f"<extra_{number}>" for number in range(20_000)]
    began = process_time()
    found = TokenFinder([(token, AddedToken(token)) for token in many]).find("a<extra_77>b")
    assert [token.content for _, _, token in found if token is not None] == ["<extra_77>"]
    assert process_time() - began < 1.0


def test_special_tokens_come_first_and_win() -> None:
    plain, special = (AddedToken("<s>", special=is_special) for is_special in (False, True))
    other = AddedToken("b", special=False)
    assert without_repeats([other, plain, AddedToken(""), special]) == (special, other)


def test_new_tokens_are_numbered_after_all_ids_before_them() -> None:
    tokens = [AddedToken(text) for text in ("<s>", "b", "</s>", "", "<s>", "a", "<x>")]
    ids = number_added_tokens(tokens, {"a": 0, "b": 7})
    assert ids == {"<s>": 2, "b": 7, "</s>": 8, "a": 0, "<x>": 9}


LOWER, IN_BYTES = {"type": "Lowercase"}, {"type": "ByteLevel"}
NORMALIZED: list[Spelled] = [
    None,
    {"type": "Strip", "strip_left": True, "strip_right": True},
    *(
        {"type": "Sequence", "normalizers": parts}
        for parts in ([LOWER, IN_BYTES], [IN_BYTES, LOWER], [IN_BYTES, IN_BYTES])
    ),
]
SPELLS = byte_level(False, False)
CUT: list[Spelled] = [
    *(None, {"type": "Whitespace"}, metaspace("first"), metaspace("always", False), SPELLS),
    *(byte_level(True, True), byte_level(False, True), sequence(), sequence(SPELLS, SPELLS)),
    *(sequence(split(" "), SPELLS), sequence(DIGITS, byte_level(True, True))),
    *(sequence(byte_level(False, True), each) for each in (DIGITS, metaspace("always"))),
    *(sequence(each, metaspace("first")) for each in (split(" "), SPELLS)),
    sequence(metaspace("first"), DIGITS),
]
ADDED = [
    [AddedToken("<s>")],
    [
        AddedToken("the", single_word=True, special=False),
        AddedToken("<s>", lstrip=True),
        AddedToken("Go!", rstrip=True, normalized=True, special=False),
    ],
    [
        AddedToken("É!", normalized=True),
        AddedToken(" ", special=False),
        AddedToken("THE", normalized=True, lstrip=True, rstrip=True, single_word=True),
    ],
]
TEXTS = [
    "",
    "the  <s> Go!  a the theé the<s>",
    "  É!  é! 12Go",
    "<s>Go!a THE the Éa",
    "athe<s><s> a ",
]


def theirs(model: Any, added: list[AddedToken], **stages: Spelled) -> Tokenizer:
    tokens = [token.to_json(number) for number, token in enumerate(added, 1000)]
    spelled = json.loads(Tokenizer(model).to_str()) | stages | {"added_tokens": tokens}
    return Tokenizer.from_str(json.dumps(spelled))


def splitter_of(added: list[AddedToken], normalizer: Spelled, cut: Spelled) -> SectionSplitter:
    return SectionSplitter(
        added,
        normalizer and NORMALIZERS.from_json(Fields(normalizer)),
        cut and PRETOKENIZERS.from_json(Fields(cut)),
    )


LONGER = {"type": "Replace", "pattern": {"String": "b"}, "content": "bcc"}
NFKC = {"type": "NFKC"}


@pytest.mark.parametrize(
    ("normalizer", "cut", "text", "data", "starts", "ends"),
    [
        # As many bytes as before: each has its own place.
        (LOWER, None, "aÉ", b"a\xc3\xa9", [0, 1, 2], [1, 2, 3]),
        # Of the text beside the original, nothing comes from a place of its own.
        (LOWER, metaspace("always"), "Éa", "▁éa".encode(), [0, 0, 0, 0, 1, 2], [0, 0, 0, 1, 2, 3]),
        (LONGER, None, "ab", b"abcc", [0, 1, 2, 2], [1, 2, 2, 2]),
        # All else comes from the whole original.
        (NFKC, None, "ﬁa", b"fia", [0, 0, 3], [3, 3, 4]),
        (NFKC, SPELLS, "é½", b"\xc3\xa91\xe2\x81\x842", [0, 1, *[2] * 5], [1, 2, *[4] * 5]),
    ],
)
def test_each_byte_knows_the_bytes_that_it_comes_from(
    normalizer: Spelled, cut: Spelled, text: str, data: bytes, starts: list[int], ends: list[int]
) -> None:
    splitter = splitter_of([AddedToken("<s>", lstrip=True)], normalizer, cut)
    special, found = splitter.aligned(f" <s>{text}", splitter.pattern)
    assert special == (b"<s>", [0, 0, 0], [4, 4, 4], True)
    assert found == (data, [4 + start for start in starts], [4 + end for end in ends], False)


def test_a_pattern_cuts_in_place_of_stages_where_one_can() -> None:
    added = [[AddedToken("<s>", **{flag: True})] for flag in ("single_word", "lstrip", "rstrip")]
    added += [[AddedToken("<s>", normalized=True)], [AddedToken("<s>"), AddedToken("<b>")]]
    added += [[*added[3], AddedToken("<b>")]]
    rows = [(tokens, None, byte_level(False, True)) for tokens in added]
    rows += [(added[4], None, cut) for cut in (*CUT, metaspace("never"))]
    rows += [(added[4], normalizer, cut) for normalizer in NORMALIZED for cut in (None, SPELLS)]
    lines = []
    for tokens, normalizer, cut in rows:
        splitter = splitter_of(tokens, normalizer, cut)
        facts = f"is_plain={splitter.is_plain}, in_bytes={splitter.in_bytes}"
        asked = [token.to_json(1) for token in tokens], normalizer, cut
        lines.append(f"{splitter.pattern.name} ({splitter.pattern.summary}), {facts}: {asked}")
    check_sheet("splitters", lines)


@pytest.mark.parametrize(
    ("tokens", "text", "ids"),
    [
        ([("  ", True, True)], "a    b", [0, 2, 1]),
        ([("H", False, True), ("  ", True, False)], "aH  b", [0, 2, 1]),
        ([(" ", False, True)], "a  b", [0, 2, 2, 1]),
        ([(" ", True, True), ("H", True, True)], "a   H  b", [0, 2, 3, 1]),
        ([("H", False, True), (" a", True, True)], "H  a b", [2, 3, 1]),
    ],
)
def test_spaces_that_a_token_took_are_no_token_again(
    tokens: list[tuple[str, bool, bool]], text: str, ids: list[int]
) -> None:
    library = Tokenizer(models.BPE({"a": 0, "b": 1}, []))
    library.add_special_tokens(
        [
            tokenizers.AddedToken(content, lstrip=left, rstrip=right)
            for content, left, right in tokens
        ]
    )
    pipeline = Pipeline.from_json(Fields(json.loads(library.to_str())))
    assert tokenizer_of(pipeline).encode(text) == library.encode(text).ids == ids

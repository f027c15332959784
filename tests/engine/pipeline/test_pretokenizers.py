"""Each pre-tokenizer cuts where Hugging Face's cuts, with the same spans."""

import json
from functools import partial
from itertools import product
from typing import Any
from unicodedata import category

import pytest
from generated import first_quick
from hypothesis import example, given
from odd_texts import in_old_unicode, sample_texts, texts
from sheets import check_sheet, refusal
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from engine.core.json_fields import Fields
from engine.pipeline.as_tokenizer import tokenizer_of
from engine.pipeline.normalizers import Aligned
from engine.pipeline.pipeline import Pipeline
from engine.pipeline.pretokenizers import BEHAVIORS, PRETOKENIZERS, PreTokenizer, in_oniguruma
from engine.text.patterns import PATTERNS


def split(regex: str, behavior: str = "Isolated", invert: bool = False) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": behavior, "invert": invert}


def byte_level(prefix: bool, regex: bool) -> dict[str, Any]:
    settings = {"add_prefix_space": prefix, "trim_offsets": True, "use_regex": regex}
    return {"type": "ByteLevel", **settings}


def metaspace(scheme: str, splits: bool = True) -> dict[str, Any]:
    settings = {"replacement": "▁", "prepend_scheme": scheme, "split": splits}
    return {"type": "Metaspace", **settings}


def sequence(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", "pretokenizers": list(parts)}


DIGITS, ONE_BY_ONE = ({"type": "Digits", "individual_digits": each} for each in (False, True))
DEEPSEEK = sequence(
    split(r"\p{N}{1,3}"),
    split("[一-龥぀-ゟ゠-ヿ]+"),
    split(
        r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
        r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    byte_level(False, False),
)
FALCON = sequence(
    {"type": "Punctuation", "behavior": "Contiguous"},
    byte_level(False, True),
    DIGITS,
    split("[0-9][0-9][0-9]"),
)

SPELLED: list[dict[str, Any]] = [
    *(byte_level(prefix, regex) for prefix in (False, True) for regex in (False, True)),
    *(metaspace(*each) for each in product(("always", "never", "first"), (True, False))),
    *(split(r"\d+|[A-Z]", behavior, invert) for behavior in BEHAVIORS for invert in (False, True)),
    *(split("[a-d]*", behavior) for behavior in BEHAVIORS),
    {"type": "Split", "pattern": {"String": "."}, "behavior": "MergedWithNext", "invert": False},
    {"type": "Split", "pattern": {"String": ""}, "behavior": "Isolated", "invert": False},
    DIGITS,
    ONE_BY_ONE,
    *({"type": "Punctuation", "behavior": behavior} for behavior in BEHAVIORS),
    {"type": "Whitespace"},
    {"type": "WhitespaceSplit"},
    {"type": "BertPreTokenizer"},
    {"type": "CharDelimiterSplit", "delimiter": "-"},
    {"type": "FixedLength", "length": 3},
    {"type": "UnicodeScripts"},
    DEEPSEEK,
    FALCON,
    sequence({"type": "WhitespaceSplit"}, metaspace("first")),
    sequence(split(" "), sequence(metaspace("first"), DIGITS), byte_level(True, True)),
    sequence(),
]


def name_of(spelled: dict[str, Any]) -> str:
    return f"{spelled['type']}{list(spelled.values())[1:]}"[:60]


def ours(spelled: dict[str, Any]) -> PreTokenizer:
    return PRETOKENIZERS.from_json(Fields(spelled, "pre_tokenizer"))


def their_pre_tokenizer(spelled: dict[str, Any]) -> Any:
    whole = json.loads(Tokenizer(models.BPE()).to_str()) | {"pre_tokenizer": spelled}
    return Tokenizer.from_str(json.dumps(whole)).pre_tokenizer


def test_every_pre_tokenizer_is_compared() -> None:
    assert {spelled["type"] for spelled in SPELLED} == set(PRETOKENIZERS)
    named = {name for name in dir(pre_tokenizers) if name[0].isupper()}
    assert named - set(PRETOKENIZERS) == {"PreTokenizer"}


@pytest.mark.parametrize("spelled", SPELLED, ids=name_of)
def test_a_text_is_cut_as_by_hugging_face(spelled: dict[str, Any]) -> None:
    reference, stage = their_pre_tokenizer(spelled), ours(spelled)
    assert stage.to_json() == spelled

    def check(text: str) -> None:
        pieces = stage.aligned_pieces(Aligned.of(text))
        expected = [(piece, span) for piece, span in reference.pre_tokenize_str(text) if piece]
        assert [(each.text, each.span(0, len(each.text))) for each in pieces] == expected
        assert stage.pieces(text, first=True) == [piece for piece, _ in expected]

    @given(texts())
    @example("")
    @example(" ")
    @example("½▁ a  b²’s 12345")
    def is_the_same(text: str) -> None:
        check(text)

    is_the_same()
    for text in sample_texts():
        check(in_old_unicode(text[:1000]))


@pytest.mark.parametrize("normalizer", ["NFKC", "NFKD"])
def test_every_piece_that_comes_from_the_first_character_is_marked(normalizer: str) -> None:
    library = Tokenizer(models.BPE({letter: i for i, letter in enumerate("▁12⁄fia")}, []))
    library.normalizer = getattr(normalizers, normalizer)()
    whole = json.loads(library.to_str())
    for cut in ("Whitespace", "Punctuation"):
        whole["pre_tokenizer"] = sequence({"type": cut}, metaspace("first"))
        if cut == "Punctuation":
            whole["pre_tokenizer"]["pretokenizers"][0]["behavior"] = "Isolated"
        theirs = Tokenizer.from_str(json.dumps(whole))
        ours_too = tokenizer_of(Pipeline.from_json(Fields(whole)))
        for text in ("½a", "ﬁ a", "a½", "½ ½", "½"):
            assert ours_too.encode(text) == theirs.encode(text).ids


@pytest.mark.parametrize("around", first_quick(["a{}b", ".{}1"]))
@pytest.mark.parametrize(
    "name",
    [
        "Whitespace",
        "WhitespaceSplit",
        "BertPreTokenizer",
        "Punctuation",
        "Digits",
        "UnicodeScripts",
    ],
)
def test_every_character_is_cut_as_by_hugging_face(name: str, around: str) -> None:
    spelled = ONE_BY_ONE if name == "Digits" else {"type": name}
    reference, stage = their_pre_tokenizer(spelled), ours(spelled)
    codes = [*range(0x3400), *range(0xA000, 0xD800), *range(0xF900, 0x17000)]
    known = [c for c in map(chr, [*codes, *range(0x1B000, 0x20000)]) if category(c) != "Cn"]
    text = "\n".join(map(around.format, known))
    pieces = [piece for piece, _ in reference.pre_tokenize_str(text)]
    assert stage.pieces(text, first=True) == pieces


@pytest.mark.parametrize("spelled", SPELLED, ids=name_of)
def test_a_pattern_cuts_like_its_stage(spelled: dict[str, Any]) -> None:
    stage = ours(spelled)
    pattern = stage.as_pattern()
    if pattern is None:
        return

    @given(texts())
    def cuts_alike(text: str) -> None:
        assert pattern.split(stage.prepared(text, True)) == stage.cut(text, True)

    cuts_alike()


@pytest.mark.parametrize("name", PATTERNS)
def test_a_named_pattern_cuts_alike_in_oniguruma(name: str) -> None:
    source = in_oniguruma(PATTERNS[name])
    assert source is not None
    reference = their_pre_tokenizer(split(source))

    @given(texts())
    @example("1234567 \n \n")
    @example("it'S  we'LL\r\n\r\n  ")
    def is_the_same(text: str) -> None:
        assert PATTERNS[name].split(text) == [p for p, _ in reference.pre_tokenize_str(text)]

    is_the_same()
    for text in sample_texts():
        is_the_same.hypothesis.inner_test(in_old_unicode(text))
    assert ours(split(source)).as_pattern() is PATTERNS[name]


def test_a_regex_that_can_be_empty_is_not_a_pattern() -> None:
    assert ours(split("a*")).as_pattern() is None
    assert ours(split("a+|b")).as_pattern() is not None
    assert ours(split("a+|b", "Removed")).as_pattern() is None


WRONG: list[dict[str, Any]] = [
    *({"type": "UnicodeBlocks"}, split("a", "Isolate"), split("[a&&]")),
    *(metaspace("first") | each for each in ({"replacement": "__"}, {"add_prefix_space": False})),
    *({"type": "FixedLength", "length": 0}, {"type": "Digits", "individual_digits": None}),
    sequence(*[byte_level(False, False)] * 5),
]


def test_an_error_names_the_wrong_key() -> None:
    check_sheet("errors/pre_tokenizers", map(partial(refusal, ours), WRONG))
    assert ours(sequence(*[byte_level(False, False)] * 4)).pieces(" ", True) == ["ÃĥÄ¦ÃħÄ¤"]


def test_older_settings_are_read_as_the_newer_ones() -> None:
    older = {"type": "Metaspace", "replacement": "▁", "add_prefix_space": False}
    assert ours(older).to_json() == metaspace("never")
    assert ours(older | {"prepend_scheme": "never"}).to_json() == metaspace("never")
    assert ours(older | {"add_prefix_space": True}).to_json() == metaspace("always")

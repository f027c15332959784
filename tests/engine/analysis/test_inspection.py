"""Inspections of a tokenizer, against a look at its tokens one by one."""

from math import exp, log2

import numpy as np
import pytest
import regex
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st
from sheets import check_sheet

from engine import Timeline, Tokenizer, Trainer
from engine.analysis.inspection import (
    TOKEN_KIND_NAMES,
    Inspection,
    NumberPolicy,
    UnigramInspection,
    numbers_of,
    token_kinds,
)
from engine.encoding.alphabet import CharacterAlphabet
from engine.formats.tokenizer_format import Opened
from engine.text.patterns import PATTERNS, Alternative, Pattern
from engine.text.pretokenize import to_text
from engine.text.scripts import KIND_NAMES, SCRIPTS, ScriptTable
from engine.unigram.frame import UnigramTimeline
from engine.unigram.trainer import UnigramTrainer

BYTES = {byte: bytes([byte]) for byte in range(256)}
SOME = "aZé漢字かカーяΩ한अी\u0301 \n\t\u00a012٣½!_€🙂ªµ\u2028Ⅷⴰ𐤀"


def script_of(char: str) -> str:
    """Return the kind of one character, by `regex`."""
    if 0xD800 <= ord(char) < 0xE000:
        return "stray bytes"
    if char.isspace() and regex.fullmatch(r"\s", char):
        return "whitespace"
    if regex.fullmatch(r"\p{N}", char):
        return "digits"
    if not regex.fullmatch(r"[\p{L}\p{M}]", char):
        return "symbols"
    if regex.fullmatch(r"[\p{Script=Common}\p{Script=Inherited}]", char, regex.V1):
        return "shared letters"
    own = [name for name in SCRIPTS if regex.fullmatch(rf"\p{{Script={name}}}", char)]
    return own[0].replace("_", " ") if own else "rare scripts"


def kind_of(token: bytes) -> str:
    kinds = [script_of(char) for char in to_text(token)]
    scripts = set(kinds) - {"symbols", "whitespace", "digits", "stray bytes", "shared letters"}
    if scripts:
        return scripts.pop() if len(scripts) == 1 else "several scripts"
    for kind in ("shared letters", "stray bytes", "digits", "symbols", "whitespace"):
        if kind in kinds:
            return "parts of characters" if kind == "stray bytes" else kind
    raise AssertionError(token)


@given(st.text(st.sampled_from(SOME) | st.characters(min_codepoint=0x80, max_codepoint=0x2FFFF)))
@example("\U00016fe0\U0001d400")  # a rare script beside a letter that all share
def test_the_kind_of_each_character_is_that_of_unicode(text: str) -> None:
    expected = [script_of(char) for char in text]
    assert [KIND_NAMES[kind] for kind in ScriptTable().kinds(text)] == expected


@given(st.lists(st.text(SOME, min_size=1).map(str.encode) | st.binary(min_size=1, max_size=4)))
def test_the_kind_of_each_token_is_that_of_its_letters(tokens: list[bytes]) -> None:
    kinds = token_kinds(tokens, ScriptTable())
    assert [TOKEN_KIND_NAMES[kind] for kind in kinds] == [kind_of(token) for token in tokens]


@pytest.fixture(scope="module")
def inspection() -> Inspection:
    made = {256: b"he", 260: b"the", 261: b"The", 262: b"  ", 270: b"the", 271: b"\xe4\xb8"}
    merges = [(b"h", b"e"), (b"t", b"he"), (b"T", b"he"), (b" ", b" "), (b"\xe4", b"\xb8")]
    tokenizer = Tokenizer(BYTES | made, merges, {"<end>": 300}, "qwen2")
    return Inspection.of_opened(Opened(tokenizer, "gpt2", ("a note",)))


def test_what_an_inspection_finds_is_what_the_sheet_says(inspection: Inspection) -> None:
    own = "size merges greatest_id special_ids format notes gaps length_histogram mean_length kinds"
    names = [*own.split(), "whitespace_runs", "pattern_name", "numbers"]
    lines = [f"{name}: {getattr(inspection, name)}" for name in names]
    lines += [f"{name}: {inspection.of_kind(name)}" for name, _ in inspection.kinds]
    lines += [f"{span}: {inspection.of_length(*span)}" for span in ((1, 1), (2, 3), (3, 9), (4, 9))]
    lines += [f"{name}: {inspection.odd(name)}" for name in inspection.ODD]
    longest = inspection.longest(4)
    lines.append(f"{longest}: {[*map(inspection.length_of, longest)]}")
    check_sheet("inspection", lines)


def test_of_an_empty_vocabulary_everything_is_computed_and_zero() -> None:
    tokenizer = Tokenizer({}, [], alphabet=CharacterAlphabet({}))
    empty = Inspection.of_opened(Opened(tokenizer, "gpt2")).prepare()
    assert vars(empty).keys() >= set(empty.SLOW)
    assert empty._odd.keys() == set(empty.ODD)
    assert (empty.size, empty.greatest_id, empty.gaps.count, empty.mean_length) == (0, -1, 0, 0)
    assert (empty.kinds, empty.length_histogram, empty.longest(3)) == ([], [], [])


def test_an_unknown_pattern_has_no_name() -> None:
    pattern = Pattern("mine", "", (Alternative("all", "(?s:.)"),), ())
    tokenizer = Tokenizer(BYTES, [], pattern=pattern)
    assert Inspection.of_opened(Opened(tokenizer, "gpt2")).pattern_name is None


ALL_DIGITS = [str(n).encode() for n in range(10)]
ALL_TO_999 = [f"{n:0{d}}".encode() for d in (1, 2, 3) for n in range(10**d)]
FROM_RIGHT = Pattern("", "", (Alternative("digits", r"\d{1,3}(?=(?:\d{3})*\b)"),), ())


@pytest.mark.parametrize(
    ("pattern", "tokens", "policy"),
    [
        (PATTERNS["qwen2"], ALL_DIGITS, "every digit alone"),
        (PATTERNS["cl100k"], ALL_DIGITS, "groups of up to 3 digits, from the left; not all are"),
        (FROM_RIGHT, ALL_TO_999, "groups of up to 3 digits, from the right"),
        (PATTERNS["gpt2"], [*ALL_DIGITS, b"19"], "whole numbers"),
        (PATTERNS["whitespace"], [b"hug"], "no token holds a digit: numbers are unknown"),
    ],
)
def test_the_policy_for_numbers_follows_from_pattern_and_vocabulary(
    pattern: Pattern, tokens: list[bytes], policy: str
) -> None:
    assert numbers_of(pattern, tokens).policy.startswith(policy)
    known = {digits: (10**digits, 10**digits) for digits in (1, 2, 3)} | {4: (0, 10_000)}
    assert numbers_of(PATTERNS["cl100k"], ALL_TO_999) == NumberPolicy(3, False, known, True)


def test_a_step_of_a_run_is_inspected_like_its_tokenizer() -> None:
    counts = {b" the": 9, b" then": 4, b"12": 3}
    timeline = Timeline(counts, Trainer(counts, 263, ["<s>"]).steps())
    frame = timeline.seek(3)
    of_step = Inspection.of_frame(frame)
    of_tokenizer = Inspection.of_opened(Opened(frame.tokenizer(), "gpt2"))
    assert of_step.kinds == of_tokenizer.kinds
    assert of_step.length_histogram == of_tokenizer.length_histogram
    assert (of_step.size, of_step.merges) == (of_tokenizer.size, of_tokenizer.merges) == (260, 3)
    assert np.sum([count for _, count in of_step.kinds]) == 259


WORDS = st.dictionaries(
    st.text("aA!▁\udcff", min_size=1, max_size=7), st.integers(1, 9), min_size=1
)


def recorded(words: dict[str, int]) -> UnigramTimeline:
    trainer = UnigramTrainer(words, 12, ["<|x|>"])
    events = list(trainer.steps())
    return UnigramTimeline(trainer.record, events, words=words)


@examples(25)
@given(WORDS)
@example({"▁aA!!": 3, "▁aA": 2, "!!!": 2, "\udcffa": 2})
def test_an_inspection_counts_the_pieces(words: dict[str, int]) -> None:
    timeline = recorded(words)
    for step in range(len(timeline) + 1):
        frame = timeline.seek(step)
        inspection, texts = UnigramInspection(frame).prepare(), frame.texts
        assert inspection.size == len(texts)
        assert inspection.characters == sum(len(text) == 1 for text in texts)
        assert inspection.word_starts == sum(text[0] == "▁" for text in texts)
        assert dict(inspection.length_histogram) == {
            n: sum(len(text) == n for text in texts) for n in {len(text) for text in texts}
        }
        assert inspection.mean_length == pytest.approx(sum(map(len, texts)) / len(texts))
        assert inspection.odd("seldom").count == sum(n < 1 for n in frame.expected_counts)
        assert inspection.odd("runs").count == sum(len(t) > 1 and len(set(t)) == 1 for t in texts)
        assert inspection.odd("partial").count == sum("\udcff" in text for text in texts)
        assert sum(count for _, count in inspection.kinds) == len(texts)
        shares = [n / frame.expected_counts.sum() for n in frame.expected_counts if n]
        assert inspection.entropy == pytest.approx(-sum(p * log2(p) for p in shares))
        assert inspection.perplexity == pytest.approx(exp(frame.loss))
        uses = frame.expected_counts.sum() / sum(words.values())
        assert inspection.fertility == pytest.approx(uses)
        longest = [len(inspection.text(piece)) for piece in inspection.longest(3)]
        assert longest == sorted(map(len, texts), reverse=True)[:3]
        ends = inspection.worst_and_best
        assert ends is not None
        scores = [inspection.score(piece) for piece in ends]
        assert scores == [frame.scores.min(), frame.scores.max()]

"""`check` agrees with right merges, and reports the first that differs."""

from __future__ import annotations

import json
from itertools import chain, repeat
from pathlib import Path

import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from students import SPECIAL, Student

from engine import TokenizerFileError, Trainer, check, train_bpe
from engine.analysis.check.checking import Judge, JudgedMerge, check_claim
from engine.analysis.check.claim import Assignment, Claim, read_claim
from engine.analysis.check.report import Divergence, LikelyMistake, TakenPair, VocabularyFinding
from engine.analysis.check.steps_file import ClaimedStep
from engine.bpe.ties import TIE_RULES
from engine.core.events import BytesPair
from engine.core.gpt2_bytes import spell
from engine.text.patterns import PATTERNS

SAMPLE = Path(__file__).resolve().parents[3] / "samples" / "tinystories_valid.txt"
STORY = SAMPLE.read_text(encoding="utf-8")[:3000]


def assignment(text: str) -> Assignment:
    return Assignment(text.encode, (SPECIAL,))


# -- what is right agrees


@pytest.mark.parametrize("tie_rule", TIE_RULES)
@given(counts=oracles.corpora(), size=st.integers(256, 276))
def test_the_merges_of_the_naive_trainer_agree(
    tie_rule: str, counts: dict[bytes, int], size: int
) -> None:
    run = Trainer(counts, size, tie_rule=tie_rule, algorithm="naive")
    steps = [ClaimedStep(s.left, s.right, s.count, s.new_id) for s in run.steps()]
    asked = Assignment(
        lambda: b"", tie_rule=TIE_RULES[tie_rule], vocab_size=size, known_counts=counts
    )
    assert check_claim(Claim(steps, run.vocab), asked).agrees


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_tokenizer_from_a_file_agrees_for_any_pattern(pattern: str, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_bytes(STORY.encode() + b"\xff\r\n\x00")
    asked = Assignment.of_file(corpus, [SPECIAL], pattern, vocab_size=290)
    run = Trainer(asked.counts, 290, [SPECIAL])
    list(run.steps())
    assert check(run.vocab, run.merges, corpus, 290, [SPECIAL], pattern).agrees


# -- the first merge that is not by the rule


def words_of(text: str) -> Assignment:
    return Assignment(text.encode, pattern=PATTERNS["whitespace"])


def merges_of(asked: Assignment, many: int) -> list[BytesPair]:
    run = Trainer(asked.counts, asked.first_id + many, asked.special_tokens)
    list(run.steps())
    return run.merges


@given(counts=oracles.corpora(), data=st.data())
def test_the_first_merge_that_differs_is_reported(
    counts: dict[bytes, int], data: st.DataObject
) -> None:
    right = oracles.train(counts, "lexicographic", 9)
    made = data.draw(st.lists(st.sampled_from(right.merges or [(b"a", b"b")]), max_size=9))
    asked = Assignment(lambda: b" ".join(counts), known_counts=counts)
    report = check_claim(Claim.of(None, made), asked)
    pairs = zip(made, chain(right.merges, repeat(None)), strict=False)
    first = next((place for place, (mine, rule) in enumerate(pairs) if mine != rule), None)
    assert (report.divergence and report.divergence.step) == first


def test_one_slip_does_not_condemn_the_merges_after_it() -> None:
    asked = assignment(STORY)
    merges = merges_of(asked, 40)
    merges[19] = merges.pop(24)
    report = check_claim(Claim.of(None, merges), asked)
    assert report.divergence is not None
    assert report.divergence.step == 19
    assert report.by_rule_after == 19
    assert "It is one slip. Given it, all later merges (19) are by the rule." in report.describe()


def test_the_report_says_if_no_mistake_explains_the_difference() -> None:
    asked = words_of("low low lower newest newest newest widest")
    report = check_claim(Claim.of(None, [(b"i", b"d"), (b"l", b"o")]), asked)
    assert report.explanations == ()
    assert list(report.describe()) == [
        "The first merge that is not by the rule is merge 1.",
        "The rule takes w + e, which occurs 4 times, tied with e + s, s + t.",
        "Yours is i + d: it occurs once.",
        "None of the known mistakes that were tried on this corpus explains it.",
        "0 of 1 later merges are what the rule takes after yours before them.",
    ]


@pytest.mark.parametrize(
    ("merges", "expected"),
    [
        ([(b"x", b"y")], "Yours is x + y: it occurs nowhere."),
        ([(b"lo", b"w")], "Yours is lo + w: no earlier merge makes lo."),
        ([(b"l", b"ow")], "Yours is l + ow: no earlier merge makes ow."),
        (
            [(b"o", b"w"), (b"o", b"w")],
            "Yours is o + w: merge 1 has merged it already, and it occurs nowhere.",
        ),
        (
            [(b"w", b" ")],
            "Yours is w + Ġ: it never occurs inside a pretoken, only across a border between two.",
        ),
        (
            [(b"o", b"w"), (b"l", b"ow"), (b"low", b"low")],
            "The rule takes nothing: no pair is left.",
        ),
    ],
)
def test_the_report_says_where_the_trainers_pair_occurs(
    merges: list[BytesPair], expected: str
) -> None:
    asked = words_of("low low")
    assert expected in check_claim(Claim.of(None, merges), asked).describe()


def test_a_pair_that_lost_a_tie_is_by_the_rule_once_no_other_is_left() -> None:
    steps = [ClaimedStep(b"a", b"b"), ClaimedStep(b"c", b"d"), ClaimedStep(b"c", b"d")]
    assert list(Judge(words_of("ab cd")).verdicts(steps)) == [
        JudgedMerge(steps[0], 1, (b"c", b"d"), 1, by_rule=False),
        JudgedMerge(steps[1], 1, None, 0, by_rule=True),
        JudgedMerge(steps[2], 0, None, 0, by_rule=False),
    ]


def test_an_earlier_count_that_would_win_is_reported_with_its_step() -> None:
    # `a b` stands 4 times, 3 of them in `abc`; once `b c` has merged, it stands once.
    asked = words_of("abc abc abc bc bc bc bc bc ab de de")
    lines = list(check_claim(Claim.of(None, [(b"b", b"c"), (b"a", b"b")]), asked).describe())
    assert lines[1:3] == [
        "The rule takes a + bc, which occurs 3 times; no other pair is as frequent.",
        "Yours is a + b: it occurs once; before merge 1 it was 4, which would have won here.",
    ]
    assert lines[3].startswith("Likely cause (stale-heap)")


def test_under_a_pure_tie_no_earlier_count_is_said_to_have_won() -> None:
    # `a b` falls from 5 to 3 with `b c`, and then ties with `d e`: the rule decides, no count.
    asked = words_of("ab ab ab abc abc bc bc bc bc bc de de de")
    lines = list(check_claim(Claim.of(None, [(b"b", b"c"), (b"a", b"b")]), asked).describe())
    assert lines[1:3] == [
        "The rule takes d + e, which occurs 3 times, tied with a + b.",
        "Yours is a + b: it occurs 3 times.",
    ]


@given(
    counts=oracles.corpora(),
    merges=st.lists(st.tuples(st.binary(max_size=3), st.binary(max_size=3)), max_size=6),
)
def test_any_merges_can_be_checked(counts: dict[bytes, int], merges: list[BytesPair]) -> None:
    asked = Assignment(lambda: b" ".join(counts), known_counts=counts)
    report = check_claim(Claim.of({7: b"x"}, merges), asked)
    assert not report.agrees
    assert list(report.describe())


# -- reported counts


def test_a_wrong_count_is_a_divergence_of_its_own_kind() -> None:
    asked = assignment(STORY)
    steps = [ClaimedStep(*pair, count) for pair, count in Student().train(STORY, 9)]
    steps[4] = ClaimedStep(*steps[4].pair, 1)
    lines = list(check_claim(Claim(steps), asked).describe())
    assert lines[0].startswith("The first wrong count is at merge 5: the pair ")
    assert lines[0].endswith(" times, not 1.")
    assert lines[2:] == [
        "The merges themselves are all by the rule.",
        "1 of the 9 counts reported is wrong.",
    ]


# -- how many there are, and how they are numbered


@pytest.mark.parametrize(
    ("merges", "expected"),
    [
        (40, "Too many merges, by 1: 40, not 39. Perhaps a loop is off by one."),
        (38, "Perhaps a loop is off by one."),
        (39 - 2, "Perhaps the special tokens were counted twice or not at all."),
        (39 + 256, "Perhaps the 256 bytes were not counted as tokens of the vocabulary."),
        (39 + 258, "Perhaps the 256 bytes and the special tokens were not counted."),
    ],
)
def test_a_wrong_number_of_merges_is_reported_with_a_hint(merges: int, expected: str) -> None:
    specials = (SPECIAL, "<pad>")
    asked = Assignment(STORY.encode, specials, vocab_size=256 + 2 + 39)
    report = check_claim(Claim.of(None, merges_of(asked, merges)), asked)
    assert report.divergence is None
    assert not report.agrees
    assert expected in list(report.describe())[-1]


def test_long_lists_are_cut_and_the_reach_of_a_mistake_is_counted() -> None:
    def reach(merges: int, is_all: bool = False, alike: tuple[str, ...] = ()) -> str:
        return LikelyMistake("a + b", "", merges, is_all, alike).describe_reach()

    assert reach(1) == "It explains this merge only; the next one differs again."
    assert reach(2, alike=("x", "y")) == "It explains this merge and the next 1. So would x, y."
    assert reach(1000) == "It explains this merge and the next 999."
    assert reach(1001) == "It explains this merge and the next 1,000, as far as it was tried."
    assert reach(3, True) == "A trainer with these mistakes makes exactly your merges."
    few = tuple(bytes([byte]) for byte in b"abcde")
    finding = VocabularyFinding(few, (*few, b"f"), None)
    assert finding.describe(spell).endswith("beyond what it should, a, b, c, d, e and 1 more.")
    assert finding.describe(spell).startswith("The vocabulary lacks a, b, c, d, e and has")
    pairs = tuple((b"z", bytes([each])) for each in b"abcdefgh")
    for tied, named in ((7, "z + g."), (8, "z + g and 1 more.")):
        found = Divergence(0, pairs[0], 2, pairs[:tied], pairs[1], 7, TakenPair(2))
        assert list(found.describe(spell))[1].endswith(named)


def test_fewer_merges_are_right_if_the_corpus_has_no_more_pairs() -> None:
    asked = Assignment(lambda: b"low", vocab_size=300)
    assert check_claim(Claim.of(None, [(b"o", b"w"), (b"l", b"ow")]), asked).agrees


def vocab_of(*tokens: bytes) -> dict[int, bytes]:
    return dict(enumerate(tokens))


BYTES = [bytes((byte,)) for byte in range(256)]


@pytest.mark.parametrize(
    ("vocab", "agrees", "expected"),
    [
        (
            vocab_of(*BYTES, b"<s>", b"ow"),
            True,
            "is what these merges make, with the ids that the rule gives.",
        ),
        (vocab_of(b"<s>", *BYTES, b"ow"), True, "numbers them otherwise: id 0 is <s>, by the rule"),
        (vocab_of(*BYTES, b"ow", b"<s>"), True, "otherwise: id 256 is ow, by the rule <s>."),
        (vocab_of(*BYTES, b"ow"), False, "The vocabulary lacks <s>."),
        (vocab_of(*BYTES[1:], b"<s>", b"ow"), False, "The vocabulary lacks Ā."),
        (vocab_of(*BYTES, b"<s>", b"lo"), False, "lacks ow and has, beyond what it should, lo."),
    ],
)
def test_the_vocabulary_is_compared_with_the_merges(
    vocab: dict[int, bytes], agrees: bool, expected: str
) -> None:
    asked = Assignment(lambda: b"low", ("<s>",))
    report = check_claim(Claim.of(vocab, [(b"o", b"w")]), asked)
    assert report.agrees == agrees
    assert expected in list(report.describe())[-1]


def test_tokens_that_are_text_are_read_as_in_a_file(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("low low lower", encoding="utf-8")
    vocab, merges = train_bpe(corpus, 260, [])
    spelled = {token_id: spell(token) for token_id, token in vocab.items()}
    ids = {token: token_id for token_id, token in vocab.items()}
    for said in (
        [(spell(left), spell(right)) for left, right in merges],
        [(ids[left], ids[right]) for left, right in merges],
        merges,
    ):
        report = check(spelled, said, corpus, 260)
        assert report.agrees
        assert "Its tokens are spelled in GPT-2's spelling." in list(report.describe())
    hexed = {token_id: token.hex() for token_id, token in vocab.items()}
    assert check(hexed, [(left.hex(), right.hex()) for left, right in merges], corpus, 260).agrees
    assert check(None, merges, corpus).agrees
    with pytest.raises(TokenizerFileError, match="without a vocabulary should be bytes"):
        check(None, [(256, 257)], corpus)
    with pytest.raises(TokenizerFileError, match="hex says every byte"):
        check({0: "a", 1: "é", 2: "aé"}, [("a", "é")], corpus)


def test_the_merge_of_a_token_is_the_way_that_its_bytes_encode(tmp_path: Path) -> None:
    model = {
        "type": "BPE",
        "vocab": {token: number for number, token in enumerate(("a", "b", "c", "ab", "bc", "abc"))},
        "merges": [["a", "b"], ["b", "c"], ["ab", "c"], ["a", "bc"]],
    }
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps({"version": "1.0", "model": model}), encoding="utf-8")
    claim, notes = read_claim(file)
    assert [step.pair for step in claim.steps] == [(b"a", b"b"), (b"b", b"c"), (b"ab", b"c")]
    assert "of 4 ways to cut its tokens in two, the 3 that come about are its merges" in notes
